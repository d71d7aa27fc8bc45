"""Where released rows are written: a file, or a new table of the engine that holds them.

A target checks the names, writes the rows under a temporary one and reads them back, and gives
them their name together with their certificate and manifest. ``Release.write`` says when.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError, ResourceError
from evenhand.files import Transaction, check_folder, check_targets, recover, sha256
from evenhand.files.file_formats import TEXT, FileFormat, ending_of
from evenhand.files.transaction import disk_errors
from evenhand.releasing.apply import AppliedRows, EngineRows
from evenhand.releasing.row_selection import rows_differ
from evenhand.releasing.writer import output_format
from evenhand.rows import Rows, read
from evenhand.rows.ibis_tables import create_table, engine_errors, quoted_name


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFiles:
    """The files of a release.

    Where the rows became a table of an engine, ``data`` is its name. ``removed`` names what
    killed runs had left in the folder or in the engine, ``superseded`` what an earlier release
    had besides: a shared certificate or metadata that would not belong to the new data.
    """

    data: Path
    certificate: Path
    manifest: Path
    shared: Path | None
    croissant: Path | None
    statement: Path | None
    removed: tuple[str, ...]
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """All files that a release can have: those of its data, and of a table without them."""

    folder: Path
    stem: str
    ending: str | None

    @classmethod
    def of(cls, path: Path, *, uncertified: bool, is_table: bool = False) -> "ReleaseFiles":
        """The files of a release, from the name of the data."""
        ending = None if is_table else ending_of(path)
        stem, mark = path.name.removesuffix(ending or ""), ".uncertified"
        mark = mark.replace(".", "_") if is_table else mark
        marked = uncertified and not stem.endswith(mark)
        return cls(path.parent, stem + mark if marked else stem, ending)

    @property
    def names(self) -> Mapping[str, str]:
        """Their names by role, in the order in which they are renamed.

        The shared certificate and metadata are among them even if they are not written: then
        earlier ones go with the release that they belong to.
        """
        names = {
            "certificate": f"{self.stem}.certificate.json",
            "shared": f"{self.stem}.shared.certificate.json",
            "manifest": f"{self.stem}.manifest.json",
        }
        if self.ending is None:
            return names
        metadata = {role: f"{self.stem}.{role}.json" for role in ("croissant", "statement")}
        return {**names, **metadata, "data": self.stem + self.ending}

    def path(self, role: str) -> Path:
        """Where a file is in the end."""
        return self.folder / self.names[role]

    @property
    def paths(self) -> list[Path]:
        """All final names."""
        return [*map(self.path, self.names)]

    def prepare(self, inputs: Sequence[str], *, overwrite: bool) -> tuple[str, ...]:
        """Clear away what killed runs left, then refuse names as ``check`` does.

        Returns the names of removed files. It needs no rows: call it before any work is done.
        """
        check_folder(self.folder)
        with disk_errors(self.folder):
            removed = recover(self.folder)
        self.check(inputs, overwrite=overwrite)
        return removed

    def check(self, inputs: Sequence[str], *, overwrite: bool) -> None:
        """Refuse names that cannot or must not be written to.

        The certificate must not be taken from other rows, which would stay without it.
        """
        check_targets(self.paths, inputs, overwrite=overwrite)
        earlier = released_name(self.path("manifest"))
        if earlier in (None, self.names.get("data")) or not (self.folder / earlier).is_file():
            return
        raise QuestionError.of(
            f"The certificate here is that of {earlier!r}.",
            "These rows would stay beside a certificate that is not theirs.",
            "Choose another name, or first move or remove the earlier release.",
            str(self.path("certificate")),
        )


def target_of(
    path: Path, applied: AppliedRows, *, uncertified: bool
) -> "FileTarget | TableTarget":
    """What rows become under a name: a table if an engine holds them and it has no ending."""
    is_table = isinstance(applied, EngineRows) and not path.suffix
    files = ReleaseFiles.of(path, uncertified=uncertified, is_table=is_table)
    if isinstance(applied, EngineRows) and is_table:
        return TableTarget(applied, files)
    return FileTarget(applied, files, output_format(path))


class FileTarget:
    """Rows that become a file: the last of the transaction."""

    dropped = ()
    rename = None

    def __init__(self, applied: AppliedRows, files: ReleaseFiles, output: FileFormat) -> None:
        self.applied, self.files, self._output = applied, files, output
        self.data = files.path("data")

    @contextmanager
    def written(
        self, transaction: Transaction, progress: ProgressCallback | None, *, overwrite: bool
    ) -> Iterator[Rows]:
        """Write the rows, if nothing is in the way, and read them back."""
        applied, output, folder = self.applied, self._output, self.files.folder
        self.files.check(applied.inputs, overwrite=overwrite)
        named = (str(applied.source.origin),) if isinstance(applied.source, Rows) else ()
        if applied.inputs != named and any(
            folder.samefile(Path(source).parent) for source in applied.inputs
        ):
            raise QuestionError.of(
                "The inputs are the files of this folder.",
                "A release among them would be read as one of them.",
                "Write it to another folder.",
                str(folder),
            )
        before = _stamps(applied.inputs)
        with transaction.open(self.files.names["data"]) as sink:
            applied.write(output, sink, progress)
        for path, old, new in zip(applied.inputs, before, _stamps(applied.inputs), strict=True):
            if old != new:
                raise rows_differ(path, "The file was written to meanwhile.")
        delimiter = None
        if output.kind == TEXT:
            delimiter = output.delimiter or applied.delimiter or ","
        written = transaction.temporary(self.files.names["data"])
        rows = read(written, codings=applied.codings, delimiter=delimiter, progress=progress)
        if applied.codings.delimiter is None:
            # No delimiter was requested, so the detected one is not recorded.
            rows = replace(rows, requested=applied.codings)
        yield rows

    def manifest_entries(
        self, transaction: Transaction
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the manifest says of the inputs and of the written rows."""
        output = _describe(transaction.temporary(self.files.names["data"]))
        return {"files": [*map(_describe, self.applied.inputs)]}, output


class TableTarget:
    """A new table of the engine that holds the rows; a table is never replaced.

    ``dropped`` are the tables of killed runs.
    """

    dropped: tuple[str, ...] = ()

    def __init__(self, applied: EngineRows, files: ReleaseFiles) -> None:
        self.applied, self.files = applied, files
        self._change, self._where = applied.change, applied.change.rows.where
        self._name = self._temporary = files.stem
        self.data = Path(files.stem)
        with engine_errors(self._where):
            self._connection = applied.change.rows.origin.get_backend()

    def _exists(self, name: str) -> bool:
        try:
            self._connection.table(name)
        except Exception:  # noqa: BLE001  # engines have none in common for an absent table
            return False
        return True

    @contextmanager
    def written(
        self, transaction: Transaction, progress: ProgressCallback | None, *, overwrite: bool
    ) -> Iterator[Rows]:
        """Make the table and read it; it is dropped if the block fails."""
        self.files.check((), overwrite=overwrite)
        if self._exists(self._name):
            raise QuestionError.of(
                f"There is a table {self._name!r} already.",
                "Tables are never written over.",
                "Choose another name, or drop that table first.",
                self._where,
            )
        left = (f"evenhand_{token}" for token in transaction.killed_tokens)
        self.dropped = tuple(filter(self._exists, left))
        for name in self.dropped:
            self._drop(name)
        self._temporary = f"evenhand_{transaction.token}"
        try:
            with engine_errors(self._where):
                create_table(self._temporary, self._change.released)
            with engine_errors(self._temporary):
                table = self._connection.table(self._temporary)
            rows = read(table, codings=self.applied.codings, progress=progress)
            self._check_other_columns(rows)
            yield rows
        except BaseException as error:
            self._clear(error)
            raise

    def _check_other_columns(self, released: Rows) -> None:
        """Refuse if any column that nobody changes has other counts than before."""
        before, change = self._change.rows, self._change
        changed = {*change.plan.changed_columns, *change.drop}
        others = [name for name in before.columns if name not in changed]
        old, new = (rows.count().marginal(others) for rows in (before, released))
        if old != new or released.dropped:
            raise rows_differ(self._where, "Columns that nobody changed have changed.")

    def _clear(self, error: BaseException) -> None:
        """Drop the temporary table after an error."""
        try:
            self._drop(self._temporary)
        except ResourceError:
            raise ResourceError.of(
                "The engine could not do its part, nor clear away what it had done.",
                str(error).rstrip(".") + ".",
                f"If there is a table {self._temporary!r}, drop it: it was not certified.",
                self._where,
            ) from error

    def manifest_entries(
        self,
        transaction: Transaction,  # noqa: ARG002  # no file
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the manifest says of the table."""
        return {}, {
            "name": self._name,
            "engine": str(self._connection.name),
            "key": self._change.key,
            "sha256": None,
        }

    def rename(self) -> None:
        """Give the table its name, when the files have theirs."""
        self._run("ALTER TABLE {} RENAME TO {}", self._temporary, self._name)
        self._temporary = self._name  # what is dropped if anything fails after this

    def _drop(self, name: str) -> None:
        self._run("DROP TABLE IF EXISTS {}", name)

    def _run(self, statement: str, *names: str) -> None:
        quoted = (quoted_name(self._connection, name) for name in names)
        with engine_errors(self._where):
            cursor = self._connection.raw_sql(statement.format(*quoted))
            connection = getattr(cursor, "connection", None)
            if connection is not None:
                connection.commit()


def _stamps(inputs: Sequence[str]) -> list[tuple[int, ...]]:
    """What changes when a file is written to."""
    try:
        stats = [Path(path).stat() for path in inputs]
    except FileNotFoundError as error:
        raise rows_differ(error.filename, "The file is not there any more.") from error
    return [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in stats]


def _describe(path: str | Path) -> dict[str, Any]:
    return {"name": Path(path).name, "bytes": Path(path).stat().st_size, "sha256": sha256(path)}


def released_name(path: Path) -> str | None:
    """The name of the rows that a manifest describes; None if the file does not say it."""
    try:
        name = json.loads(path.read_text("utf-8"))["output"]["name"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return Path(name).name if isinstance(name, str) else None
