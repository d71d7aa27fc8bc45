"""A plan carried out on whatever holds the rows: files, frames, counts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.question import Codings
from evenhand.releasing.apply_in_engine import EngineChange
from evenhand.releasing.apply_to_counts import change_counts, generate_counts
from evenhand.releasing.apply_to_frames import edited, edited_frame, edited_part, joined
from evenhand.releasing.apply_to_text import splice
from evenhand.releasing.edits import Changer
from evenhand.releasing.moves import stored_values
from evenhand.releasing.output_formats import Format, Sink, copy_parquet, write_batches
from evenhand.removal import GeneratedPlan, Plan
from evenhand.rows import Rows, read
from evenhand.rows.arrow_arrays import as_arrow, as_texts
from evenhand.rows.batch_source import BATCH_ROWS
from evenhand.rows.ibis_tables import KIND as ENGINE

Write: TypeAlias = Callable[[Format, Sink], None]

_FILES = ("delimited text", "Parquet", "Arrow")


@dataclass(frozen=True, kw_only=True)
class Carried:
    """Released rows: as their owner gets them, as they are counted, as they are written.

    ``codings`` and ``delimiter`` say how a written copy is read. ``inputs`` are the files
    behind the rows, listed where a folder or a pattern was named and not each file; ``change``
    is what an engine does with its rows.
    """

    rows: Any
    counted: Rows | CountTable
    write: Write
    codings: Codings
    delimiter: str | None = None
    inputs: tuple[str, ...] = ()
    inputs_are_listed: bool = False
    change: EngineChange | None = None


def carry_out(
    rows: Rows | CountTable,
    plan: Plan,
    examined: ExaminedCounts,
    seed: int,
    key: str | None = None,
) -> Carried:
    """Make the released rows; files are read only when the rows are counted or written.

    ``key`` names the column that tells rows apart in an engine.
    """
    if isinstance(plan, GeneratedPlan):
        return _generated(rows, plan, np.random.default_rng(seed))
    if isinstance(rows, CountTable):
        return _counted(change_counts(rows, plan, np.random.default_rng(seed)))
    if rows.sources[0].kind == ENGINE:
        return _table(EngineChange.of(rows, plan, examined, seed, key))
    stored = stored_values(rows, plan)
    begin = partial(Changer, rows, plan, stored, examined, seed)
    frequency = rows.codings.frequency
    if rows.sources[0].kind in _FILES:
        return _files(rows, begin, stored, frequency)
    origin = rows.origin
    changer = begin()
    edit = joined(changer.step(b) for b in rows.sources[0].open(changer.names, coded=True))
    changer.finish()
    frame = edited_frame(origin, edit, stored, frequency)
    if frame is None:
        frame = edited_frame(pa.Table.from_batches(rows.batches()), edit, stored, frequency)
    return _frame(frame, read(frame, codings=rows.codings))


def _files(
    rows: Rows, begin: Callable[[], Changer], stored: Mapping[str, Any], frequency: str | None
) -> Carried:
    parts = rows.sources
    part = edited_part(parts, begin, stored, frequency)
    released = Rows(rows.origin, (part,), rows.codings, rows.memory)
    dialects = [part.dialect for part in parts if part.dialect]
    delimiters = {dialect.delimiter for dialect in dialects}
    delimiter = delimiters.pop() if len(delimiters) == 1 else None

    def write(form: Format, sink: Sink) -> None:
        changer = begin()
        if form.kind == "text" and delimiter and form.delimiter in (None, delimiter):
            with form.packed(sink) as out:
                files = list(zip(parts, dialects, strict=True))
                splice(files, changer, stored, frequency, out)
            changer.finish()
        elif form.kind == "parquet" and parts[0].kind == "Parquet":
            copy_parquet(
                [part.where for part in parts],
                lambda batch: edited(batch, changer.step(batch), stored, frequency),
                sink,
            )
            changer.finish()
        else:
            _write(released.batches(), parts[0].schema, form, sink)

    return Carried(
        rows=released,
        counted=released,
        write=write,
        codings=rows.codings,
        delimiter=delimiter,
        inputs=tuple(part.where for part in parts),
        inputs_are_listed=not Path(rows.origin).is_file(),
    )


def _table(change: EngineChange) -> Carried:
    rows, table = change.rows, change.released
    counted = read(table, codings=rows.codings)

    def write(form: Format, sink: Sink) -> None:
        _write(counted.batches(), None, form, sink)

    return Carried(
        rows=table, counted=counted, write=write, codings=rows.codings, change=change
    )


def _frame(frame: Any, counted: Rows | CountTable) -> Carried:  # noqa: ANN401  # any frame
    def write(form: Format, sink: Sink) -> None:
        table = _as_arrow(frame, with_index=form.kind != "text")
        _write(table.to_batches(BATCH_ROWS), table.schema, form, sink)

    codings = counted.codings if isinstance(counted, Rows) else Codings()
    return Carried(rows=frame, counted=counted, write=write, codings=codings)


def _counted(counts: CountTable) -> Carried:
    """Counted data are written with a column that says how often each line occurs."""
    number = next(
        n for n in ("count", *(f"count {i}" for i in range(99))) if n not in counts.names
    )
    table = _labels(counts).append_column(number, as_arrow(counts.counts))
    carried = _frame(table, counts)
    codings = Codings(frequency=number)
    return Carried(rows=counts, counted=counts, write=carried.write, codings=codings)


def _generated(
    rows: Rows | CountTable, plan: GeneratedPlan, generator: np.random.Generator
) -> Carried:
    """New rows in random order, of labels: what was counted in classes has no other values."""
    counts = generate_counts(plan, generator)
    if isinstance(rows, CountTable):
        return _counted(counts)
    lines = generator.permutation(np.repeat(np.arange(len(counts)), counts.counts))
    table = _labels(counts).take(as_arrow(lines))
    kind = type(rows.origin).__module__.partition(".")[0]
    frame: Any = table
    if kind == "pandas":
        frame = table.to_pandas()
    elif kind == "polars":
        import polars as pl  # noqa: PLC0415  # its frame came in, so it is there

        frame = pl.from_arrow(table)
    carried = _frame(frame, counts)
    inputs = tuple(part.where for part in rows.sources if part.kind in _FILES)
    return Carried(
        rows=frame,
        counted=counts,
        write=carried.write,
        codings=Codings(),
        inputs=inputs,
        inputs_are_listed=bool(inputs) and not Path(rows.origin).is_file(),
    )


def _labels(counts: CountTable) -> pa.Table:
    """The lines of a table of counts, without the counts."""
    return pa.table(
        {
            attribute.name: pa.DictionaryArray.from_arrays(
                as_arrow(codes.astype(np.int64)), as_texts(attribute.values)
            ).cast(pa.string())
            for attribute, codes in zip(counts.attributes, counts.codes, strict=True)
        }
    )


def _as_arrow(frame: Any, *, with_index: bool) -> pa.Table:  # noqa: ANN401  # any frame
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if type(frame).__module__.startswith("pandas"):
        return pa.Table.from_pandas(frame, preserve_index=None if with_index else False)
    return (frame.collect() if hasattr(frame, "collect") else frame).to_arrow()


def _write(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema | None, form: Format, sink: Sink
) -> None:
    """Write batches of one schema, the first one's if no other is given."""
    stream = iter(batches)
    if schema is None:
        first = next(stream)
        schema, stream = first.schema, chain([first], stream)
    write_batches((batch.cast(schema) for batch in stream), schema, form, sink)
