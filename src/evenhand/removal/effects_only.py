"""What removing averages alone would do: a warning beside the methods, no method itself.

The published removal limits the average direct effect and the one through chosen attributes.
Both can be small while subpopulations differ, in opposite directions; and limiting only the
effect through chosen attributes can make differences within subpopulations larger.
"""

from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from evenhand.evidence import Certificate
from evenhand.evidence.indirect_claim import Indirect
from evenhand.evidence.subpopulations import points
from evenhand.removal.fewest_with_effects import fewest_with_effects
from evenhand.removal.linear_effects import JointProblem
from evenhand.removal.path_effects import average_effects, claim_values, through_effects
from evenhand.removal.removal_plan import RemovalPlan
from evenhand.removal.stored_decisions import StoredDecisions

EffectsOnly: TypeAlias = Literal["through", "averages"]


def plan_effects_only(certificate: Certificate, policy: EffectsOnly) -> RemovalPlan:
    """The fewest changed decisions that limit only the effect through chosen attributes.

    With ``averages`` the averages of direct differences are limited too. No subpopulation is
    looked at, so this is no plan for a release; it says what would be left.
    """
    partition, question = certificate.partition, certificate.question
    effects = through_effects(certificate, question.indirect_threshold)
    if policy == "averages":
        effects += average_effects(certificate, question.threshold)
    problem = JointProblem.of(
        partition.favorable[0],
        partition.rows,
        question.threshold,
        effects,
        compared=np.zeros(len(partition), np.bool_),
    )
    change = fewest_with_effects(problem)
    changes = StoredDecisions.of(certificate).changes_across(change.counts - problem.old)
    return RemovalPlan(
        method="effects-only",
        policy=policy,
        certificate=certificate,
        changes=changes,
        lower_bound=change.lower_bound,
    )


def values_left(plan: RemovalPlan) -> dict[str, object]:
    """What such a plan changes and leaves, as plain values."""
    before, after = plan.partition, plan.after
    was, left = (_direct(claim) for claim in (plan.certificate.indirect, plan.indirect))
    return {
        "limits": plan.policy,
        "threshold": str(plan.question.indirect_threshold),
        "changed_rows": plan.changed_rows,
        "violating_before": before.violating,
        "violating": after.violating,
        "measured": int(after.measured.sum()),
        "direct_before": float(was),
        "direct": float(left),
        **({"indirect": claim_values(plan.indirect)} if plan.indirect else {}),
    }


def sentence_left(plan: RemovalPlan) -> str:
    """The same in words."""
    question, rows = plan.question, plan.changed_rows
    what = (
        f"the effect through {', '.join(question.redlining)} at {question.indirect_threshold}"
    )
    if plan.policy == "averages":
        what += f" and the average direct effect at {question.threshold}"
    was, left = (
        points(_direct(claim), threshold=question.threshold)
        for claim in (plan.certificate.indirect, plan.indirect)
    )
    return (
        f"Removing only {what} would change {rows:,} row{'' if rows == 1 else 's'}. "
        f"Then {plan.after.violating:,} of "
        f"{plan.after.measured.sum():,} measured differ, before {plan.partition.violating:,}; "
        f"the average direct effect goes from {was} to {left} points. This is no plan for a "
        "release."
    )


def _direct(claim: Indirect | None) -> Fraction:
    """The average direct effect on the group's rows, of what was seen."""
    if claim is None:
        return Fraction(0)
    direction = claim.graphs[0].forward
    return direction.shares.value(direction.expressions["direct"])
