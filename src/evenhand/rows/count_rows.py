"""The one pass over the rows: batches are encoded as keys, and keys are counted.

Below it stand the errors of the data that counting can find, each with its remedy.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import check_row_count, code_type
from evenhand.counts.label_order import in_order, rows_in
from evenhand.display import COUNTING, ProgressCallback, ProgressReporter
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
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, reading
from evenhand.rows.csv_files import LONGEST_RECORD
from evenhand.rows.key_counter import MOST_PENDING, Codes, KeyCounter, KeyLayout, sort_order
from evenhand.rows.value_labels import ColumnEncoder, FrequencyEncoder, check_types

# Rows after which a column with hardly any repeated value is refused, before all are read.
_EARLY_ROWS = 10_000
# Measured: memory of the process before it counts, and of each distinct line while lines are
# buffered, sorted and merged, beside two codes for each column.
_PROCESS_BYTES = 160 * 10**6
_LINE_BYTES = 128
_MOST_MEMORY = 2**62
_FEW_ROWS = 100  # below that, that no value repeats says nothing


@dataclass(frozen=True, slots=True)
class CountResult:
    """The counts, how many rows were left out for a missing value, and what to know of them."""

    table: CountTable
    dropped: int
    notes: tuple[Problem, ...] = ()


def count(
    sources: Sequence[BatchSource],
    names: Sequence[str],
    codings: Codings,
    *,
    memory: int | None = None,
    progress: ProgressCallback | None = None,
) -> CountResult:
    """Count the assignments of the named columns in all sources.

    Raises ``ResourceError`` for what does not fit into ``memory``; ``progress`` is called after
    each batch.
    """
    if sources[0].group_by:
        source, codings = sources[0].group_by(names, codings)
        sources = (source,)
    counter = _RowCounter(names, codings, memory)
    reporter, total = ProgressReporter(progress), None
    for source in sources:
        with reading(source.where):
            for rows, in_first_batch in counter.read(source):
                total = total or expected_rows(sources, in_first_batch)
                reporter.advance(COUNTING, rows, total)
    with reading(sources[0].where):
        result = counter.finish(where=sources[0].where)
    # What Arrow keeps for further batches is 100 MB: the mathematics after this uses none.
    pa.default_memory_pool().release_unused()
    return result


class _RowCounter:
    """State of the pass. A missing value is a label like any other until ``finish``."""

    def __init__(
        self,
        names: Sequence[str],
        codings: Codings,
        memory: int | None,
    ) -> None:
        self.codings = codings
        self.columns = [ColumnEncoder(name, codings) for name in names]
        self.frequency = FrequencyEncoder(codings.frequency) if codings.frequency else None
        self.encoders = [*self.columns, *([self.frequency] if self.frequency else [])]
        # The buffer may fill a quarter of the memory.
        self.line_bytes = _LINE_BYTES + 2 * len(names)
        limit = self.line_memory = (memory or _MOST_MEMORY) - _PROCESS_BYTES
        self.counter = KeyCounter(
            KeyLayout((0,) * len(names)),
            most_pending=min(MOST_PENDING, limit // (4 * self.line_bytes)),
        )
        self.rows = 0

    def read(self, source: BatchSource) -> Iterator[tuple[int, int]]:
        """Count one source; yields the rows of each part, and of the batch that it is of."""
        wanted = [column.name for column in self.encoders]
        row = 0
        for batch in source.open(wanted, coded=True):
            for begin in range(0, batch.num_rows, BATCH_ROWS):
                if row == 0:
                    check_types(batch.schema, where=source.where)
                part = batch.slice(begin, BATCH_ROWS)
                self._add(part, source, row)
                row += part.num_rows
                yield part.num_rows, batch.num_rows

    def _add(self, batch: pa.RecordBatch, source: BatchSource, row: int) -> None:
        coded = [one.encode(batch.column(one.name), source, row) for one in self.encoders]
        self._widen_keys()
        weights = None
        if self.frequency:
            numbers, indices = coded.pop()
            weights = numbers[indices]
        self.counter.add(self.counter.layout.keys(coded), weights)
        early = self.rows < _EARLY_ROWS
        self.rows += batch.num_rows if weights is None else sum(weights.tolist())
        self._check_memory(self.counter.distinct, source.where)
        check_row_count(
            self.rows, counts=f"frequencies {self.codings.frequency!r}", where=source.where
        )
        if early and self.rows >= _EARLY_ROWS:
            labels = {column.name: column.codes for column in self.columns}
            raise_all([*identifiers(labels, self.rows, share=0.9, where=source.where)])

    def _check_memory(self, distinct: int, where: str) -> None:
        memory = self.line_memory + _PROCESS_BYTES
        if distinct * self.line_bytes > self.line_memory:
            sizes = {column.name: len(column.codes) for column in self.columns}
            raise too_many_assignments(sizes, distinct, memory, where)
        texts = {column.name: column.bytes for column in self.encoders}
        if sum(texts.values()) > self.line_memory:
            raise too_large_columns(texts, memory, where)

    def _widen_keys(self) -> None:
        """Change the key layout if a column has more labels than it has room for."""
        rooms = self.counter.layout.capacities
        sizes = [len(column.codes) for column in self.columns]
        if not all(0 < room >= size for room, size in zip(rooms, sizes, strict=True)):
            # Exact at first; a column that grows later may grow on: it gets a power of two.
            # There is one at least, for texts that have no label.
            wider = (
                max(room, 1 << (size - 1).bit_length() if room else size, 1)
                for room, size in zip(rooms, sizes, strict=True)
            )
            self.counter = self.counter.with_layout(KeyLayout(tuple(wider)))

    def finish(self, *, where: str) -> CountResult:
        """Report all problems, apply the rule for missing values, return the counts."""
        errors = [*unfit_texts(self.columns)]
        if self.frequency:
            errors += unfit_frequencies(self.frequency)
        absent = [*absent_merges(self.codings, self.columns, where)]
        errors += [ValuesError(problem) for problem, is_idle in absent if is_idle]
        if not self.rows:
            raise_all(errors or [no_rows(where)])
        keys, counts = self.counter.result()
        self._check_memory(len(counts), where)
        codes = self.counter.layout.codes(keys)
        missing = {
            column.name: lines == column.codes[None]
            for column, lines in zip(self.columns, codes, strict=True)
            if None in column.codes
        }
        if self.codings.missing == "error":
            amounts = {name: int(counts[lines].sum()) for name, lines in missing.items()}
            errors += missing_values(self.columns, amounts)
        if self.codings.missing == "level":
            errors += taken_level(self.columns)
        raise_all(errors)
        left_out = counts == 0
        if self.codings.missing == "drop":
            for lines in missing.values():
                left_out |= lines
        dropped = int(counts[left_out].sum())
        if dropped == self.rows:
            raise nothing_left(dropped, where)
        if left_out.any():
            codes, counts = [column[~left_out] for column in codes], counts[~left_out]
        # Of lines that occur no times the labels may not occur either.
        all_occur = self.frequency is None and not left_out.any()
        labels = {column.name: column.labels for column in self.columns}
        table = _table(labels, codes, counts, all_occur=all_occur)
        values = {attribute.name: attribute.values for attribute in table.attributes}
        raise_all([*identifiers(values, table.row_count, share=0.5, where=where)])
        spellings = {column.name: column.spellings for column in self.columns}
        notes = [*spelling_notes(spellings), *(one for one, _ in absent)]
        return CountResult(table, dropped, tuple(notes))


def _table(
    labels: Mapping[str, Sequence[str | None]],
    columns: Sequence[Codes],
    counts: NDArray[np.int64],
    *,
    all_occur: bool,
) -> CountTable:
    """Distinct lines as a canonical count table: only labels that occur, sorted."""
    attributes, renumbered, sorted_already = [], [], True
    for (name, known), codes in zip(labels.items(), columns, strict=True):
        texts = [MISSING if label is None else label for label in known]
        used = texts if all_occur else [texts[code] for code in np.unique(codes).tolist()]
        values = in_order(used)
        sorted_already = sorted_already and values == tuple(used)
        place = {value: code for code, value in enumerate(values)}
        attributes.append(Attribute(name, values))
        renumbered.append((np.array([place.get(text, 0) for text in texts], np.int64), codes))
    if not sorted_already:  # some labels were met late
        order = sort_order(KeyLayout(tuple(map(len, attributes))).keys(renumbered))
        renumbered = [(number, codes[order]) for number, codes in renumbered]
        counts = counts[order]
    return CountTable(
        tuple(attributes),
        tuple(
            number.astype(code_type(len(attribute)))[codes]
            for attribute, (number, codes) in zip(attributes, renumbered, strict=True)
        ),
        counts,
    )


def expected_rows(sources: Sequence[BatchSource], in_first_batch: int) -> int | None:
    """About how many rows there are, as the first batch tells; None where that is unknown."""
    if all(source.rows is not None for source in sources):
        return sum(source.rows or 0 for source in sources)
    if any(source.dialect is None or source.dialect.compression for source in sources):
        return None
    size = sum(Path(source.where).stat().st_size for source in sources)
    return max(in_first_batch * size // min(size, LONGEST_RECORD), in_first_batch)


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
