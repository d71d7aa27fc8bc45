"""What to change: plans that remove every measured difference; no row is touched here."""

from evenhand.removal.baselines import (
    LocalMassaging,
    LocalPreferentialSampling,
    RepairAttributes,
    Seed,
    ShuffleProtected,
)
from evenhand.removal.methods import (
    Baseline,
    Method,
    check_plan,
    named_method,
    plan_removal,
)
from evenhand.removal.modify_data import ModifyData
from evenhand.removal.modify_graph import ModifyGraph
from evenhand.removal.moves import DecisionChanges
from evenhand.removal.plan import (
    POLICIES,
    BaselinePlan,
    ChangedDecisions,
    GeneratedPlan,
    Move,
    Plan,
    Policy,
    RemovalPlan,
    policy_of,
)

__all__ = [
    "POLICIES",
    "Baseline",
    "BaselinePlan",
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
    "Policy",
    "RemovalPlan",
    "RepairAttributes",
    "Seed",
    "ShuffleProtected",
    "check_plan",
    "named_method",
    "plan_removal",
    "policy_of",
]
