"""Writing a release as a new table of the engine that holds the rows, or not at all.

The table is made under a passing name, counted and certified by its engine, and only then gets
its name. Its certificate and manifest are files.
"""

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evenhand.errors import Problem, QuestionError, ResourceError
from evenhand.evidence import Certificate
from evenhand.files import check_folder, sha256
from evenhand.releasing.apply_in_engine import EngineChange
from evenhand.releasing.manifest import manifest_text
from evenhand.releasing.moves import rows_differ
from evenhand.releasing.publish import Written
from evenhand.releasing.transaction import FileSet
from evenhand.rows import Rows, read
from evenhand.rows.ibis_tables import engine_errors


def write_table(
    path: Path,
    change: EngineChange,
    *,
    examine: Callable[[Rows], Certificate],
    document: Mapping[str, Any],
    overwrite: bool,
    share: bool,
    uncertified: bool,
) -> tuple[Written, Certificate]:
    """Write a table of the path's last name; its certificate and manifest go to the folder.

    A table that is there is never written over; ``overwrite`` is for the files.
    """
    name = path.name + ("_uncertified" if uncertified else "")
    files = _files(path.parent, name, overwrite=overwrite, share=share)
    check_folder(files.folder)
    removed = files.clean_up()
    files.check([])
    engine = Engine(change)
    engine.check_free(name)
    with files.transaction() as transaction, engine.making(change.released) as passing:
        rows = read(engine.table(passing), codings=change.rows.codings)
        _check_unchanged(change, rows)
        certificate = examine(rows)
        transaction.write_text("certificate", certificate.to_json())
        if share:
            transaction.write_text("shared", certificate.to_shared_json(), mode=0o644)
        output = {
            "name": name,
            "engine": engine.kind,
            "key": change.key,
            "rows": rows.count().rows,
            "counts_sha256": certificate.digest,
            "certificate_sha256": sha256(files.temporary("certificate")),
            "sha256": None,
        }
        transaction.write_text("manifest", manifest_text({**document, "output": output}))
        engine.rename(passing, name)
        try:
            transaction.commit([])
        except BaseException:
            engine.drop(name)
            raise
    return (
        Written(
            data=Path(name),
            certificate=files.path("certificate"),
            manifest=files.path("manifest"),
            shared=files.path("shared") if share else None,
            removed=removed,
        ),
        certificate,
    )


class Engine:
    """The engine of a table, as far as tables are made, named and dropped."""

    def __init__(self, change: EngineChange) -> None:
        self._where = change.rows.where
        with engine_errors(self._where):
            self._connection = change.rows.origin.get_backend()

    @property
    def kind(self) -> str:
        """What kind of engine it is."""
        return str(self._connection.name)

    def table(self, name: str) -> Any:  # noqa: ANN401  # an Ibis table
        """A table that is there."""
        with engine_errors(name):
            return self._connection.table(name)

    def check_free(self, name: str) -> None:
        """Refuse a name that a table has."""
        try:
            self._connection.table(name)
        except Exception:  # noqa: BLE001  # engines have none in common for an absent table
            return
        raise QuestionError(
            Problem(
                f"There is a table {name!r} already.",
                "Tables are never written over.",
                "Choose another name, or drop that table first.",
                self._where,
            )
        )

    @contextmanager
    def making(self, released: Any) -> Iterator[str]:  # noqa: ANN401  # an Ibis table
        """Make a table under a passing name, and drop what is left of it at the end."""
        passing = f"evenhand_{secrets.token_hex(8)}"
        try:
            with engine_errors(self._where):
                self._connection.create_table(passing, released)
            yield passing
        except BaseException as error:
            try:
                self.drop(passing)
            except ResourceError:
                raise ResourceError(
                    Problem(
                        "The engine could not do its part, nor clear away what it had done.",
                        str(error).rstrip(".") + ".",
                        f"If there is a table {passing!r}, drop it: it was not certified.",
                        self._where,
                    )
                ) from error
            raise

    def rename(self, old: str, new: str) -> None:
        """Give a table another name, which must be free."""
        self._run(f"ALTER TABLE {self._quoted(old)} RENAME TO {self._quoted(new)}")

    def drop(self, name: str) -> None:
        """Drop a table, if it is there."""
        self._run(f"DROP TABLE IF EXISTS {self._quoted(name)}")

    def _quoted(self, name: str) -> str:
        sqlglot: Any = sys.modules["sqlglot"]  # loaded with ibis
        quoted = sqlglot.to_identifier(name, quoted=True)
        return str(quoted.sql(dialect=self._connection.dialect))

    def _run(self, statement: str) -> None:
        with engine_errors(self._where):
            cursor = self._connection.raw_sql(statement)
            connection = getattr(cursor, "connection", None)
            if connection is not None:
                connection.commit()


def _check_unchanged(change: EngineChange, released: Rows) -> None:
    """Refuse if anything but the decision is counted otherwise than before."""
    decision = change.plan.question.decision
    others = [name for name in change.rows.columns if name != decision]
    before, after = (rows.count().marginal(others) for rows in (change.rows, released))
    if before != after or released.dropped:
        raise rows_differ(change.rows.where, "Columns that nobody changed have changed.")


def _files(folder: Path, name: str, *, overwrite: bool, share: bool) -> FileSet:
    names = {"certificate": f"{name}.certificate.json"}
    if share:
        names["shared"] = f"{name}.shared.certificate.json"
    names["manifest"] = f"{name}.manifest.json"
    return FileSet(folder=folder, key=name, names=names, overwrite=overwrite)
