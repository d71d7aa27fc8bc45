"""``read``: any table of decision records, ready to be counted."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evenhand.counts import CountTable
from evenhand.display import Described, Summary
from evenhand.errors import ColumnError, Problem, QuestionError, ResourceError, listed
from evenhand.question import Bins, Codings
from evenhand.rows.batch_source import Batches, Part
from evenhand.rows.column_cache import KeptColumns
from evenhand.rows.count_rows import Counted, count
from evenhand.rows.frames import frame_part
from evenhand.rows.memory_limit import memory_in_bytes
from evenhand.rows.open_files import file_parts
from evenhand.rows.progress import Watch
from evenhand.rows.quantiles import occurrences, quantile_bins


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Described):
    """A table of records, and how its columns are read; of the rows only counts are kept."""

    origin: Any  # what was given to ``read``
    parts: tuple[Part, ...] = field(repr=False)
    asked: Codings
    memory: int | None = None
    watch: Watch | None = field(default=None, repr=False)

    @property
    def source(self) -> str:
        """The table's name, for messages."""
        more = len(self.parts) - 1
        return self.parts[0].where + (f" and {more:,} more" if more else "")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that are counted."""
        return self.asked.chosen(self.parts[0].names)

    @cached_property
    def codings(self) -> Codings:
        """How the columns are read, with cut points found where quantiles were asked for."""
        asked = {
            name: classes
            for name, classes in self.asked.bins.items()
            if isinstance(classes, int) and name in self.columns
        }
        if not asked:
            return self.asked
        found = occurrences(self.parts, [*asked], self.asked, memory=self._limit)
        bins = {
            name: quantile_bins(name, classes, found[name], where=self.source)
            for name, classes in asked.items()
        }
        return replace(self.asked, bins={**self.asked.bins, **bins})

    def count(self) -> CountTable:
        """How often each assignment occurs; the rows are read for it only once."""
        return self._counted.table

    @property
    def dropped(self) -> int:
        """How many rows were left out of the counts because a value was missing."""
        return self._counted.dropped

    @cached_property
    def _counted(self) -> Counted:
        return count(
            self.parts, self.columns, self.codings, memory=self._limit, watch=self.watch
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are counted, as a table of counts calls them."""
        return self.columns

    def marginal(self, names: Iterable[str]) -> CountTable:
        """How often each assignment of a few columns occurs; no other column is looked at.

        An engine is asked each time. Columns of files are kept, for the next question.
        """
        chosen = tuple(names)
        if self.parts[0].grouped:
            return count(self.parts, chosen, self.codings).table
        part, codings = self._kept.part(chosen)
        return count([part], chosen, codings, memory=self._limit).table

    @cached_property
    def _kept(self) -> KeptColumns:
        return KeptColumns(self.parts, self.columns, self.codings, memory=self._limit // 2)

    @cached_property
    def _limit(self) -> int:
        return memory_in_bytes(self.memory)

    def profile(self) -> dict[str, dict[str, int] | None]:
        """How often each value of each column occurs; None where they are too many or long.

        Nothing is coded: this is for who does not know the table yet.
        """
        return {name: self._values(name) for name in self.columns}

    def _values(self, name: str) -> dict[str, int] | None:
        plain = replace(self.asked, columns=(name,), bins={}, merge={}, missing="level")
        try:
            return count(self.parts, [name], plain, memory=self._limit).table.values(name)
        except ColumnError:
            return None
        except ResourceError:
            if self.parts[0].grouped:  # the engine failed
                raise
            return None

    def batches(self) -> Batches:
        """All columns of all rows, in order and in their own types."""
        for part in self.parts:
            yield from part.open(part.names, coded=False)

    def summary(self) -> Summary:
        """Describe the source, without reading it."""
        return Summary(
            title=f"Rows of {self.source}",
            facts=(("columns", ", ".join(self.columns)),),
        )


def read(
    source: Any,  # noqa: ANN401  # a path, or any table a person has
    *,
    columns: Iterable[str] | None = None,
    bins: Mapping[str, Sequence[object] | int | Bins] | None = None,
    merge: Mapping[str, Mapping[str, Sequence[object]]] | None = None,
    missing: str = "error",
    na: Iterable[str] = (),
    frequency: str | None = None,
    delimiter: str | None = None,
    codings: Codings | None = None,
    memory: str | int | None = None,
    progress: Watch | None = None,
) -> Rows:
    """Open a table of records: a file, a folder, a pattern, a frame, a relation, an engine's.

    Files are CSV (also compressed), Parquet or Arrow, whatever they are called. ``codings``
    holds all options that say how columns are read, as a question file has them. ``memory``,
    such as "2GB", is half of what is there if not said. ``progress`` is told of rows as they
    go by, in a ``Passed``.

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "m", "f"], "age": [36, 37, 38]})
    >>> print(read(table, bins={"age": [37]}).count())
    3 rows, 3 distinct assignments
      attribute  values  how often
      sex             2  f 2, m 1
      age             2  <=37 2, >37 1
    """
    options = Codings.of(
        columns=columns, bins=bins, merge=merge, missing=missing, na=na, frequency=frequency
    )
    if codings is not None and options != Codings():
        raise QuestionError(
            Problem(
                "Codings were given twice: as `codings` and one by one.",
                remedy="Give either.",
            )
        )
    asked = codings or options
    asked = asked if delimiter is None else replace(asked, delimiter=delimiter)
    is_path = isinstance(source, str | os.PathLike)
    parts = file_parts(source, delimiter=asked.delimiter) if is_path else (frame_part(source),)
    rows = Rows(source, parts, asked, memory_in_bytes(memory), progress)
    _check_columns(rows)
    return rows


def _check_columns(rows: Rows) -> None:
    names, codings = rows.parts[0].names, rows.asked
    unknown = [name for name in codings.mentioned() if name not in names]
    if unknown:
        raise ColumnError.unknown(unknown, names, where=rows.source)
    twice = sorted({name for name in rows.columns if rows.columns.count(name) > 1})
    if twice or codings.frequency in rows.columns or not rows.columns:
        raise QuestionError(
            Problem(
                f"The columns {listed(twice)} are chosen twice."
                if twice
                else f"The frequency {codings.frequency!r} is also chosen as a column."
                if rows.columns
                else "No column is chosen.",
                remedy="Name each column once, and the frequency apart from them.",
                where=rows.source,
            )
        )
