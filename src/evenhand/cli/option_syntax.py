"""Parses option values into arguments of the library, and spells arguments as options.

A remedy carries an argument, as ``bins={"age": [37]}``; the command line prints it as
``--bin age=37``. An option is printed only if parsing it gives the same argument back.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from shlex import quote
from typing import Any

from evenhand.errors import QuestionError

OPTIONS = {
    "basis": "--basis",
    "bins": "--bin",
    "columns": "--columns",
    "criterion": "--criterion",
    "delimiter": "--delimiter",
    "frequency": "--frequency",
    "drop": "--drop",
    "exclude": "--exclude",
    "explained": "--explained",
    "favorable": "--favorable",
    "forbidden": "--forbid",
    "graph": "--graph",
    "labels": "--labels",
    "predictions": "--predictions",
    "group": "--group",
    "judge": "--judge",
    "local": "--local",
    "max_depth": "--max-depth",
    "memory": "--memory",
    "merge": "--merge",
    "method": "--method",
    "min_coverage": "--min-coverage",
    "min_rows": "--min-rows",
    "missing": "--missing",
    "na": "--na",
    "only": "--only",
    "order": "--order",
    "other": "--other",
    "overwrite": "--overwrite",
    "policy": "--policy",
    "protected": "--protected",
    "rank": "--rank",
    "redlining": "--redlining",
    "redlining_threshold": "--redlining-threshold",
    "required": "--require",
    "rule": "--rule",
    "sheet": "--sheet",
    "tiers": "--tiers",
    "uncertified": "--uncertified",
}
_IN_QUOTES = '"((?:[^"]|"")*)"'
_NAME = re.compile(rf"\s*{_IN_QUOTES}\s*(?:,|$)|([^,]*)(?:,|$)", re.DOTALL)

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
        # Always quoted: values often end in a full stop, which would look like the sentence's.
        return " ".join(
            f"{name} {_in_quotes(_merge_text(column, new, olds))}"
            for column, merged in value.items()
            for new, olds in merged.items()
        )
    if argument in {"columns", "drop", "exclude", "rule"}:
        return f"{name} {quote(_join_names(value))}"
    texts = value if isinstance(value, list) else [value]
    return " ".join(f"{name} {_quoted(str(text))}" for text in texts)


def parse_names(text: str) -> list[str]:
    """Split names at commas; one in double quotes keeps its blanks and commas.

    >>> parse_names('a, b," c,d"')
    ['a', 'b', ' c,d']
    """
    names, end = list[str](), 0
    while part := _NAME.match(text, end):
        quoted, plain = part.groups()
        names.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        end = part.end()
        if not part[0].endswith(","):
            break
    return names


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
    """Parse ``COLUMN:new=old1,old2``: new values and the old ones they replace, by column.

    Each part may stand in double quotes.
    """
    merges: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        column, rest = _take(text, ":")
        new, olds = _take(rest, " = " if " = " in rest else "=")
        if not olds:
            raise QuestionError.of(
                f"--merge {text!r} cannot be read.",
                remedy="Write COLUMN:new=old1,old2, with spaces around the = where a value "
                "contains one: 'income:<=50K = <=50K,<=50K.'.",
            )
        merges.setdefault(column, {}).setdefault(new, []).extend(parse_names(olds))
    return merges


def _take(text: str, mark: str) -> tuple[str, str]:
    """The name before a mark, and the text after it; that is empty if there is no name."""
    if quoted := re.match(rf"\s*{_IN_QUOTES}\s*{mark.strip()}", text, re.DOTALL):
        return quoted[1].replace('""', '"'), text[quoted.end() :]
    name, _, rest = text.partition(mark)
    return (name if mark == ":" else name.strip()), rest if name else ""


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _join_names(names: Iterable[str]) -> str:
    """Names that ``parse_names`` splits again."""
    return ",".join(n if parse_names(n) == [n] else _quote_name(n) for n in names)


def _in_quotes(text: str) -> str:
    return f"'{text}'" if quote(text) == text else quote(text)


def _quoted(text: str) -> str:
    return quote(text.replace("\t", r"\t"))


def _bin_option(column: str, cuts: Any) -> str:  # noqa: ANN401  # a number, or a list of them
    classes = f"quantiles:{cuts}" if isinstance(cuts, int) else ",".join(map(str, cuts))
    return f"--bin {quote(f'{column}={classes}')}"


def _merge_text(column: str, new: str, olds: list[str]) -> str:
    mark = " = " if "=" in "".join([new, *olds]) else "="
    text = f"{column}:{new}{mark}{_join_names(olds)}"
    with suppress(QuestionError):
        if parse_merges([text]) == {column: {new: olds}}:
            return text
    return f"{_quote_name(column)}:{_quote_name(new)}={_join_names(olds)}"
