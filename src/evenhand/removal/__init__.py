"""What to change: plans that remove every measured difference; no row is touched here."""

from typing import TypeAlias

from evenhand.display import ProgressCallback
from evenhand.evidence import Certificate
from evenhand.question.parse_values import check_seed
from evenhand.removal.baselines import (
    BaselinePlan,
    LocalMassaging,
    LocalPreferentialSampling,
    Seed,
    ShuffleProtected,
)
from evenhand.removal.modify_data import ModifyData
from evenhand.removal.modify_graph import ModifyGraph
from evenhand.removal.removal_plan import (
    ByDirection,
    ChangedDecisions,
    DecisionChanges,
    GeneratedPlan,
    Move,
    Plan,
    RemovalPlan,
    changeable_columns,
    changed_columns,
)
from evenhand.removal.repair_attributes import RepairAttributes

__all__ = [
    "Baseline",
    "BaselinePlan",
    "ByDirection",
    "ChangedDecisions",
    "DecisionChanges",
    "GeneratedPlan",
    "LocalMassaging",
    "LocalPreferentialSampling",
    "Method",
    "ModifyData",
    "ModifyGraph",
    "Move",
    "Plan",
    "RemovalPlan",
    "RepairAttributes",
    "Seed",
    "ShuffleProtected",
    "changeable_columns",
    "changed_columns",
    "plan_removal",
]

Method: TypeAlias = ModifyData | ModifyGraph
Baseline: TypeAlias = (
    ShuffleProtected | LocalMassaging | LocalPreferentialSampling | RepairAttributes
)


def plan_removal(
    certificate: Certificate,
    *,
    method: Method | Baseline | None = None,
    seed: Seed | None = None,
    progress: ProgressCallback | None = None,
) -> RemovalPlan | GeneratedPlan | BaselinePlan:
    """Plan the change that removes what a certificate found, by default with ``ModifyData``.

    Only baselines, which give no guarantee, use the seed; by default it is derived from the
    counts. ``progress`` is called by the methods that may take long.
    """
    if isinstance(method, Baseline):
        seed = check_seed(seed) if isinstance(seed, int) else seed
        if isinstance(method, LocalMassaging | LocalPreferentialSampling):
            return method.plan(certificate, seed=seed, progress=progress)
        return method.plan(certificate, seed=seed)
    return (method or ModifyData()).plan(certificate)
