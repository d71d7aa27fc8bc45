"""Writing a release: data, certificate and manifest, examined before they get their names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evenhand.errors import Problem, QuestionError
from evenhand.evidence import Certificate
from evenhand.files import check_folder, sha256
from evenhand.releasing.apply import Carried
from evenhand.releasing.manifest import manifest_text
from evenhand.releasing.moves import rows_differ
from evenhand.releasing.output_formats import Format
from evenhand.releasing.transaction import FileSet
from evenhand.rows import Rows, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The files of a release, and what a killed run had left that was removed before."""

    data: Path
    certificate: Path
    manifest: Path
    shared: Path | None
    removed: tuple[str, ...]


def write_release(
    path: str | Path,
    carried: Carried,
    *,
    examine: Callable[[Rows], Certificate],
    document: Mapping[str, Any],
    overwrite: bool,
    share: bool,
    uncertified: bool,
) -> tuple[Written, Certificate]:
    """Write released rows; ``examine`` counts and certifies what came to the disk, or refuses.

    ``document`` is the manifest but for what is known only now.
    """
    form, files = (
        Format.of(path),
        files_of(Path(path), overwrite=overwrite, share=share, uncertified=uncertified),
    )
    check_folder(files.folder)
    removed = files.clean_up()
    files.check(carried.inputs)
    if carried.inputs_are_listed:
        _check_apart(files.folder, carried.inputs)
    before = _stamps(carried.inputs)
    with files.transaction() as transaction:
        with transaction.open_last() as sink:
            carried.write(form, sink)
        if _stamps(carried.inputs) != before:
            raise rows_differ(carried.inputs[0], "The file was written to meanwhile.")
        passing = files.temporary("data")
        delimiter = (
            (form.delimiter or carried.delimiter or ",") if form.kind == "text" else None
        )
        rows = read(passing, codings=carried.codings, delimiter=delimiter)
        if carried.codings.delimiter is None:
            # Nobody named one before, and readers of the certificate find it as we did.
            rows = replace(rows, requested=carried.codings)
        certificate = examine(rows)
        transaction.write_text("certificate", certificate.to_json())
        if share:
            transaction.write_text("shared", certificate.to_shared_json(), mode=0o644)
        transaction.write_text(
            "manifest",
            manifest_text(
                {
                    **document,
                    "input": {**document["input"], "files": [*map(_described, carried.inputs)]},
                    "output": {
                        **_described(str(passing)),
                        "name": files.names["data"],
                        "rows": rows.count().rows,
                        "counts_sha256": certificate.examined.counts.marginal(
                            document["plan"]["names"]
                        ).digest,
                        "certificate_sha256": sha256(files.temporary("certificate")),
                    },
                }
            ),
        )
        transaction.commit(carried.inputs)
    return (
        Written(
            data=files.path("data"),
            certificate=files.path("certificate"),
            manifest=files.path("manifest"),
            shared=files.path("shared") if share else None,
            removed=removed,
        ),
        certificate,
    )


def files_of(path: Path, *, overwrite: bool, share: bool, uncertified: bool) -> FileSet:
    """The names of all files, from that of the data."""
    endings = "".join(path.suffixes[-2 if path.suffix.lower() in (".gz", ".zst") else -1 :])
    stem = path.name.removesuffix(endings)
    if uncertified and not stem.endswith(".uncertified"):
        stem += ".uncertified"
    names = {"certificate": f"{stem}.certificate.json", "manifest": f"{stem}.manifest.json"}
    if share:
        names["shared"] = f"{stem}.shared.certificate.json"
    names["data"] = stem + endings
    return FileSet(folder=path.parent, key=stem, names=names, overwrite=overwrite)


def _check_apart(folder: Path, inputs: Sequence[str]) -> None:
    """Refuse to write among listed inputs: the next reading would take the release for one."""
    if any(folder.samefile(Path(source).parent) for source in inputs):
        raise QuestionError(
            Problem(
                "The inputs are the files of this folder.",
                "A release among them would be read as one of them.",
                "Write it to another folder.",
                str(folder),
            )
        )


def _stamps(inputs: Sequence[str]) -> list[tuple[int, ...]]:
    found = [Path(path).stat() for path in inputs]
    return [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in found]


def _described(path: str) -> dict[str, Any]:
    return {"name": Path(path).name, "bytes": Path(path).stat().st_size, "sha256": sha256(path)}
