"""How bins and merged values are typed as options, read and written.

Errors of the library name its own arguments, as ``bins={'age': [37]}``; whoever stands at the
command line needs ``--bin age=37``. So remedies are spelled anew, and only with what is read
back as the same.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from shlex import quote
from typing import Any

from evenhand.errors import Problem, QuestionError
from evenhand.question.file import toml_key, toml_string

_ARGUMENT = re.compile(
    r"(?P<both>, in Python )?\b(?P<name>[a-z_]+)="
    r"(?P<value>\{.*\}|\[.*?\]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|True|[A-Z]+|…)"
)
_Merge = Mapping[str, Mapping[str, list[str]]]


def as_options(remedy: str) -> str:
    """Spell a remedy's arguments as options.

    >>> as_options("Leave it out (columns=…), or bin it, as in bins={'pay': 4}.")
    'Leave it out (--columns …), or bin it, as in --bin pay=quantiles:4.'
    >>> as_options("Merge them, as in merge={'work': {'a b': ['a b', 'A B']}}.")
    "Merge them, as in --merge 'work:a b=a b,A B'."
    """
    # With both forms the option stands there already.
    return _ARGUMENT.sub(lambda found: "" if found["both"] else _option(found), remedy)


def names_in(text: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in text.split(",")]


def mark_in(text: str) -> str:
    r"""A delimiter; a tab, which shells make hard to type, may be written ``\t``."""
    return "\t" if text == r"\t" else text


def bin_in(text: str) -> tuple[str, list[str] | int]:
    """A column with its cut points, or its number of classes."""
    column, found, cuts = text.rpartition("=")
    if not found or not column:
        raise QuestionError(
            Problem(
                f"--bin {text!r} cannot be read.",
                remedy="Write COLUMN=CUT[,CUT], as age=37, or COLUMN=quantiles:4.",
            )
        )
    kind, found, number = cuts.partition(":")
    if found and kind == "quantiles" and number.isdigit():
        return column, int(number)
    return column, names_in(cuts)


def merges_in(texts: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Old values under new ones, by column."""
    merges: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        column, found, rest = text.partition(":")
        new, equals, olds = rest.partition(" = " if " = " in rest else "=")
        if not (found and equals and column and new and olds):
            raise QuestionError(
                Problem(
                    f"--merge {text!r} cannot be read.",
                    remedy="Write COLUMN:new=old1,old2, with spaces around the = where a value "
                    "contains one: 'income:<=50K = <=50K,<=50K.'.",
                )
            )
        merges.setdefault(column, {}).setdefault(new.strip(), []).extend(names_in(olds))
    return merges


def _option(argument: re.Match[str]) -> str:
    name, written = argument["name"], argument["value"]
    option = f"--{name.replace('_', '-')}"
    if written == "…" or written.isupper():
        return f"{option} {written}"
    try:
        value = ast.literal_eval(written)
    except (SyntaxError, ValueError):  # a value in it has marks that end it for us
        return argument[0]
    if name == "bins":
        return " ".join(_bin_option(*item) for item in value.items())
    if name == "merge":
        return _merge_option(value)
    if value is True:
        return option
    texts = value if isinstance(value, list) else [value]
    return " ".join(f"{option} {_quoted(text)}" for text in texts)


def _in_quotes(text: str) -> str:
    return f"'{text}'" if quote(text) == text else quote(text)


def _quoted(text: str) -> str:
    return quote(text.replace("\t", r"\t"))


def _bin_option(column: str, cuts: Any) -> str:  # noqa: ANN401  # a number, or a list of them
    classes = f"quantiles:{cuts}" if isinstance(cuts, int) else ",".join(map(str, cuts))
    return f"--bin {quote(f'{column}={classes}')}"


def _merge_option(merge: _Merge) -> str:
    """The option, or lines of the question file where no option could say it."""
    typed = [
        f"{column}:{new}{' = ' if '=' in ''.join([new, *olds]) else '='}{','.join(olds)}"
        for column, values in merge.items()
        for new, olds in values.items()
    ]
    if _can_be_typed(typed, merge):
        # In quotes even where no shell asks for them: values often end in a full stop.
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
        return merges_in(typed) == merge
    except QuestionError:
        return False
