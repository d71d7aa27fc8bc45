"""What to change: plans that remove every measured difference; no row is touched here."""

from typing import TypeAlias

from evenhand.evidence import Certificate
from evenhand.removal.modify_data import ModifyData
from evenhand.removal.modify_graph import ModifyGraph
from evenhand.removal.plan import Move, Plan, RemovalPlan

__all__ = ["Method", "ModifyData", "ModifyGraph", "Move", "Plan", "RemovalPlan", "plan_removal"]

Method: TypeAlias = ModifyData | ModifyGraph


def plan_removal(certificate: Certificate, *, by: Method | None = None) -> RemovalPlan:
    """Plan the change that removes what a certificate found, by ``ModifyData`` if not said."""
    return (by or ModifyData()).plan(certificate)
