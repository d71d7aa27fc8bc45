"""Errors of the data that counting can find: what, where, how often, and the remedy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from evenhand.counts.label_order import rows_in
from evenhand.errors import (
    ColumnError,
    InputError,
    MissingValueError,
    Problem,
    Remedy,
    ResourceError,
    ValuesError,
    did_you_mean,
    listed,
)
from evenhand.question import Codings
from evenhand.question.codings import MISSING, unplaced
from evenhand.question.parse_values import WILDCARD, exact_number
from evenhand.rows.value_labels import ColumnEncoder

_FEW_ROWS = 100


def raise_all(errors: Sequence[InputError]) -> None:
    """Raise the problems of all errors together, in the class that they share."""
    if errors:
        kinds = {type(error) for error in errors}
        kind = kinds.pop() if len(kinds) == 1 else InputError
        raise kind(*(problem for error in errors for problem in error.problems))


def unfit_texts(columns: Sequence[ColumnEncoder]) -> Iterator[InputError]:
    """Texts that cannot be binned, and texts with a NUL byte."""
    for column in columns:
        for text, place in [*column.unfit.items()][:1]:
            if "\0" in text:
                yield InputError.of(
                    f"The column {column.name!r} has a text with a NUL byte.",
                    f"First at {place}; {len(column.unfit):,} such texts in all.",
                    "Remove these bytes: the file is damaged or no text.",
                    place.source.where,
                )
            else:
                places = {**dict.fromkeys(column.unfit, ""), text: str(place)}
                where = place.source.where
                yield unplaced(column.name, places, is_number=_are_numbers([text]), where=where)


def absent_merges(
    codings: Codings, columns: Iterable[ColumnEncoder], where: str
) -> Iterator[tuple[Problem, bool]]:
    """Merged values that do not occur, as they are misspelt, and whether no other is merged."""
    for column in columns:
        values = column.text_codes.keys()
        for new, olds in codings.merge.get(column.name, {}).items():
            absent = [old for old in olds if old != WILDCARD and old not in values]
            if values and absent:
                near = " ".join(filter(None, (did_you_mean(old, values) for old in absent)))
                problem = Problem(
                    f"No row has {listed(absent)} in {column.name!r}, merged as {new!r}.",
                    near or f"Its values are {listed(sorted(values))}.",
                    "Write the values exactly as they stand in the data.",
                    where,
                )
                yield problem, len(absent) == len(olds)


def spelling_notes(
    spellings: Mapping[str, Mapping[str, AbstractSet[str]]],
) -> Iterator[Problem]:
    """By column, numbers that are spelled in several ways: each is counted as one value."""
    for name, texts_of in spellings.items():
        several = {label: texts for label, texts in texts_of.items() if len(texts) > 1}
        if several:
            label, texts = min(several.items())
            more = f", and so for {len(several) - 1:,} more" if len(several) > 1 else ""
            yield Problem(
                f"{name} spells one value in several ways: "
                f"{listed(sorted(texts))}{more}; all are counted as {label!r}.",
                remedy="If these are codes, and no numbers or times, write them as neither is "
                "written, such as 'v1.10'.",
            )


def unfit_frequencies(column: ColumnEncoder) -> Iterator[InputError]:
    """Frequencies that are negative, fractional, missing or no numbers."""
    for text, place in [*column.unfit.items()][:1]:
        yield ValuesError.of(
            f"The frequency {column.name!r} is {text!r}, which is no number of rows."
            if text
            else f"The frequency {column.name!r} is missing.",
            f"First at {place}; {len(column.unfit):,} such values in all: "
            f"{listed(column.unfit)}.",
            "Frequencies are whole numbers from 0 on. A survey weight is none.",
            place.source.where,
        )


def missing_values(
    columns: Sequence[ColumnEncoder], amounts: Mapping[str, int]
) -> Iterator[InputError]:
    """Missing values for which no rule was given, with their number in each column."""
    places = {one.name: one.missing for one in columns if one.missing and amounts.get(one.name)}
    for name, place in [*places.items()][:1]:
        yield MissingValueError.of(
            f"Values are missing: {rows_in({name: amounts[name] for name in places})}.",
            f"First at {place}, in {name!r}.",
            (
                Remedy("Leave these rows out", "missing", "drop"),
                Remedy("make it a value of its own", "missing", "level"),
                Remedy(f"leave the column{'s'[: len(places) > 1]} out", "exclude", [*places]),
            ),
            place.source.where,
        )


def taken_level(columns: Sequence[ColumnEncoder]) -> Iterator[InputError]:
    """A label that stands for missing values but occurs itself."""
    for column in columns:
        if MISSING in column.codes and column.missing:
            yield ValuesError.of(
                f"The column {column.name!r} has missing values, and the text {MISSING!r}.",
                "The two would be counted as one.",
                (
                    Remedy("Declare the text as missing too", "na", [MISSING]),
                    Remedy("merge it", "merge"),
                ),
                column.missing.source.where,
            )


def nothing_left(dropped: int, where: str) -> InputError:
    """Every row has a missing value somewhere."""
    return MissingValueError.of(
        f"Each of the {dropped:,} rows has a missing value in some column.",
        "Nothing is left after dropping them.",
        (
            Remedy("Leave columns out", "columns"),
            Remedy("make missing values a value of their own", "missing", "level"),
        ),
        where,
    )


def no_rows(where: str) -> InputError:
    """A table with columns but no rows."""
    return InputError.of(
        "There are no rows.",
        "Only the names of the columns were found.",
        "Check that this is the right table, and complete.",
        where,
    )


def too_many_assignments(
    sizes: Mapping[str, int], distinct: int, memory: int, where: str
) -> ResourceError:
    """More distinct assignments than fit into the memory."""
    name = max(sizes, key=sizes.__getitem__)
    found = f"The column {name!r} has {sizes[name]:,} values, the most of all."
    remedies = (Remedy("merge values", "merge"), Remedy("bin them", "bins"))
    return too_large(f"{distinct:,} distinct assignments", memory, found, where, *remedies)


def too_large_columns(sizes: Mapping[str, int], memory: int, where: str) -> ResourceError:
    """Columns that do not fit into the memory: of few but long texts, or of very many rows."""
    name = max(sizes, key=sizes.__getitem__)
    found = f"The column {name!r} takes {sizes[name] / 1e6:,.0f} MB so far, the most of all."
    return too_large("The columns", memory, found, where)


def too_large(
    what: str, memory: int, found: str, where: str, *remedies: Remedy
) -> ResourceError:
    """Something does not fit into the memory."""
    fewer = Remedy("Choose fewer columns", "columns")
    more = Remedy("allow more memory", "memory")
    what = f"{what} do not fit into {memory / 1e6:,.0f} MB."
    return ResourceError.of(what, found, (fewer, *remedies, more), where)


def identifiers(
    labels: Mapping[str, Collection[str | None]], rows: int, *, share: float, where: str
) -> Iterator[InputError]:
    """Columns with nearly as many values as rows: no group in them can be compared."""
    for name, values in labels.items():
        if rows >= _FEW_ROWS and len(values) > share * rows:
            leave_out = Remedy("Leave it out", "exclude", [name])
            numbers = _are_numbers(values)
            yield ColumnError.of(
                f"The column {name!r} looks like an identifier"
                + (" or a measurement." if numbers else " or a free text."),
                f"It has {len(values):,} different values in {rows:,} rows.",
                (leave_out, Remedy("bin it", "bins", {name: 4})) if numbers else leave_out,
                where,
            )


def _are_numbers(labels: Iterable[str | None]) -> bool:
    try:
        for label in labels:
            exact_number(label or "0")
    except ValueError:
        return False
    return True
