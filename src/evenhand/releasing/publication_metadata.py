"""Metadata for the publication of a released file, of nothing that only its owner may know.

``croissant_document`` describes the file for catalogues and data loaders: Croissant 1.1, with
the Responsible AI vocabulary 1.0 on how decisions were changed, what was examined, and the
known limits. ``in_toto_statement`` binds the certificate to the bytes of the file, unsigned, so
that ``cosign attest`` or ``gh attestation`` can sign it. Both are made from the certificate for
others, as both are published.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from evenhand.errors import QuestionError, Remedy, listed
from evenhand.files.file_formats import (
    ARROW,
    ARROW_STREAM,
    PARQUET,
    TEXT,
    FileFormat,
    format_of,
)
from evenhand.rows.batch_source import BatchSource

CROISSANT = "http://mlcommons.org/croissant/1.1"
RESPONSIBLE_AI = "http://mlcommons.org/croissant/RAI/1.0"
STATEMENT = "https://in-toto.io/Statement/v1"
# What Croissant requires of a data set and only its publisher knows.
BY_PUBLISHER = ("license", "url", "creator", "datePublished")

_TERMS = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileProperty "
    "fileObject fileSet format includes isArray isLiveDataset jsonPath key md5 parentField "
    "path recordSet references regex repeated replace samplingRate separator source subField "
    "transform"
)
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: {"@container": "@language"} for name in ("name", "description")},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
_MEDIA_TYPES = {
    (TEXT, ","): "text/csv",
    (TEXT, "\t"): "text/tab-separated-values",
    (PARQUET, None): "application/x-parquet",
    (ARROW, None): "application/vnd.apache.arrow.file",
    (ARROW_STREAM, None): "application/vnd.apache.arrow.stream",
}
_PACKED = {"gzip": "application/gzip", "zstd": "application/zstd"}
_TYPES = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
    (pa.types.is_date, "sc:Date"),
    (pa.types.is_timestamp, "sc:DateTime"),
)


def check_publisher_fields(fields: Mapping[str, Any]) -> None:
    """Refuse fields that would replace what is known of the file."""
    unknown = sorted({*fields} - {*BY_PUBLISHER, "name", "version", "citeAs", "keywords"})
    if unknown:
        raise QuestionError.of(
            f"The metadata cannot be given {listed(unknown)}.",
            "The other fields follow from the released file and its certificate.",
            Remedy(f"Give some of {listed([*BY_PUBLISHER, 'name', 'version'])}", "metadata"),
        )


def croissant_document(
    described: Mapping[str, Any],
    rows: BatchSource,
    record: Mapping[str, Any],
    by_publisher: Mapping[str, Any],
) -> dict[str, Any]:
    """The description of a released file in Croissant.

    ``described`` has its name, bytes and sha256, ``rows`` its columns; ``record`` is the
    certificate for others as plain values. Without the fields that only the publisher knows it
    describes the file, but may not be called Croissant yet.
    """
    name, question, release = described["name"], record["question"], record["release"]
    delimiter = rows.dialect.delimiter if rows.dialect else None
    known = format_of(name) or FileFormat(kind=rows.kind)
    # Text is packed as a whole; what else is compressed is so within the file.
    packed = _PACKED.get(known.compression or "") if known.kind == TEXT else None
    media = packed or _MEDIA_TYPES.get((known.kind, delimiter))
    file = {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{described['bytes']} B",
        "encodingFormat": media or "text/plain",
        "sha256": described["sha256"],
    }
    protected = question["protected"]
    names = [protected] if isinstance(protected, str) else [*protected]
    fields = [] if media is None or packed else _fields(rows, name)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [CROISSANT, RESPONSIBLE_AI],
        "name": name,
        "description": f"Decisions on {question['decision']}. {release['notice']}",
        "isLiveDataset": False,
        **by_publisher,
        "distribution": [file],
        **({"recordSet": [_record_set(fields)]} if fields else {}),
        "rai:dataManipulationProtocol": _changes(release),
        "rai:dataBiases": _examined(record, names),
        "rai:dataLimitations": record["assumptions"],
        "rai:personalSensitiveInformation": [f"The protected attribute: {', '.join(names)}."],
    }


def in_toto_statement(
    described: Mapping[str, Any], record: Mapping[str, Any]
) -> dict[str, Any]:
    """The certificate for others, as a statement about the bytes of the released file."""
    return {
        "_type": STATEMENT,
        "subject": [{"name": described["name"], "digest": {"sha256": described["sha256"]}}],
        "predicateType": "urn:" + record["format"].replace(" ", ":"),
        "predicate": record,
    }


def _fields(rows: BatchSource, file: str) -> list[dict[str, Any]]:
    """The columns of plain values; none where several have one name, as in some text."""
    if rows.header and len({*rows.header}) < len(rows.header):
        return []
    kinds = {name: pa.string() for name in rows.names}
    if rows.schema is not None:
        kinds = {field.name: field.type for field in rows.schema}
    fields = []
    for name, kind in kinds.items():
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind  # noqa: PLW2901
        if pa.types.is_nested(kind):
            continue
        fields.append(
            {
                "@type": "cr:Field",
                "@id": f"rows/{name}",
                "name": name,
                "dataType": next((known for test, known in _TYPES if test(kind)), "sc:Text"),
                "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
            }
        )
    return fields


def _record_set(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}


def _changes(release: Mapping[str, Any]) -> str:
    """How the rows were made of others, in one text."""
    policy, columns = release["policy"], release.get("can_change", [])
    said = [release["notice"], f"Method: {release['method']}" + f" ({policy})." * bool(policy)]
    if columns:
        said.append(f"Columns that may differ from before: {', '.join(columns)}.")
    if dropped := release.get("dropped_columns"):
        said.append(f"Columns that are not released: {', '.join(dropped)}.")
    said.append("The random seed is committed to in the certificate.")
    return " ".join(said)


def _examined(record: Mapping[str, Any], protected: list[str]) -> list[str]:
    """What was asked about bias, and the verdict on the released rows."""
    question = record["question"]
    causes = ", ".join(record["decision_causes"]) or "nothing"
    threshold, decision, verdict = (
        question["threshold"],
        question["decision"],
        record["verdict"],
    )
    asked = (
        f"Examined: whether {', '.join(protected)} itself changes {decision} among people "
        f"alike in {causes}, comparing {', '.join(question['groups'])}. Differences of "
        f"{threshold} or more count. Verdict on these rows, given this graph: {verdict}."
    )
    if claim := record.get("indirect"):
        through = ", ".join(question["redlining"])
        return [asked, f"Effects through {through} were examined, too: {claim['verdict']}."]
    return [asked, "Effects through other attributes were not examined."]
