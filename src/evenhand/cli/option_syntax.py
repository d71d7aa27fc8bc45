"""Parses option values into arguments of the library, and spells arguments as options.

A remedy carries an argument, as ``bins={"age": [37]}``; the command line prints it as
``--bin age=37``. An option is printed only if parsing it gives the same argument back.
"""

import re
from collections.abc import Iterable, Mapping
from shlex import quote
from typing import Any, TypeAlias

from evenhand.errors import QuestionError
from evenhand.question.question_file import toml_key, toml_string

OPTIONS = {
    "bins": "--bin",
    "change_along": "--change-along",
    "columns": "--columns",
    "delimiter": "--delimiter",
    "drop": "--drop",
    "exclude": "--exclude",
    "forbidden": "--forbid",
    "graph": "--graph",
    "judge": "--judge",
    "memory": "--memory",
    "merge": "--merge",
    "min_coverage": "--min-coverage",
    "missing": "--missing",
    "na": "--na",
    "other": "--other",
    "overwrite": "--overwrite",
    "policy": "--policy",
    "required": "--require",
    "rule": "--rule",
    "sheet": "--sheet",
    "tiers": "--tiers",
    "uncertified": "--uncertified",
}
_Merge: TypeAlias = Mapping[str, Mapping[str, list[str]]]


_offered = {*OPTIONS.values()}


def offer(options: Iterable[str] | None) -> None:
    """Spell only these options from now on: those of the running command; None means all."""
    _offered.clear()
    _offered.update(OPTIONS.values() if options is None else options)


def option(argument: str, value: Any) -> str:  # noqa: ANN401  # whatever the argument takes
    """Spell an argument as an option; "" if the command line has none for it.

    >>> option("bins", {"pay": 4}), option("columns", ...), option("key", "id")
    ('--bin pay=quantiles:4', '--columns …', '')
    >>> option("merge", {"work": {"a b": ["a b", "A B"]}})
    "--merge 'work:a b=a b,A B'"
    """
    name = OPTIONS.get(argument, "")
    if name not in _offered:
        return ""
    if value is True or value is ...:
        return name if value is True else f"{name} …"
    if argument == "bins":
        return " ".join(_bin_option(*item) for item in value.items())
    if argument == "merge":
        return _merge_option(value)
    if argument in {"change_along", "columns", "drop", "exclude", "rule"}:
        return _names_option(name, value)
    texts = value if isinstance(value, list) else [value]
    return " ".join(f"{name} {_quoted(text)}" for text in texts)


def parse_names(text: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in text.split(",")]


def parse_delimiter(text: str) -> str:
    r"""Parse a delimiter; a tab, hard to type in a shell, may be written ``\t``."""
    return "\t" if text == r"\t" else text


def parse_bin(text: str) -> tuple[str, list[str] | int]:
    """Parse ``COLUMN=CUT[,CUT]`` or ``COLUMN=quantiles:N``: the column, and cuts or classes.

    >>> parse_bin("age=37,>=50"), parse_bin("pay=quantiles:4")
    (('age', ['37', '>=50']), ('pay', 4))
    """
    # A column's name may contain "=", a cut only in ">=".
    parts = re.fullmatch(r"(.+?)=((?:[^=]|>=)*)", text, re.DOTALL)
    if parts is None:
        raise QuestionError.of(
            f"--bin {text!r} cannot be read.",
            remedy="Write COLUMN=CUT[,CUT], as age=37 or 'age=>=38', or COLUMN=quantiles:4.",
        )
    column, cuts = parts.groups()
    kind, _, number = cuts.partition(":")
    if kind == "quantiles" and number.isdigit():
        return column, int(number)
    return column, parse_names(cuts)


def parse_merges(texts: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Parse ``COLUMN:new=old1,old2``: new values and the old ones they replace, by column."""
    merges: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        column, colon, rest = text.partition(":")
        new, equals, olds = rest.partition(" = " if " = " in rest else "=")
        if not (colon and equals and column and new and olds):
            raise QuestionError.of(
                f"--merge {text!r} cannot be read.",
                remedy="Write COLUMN:new=old1,old2, with spaces around the = where a value "
                "contains one: 'income:<=50K = <=50K,<=50K.'.",
            )
        merges.setdefault(column, {}).setdefault(new.strip(), []).extend(parse_names(olds))
    return merges


def _names_option(name: str, names: list[str]) -> str:
    """The option, or a line for the question file where a name contains a comma."""
    typed = ",".join(names)
    if parse_names(typed) == names:
        return f"{name} {quote(typed)}"
    key = name.removeprefix("--")
    return f"{key} = [{', '.join(map(toml_string, names))}] in the question file"


def _in_quotes(text: str) -> str:
    return f"'{text}'" if quote(text) == text else quote(text)


def _quoted(text: str) -> str:
    return quote(text.replace("\t", r"\t"))


def _bin_option(column: str, cuts: Any) -> str:  # noqa: ANN401  # a number, or a list of them
    classes = f"quantiles:{cuts}" if isinstance(cuts, int) else ",".join(map(str, cuts))
    return f"--bin {quote(f'{column}={classes}')}"


def _merge_option(merge: _Merge) -> str:
    """The option, or lines for the question file where no option can express it."""
    typed = [
        f"{column}:{new}{' = ' if '=' in ''.join([new, *olds]) else '='}{','.join(olds)}"
        for column, values in merge.items()
        for new, olds in values.items()
    ]
    if _can_be_typed(typed, merge):
        # Always quoted: values often end in a full stop, which would look like the sentence's.
        return " ".join(f"--merge {_in_quotes(text)}" for text in typed)
    lines = (
        f"[data.merge.{toml_key(column)}] {toml_string(new)} = "
        f"[{', '.join(map(toml_string, olds))}]"
        for column, values in merge.items()
        for new, olds in values.items()
    )
    return f"{' '.join(lines)} in the question file"


def _can_be_typed(typed: list[str], merge: _Merge) -> bool:
    try:
        return parse_merges(typed) == merge
    except QuestionError:
        return False
