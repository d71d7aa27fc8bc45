"""evenhand: did the protected attribute itself change the decision, in any comparable group?

Names load their rooms when they are first used, so that the import costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand import datasets
    from evenhand.auditing import Audit, audit
    from evenhand.counts import Attribute, CountTable, examined_counts
    from evenhand.effects import measure_paths
    from evenhand.errors import EvenhandError
    from evenhand.evidence import Certificate, certify, certify_relaxed, explain_partition
    from evenhand.graph import CausalGraph, PartialGraph, discover, find_causes, load_graph
    from evenhand.models.predictions import PredictionAudit, audit_predictions
    from evenhand.question import (
        Bins,
        Codings,
        GraphEdit,
        Knowledge,
        Question,
        QuestionFile,
        Tiers,
    )
    from evenhand.releasing.compare import compare
    from evenhand.releasing.release import Release, release
    from evenhand.removal import (
        LocalMassaging,
        LocalPreferentialSampling,
        ModifyData,
        ModifyGraph,
        RemovalPlan,
        RepairAttributes,
        ShuffleProtected,
        plan_removal,
    )
    from evenhand.rows import Rows, read
    from evenhand.rows.question_guesses import draft
    from evenhand.verdict import StatisticalVerdict, Verdict

_ROOMS = {
    "counts": ("Attribute", "CountTable", "examined_counts"),
    "effects": ("measure_paths",),
    "errors": ("EvenhandError",),
    "evidence": ("Certificate", "certify", "certify_relaxed", "explain_partition"),
    "graph": ("CausalGraph", "PartialGraph", "discover", "find_causes", "load_graph"),
    "question": (
        "Bins",
        "Codings",
        "GraphEdit",
        "Knowledge",
        "Question",
        "QuestionFile",
        "Tiers",
    ),
    "models.predictions": ("PredictionAudit", "audit_predictions"),
    "releasing.release": ("Release", "release"),
    "releasing.compare": ("compare",),
    "removal": (
        "LocalMassaging",
        "LocalPreferentialSampling",
        "ModifyData",
        "ModifyGraph",
        "RemovalPlan",
        "RepairAttributes",
        "ShuffleProtected",
        "plan_removal",
    ),
    "rows": ("Rows", "read"),
    "rows.question_guesses": ("draft",),
    "auditing": ("Audit", "audit"),
    "verdict": ("StatisticalVerdict", "Verdict"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Attribute",
    "Audit",
    "Bins",
    "CausalGraph",
    "Certificate",
    "Codings",
    "CountTable",
    "EvenhandError",
    "GraphEdit",
    "Knowledge",
    "LocalMassaging",
    "LocalPreferentialSampling",
    "ModifyData",
    "ModifyGraph",
    "PartialGraph",
    "PredictionAudit",
    "Question",
    "QuestionFile",
    "Release",
    "RemovalPlan",
    "RepairAttributes",
    "Rows",
    "ShuffleProtected",
    "StatisticalVerdict",
    "Tiers",
    "Verdict",
    "audit",
    "audit_predictions",
    "certify",
    "certify_relaxed",
    "compare",
    "datasets",
    "discover",
    "draft",
    "examined_counts",
    "explain_partition",
    "find_causes",
    "load_graph",
    "measure_paths",
    "plan_removal",
    "read",
    "release",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("evenhand")
    if name == "datasets":
        return import_module("evenhand.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    return getattr(import_module(f"evenhand.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
