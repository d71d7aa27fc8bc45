"""Making a release once more from its manifest, to see that it was made as it says."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.counts import CountTable, examined_counts
from evenhand.errors import InputError, Problem
from evenhand.releasing.carried import carry_out
from evenhand.releasing.formats import Format
from evenhand.releasing.manifest import Manifest, commitment
from evenhand.releasing.stored import rows_differ
from evenhand.rows import Rows, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The digest of what the manifest's plan and seed give, and the one that it records."""

    sha256: str
    recorded: str

    @property
    def is_same(self) -> bool:
        """Whether the very same bytes came out."""
        return self.sha256 == self.recorded


def replay(manifest: Manifest | str | Path, rows: Any) -> Replay:  # noqa: ANN401  # any table
    """Carry a manifest's plan out on the rows before, without writing anything.

    ``rows`` are what the release was made from, in the same form: a path, a frame, ``Rows`` or
    a ``CountTable``. Another version of the libraries that write Parquet or compress text may
    give other bytes.
    """
    if not isinstance(manifest, Manifest):
        manifest = Manifest.read(manifest)
    if manifest.document["plan"]["generated"]:
        raise InputError(
            Problem(
                "These rows were generated from a model, which the manifest does not hold.",
                remedy="Release with the manifest's seed once more, and compare the files.",
            )
        )
    nonce = bytes.fromhex(manifest.document["nonce"])
    if commitment(nonce, manifest.seed) != manifest.document["seed_commitment"]:
        raise InputError(
            Problem(
                "The manifest's seed is not the one that it is committed to.",
                remedy="The manifest was altered: ask its owner for the right one.",
            )
        )
    source: Rows | CountTable = (
        rows if isinstance(rows, Rows | CountTable) else read(rows, codings=manifest.codings)
    )
    counts, where = (
        (source, "counts")
        if isinstance(source, CountTable)
        else (source.count(), source.source)
    )
    examined = examined_counts(counts, manifest.asked)
    compared = examined.counts.marginal(manifest.plan.names)
    if compared.digest != manifest.document["input"]["counts_sha256"]:
        raise rows_differ(where, "The manifest was made from other rows.")
    digest = _Digest()
    form = Format.of(manifest.output["name"])
    carry_out(source, manifest.plan, examined, manifest.seed).write(form, digest)
    return Replay(sha256=digest.sha256.hexdigest(), recorded=manifest.output["sha256"])


class _Digest:
    """A file that keeps only the SHA-256 of what is written."""

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
