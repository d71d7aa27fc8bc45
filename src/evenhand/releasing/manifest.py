"""The manifest: all that is needed to make a release once more, and making it once more.

It holds the seed. Whoever has the seed, the data before and this program can tell which rows
were changed; so it is readable by its owner only, and the certificate holds no more than a
commitment to the seed.
"""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.counts import Attribute, CountTable, examined_counts
from evenhand.errors import ColumnError, InputError, listed
from evenhand.evidence.certificate_encoding import canonical, parse_document
from evenhand.evidence.certificate_schema import schema_errors
from evenhand.evidence.release_statement import Change, release_notice
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Codings, Question
from evenhand.question.question import REST
from evenhand.releasing.apply import apply
from evenhand.releasing.output_formats import OutputFormat
from evenhand.releasing.row_selection import rows_differ
from evenhand.removal import (
    BaselinePlan,
    GeneratedPlan,
    Move,
    Plan,
    RemovalPlan,
    changed_columns,
)
from evenhand.rows import Rows, Source, read

FORMAT = "evenhand manifest 1"


def notice(plan: Plan) -> str:
    """The warning that accompanies released rows."""
    return release_notice(kind_of_change(plan), changed_columns(plan), plan.question.decision)


def kind_of_change(plan: Plan) -> Change:
    """Whether a plan edits rows, leaves out and doubles them, or generates new ones."""
    if isinstance(plan, GeneratedPlan):
        return "generated"
    if isinstance(plan, RemovalPlan):
        return "edited"
    return "resampled" if any(move.times != 1 for move in plan.moves) else "edited"


def commitment(nonce: bytes, seed: int) -> str:
    """SHA-256 of a nonce and the seed: it binds to the seed, and does not tell it."""
    return hashlib.sha256(nonce + seed.to_bytes(16)).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPlan:
    """A plan as a manifest records it."""

    method: str
    policy: str
    names: tuple[str, ...]
    pooled: str | None
    question: Question
    moves: tuple[Move, ...]
    redrawn: tuple[ConditionalTable, ...]
    rank: str | None = None


def _plan_document(plan: Plan) -> dict[str, Any]:
    """A plan as plain values, complete."""
    moves = list(plan.moves)
    return {
        "method": plan.method,
        "policy": plan.policy,
        "names": list(plan.names),
        "pooled": plan.pooled,
        "generated": isinstance(plan, GeneratedPlan),
        "changed_rows": sum(move.row_count for move in moves),
        "moves": [
            {
                "where": dict(move.where),
                "rows": move.row_count,
                "becomes": dict(move.becomes),
                "times": move.times,
            }
            for move in moves
        ],
        "redrawn": [
            {
                "node": _attribute(table.node),
                "parents": [_attribute(parent) for parent in table.parents],
                "counts": table.counts.tolist(),
            }
            for table in plan.redrawn
        ],
        **({} if plan.rank is None else {"rank": plan.rank}),
    }


def _versions() -> dict[str, str]:
    """What the bytes of a release may depend on."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("evenhand", "numpy", "pyarrow")},
    }


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was read."""

    document: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> "Manifest":
        """Read a manifest, and check that it is one."""
        try:
            document = parse_document(Path(path).read_text("utf-8"))
            _check_form(document)
            manifest = cls(document)
            _check_plan(manifest.plan)
            _ = manifest.codings
        except (OSError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
            raise InputError.of(
                "This is no manifest of a release.",
                f"{error}".rstrip(".") + ".",
                "Name the file that ends in .manifest.json.",
                str(path),
            ) from error
        return manifest

    @property
    def seed(self) -> int:
        """The seed of the random choices."""
        return int(self.document["seed"])

    @property
    def codings(self) -> Codings:
        """How the rows were counted."""
        return Codings.of(**self.document["codings"])

    @property
    def output(self) -> Mapping[str, Any]:
        """What was written."""
        output: Mapping[str, Any] = self.document["output"]
        return output

    @property
    def plan(self) -> RecordedPlan:
        """The plan that was applied."""
        plan = self.document["plan"]
        return RecordedPlan(
            method=plan["method"],
            policy=plan["policy"],
            names=tuple(plan["names"]),
            pooled=plan["pooled"],
            question=self.question,
            rank=plan.get("rank"),
            moves=tuple(
                Move(move["where"], move["rows"], move["becomes"], move["times"])
                for move in plan["moves"]
            ),
            redrawn=tuple(
                ConditionalTable(
                    _read_attribute(table["node"]),
                    tuple(map(_read_attribute, table["parents"])),
                    np.array(table["counts"], np.int64),
                )
                for table in plan["redrawn"]
            ),
        )

    @property
    def question(self) -> Question:
        """What was asked, with both groups named."""
        return Question(**self.document["question"])

    @property
    def counted_question(self) -> Question:
        """The question as it is put to counts, which may know more groups."""
        pooled = self.document["plan"]["pooled"] is not None
        return replace(self.question, other=REST) if pooled else self.question


def _check_plan(plan: RecordedPlan) -> None:
    """Raise ``ValueError`` for a plan whose parts do not go together."""
    for move in plan.moves:
        if {*move.where} != {*plan.names}:
            raise ValueError(f"A move is not by the columns {listed(plan.names)}")
    for table in plan.redrawn:
        shape = tuple(map(len, (*table.parents, table.node)))
        if table.counts.shape != shape or (table.counts < 0).any():
            raise ValueError(
                f"The table of {table.node.name!r} has not the counts of its values"
            )


@cache
def schema() -> dict[str, Any]:
    """The schema of manifests."""
    text = files("evenhand.releasing").joinpath("manifest.schema.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _check_form(document: Any) -> None:  # noqa: ANN401  # plain values
    """Raise ``ValueError`` for a document that is no manifest, or of another format."""
    named = document.get("format") if isinstance(document, dict) else None
    if named != FORMAT and isinstance(named, str):
        raise ValueError(f"The format {named!r} is not known here; a later version may read it")
    if problem := next(schema_errors(document, schema(), "manifest"), None):
        raise ValueError(problem)


def manifest_text(
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    seed: int,
    nonce: bytes,
    inputs: Mapping[str, Any],
    output: Mapping[str, Any],
) -> str:
    """The manifest of a release, with descriptions of what was read and written."""
    before = plan.certificate
    return canonical(
        {
            "format": FORMAT,
            "versions": _versions(),
            "notice": notice(plan),
            "seed": str(seed),
            "nonce": nonce.hex(),
            "seed_commitment": commitment(nonce, seed),
            "question": before.question.to_dict(),
            "codings": before.codings.to_dict(),
            "plan": _plan_document(plan),
            "input": {
                "rows": before.row_count + before.examined.left_out + before.dropped,
                "counts_sha256": before.examined.counts.marginal(plan.names).digest,
                **inputs,
            },
            "output": output,
        }
    )


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {"name": attribute.name, "values": list(attribute.values)}


def _read_attribute(document: Mapping[str, Any]) -> Attribute:
    values: Sequence[str] = document["values"]
    return Attribute(document["name"], tuple(values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The digest of what the manifest's plan and seed give, and the one that it records."""

    sha256: str
    recorded: str

    @property
    def is_same(self) -> bool:
        """Whether the very same bytes came out."""
        return self.sha256 == self.recorded


def replay(manifest: Manifest | str | Path, rows: Source | Rows | CountTable) -> Replay:
    """Apply a manifest's plan to the rows before, without writing anything.

    ``rows`` are what the release was made from, in the same form: a path, a frame, ``Rows`` or
    a ``CountTable``. Another version of the libraries that write Parquet or compress text may
    give other bytes.
    """
    if not isinstance(manifest, Manifest):
        manifest = Manifest.read(manifest)
    if manifest.document["plan"]["generated"]:
        raise InputError.of(
            "These rows were generated from a model, which the manifest does not hold.",
            remedy="Release with the manifest's seed once more, and compare the files.",
        )
    nonce = bytes.fromhex(manifest.document["nonce"])
    if commitment(nonce, manifest.seed) != manifest.document["seed_commitment"]:
        raise InputError.of(
            "The manifest's seed is not the one that it is committed to.",
            remedy="The manifest was altered: ask its owner for the right one.",
        )
    source: Rows | CountTable = (
        rows if isinstance(rows, Rows | CountTable) else read(rows, codings=manifest.codings)
    )
    counts, where = (
        (source, "counts") if isinstance(source, CountTable) else (source.count(), source.where)
    )
    examined = examined_counts(counts, manifest.counted_question)
    compared = examined.counts.marginal(manifest.plan.names)
    if compared.digest != manifest.document["input"]["counts_sha256"]:
        raise rows_differ(where, "The manifest was made from other rows.")
    available = source.names if isinstance(source, CountTable) else source.columns
    tables = manifest.plan.redrawn
    # Columns outside of the question may be among those that are drawn.
    known = {*available, *(table.node.name for table in tables)}
    parents = {parent.name for table in tables for parent in table.parents}
    if unknown := sorted(parents - known):
        raise ColumnError.unknown(unknown, available, where=where)
    digest = _DigestSink()
    output = OutputFormat.of(manifest.output["name"])
    drop = manifest.output.get("dropped_columns", ())
    applied = apply(source, manifest.plan, examined, manifest.seed, drop=drop)
    applied.write(output, digest, source.progress if isinstance(source, Rows) else None)
    return Replay(sha256=digest.sha256.hexdigest(), recorded=manifest.output["sha256"])


class _DigestSink:
    """File-like object that keeps only the SHA-256 of what is written."""

    closed = False

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self._size = 0

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self.sha256.update(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._size

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
