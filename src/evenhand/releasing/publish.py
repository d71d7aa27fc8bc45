"""``publish``: one sequence for files and for tables of an engine.

Write the rows under a temporary name, read them back, count and certify them, refuse or write
certificate and manifest, and rename everything at once. Where rows are written and how they are
renamed is all that differs between a file and a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import QuestionError, ResourceError
from evenhand.evidence import Certificate
from evenhand.files import Transaction, check_folder, check_targets, sha256
from evenhand.files.file_formats import TEXT, FileFormat, ending_of
from evenhand.record.stand_alone import confirm
from evenhand.releasing.apply import AppliedRows, EngineRows
from evenhand.releasing.certifier import Certifier
from evenhand.releasing.manifest import manifest_text, released_name
from evenhand.releasing.row_selection import rows_differ
from evenhand.releasing.writer import output_format
from evenhand.removal import changed_columns
from evenhand.rows import Rows, read
from evenhand.rows.ibis_tables import create_table, engine_errors, engine_source, quoted_name


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFiles:
    """The files of a release.

    Where the rows became a table of an engine, ``data`` is its name. ``removed`` names what
    killed runs had left in the folder or in the engine, ``superseded`` what an earlier release
    had besides: a shared certificate that would not belong to the new data.
    """

    data: Path
    certificate: Path
    manifest: Path
    shared: Path | None
    removed: tuple[str, ...]
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFiles:
    """The names of all files that a release can have, by role, as they are renamed.

    ``shared`` is one of them even if it is not written: then an earlier one goes with the
    release that it belongs to.
    """

    folder: Path
    names: Mapping[str, str]

    @classmethod
    def of(cls, path: Path, *, uncertified: bool) -> "ReleaseFiles":
        """The files of a release, from the name of the data."""
        endings = ending_of(path)
        stem = path.name.removesuffix(endings)
        if uncertified and not stem.endswith(".uncertified"):
            stem += ".uncertified"
        names = _document_names(stem) | {"data": stem + endings}
        return cls(folder=path.parent, names=names)

    @classmethod
    def of_table(cls, folder: Path, table: str) -> "ReleaseFiles":
        """The files of a release that is a table of an engine."""
        return cls(folder=folder, names=_document_names(table))

    def path(self, role: str) -> Path:
        """Where a file is in the end."""
        return self.folder / self.names[role]

    @property
    def paths(self) -> list[Path]:
        """All final names."""
        return [*map(self.path, self.names)]


def _document_names(stem: str) -> dict[str, str]:
    return {
        "certificate": f"{stem}.certificate.json",
        "shared": f"{stem}.shared.certificate.json",
        "manifest": f"{stem}.manifest.json",
    }


def publish(
    path: Path,
    applied: AppliedRows,
    certifier: Certifier,
    *,
    overwrite: bool,
    share: bool,
    least_count: int,
    progress: ProgressCallback | None = None,
) -> tuple[PublishedFiles, Certificate]:
    """Write released rows with their certificate and manifest, or nothing at all.

    Nothing gets its name before the stand-alone checker has confirmed the certificate, from the
    rows as they were written where it can read them.

    Rows in an engine become a new table of it if the path has no suffix. ``share`` adds a
    certificate for others, of the groups without a count under ``least_count``. Whatever
    ``progress`` raises ends the work, and leaves nothing.
    """
    uncertified = certifier.uncertified
    target: _FileTarget | _TableTarget
    if isinstance(applied, EngineRows) and not path.suffix:
        table = path.name + ("_uncertified" if uncertified else "")
        target = _TableTarget(applied, table, ReleaseFiles.of_table(path.parent, table))
    else:
        files = ReleaseFiles.of(path, uncertified=uncertified)
        target = _FileTarget(applied, files, output_format(path))
    files = target.files
    check_folder(files.folder)
    with Transaction.begin(files.folder, [*files.names.values()]) as transaction:
        target.check(overwrite=overwrite)
        _check_earlier_rows(files)
        with target.write(transaction, progress) as rows:
            rows.count()
            reporter = ProgressReporter(progress)
            reporter.report("certifying", 0, 2, is_even=False)
            certificate = certifier.certify(rows)
            certifier.check(certificate)
            names = files.names
            transaction.write_text(names["certificate"], certificate.to_json())
            reporter.report("certifying", 1, 2, is_even=False)
            if share:
                shared = certificate.to_shared_json(least_count=least_count)
                transaction.write_text(names["shared"], shared, mode=0o644)
            plan, (inputs, output) = certifier.plan, target.manifest_entries(transaction)
            output |= {
                "rows": rows.count().row_count,
                "counts_sha256": certificate.examined.counts.marginal(plan.names).digest,
                "certificate_sha256": sha256(transaction.temporary(names["certificate"])),
            }
            output |= {"dropped_columns": list(certifier.drop)} if certifier.drop else {}
            manifest = manifest_text(plan, certifier.seed, certifier.nonce, inputs, output)
            transaction.write_text(names["manifest"], manifest)
            rows_file = transaction.temporary(names["data"]) if "data" in names else None
            for role in ("certificate", "shared") if share else ("certificate",):
                confirm(transaction.temporary(names[role]), rows_file, progress)
            reporter.report("certifying", 2, 2, is_even=False)
            superseded = target.commit(transaction, overwrite=overwrite)
    published = PublishedFiles(
        data=target.data,
        certificate=files.path("certificate"),
        manifest=files.path("manifest"),
        shared=files.path("shared") if share else None,
        removed=transaction.removed + target.dropped,
        superseded=superseded,
    )
    return published, certificate


class _FileTarget:
    """Rows that become a file: the last of the transaction."""

    dropped = ()

    def __init__(self, applied: AppliedRows, files: ReleaseFiles, output: FileFormat) -> None:
        self.applied, self.files, self._output = applied, files, output

    @property
    def data(self) -> Path:
        return self.files.path("data")

    def check(self, *, overwrite: bool) -> None:
        """Refuse names that cannot or must not be written to."""
        inputs, folder = self.applied.inputs, self.files.folder
        check_targets(self.files.paths, inputs, overwrite=overwrite)
        if self.applied.inputs_are_listed and any(
            folder.samefile(Path(source).parent) for source in inputs
        ):
            raise QuestionError.of(
                "The inputs are the files of this folder.",
                "A release among them would be read as one of them.",
                "Write it to another folder.",
                str(folder),
            )

    @contextmanager
    def write(
        self, transaction: Transaction, progress: ProgressCallback | None
    ) -> Iterator[Rows]:
        """Write the rows and read them back."""
        applied, output = self.applied, self._output
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
            # Nobody named one before, and readers of the certificate find it as we did.
            rows = replace(rows, requested=applied.codings)
        yield rows

    def manifest_entries(
        self, transaction: Transaction
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the manifest says of the inputs and of the written rows."""
        output = _describe(transaction.temporary(self.files.names["data"]))
        return {"files": [*map(_describe, self.applied.inputs)]}, output

    def commit(self, transaction: Transaction, *, overwrite: bool) -> tuple[str, ...]:
        """Rename the files, the rows last; returns what is not replaced but removed."""
        return transaction.commit(self.applied.inputs, overwrite=overwrite)


class _TableTarget:
    """A new table of the engine that holds the rows; a table is never replaced.

    ``dropped`` are the tables of killed runs.
    """

    dropped: tuple[str, ...] = ()

    def __init__(self, applied: EngineRows, name: str, files: ReleaseFiles) -> None:
        self.applied, self.files = applied, files
        self._change, self._where = applied.change, applied.change.rows.where
        self._name = self._temporary = name
        with engine_errors(self._where):
            self._connection = applied.change.rows.origin.get_backend()

    @property
    def data(self) -> Path:
        return Path(self._name)

    def check(self, *, overwrite: bool) -> None:
        check_targets(self.files.paths, (), overwrite=overwrite)
        if self._exists(self._name):
            raise QuestionError.of(
                f"There is a table {self._name!r} already.",
                "Tables are never written over.",
                "Choose another name, or drop that table first.",
                self._where,
            )

    def _exists(self, name: str) -> bool:
        try:
            self._connection.table(name)
        except Exception:  # noqa: BLE001  # engines have none in common for an absent table
            return False
        return True

    @contextmanager
    def write(
        self, transaction: Transaction, progress: ProgressCallback | None
    ) -> Iterator[Rows]:
        """Make the table and read it; it is dropped if the block fails."""
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
            # They are nearly those that were counted.
            sources = (engine_source(table, like=self._change.rows.count()),)
            rows = replace(rows, sources=sources)
            self._check_other_columns(rows)
            yield rows
        except BaseException as error:
            self._clear(error)
            raise

    def _check_other_columns(self, released: Rows) -> None:
        """Refuse if any column that nobody changes has other counts than before."""
        before, change = self._change.rows, self._change
        changed = {*changed_columns(change.plan), *change.drop}
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
        return {}, {
            "name": self._name,
            "engine": str(self._connection.name),
            "key": self._change.key,
            "sha256": None,
        }

    def commit(self, transaction: Transaction, *, overwrite: bool) -> tuple[str, ...]:
        return transaction.commit((), overwrite=overwrite, last=self._rename)

    def _rename(self) -> None:
        old, new = self._quoted(self._temporary), self._quoted(self._name)
        self._run(f"ALTER TABLE {old} RENAME TO {new}")
        self._temporary = self._name  # what is dropped if anything fails after this

    def _drop(self, name: str) -> None:
        self._run(f"DROP TABLE IF EXISTS {self._quoted(name)}")

    def _quoted(self, name: str) -> str:
        return quoted_name(self._connection, name)

    def _run(self, statement: str) -> None:
        with engine_errors(self._where):
            cursor = self._connection.raw_sql(statement)
            connection = getattr(cursor, "connection", None)
            if connection is not None:
                connection.commit()


def _check_earlier_rows(files: ReleaseFiles) -> None:
    """Refuse to take the certificate from rows that would stay without it."""
    earlier = released_name(files.path("manifest"))
    if earlier is None or earlier == files.names.get("data"):
        return
    if (files.folder / earlier).is_file():
        raise QuestionError.of(
            f"The certificate here is that of {earlier!r}.",
            "These rows would stay beside a certificate that is not theirs.",
            "Choose another name, or first move or remove the earlier release.",
            str(files.path("certificate")),
        )


def _stamps(inputs: Sequence[str]) -> list[tuple[int, ...]]:
    """What changes when a file is written to."""
    try:
        stats = [Path(path).stat() for path in inputs]
    except FileNotFoundError as error:
        raise rows_differ(error.filename, "The file is not there any more.") from error
    return [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in stats]


def _describe(path: str | Path) -> dict[str, Any]:
    return {"name": Path(path).name, "bytes": Path(path).stat().st_size, "sha256": sha256(path)}
