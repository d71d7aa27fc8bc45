"""``ModifyData``: change decisions inside the subpopulations that differ, and nowhere else.

Where effects through other attributes are to be removed too, decisions elsewhere may change.

The paper's rule, ⌈n(|Δ|−τ)⌉ changes in one group, can stop exactly at the threshold and can
jump past its other side in small groups. The policies here solve the integer problem exactly;
``paper`` and ``printed`` keep the rule, for comparison, and their plans say what they leave.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    CannotReleaseError,
    Problem,
    QuestionError,
    Remedy,
    did_you_mean,
    listed,
)
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.certification import direct_edge
from evenhand.question import exact_fraction
from evenhand.question.parse_values import require_texts
from evenhand.removal.joint_removal import (
    JointChange,
    JointProblem,
    fewest_with_effects,
    through_effects,
)
from evenhand.removal.many_values import (
    fewest_rows_cumulative,
    fewest_rows_every,
    fewest_steps_cumulative,
)
from evenhand.removal.policies import Policy, policies_of
from evenhand.removal.removal_plan import RemovalPlan, StoredDecisions
from evenhand.removal.window import fewest_in_window


def check_releasable(certificate: Certificate) -> Partition:
    """The partition whose decisions may change.

    Raises ``CannotReleaseError`` unless the causes of the decision are known and its values are
    counted as they are stored: a merged one has no single value to write back.
    """
    question = certificate.question
    problems = []
    if certificate.ambiguous:
        causes = certificate.possible_decision_causes
        sets = " or ".join("{" + ", ".join(names) + "}" for names in causes)
        # Not only the edges on which the verdict hangs: a release needs one set of causes.
        problems += [
            Problem(
                f"The causes of {question.decision!r} are ambiguous: {sets}.",
                f"The graph does not direct {name} - {question.decision}.",
                direct_edge(name, question.decision),
            )
            for name in sorted({*chain(*causes)})
            if not all(name in names for names in causes)
        ]
    if certificate.pools_others and len(question.protected_names) > 1:
        problems.append(
            Problem(
                f"All but {question.group!r} are pooled, and several columns define groups.",
                "A changed row could not be told by its values.",
                Remedy("Compare all groups: name neither group nor other", "group"),
            )
        )
    if certificate.codings.is_coded(question.decision):
        problems.append(
            Problem(
                f"The decision {question.decision!r} is counted in classes or merged values.",
                "A changed decision would have no stored value to become.",
                (
                    Remedy(
                        "Count its values as they are, and name several as favorable",
                        "favorable",
                    ),
                    Remedy("add a column to the data that holds the classes"),
                ),
            )
        )
    if problems:
        raise CannotReleaseError(*problems)
    return certificate.partition


def check_two_groups(partition: Partition, what: str) -> None:
    """Refuse more than two groups or two decisions, for a method that knows only two."""
    if len(partition.groups) != 2 or partition.counts.shape[0] != 2:
        raise CannotReleaseError.of(
            f"{what} is for two groups and two decisions.",
            f"There are {len(partition.groups)} groups and {len(partition.decisions)} kinds of "
            "decision.",
            (Remedy("Name a group", "group"), Remedy("use another method", "method")),
        )


_POLICIES = policies_of("modify-data")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyData:
    """Remove differences by changing the fewest decisions.

    Policies: ``minimal`` changes as few rows as possible, in all groups, or as few steps along
    the order of values; ``rows`` the fewest rows of ordered values; ``group`` only rows of the
    group asked about, where that can reach the criterion; ``raise`` only turns unfavorable
    decisions into favorable ones; ``paper`` is the rule behind the paper's tables and
    ``printed`` its pseudo-code to the letter, neither with a guarantee. ``only`` names the
    groups whose decisions may change. A ``margin`` asks for differences below threshold minus
    margin. ``rank`` names a column of scores, higher for what is nearer to a favorable
    decision: of rows that are alike, with the same decision, those nearest to the other side
    change, and no random ones. Effects through attributes that the question names are removed
    too, but not by the rules of the paper, which does not know them.

    Paper: alg:md
    """

    name: ClassVar[str] = "modify-data"
    policy: str = "minimal"
    margin: Fraction = Fraction(0)
    only: tuple[str, ...] = ()
    rank: str | None = None

    def __post_init__(self) -> None:
        if self.policy not in (*_POLICIES,):  # a list is refused, too
            raise QuestionError.of(
                f"There is no policy {self.policy!r}.",
                remedy=f"Choose one of {', '.join(_POLICIES)}.",
            )
        try:
            margin = exact_fraction(self.margin)
        except ValueError as error:
            raise QuestionError.of(
                f"The margin {self.margin!r} cannot be read.",
                f"{error}.",
                "Write a number.",
            ) from error
        if margin < 0:
            raise QuestionError.of(
                f"The margin {self.margin} is negative.", remedy="Write 0 or more."
            )
        object.__setattr__(self, "margin", margin)
        object.__setattr__(self, "only", require_texts(self.only, "`only`"))
        if self.only and not self._rules.takes_groups:
            raise QuestionError.of(
                f"The policy {self.policy!r} says itself whose decisions change.",
                remedy=(
                    Remedy("Leave that out", "only"),
                    Remedy("choose", "policy", "minimal"),
                ),
            )
        if not isinstance(self.rank, str | None):
            raise QuestionError.of(
                "Scores are given as values, and a release is reproduced by a column's name.",
                remedy="Put them into a column of the table, and name it as `rank`.",
            )

    @property
    def guaranteed(self) -> bool:
        """Whether a plan that can be made reaches the criterion."""
        return self._rules.guaranteed

    @property
    def _rules(self) -> Policy:
        return _POLICIES[self.policy]

    def plan(self, certificate: Certificate) -> RemovalPlan:
        """Compute how many decisions change in each subpopulation."""
        partition = check_releasable(certificate)
        if self.rank is not None and not partition.question.favorable:
            raise CannotReleaseError.of(
                "Rows cannot be chosen by a score where every value is compared.",
                "A score tells how near rows are to a favorable decision.",
                (
                    Remedy("Leave that out", "rank"),
                    Remedy("ask for a favorable value", "criterion", "favorable"),
                ),
            )
        threshold = reduced_threshold(partition.question.threshold, self.margin)
        lower_bound = None
        if partition.question.redlining and self.guaranteed:
            joint = self._joint_change(certificate, threshold)
            change, lower_bound = joint.counts - partition.favorable[0], joint.lower_bound
            changes = StoredDecisions.of(certificate).changes_across(change)
        elif partition.question.favorable:
            change = self._favorable_change(partition, threshold)
            changes = StoredDecisions.of(certificate).changes_across(change)
        else:
            new = self._new_values(partition, threshold)
            changes = StoredDecisions.of(certificate).changes_to(new)
        return RemovalPlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            changes=changes,
            lower_bound=lower_bound,
            rank=self.rank,
        )

    def _joint_change(self, certificate: Certificate, threshold: Fraction) -> JointChange:
        """The favorable decisions that leave no effect through chosen attributes either."""
        self._check_applies(favorable=True)
        partition = certificate.partition
        indirect = reduced_threshold(partition.question.indirect_threshold, self.margin)
        problem = JointProblem.of(
            partition.favorable[0],
            partition.rows,
            threshold,
            through_effects(certificate, indirect),
            compared=partition.measured,
            only_raise=self._rules.only_raise,
            may_change=self._changeable(partition),
        )
        _, possible = problem.without_effects()
        if not possible.all():
            raise _out_of_reach(partition, np.flatnonzero(~possible))
        return fewest_with_effects(problem)

    def _favorable_change(self, partition: Partition, threshold: Fraction) -> NDArray[np.int64]:
        """By how many the favorable decisions of each group grow in each subpopulation."""
        if not self.guaranteed:
            return _by_rule(partition, threshold, smaller=self.policy == "paper")
        self._check_applies(favorable=True)
        favorable, rows = measured_counts(partition)
        new, _ = fewest_in_window(
            favorable,
            rows,
            threshold,
            only_raise=self._rules.only_raise,
            may_change=self._changeable(partition),
            reference=reference(partition),
            asked=0 if partition.question.group is not None else None,
        )
        change: NDArray[np.int64] = new - favorable
        return change

    def _new_values(self, partition: Partition, threshold: Fraction) -> NDArray[np.int64]:
        """The new counts of every value, of the groups that are compared."""
        self._check_applies(favorable=False)
        if self.only:
            raise CannotReleaseError.of(
                "Where every value is compared, decisions of all groups may change.",
                f"Only those of {listed(self.only)} are to.",
                (
                    Remedy("Leave that out", "only"),
                    Remedy("ask for a favorable value", "criterion", "favorable"),
                ),
            )
        solve = fewest_rows_every
        if partition.question.criterion == "cumulative":
            solve = (
                fewest_steps_cumulative if self.policy == "minimal" else fewest_rows_cumulative
            )
        compared = partition.rows >= partition.question.min_rows
        counts = np.where(compared, partition.counts, 0)
        new = solve(counts, threshold, reference=reference(partition))
        return np.where(compared, new, partition.counts)

    def _check_applies(self, *, favorable: bool) -> None:
        """Refuse a policy for other decisions, those with a favorable value or without one."""
        fitting = [
            name
            for name, one in _POLICIES.items()
            if one.guaranteed and (one.favorable if favorable else one.many_values)
        ]
        if self.policy not in fitting:
            what = "a favorable decision" if favorable else "decisions of many values"
            raise CannotReleaseError.of(
                f"The policy {self.policy!r} does not apply to {what}.",
                remedy=Remedy(f"Choose one of {', '.join(fitting)}", "policy", "minimal"),
            )

    def _changeable(self, partition: Partition) -> NDArray[np.bool_] | None:
        """Whose decisions may change; None if everybody's."""
        if self.policy == "group":
            if partition.question.group is None:
                raise CannotReleaseError.of(
                    "The policy 'group' changes the group asked about, and none is named.",
                    remedy=Remedy("Name the groups whose decisions may change", "only"),
                )
            return np.array([True, False])
        unknown = [label for label in self.only if label not in partition.groups]
        if unknown:
            raise QuestionError.of(
                f"{listed(unknown)} is no group that is compared.",
                f"There are {listed(partition.groups)}. "
                f"{did_you_mean(unknown[0], partition.groups)}".strip(),
                Remedy("Name some of these", "only"),
            )
        return (
            np.array([label in self.only for label in partition.groups]) if self.only else None
        )


def measured_counts(partition: Partition) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Favorable decisions and rows by group and line; none of groups that are not compared."""
    compared = partition.rows >= partition.question.min_rows
    return np.where(compared, partition.favorable[0], 0), np.where(compared, partition.rows, 0)


def reference(partition: Partition) -> int | None:
    """The group with which all others are compared, if there is one."""
    question = partition.question
    if question.group is not None or question.other is None:
        return None
    return partition.groups.index(question.other)


def _out_of_reach(partition: Partition, lines: NDArray[np.intp]) -> CannotReleaseError:
    """The error where the groups that may change cannot meet the criterion by themselves."""
    places = (
        ", ".join(f"{name} = {label}" for name, label in partition.where(line).items())
        for line in lines.tolist()
    )
    return CannotReleaseError.of(
        f"In {len(lines):,} subpopulations the decisions that may change cannot reach the "
        "criterion.",
        f"They are {listed(places)}.",
        Remedy("Let decisions of all groups change", "policy", "minimal"),
    )


def reduced_threshold(threshold: Fraction, margin: Fraction) -> Fraction:
    """The threshold minus a margin; raises if nothing is left."""
    if margin >= threshold:
        raise QuestionError.of(
            f"The margin {margin} leaves nothing of the threshold {threshold}.",
            remedy="Choose a smaller margin.",
        )
    return threshold - margin


def at_threshold(partition: Partition, threshold: Fraction) -> Partition:
    """The same partition with another threshold."""
    return replace(partition, question=replace(partition.question, threshold=threshold))


def _by_rule(partition: Partition, threshold: Fraction, *, smaller: bool) -> NDArray[np.int64]:
    """The paper's rule: ⌈n(|Δ|−τ)⌉ changes in the group asked about, or in the smaller one."""
    check_two_groups(partition, "The paper's rule")
    change = np.zeros(partition.rows.shape, np.int64)
    for at in np.flatnonzero(at_threshold(partition, threshold).violates).tolist():
        difference = partition.comparisons.difference(int(partition.lead[at]))
        sizes = partition.rows[:, at].tolist()
        group = int(smaller and sizes[0] > sizes[1])
        rows = ceil(sizes[group] * (abs(difference) - threshold))
        change[group, at] = rows if (difference > 0) == (group == 0) else -rows
    return change
