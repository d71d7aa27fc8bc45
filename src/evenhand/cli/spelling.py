"""Spells arguments of the library as options: a remedy can be typed as it is printed."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

from evenhand.question.fields import Field, find

# Tables of keys that one verb alone reads.
_VERB_TABLES = {"audit", "discover", "release"}
# What is no key, where no verb runs.
_OTHERS = {"--accept-graph", "--graph", "--overwrite", "--uncertified"}
_running: dict[str, Any] = {"verb": None, "options": None}


def offer(verb: str | None, options: Iterable[str] = ()) -> None:
    """Spell arguments as options of this verb from now on; None means of any."""
    _running.update(verb=verb, options={*options} if verb else None)


def option(argument: str, value: Any) -> str:  # noqa: ANN401  # whatever the argument takes
    """Spell an argument as an option; "" if the verb that runs takes it in no way.

    >>> option("bins", {"pay": 4}), option("columns", ...), option("key", "id")
    ('--bin pay=quantiles:4', '--columns …', '')
    >>> option("merge", {"work": {"a b": ["a b", "A B"]}}), option("min_rows", 1)
    ("--set 'merge.work.a b=a b,A B'", '--set min_rows=1')
    """
    verb, offered = _running["verb"], _running["options"]
    field, flag = find(argument), f"--{argument.replace('_', '-')}"
    if field and field.flag in (offered or ()):
        return _spelled(field.words(value, verb))
    if field and (offered is None or ("--set" in offered and takes(verb, field))):
        return _spelled(field.words(value, verb))
    if flag in (_OTHERS if offered is None else offered):
        return flag if value is True else _spelled([flag, "…" if value is ... else str(value)])
    return ""


def _spelled(words: Iterable[str]) -> str:
    return " ".join(word if word.endswith("…") else quote(word) for word in words)


def takes(verb: str | None, field: Field) -> bool:
    """Whether a verb has a use for a key: of the tables of verbs it reads its own."""
    return field.table not in _VERB_TABLES or field.table == verb
