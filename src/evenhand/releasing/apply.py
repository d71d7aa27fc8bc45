"""``apply``: a plan applied to whatever holds the rows: files, frames, counts, an engine."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from evenhand.counts import CountTable
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.files.file_formats import ARROW, PARQUET, SPREADSHEET, TEXT, FileFormat
from evenhand.question import Codings
from evenhand.releasing.apply_in_engine import EngineChange
from evenhand.releasing.apply_to_counts import apply_to_counts, generate_counts
from evenhand.releasing.apply_to_frames import (
    apply_to_batch,
    change_lines,
    drop_columns,
    edited_source,
    library,
    take_lines,
    take_rows,
)
from evenhand.releasing.apply_to_text import apply_to_text, write_plain_text
from evenhand.releasing.ranked_rows import check_single_rows, rows_by_score
from evenhand.releasing.row_editor import RELEASING, Editor, whole_edit
from evenhand.releasing.row_selection import stored_values
from evenhand.releasing.writer import (
    Sink,
    copy_parquet,
    text_stream,
    write_batches,
)
from evenhand.removal import GeneratedPlan, Plan
from evenhand.rows import Rows, read
from evenhand.rows.batch_source import BATCH_ROWS, Dialect
from evenhand.rows.frame_sources import rename_columns
from evenhand.rows.ibis_tables import KIND as ENGINE
from evenhand.rows.value_labels import as_arrow, as_texts

_FILES = (TEXT, PARQUET, ARROW, SPREADSHEET)


@dataclass(frozen=True, kw_only=True)
class _Applied:
    """The rows after a plan.

    Each kind has ``rows``, as their owner gets them, and ``counted``, and writes them.
    ``source`` are the rows before; ``codings`` and ``delimiter`` say how to read what is
    written.
    """

    source: Rows | CountTable
    codings: Codings
    delimiter: str | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files behind the rows."""
        if not isinstance(self.source, Rows):
            return ()
        return tuple(part.where for part in self.source.sources if part.kind in _FILES)


def apply(
    rows: Rows | CountTable,
    plan: Plan,
    seed: int,
    *,
    key: str | None = None,
    drop: Collection[str] = (),
) -> "AppliedRows":
    """Apply a plan to the rows that it was made for.

    Of files only the values to be written are looked up here; the rows are read when they are
    counted or written. ``key`` names the column that tells rows apart in an engine. The columns
    to ``drop`` are not released.
    """
    if plan.rank is not None:
        check_single_rows(rows)
    if isinstance(rows, CountTable):
        counts = apply_to_counts(rows, plan, np.random.default_rng(seed))
        kept = [name for name in counts.names if name not in drop]
        return _of_counts(rows, counts.marginal(kept) if drop else counts)
    if isinstance(plan, GeneratedPlan):
        return _of_model(rows, plan, np.random.default_rng(seed))
    first = rows.sources[0]
    if first.kind == ENGINE:
        change = EngineChange(rows, plan, seed, key or "", drop)
        return EngineRows(source=rows, codings=rows.codings.dropping(drop), change=change)
    values = stored_values(rows, plan)
    new_editor = partial(Editor, rows, plan, values, seed, progress=rows.progress)
    if plan.rank is not None:
        taken = rows_by_score(rows, plan, plan.rank, new_editor)
        new_editor = partial(new_editor, taken=taken)
    if rows.codings.frequency or first.kind not in _FILES:
        return _of_frame(rows, new_editor(), drop)
    return FileRows(
        source=rows,
        codings=_as_written(rows, drop),
        delimiter=_delimiter(rows),
        new_editor=new_editor,
        drop=drop,
    )


def _as_written(rows: Rows, drop: Collection[str]) -> Codings:
    """The codings of what is written, which has no sheets."""
    return replace(rows.codings.dropping(drop), sheet=None)


def _delimiter(rows: Rows) -> str | None:
    """The delimiter that all files have."""
    delimiters = {part.dialect.delimiter for part in rows.sources if part.dialect}
    return delimiters.pop() if len(delimiters) == 1 else None


def _of_frame(rows: Rows, editor: Editor, drop: Collection[str]) -> "FrameRows":
    """Rows of a frame; and counted lines of files, too, which are merged and sorted."""
    first, is_file = rows.sources[0], rows.sources[0].kind in _FILES
    frame = rename_columns(rows.origin, first.names)
    is_arrow = library(frame) not in ("pandas", "polars")
    if rows.codings.frequency:
        table = pa.Table.from_batches(rows.batches())
        # The batches of a file do not know the metadata of its schema.
        metadata = (first.schema or table.schema).metadata
        whole = _one_batch(table.replace_schema_metadata(metadata))
        frame = drop_columns(whole if is_arrow else frame, drop)
        frame = take_lines(frame, rows.codings.frequency, *change_lines(editor, whole, drop))
        batches = [frame]
    elif is_arrow:
        edited = edited_source(rows.sources, lambda: editor, drop)
        batches = [*edited.open(edited.names, coded=False)]
    else:
        edits = map(editor.edit, first.open(editor.names, coded=True))
        frame = drop_columns(take_rows(frame, *whole_edit(edits)), drop)
    editor.check_complete()
    if is_arrow:
        frame = pa.Table.from_batches(batches)
    if isinstance(rows.origin, pa.RecordBatch):
        frame = _one_batch(frame)
    counted = read(frame, codings=_as_written(rows, drop))
    named = zip(first.names, first.header or first.names, strict=True)
    header = tuple(written for name, written in named if name not in drop)
    return FrameRows(
        source=rows,
        rows=counted if is_file else rename_columns(frame, header),
        counted=counted,
        codings=counted.codings,
        delimiter=_delimiter(rows),
        frame=frame,
        header=header,
        dialect=first.dialect,
    )


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]


def _of_counts(before: CountTable, counts: CountTable) -> "FrameRows":
    """Counted data are written with a column that says how often each line occurs."""
    frequency = next(
        n for n in ("count", *(f"count {i}" for i in range(99))) if n not in counts.names
    )
    return FrameRows(
        source=before,
        rows=counts,
        counted=counts,
        codings=Codings(frequency=frequency),
        frame=_labels(counts).append_column(frequency, as_arrow(counts.counts)),
    )


def _of_model(rows: Rows, plan: GeneratedPlan, generator: np.random.Generator) -> "FrameRows":
    """New rows in random order, of labels: what was counted in classes has no other values."""
    counts = generate_counts(plan, generator)
    lines = generator.permutation(np.repeat(np.arange(len(counts)), counts.counts))
    frame: Any = _labels(counts).take(as_arrow(lines))
    if library(rows.origin) in ("pandas", "polars"):
        import narwhals as nw  # noqa: PLC0415  # files are read without it

        backend = nw.get_native_namespace(rows.origin)
        frame = nw.DataFrame.from_arrow(frame, backend=backend).to_native()
    return FrameRows(source=rows, rows=frame, counted=counts, codings=Codings(), frame=frame)


@dataclass(frozen=True, kw_only=True)
class FileRows(_Applied):
    """Rows of files, edited anew whenever they are read or written."""

    source: Rows
    new_editor: Callable[..., Editor]
    drop: Collection[str] = ()

    @cached_property
    def rows(self) -> Rows:
        """Rows to be read."""
        source = self.source
        edited = edited_source(source.sources, self.new_editor, self.drop)
        return Rows(source.origin, (edited,), self.codings, source.memory)

    @property
    def counted(self) -> Rows:
        """The same."""
        return self.rows

    def write(
        self, output: FileFormat, sink: Sink, progress: ProgressCallback | None = None
    ) -> None:
        """Write the rows; text stays text and Parquet stays Parquet, as the files have it."""
        sources, drop = self.source.sources, self.drop
        new_editor = partial(self.new_editor, progress=progress)
        same_text = self.delimiter and output.delimiter in (None, self.delimiter)
        if output.kind == TEXT and same_text:
            with text_stream(output, sink) as out:
                apply_to_text(sources, new_editor(), out, drop=drop)
        elif output.kind == sources[0].kind == PARQUET:
            editor = new_editor()
            copy_parquet(
                [part.where for part in sources],
                lambda batch: apply_to_batch(batch, editor.edit(batch)),
                sink,
                drop=drop,
            )
            editor.check_complete()
        else:
            first, edited = sources[0], edited_source(sources, new_editor, drop)
            # Of columns with one name, text may hold several.
            header = (first.header if output.kind == TEXT else None) or first.names
            named = {at: header[at] for at in map(first.names.index, edited.names)}
            schema = first.schema and pa.schema(
                [first.schema.field(at).with_name(name) for at, name in named.items()],
                metadata=first.schema.metadata,
            )
            batches = edited.open(edited.names, coded=False)
            renamed = (batch.rename_columns([*named.values()]) for batch in batches)
            write_batches(renamed, schema, output, sink)


@dataclass(frozen=True, kw_only=True)
class FrameRows(_Applied):
    """Rows in memory; ``frame`` is what is written of them, to text under ``header``.

    Text that came as text, in a ``dialect``, is written in it.
    """

    rows: Any
    counted: Rows | CountTable
    frame: Any
    header: tuple[str, ...] | None = None
    dialect: Dialect | None = None

    def write(
        self, output: FileFormat, sink: Sink, progress: ProgressCallback | None = None
    ) -> None:
        """Write the frame, with its index except to text."""
        table = _as_arrow(self.frame, with_index=output.kind != TEXT)
        if output.kind == TEXT and self.header:
            table = rename_columns(table, self.header)
        if output.kind == TEXT and self.dialect:
            with text_stream(output, sink) as out:
                write_plain_text(table, self.dialect, output.delimiter or self.delimiter, out)
            return
        rows = table.num_rows
        batches = _reported(table.to_batches(BATCH_ROWS), rows, progress)
        write_batches(batches, table.schema, output, sink, rows=rows)


@dataclass(frozen=True, kw_only=True)
class EngineRows(_Applied):
    """Rows that an engine changes and holds; it is not asked before they are wanted."""

    change: EngineChange

    @property
    def rows(self) -> Any:  # noqa: ANN401  # an Ibis table
        """An expression of the engine."""
        return self.change.released

    @cached_property
    def counted(self) -> Rows:
        """The expression, to be counted by the engine."""
        return read(self.change.released, codings=self.codings)

    def write(
        self, output: FileFormat, sink: Sink, progress: ProgressCallback | None = None
    ) -> None:
        """Fetch the rows and write them."""
        total = self.change.plan.certificate.row_count
        batches = _reported(self.counted.batches(), total, progress)
        write_batches(batches, None, output, sink)


AppliedRows: TypeAlias = FileRows | FrameRows | EngineRows


def _reported(
    batches: Iterable[pa.RecordBatch], total: int, progress: ProgressCallback | None
) -> Iterator[pa.RecordBatch]:
    """The batches; each is reported before it is written."""
    reporter = ProgressReporter(progress)
    for batch in batches:
        reporter.advance(RELEASING, batch.num_rows, total)
        yield batch


def _labels(counts: CountTable) -> pa.Table:
    """The lines of a table of counts, without the counts."""
    return pa.table(
        {
            attribute.name: as_texts(attribute.values).take(as_arrow(codes.astype(np.int64)))
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
