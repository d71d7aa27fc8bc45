"""The manifest: what a release was made from and how, with its seed.

A release with the same seed gives the same bytes. Whoever has the seed, the data before and
this program can tell which rows were changed; so the manifest is readable by its owner only,
and the certificate holds no more than a commitment to the seed.
"""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evenhand.counts import Attribute
from evenhand.evidence.release_statement import Change, release_notice
from evenhand.record import canonical
from evenhand.removal import (
    BaselinePlan,
    GeneratedPlan,
    Plan,
    RemovalPlan,
    changed_columns,
)

FORMAT = "evenhand manifest 3"


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


def released_name(path: Path) -> str | None:
    """The name of the rows that a manifest describes; None if the file does not say it."""
    try:
        name = json.loads(path.read_text("utf-8"))["output"]["name"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return Path(name).name if isinstance(name, str) else None


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
