"""``Certifier``: certifies released rows, and refuses those that must not be released."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.counts import CountTable
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    Problem,
    QuestionError,
    Remedy,
    listed,
)
from evenhand.evidence import Certificate, Partition, Verdict, certify
from evenhand.evidence.release_statement import ReleaseStatement
from evenhand.question import REST, Codings
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.cost import compare_counts
from evenhand.releasing.manifest import commitment, kind_of_change
from evenhand.releasing.row_selection import rows_differ
from evenhand.removal import (
    BaselinePlan,
    GeneratedPlan,
    Plan,
    RemovalPlan,
    changeable_columns,
    changed_columns,
    policy_of,
)
from evenhand.rows import Rows

_SHOWN = 5


def check_plan(plan: RemovalPlan | GeneratedPlan | BaselinePlan, *, uncertified: bool) -> None:
    """Refuse a plan that no rows can be released by, before any row is touched."""
    if isinstance(plan, BaselinePlan):
        _check_columns(plan)
    if not uncertified and not plan.reaches_criterion:
        raise _out_of_reach(plan)


@dataclass(frozen=True, kw_only=True)
class Certifier:
    """What released rows must be: what the plan makes of those counted, and certified.

    With ``uncertified`` the verdict does not matter. ``where`` names the rows before, ``drop``
    the columns that they had more.
    """

    plan: RemovalPlan | GeneratedPlan | BaselinePlan
    seed: int
    nonce: bytes
    uncertified: bool
    where: str
    drop: tuple[str, ...] = ()

    def certify(self, released: Rows | CountTable) -> Certificate:
        """Certify released rows as the rows before were certified."""
        counts, codings, dropped = (
            (released.count(), released.codings, released.dropped)
            if isinstance(released, Rows)
            else (released, Codings(), 0)
        )
        before = self.plan.certificate
        decisions = counts.values(before.question.decision)
        favorable = before.question.favorable_values
        if len(decisions) == 1 or (favorable and not {*favorable} & {*decisions}):
            raise CannotReleaseError.of(
                f"{before.question.decision!r} would always be {listed(decisions)} then.",
                "There would be no decisions left to speak of.",
                "Raise the threshold, or merge values so that more people are compared.",
            )
        # A plan may leave nobody with some value: the question is asked of the others.
        question = before.question.without_absent(decisions)
        if before.pools_others and not isinstance(self.plan, GeneratedPlan):
            question = replace(question, other=REST)
        certificate = certify(
            counts,
            before.graph,
            question,
            scope=before.scope,
            limit=max(1000, len(before.partitions)),
            min_coverage=before.min_coverage,
            graph_origin=before.graph_origin.before_release,
            codings=codings,
            dropped=dropped,
            released=True,
        )
        # Whatever was judged on the way to this release is stated with it.
        return replace(certificate, release=self._statement(), tried=before.tried)

    def check(self, certificate: Certificate) -> None:
        """Refuse rows that are not what the plan makes of those counted, or not certified."""
        if self.plan.certificate.is_determined:
            raise CannotReleaseError(*self.plan.certificate.reasons)
        if not isinstance(self.plan, GeneratedPlan) and not self._is_expected(certificate):
            raise rows_differ(
                self.where, "After the change they are not what the plan makes of them."
            )
        claims = [one for one in (certificate, certificate.indirect) if one is not None]
        refused = [one for one in claims if one.verdict is not Verdict.CERTIFIED]
        if refused and not self.uncertified:
            raise CannotReleaseError(
                Problem(
                    "The released rows would not be certified.",
                    "Nothing is written.",
                    Remedy("Choose another method or policy", "policy"),
                ),
                *(reason for one in refused for reason in one.reasons),
            )

    def _is_expected(self, certificate: Certificate) -> bool:
        """Whether the plan's columns are counted as the plan predicts."""
        names, before = self.plan.names, self.plan.certificate.examined.counts
        # On these columns each pattern is one cell, so the result is deterministic.
        expected = change_counts(
            before.marginal(names), self.plan, np.random.default_rng(0), effects=False
        )
        released = certificate.examined.counts.marginal(names)
        return compare_counts(expected, released).cell_changes == 0

    def _statement(self) -> ReleaseStatement:
        """What the certificate's document says of the release."""
        before, generated = self.plan.certificate, isinstance(self.plan, GeneratedPlan)
        return ReleaseStatement(
            change=kind_of_change(self.plan),
            decision=before.question.decision,
            method=self.plan.method,
            policy=self.plan.policy,
            seed_commitment=commitment(self.nonce, self.seed),
            changed_columns=changed_columns(self.plan),
            dropped_columns=self.drop,
            can_change=changeable_columns(self.plan),
            changed_rows=self.plan.changed_rows,
            dropped_before=before.dropped,
            left_out_before=before.examined.left_out if generated else 0,
        )


def _check_columns(plan: BaselinePlan) -> None:
    """Refuse a method that changes other columns than those a certificate can speak of."""
    others = sorted({*changed_columns(plan)} - {*plan.question.columns})
    if others:
        raise CannotReleaseError.of(
            f"{plan.method} changes {listed(others)}, and no decision.",
            "Rows are released with other decisions, or other values of the protected "
            "attribute: this method is for comparison alone.",
            Remedy("Use modify-data", "method", "modify-data"),
        )


def _out_of_reach(plan: Plan) -> CannotReleaseError:
    """The plan leaves differences: which, and what would not."""
    after = plan.after if isinstance(plan, RemovalPlan) else None
    left = after.by_strength.tolist() if after else []
    places = [_place(after, line) for line in left[:_SHOWN]] if after else []
    more = f" and {len(left) - _SHOWN:,} more" if len(left) > _SHOWN else ""
    found = f"Still at or beyond {plan.question.threshold}: {'; '.join(places)}{more}."
    if not places:
        claim = plan.indirect if isinstance(plan, RemovalPlan) else None
        found = " ".join(str(one) for one in claim.reasons) if claim else ""
    # Policies that take groups reach it unless only some groups may change.
    some = policy_of(plan.method, plan.policy).takes_groups
    return CannotReleaseError.of(
        f"{plan.method} ({plan.policy}) does not reach the criterion.",
        found or "It gives no guarantee.",
        (
            Remedy("Let decisions of more groups change, or of all: leave that out", "only")
            if some
            else Remedy(
                "Use modify-data, which always reaches it with this policy",
                "policy",
                "minimal",
            ),
            Remedy(
                "allow a file whose name says that it is uncertified",
                "uncertified",
                value=True,
            ),
        ),
    )


def _place(partition: Partition, line: int) -> str:
    where = partition.where(line).items()
    alike = ", ".join(f"{name} = {label}" for name, label in where) or "everybody"
    pair = f"{' and '.join(partition.lead_labels(line))}, "
    pair = "" if partition.question.group else pair
    return f"{alike}: {pair}{partition.risk_difference(line)}"


def check_dropped(
    rows: Rows | CountTable,
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    drop: Sequence[str],
) -> None:
    """Refuse columns that do not exist, or that the certificate of the release counts."""
    available = rows.sources[0].names if isinstance(rows, Rows) else rows.names
    codings = rows.codings if isinstance(rows, Rows) else Codings()
    unknown = [name for name in dict.fromkeys(drop) if name not in available]
    if unknown:
        raise ColumnError.unknown(unknown, available)
    if drop and isinstance(plan, GeneratedPlan):
        raise QuestionError.of(
            "New rows have only the columns of the graph.",
            remedy="Do not name columns to drop.",
        )
    counted = {*plan.certificate.graph.nodes, *plan.names, codings.frequency}
    problems = [
        Problem(
            f"{name!r} cannot be dropped.",
            "The certificate of the release counts it.",
            Remedy("Leave it out of the question first", "exclude", [name]),
        )
        for name in dict.fromkeys(drop)
        if name in counted
    ]
    if problems:
        raise QuestionError(*problems)
