"""``read``: any table of decision records, ready to be counted."""

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from evenhand.counts import CountTable, Determination, determining_columns
from evenhand.counts.functional_dependencies import numbers_of
from evenhand.display import Described, ProgressCallback, Summary
from evenhand.errors import (
    ColumnError,
    InputError,
    MissingValueError,
    Problem,
    QuestionError,
    Remedy,
    did_you_mean,
    listed,
)
from evenhand.question import Bins, Codings, Number, Question
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import WILDCARD, exact_number
from evenhand.rows.batch_source import Batches, BatchSource, memory_in_bytes
from evenhand.rows.coded_rows import (
    FIRST_BYTES,
    LineTable,
    StoredLines,
    quantile_bins,
    stored_blocks,
    value_counts,
)
from evenhand.rows.count_rows import CountResult, count, no_rows, too_large
from evenhand.rows.file_sources import file_sources
from evenhand.rows.frame_sources import Source, frame_source
from evenhand.rows.inspect.column_profile import profile_column
from evenhand.rows.inspect.findings import FindingKind, in_part, leave_out
from evenhand.rows.inspect.inspection import Inspection, inspect
from evenhand.rows.value_labels import nearest_floats

_HOW_TO_READ = ("delimiter", "sheet", "frequency")


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Described):
    """A table of records, and how its columns are read; only counts stay in memory.

    ``excluded`` are the names that were to be left out, also those that the table lacks.
    ``base`` are the same rows under other codings, whose lines in memory serve these, too.
    """

    origin: Any  # what was given to ``read``
    sources: tuple[BatchSource, ...] = field(repr=False)
    requested: Codings
    memory: int  # bytes
    progress: ProgressCallback | None = field(default=None, repr=False)
    excluded: tuple[str, ...] = ()
    base: "Rows | None" = field(default=None, repr=False)
    mark_notes: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def where(self) -> str:
        """The table's name, for messages."""
        more = len(self.sources) - 1
        return self.sources[0].where + (f" and {more:,} more" if more else "")

    @property
    def plain_file(self) -> str | None:
        """The one text file that the rows are, if they are one and it is not compressed."""
        first, *others = self.sources
        is_plain = not others and first.dialect and first.dialect.compression is None
        return first.where if is_plain else None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that are counted."""
        return self.requested.select(self.sources[0].names)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns of the table that are not counted and count nothing."""
        used = {*self.columns, self.requested.frequency}
        return tuple(name for name in self.sources[0].names if name not in used)

    @cached_property
    def codings(self) -> Codings:
        """How the columns are read, with classes as they are labelled in the counts."""
        codings = self.cut_codings
        bins = {
            name: bins.settled(self.count().attribute(name).values)
            for name, bins in codings.bins.items()
            if isinstance(bins, Bins) and bins.whole is None and name in self.columns
        }
        return replace(codings, bins={**codings.bins, **bins}) if bins else codings

    @cached_property
    def cut_codings(self) -> Codings:
        """How the columns are read, with cut points instead of numbers of quantiles."""
        quantiles = {
            name: classes
            for name, classes in self.requested.bins.items()
            if isinstance(classes, int) and name in self.columns
        }
        if not quantiles:
            return self.requested
        values = value_counts(self.sources, [*quantiles], self.requested, memory=self.memory)
        bins = {
            name: quantile_bins(name, classes, values[name], where=self.where)
            for name, classes in quantiles.items()
        }
        return replace(self.requested, bins={**self.requested.bins, **bins})

    def count(self) -> CountTable:
        """How often each assignment occurs; the rows are read only once."""
        return self._count_result.table

    @property
    def dropped(self) -> int:
        """How many rows were left out of the counts because a value was missing."""
        return self._count_result.dropped

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What a reader of the counts should know of how they were made."""
        return (*self._name_notes(), *self.mark_notes, *self._count_result.notes)

    def _name_notes(self) -> Iterator[Problem]:
        """What is odd about the names of columns."""
        yield from self.sources[0].name_notes()
        for name in self.excluded:
            if name not in self.sources[0].names:
                near = did_you_mean(name, self.columns)
                yield Problem(f"{name!r} is to be left out, and is not in the table.", near)

    def check_counted(self, *names: str) -> None:
        """Raise for columns that are in the table and are not counted."""
        chosen = f"It is not among the chosen columns: {listed(self.columns)}."
        problems = []
        for name in dict.fromkeys(names):
            if name in self.sources[0].names and name not in self.columns:
                why, remedy = "It is excluded.", Remedy("Do not exclude it")
                if name not in self.excluded:
                    remedy = Remedy("Choose it, too", "columns", [*self.columns, name])
                    why = chosen
                what = f"The column {name!r} is in the table, but left out."
                problems.append(Problem(what, why, remedy, self.where))
        if problems:
            raise ColumnError(*problems)

    @cached_property
    def _count_result(self) -> CountResult:
        return count(
            self.sources,
            self.columns,
            self.cut_codings,
            memory=self.memory,
            progress=self.progress,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are counted, as a table of counts calls them."""
        return self.columns

    @property
    def drops_rows(self) -> bool:
        """Whether rows that lack a value are left out of the counts."""
        return self.requested.missing == "drop"

    def marginal(self, names: Iterable[str]) -> CountTable:
        """How often each assignment of a few columns occurs, for a search among many.

        An engine counts each time; of files and frames all columns are read once.
        """
        chosen, codings = tuple(names), self.cut_codings
        if self.sources[0].group_by:
            return count(self.sources, chosen, codings).table
        lines = self.lines
        if lines.unreadable:
            count(self.sources, lines.unreadable, codings)  # raises, and says why
        if not lines.complete:
            found = f"The first {lines.table.row_count:,} rows fill it."
            raise too_large("All columns of all rows", self.memory // 3, found, self.where)
        missing = [n for n in chosen if MISSING in lines.table.attribute(n).values]
        if missing and codings.missing == "error":
            count(self.sources, missing, codings)  # raises, and says in which row
        marginal = lines.table.marginal(chosen)
        for name in missing if self.drops_rows else ():
            marginal = marginal.without(name, [MISSING])
        return marginal

    def with_progress(self, progress: ProgressCallback | None) -> "Rows":
        """The same rows with another callback; what was counted is not counted again."""
        rows = copy(self)
        vars(rows)["progress"] = progress
        return rows

    def only(self, names: Container[str]) -> "Rows":
        """The same rows, of which only these columns are counted."""
        columns = tuple(name for name in self.columns if name in names)
        return replace(self, requested=replace(self.requested, columns=columns))

    def recoded(self, codings: Codings) -> "Rows":
        """The same rows under other codings, looked at without reading them again.

        The delimiter, the sheet and the frequency stay what they were when the rows were read.
        """
        same = {name: getattr(self.requested, name) for name in _HOW_TO_READ}
        rows = Rows(
            self.origin,
            self.sources,
            replace(codings, **same),
            self.memory,
            base=self.base or self,
        )
        return _checked(rows)

    def labelled(self, name: str) -> CountTable | None:
        """The counts with one more column; None if rows that lack a value there are all.

        Classes of numbers have the labels of these counts.
        """
        columns = (*dict.fromkeys((*self.columns, name)),)
        rows = replace(self, requested=replace(self.codings, columns=columns))
        try:
            return rows.count()
        except MissingValueError:
            if self.drops_rows:
                return None
            raise

    def inspect(
        self,
        question: Question | None = None,
        *,
        decision: str | None = None,
        protected: str | Sequence[str] | None = None,
    ) -> Inspection:
        """Look at the columns before anything is judged: what is worth knowing, and remedies.

        Reads the rows once, unchanged except for the given bins and merges, and accepts
        any column. Without a question, its columns may be named alone.
        """
        names = (protected,) if isinstance(protected, str) else tuple(protected or ())
        asked = question.columns if question else (*names, decision)
        self.check_counted(*filter(None, asked))
        lines = self.lines
        if not lines.table.row_count:
            raise no_rows(self.where)
        found = inspect(
            lines.table,
            question,
            decision=decision,
            protected=names,
            missing=self.requested.missing,
            declared_counts=self.requested.frequency is not None,
            where=self.where,
            progress=self.progress,
        )
        why = "of a type whose values are no labels."
        also = [*leave_out(FindingKind.UNREADABLE, lines.unreadable, why)]
        if not lines.complete:
            rows = lines.table.row_count
            what = f"Only the first {rows:,} rows were looked at."
            also.append(in_part(what, Remedy("Allow more memory", "memory"), rows=rows))
        notes = (*self._name_notes(), *lines.notes)
        return replace(found, findings=(*found.findings, *also), notes=notes)

    def first_rows(self) -> CountTable:
        """The first rows of all columns, unchanged; enough of them for a first look."""
        few = replace(self, requested=self.cut_codings, memory=3 * FIRST_BYTES, base=None)
        return few.lines.table

    @cached_property
    def lines(self) -> LineTable:
        """The rows under their labels, one line each; as many as fit into memory."""
        return self._stored.coded(self.columns, self.cut_codings, where=self.where)

    @cached_property
    def _stored(self) -> StoredLines:
        if self.base:
            return self.base._stored  # noqa: SLF001  # of the same class
        blocks = stored_blocks(
            self.sources,
            self.columns,
            frequency=self.requested.frequency,
            memory=self.memory // 3,
            progress=self.progress,
        )
        with closing(blocks):
            return next(blocks)

    def with_pass_marks(self, question: Question) -> "Rows":
        """The rows with one more cut in the classes of each number that decides by a pass mark.

        What determines the decision may not vanish in classes: cut at the mark they determine
        it, too. Of columns that are left out a mark is only told.
        """
        asked = {*question.columns, self.requested.frequency}
        left = [n for n in self.sources[0].names if n not in self.columns and n not in asked]
        classed = [n for n in self.columns if n in self.requested.bins and n not in asked]
        can_look = self.sources[0].streams and not self.sources[0].once
        if question.predicts or not can_look or not (left or classed):
            return self
        codings, notes = self.cut_codings, []
        kept = {name: bins for name, bins in codings.bins.items() if name in asked}
        whole = tuple(n for n in self.sources[0].names if n != codings.frequency)
        stored = replace(self, requested=replace(codings, columns=whole, bins=kept), base=None)
        try:
            first = stored.first_rows()
        except InputError:  # a column that is left out need not be readable
            stored = replace(stored, requested=replace(codings, bins=kept))
            first = stored.first_rows()
        found = _pass_marks(first, question, {*left, *classed})
        if found:
            names = {*found, question.decision}
            found = _pass_marks(stored.only(names).lines.table, question, {*found})
        bins = dict(codings.bins)
        for name, (mark, values) in found.items():
            classes, how = bins.get(name), "It is left out."
            if name in classed and isinstance(classes, Bins):
                bins[name] = _cut_at(classes, exact_number(mark.marks[0]), values)
                how = "" if bins[name] == classes else "Its classes are cut there, too."
            what = f"{mark.rule} alone determines {question.decision!r}, without exception."
            notes.append(Problem(what, how))
        return replace(self, requested=replace(codings, bins=bins), mark_notes=tuple(notes))

    def batches(self) -> Batches:
        """All columns of all rows, in order and in their own types."""
        for source in self.sources:
            yield from source.open(source.names, coded=False)

    def summary(self) -> Summary:
        """The name of the table and its columns, without reading rows."""
        return Summary(
            title=f"Rows of {self.where}", facts=(("columns", ", ".join(self.columns)),)
        )


def read(
    source: Source,
    *,
    columns: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    bins: Mapping[str, Sequence[Number] | int | Bins] | None = None,
    merge: Mapping[str, Mapping[str, Sequence[Number]]] | None = None,
    missing: str = "error",
    na: Iterable[str] = (),
    frequency: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    codings: Codings | None = None,
    memory: str | int | None = None,
    progress: ProgressCallback | None = None,
) -> Rows:
    """Open a table of records: a file, folder, pattern, frame, relation or engine's table.

    Files are CSV (also compressed), Parquet, Arrow or, with the extra ``excel``, spreadsheets,
    whatever their names; ``sheet`` names one of several sheets. ``codings`` holds all options
    that say how columns are read, as a question file has them. ``memory``, such as "2GB", is by
    default half of the machine's, up to 4GB. ``progress`` is called after each batch.

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "m", "f"], "age": [36, 37, 38]})
    >>> print(read(table, bins={"age": [37]}).count())
    3 rows, 3 distinct assignments
      attribute  values  how often
      sex             2  f 2, m 1
      age             2  up to 37 2, 38 or more 1
    """
    options = Codings.of(
        columns=columns,
        exclude=exclude,
        bins=bins,
        merge=merge,
        missing=missing,
        na=na,
        frequency=frequency,
    )
    if codings is not None and options != Codings():
        raise QuestionError.of(
            "Codings were given twice: as `codings` and one by one.", remedy="Give either."
        )
    requested = codings or options
    requested = requested if delimiter is None else replace(requested, delimiter=delimiter)
    requested = requested if sheet is None else replace(requested, sheet=sheet)
    limit = memory_in_bytes(memory)
    sources = (
        file_sources(source, delimiter=requested.delimiter, sheet=requested.sheet, memory=limit)
        if isinstance(source, str | os.PathLike)
        else (frame_source(source),)
    )
    return _checked(Rows(source, sources, requested, limit, progress))


def _pass_marks(
    table: CountTable, question: Question, names: Collection[str]
) -> dict[str, tuple[Determination, Sequence[str]]]:
    """The columns of which one cut separates favorable decisions, and their values."""
    decision = question.decision
    if question.favorable_values:
        hoped = [v in question.favorable_values for v in table.attribute(decision).values]
        codes = np.array(hoped, np.intp)[table.column(decision)]
        table = table.with_column(decision, ("no", "yes"), codes)
    measured = [
        name
        for name in table.names
        if name in names and profile_column(table, name).is_measurement
    ]
    return {
        one.name: (one, table.attribute(one.name).values)
        for one in determining_columns(table, decision, names=measured)
        if one.exact and len(one.marks) == 1
    }


def _cut_at(bins: Bins, mark: Fraction, values: Sequence[str]) -> Bins:
    """The classes with one more cut, before a number, unless one parts the same values."""
    numbers = numbers_of(values)
    known = sorted({*numbers[np.isfinite(numbers)].tolist()}) if numbers is not None else []
    at = bisect_left(known, float(mark))
    places = {bins.position(Fraction(one)) for one in known[max(at - 1, 0) : at + 1]}
    if len(places) > 1:
        return bins
    cuts, is_up = zip(*sorted({*bins.boundaries, (mark, False)}), strict=True)
    return Bins(cuts, tuple(not up for up in is_up), bins.whole)


def _checked(rows: Rows) -> Rows:
    """The rows with the columns that are left, so that no reader of codings needs to know more.

    Columns that the table lacks are refused.
    """
    names, codings = rows.sources[0].names, rows.requested
    known = {*names, *codings.exclude}  # what is left out anyway may be absent
    if unknown := [name for name in codings.named_columns() if name not in known]:
        raise ColumnError.unknown(unknown, names, where=rows.where)
    what = ""
    if twice := sorted(name for name, times in Counter(rows.columns).items() if times > 1):
        what = f"The columns {listed(twice)} are chosen twice."
    elif codings.frequency in rows.columns:
        what = f"The frequency {codings.frequency!r} is also chosen as a column."
    elif not rows.columns:
        what = "No column is chosen."
    if what:
        remedy = "Name each column once, and the frequency apart from them."
        raise QuestionError.of(what, remedy=remedy, where=rows.where)
    if not codings.exclude:
        return rows
    chosen = replace(codings, columns=rows.columns, exclude=())
    return replace(rows, requested=chosen, excluded=codings.exclude)


def read_and_count(
    source: Source | Rows | CountTable,
    codings: Codings | None,
    memory: str | int | None,
    progress: ProgressCallback | None,
    choose: Callable[[Rows | CountTable], frozenset[str]],
    *,
    question: Question,
) -> tuple[Rows | None, CountTable, tuple[str, ...]]:
    """The rows of whatever is audited, None of counts; counts of chosen columns; all columns.

    Codings that would have no effect are refused, and what ``choose`` refuses is not counted.
    """
    codings = codings or Codings()
    if isinstance(source, CountTable | Rows):
        check_not_coded(source, codings)
    else:
        source = read(source, codings=codings, memory=memory, progress=progress)
    names, chosen = source.names, choose(source)
    if not chosen >= {*names}:
        source = source.only(chosen)
    if isinstance(source, CountTable):
        return None, source, names
    source = source.with_pass_marks(question)
    return source, source.count(), names


def check_not_coded(source: Rows | CountTable, codings: Codings) -> None:
    """Refuse codings for rows that were read without them."""
    applied = Codings() if isinstance(source, CountTable) else source.requested
    if codings not in (Codings(), applied):
        raise QuestionError.of(
            "The rows are already read, and codings are given besides.",
            "They would have no effect.",
            "Give them when the rows are read, or give the file or frame itself.",
        )


def read_without(
    source: Source,
    codings: Codings,
    absentable: Collection[str],
    **settings: Any,  # noqa: ANN401  # those of ``read``
) -> Rows:
    """Open a table that may lack some columns; codings of absent ones are ignored."""
    if not {*codings.named_columns()} & {*absentable}:
        return read(source, codings=codings, **settings)
    to_open = Codings(delimiter=codings.delimiter, sheet=codings.sheet)
    there = read(source, codings=to_open).sources[0].names
    absent = [name for name in absentable if name not in there]
    return read(source, codings=codings.dropping(absent), **settings)


def coded_as(rows: Rows, model: str, codings: Codings, names: Iterable[str]) -> Rows:
    """The rows with columns coded as codings have a model, by the values that occur in each.

    Columns with codings of their own keep them. The rows may lack the model.
    """
    there = {*rows.sources[0].names}
    new = [n for n in dict.fromkeys(names) if n in there and not rows.requested.is_coded(n)]
    if not new or not codings.is_coded(model):
        return rows
    requested, bins = rows.requested, codings.bins.get(model)
    if isinstance(bins, int) and model in rows.columns:
        requested = rows.cut_codings
        bins = requested.bins[model]
    values = value_counts(rows.sources, new, requested, memory=rows.memory)
    texts = {name: values[name][0].drop_null() for name in new}
    merge = {name: _fitting(codings, model, texts[name]) for name in new}
    classes = {n: bins for n in new if isinstance(bins, Bins) and _fits(bins, texts[n])}
    coded = replace(
        requested,
        merge={**requested.merge, **{name: olds for name, olds in merge.items() if olds}},
        bins={**requested.bins, **classes},
    )
    return replace(rows, requested=coded)


def _fitting(codings: Codings, model: str, texts: pa.Array) -> dict[str, tuple[str, ...]]:
    """Merges of the model in which values occur; none if no value would change by them.

    None either if they name no value that occurs: it would be one of all others.
    """
    merge, occurring = codings.merge.get(model, {}), {*texts.to_pylist()}
    named = {new: olds for new, olds in merge.items() if occurring & {*olds}}
    rest = {new: olds for new, olds in merge.items() if WILDCARD in olds}
    if not named or all(codings.label(model, text) == text for text in occurring):
        return {}
    return {**named, **rest}


def _fits(bins: Bins, texts: pa.Array) -> bool:
    """Whether values are numbers to be classed, and not classes already."""
    is_number = np.isfinite(nearest_floats(texts))
    words = {*texts.filter(pa.array(~is_number)).to_pylist()}
    labels = {*bins.labels, *bins.whole_labels().values()}
    return bool(is_number.any()) and words.isdisjoint(labels)
