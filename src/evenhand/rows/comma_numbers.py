"""Numbers written with a comma, for decimals or thousands: they are read as texts."""

import re
from collections.abc import Iterable, Sequence

from evenhand.counts.suspected_missing import looks_missing
from evenhand.errors import Problem, Remedy
from evenhand.question.codings import MISSING
from evenhand.rows.table_finding import FindingKind, TableFinding, some_names

_NUMBER = re.compile(r"\s*[+-]?\d+(,\d+)*\s*")


def are_comma_numbers(values: Iterable[str]) -> bool:
    """Whether all values but missing ones are numbers, some of them with a comma.

    >>> are_comma_numbers(["7,2", "10"]), are_comma_numbers(["7", "10"])
    (True, False)
    """
    with_comma = False
    for value in values:
        if _NUMBER.fullmatch(value):
            with_comma |= "," in value
        elif value != MISSING and not looks_missing(value):
            return False
    return with_comma


def comma_numbers(names: Sequence[str]) -> TableFinding:
    """Columns of such numbers, and what to do."""
    return TableFinding(
        kind=FindingKind.COMMA_NUMBERS,
        columns=tuple(names),
        problem=Problem(
            f"Numbers with a comma are read as texts: {some_names(names)}.",
            "So they get no classes.",
            (
                Remedy("Write them with a decimal point, as 0.5, and no mark for thousands"),
                Remedy("leave them out", "exclude", [*names]),
            ),
        ),
    )
