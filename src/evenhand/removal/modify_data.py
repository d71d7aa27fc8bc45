"""``ModifyData``: change decisions inside the subpopulations that differ, and nowhere else.

Where effects through other attributes are to be removed too, decisions elsewhere may change.

The paper's rule, ⌈n(|Δ|−τ)⌉ changes in one group, can stop exactly at the threshold and can
jump past its other side in small groups. The policies here solve the integer problem exactly;
``paper`` and ``printed`` keep the rule, for comparison, and their plans say what they leave.
"""

from contextlib import suppress
from dataclasses import dataclass
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
from evenhand.question.parse_values import refused, require_texts
from evenhand.removal.effect_limits import (
    JointProblem,
    fewest_with_effects,
    through_effects,
)
from evenhand.removal.fewest_changes import fewest_in_window, within_window
from evenhand.removal.many_values import fewest_rows, fewest_steps_cumulative
from evenhand.removal.moves import changes_to
from evenhand.removal.plan import Policy, RemovalPlan, policies_of


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
        margin = Fraction(-1)
        with suppress(ValueError):
            margin = exact_fraction(self.margin)
        if margin < 0:
            raise refused("The margin", self.margin, "no number of at least 0", "Write one")
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
        if partition.question.favorable or (partition.question.redlining and self.guaranteed):
            change, lower_bound = self._favorable_change(certificate, threshold)
            new = more_favorable(partition, change)
        else:
            new, lower_bound = self._new_values(partition, threshold), None
        return RemovalPlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            changes=changes_to(certificate, new),
            lower_bound=lower_bound,
            rank=self.rank,
        )

    def _favorable_change(
        self, certificate: Certificate, threshold: Fraction
    ) -> tuple[NDArray[np.int64], int | None]:
        """By how many favorable decisions of each group grow, and how many must change.

        The least number is known where effects through chosen attributes are limited too.
        """
        partition, question = certificate.partition, certificate.question
        if not self.guaranteed:
            return _by_rule(partition, threshold, smaller=self.policy == "paper"), None
        self._check_applies(favorable=True)
        only_raise, may_change = self.policy == "raise", self._changeable(partition)
        if question.redlining:
            indirect = reduced_threshold(question.indirect_threshold, self.margin)
            problem = JointProblem(
                favorable=partition.favorable[0],
                rows=partition.rows,
                compared=partition.measured,
                threshold=threshold,
                effects=through_effects(certificate, indirect),
                only_raise=only_raise,
                may_change=may_change,
            )
            new, lower_bound = fewest_with_effects(problem)
            return new - problem.favorable, lower_bound
        favorable, rows = measured_counts(partition)
        new, _ = fewest_in_window(
            favorable,
            rows,
            threshold,
            only_raise=only_raise,
            may_change=may_change,
            reference=reference(partition),
            asked=0 if question.group is not None else None,
        )
        return new - favorable, None

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
        compared = partition.rows >= partition.question.min_rows
        counts = np.where(compared, partition.counts, 0)
        other, cumulative = reference(partition), partition.question.criterion == "cumulative"
        if cumulative and self.policy == "minimal":
            new = fewest_steps_cumulative(counts, threshold, reference=other)
        else:
            new = fewest_rows(counts, threshold, cumulative=cumulative, reference=other)
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


def more_favorable(partition: Partition, change: NDArray[np.int64]) -> NDArray[np.int64]:
    """The counts after the favorable decisions of each group change by these numbers."""
    return partition.counts + np.stack([change, -change])


def reduced_threshold(threshold: Fraction, margin: Fraction) -> Fraction:
    """The threshold minus a margin; raises if nothing is left."""
    if margin >= threshold:
        raise QuestionError.of(
            f"The margin {margin} leaves nothing of the threshold {threshold}.",
            remedy="Choose a smaller margin.",
        )
    return threshold - margin


def differing_lines(partition: Partition, threshold: Fraction) -> NDArray[np.intp]:
    """The lines in which two groups that are compared differ by this threshold or more."""
    counts, other = measured_counts(partition), reference(partition)
    return np.flatnonzero(~within_window(*counts, threshold, reference=other))


def _by_rule(partition: Partition, threshold: Fraction, *, smaller: bool) -> NDArray[np.int64]:
    """The paper's rule: ⌈n(|Δ|−τ)⌉ changes in the group asked about, or in the smaller one."""
    if len(partition.groups) != 2 or len(partition.decisions) != 2:
        raise CannotReleaseError.of(
            "The paper's rule is for two groups and two decisions.",
            f"There are {len(partition.groups)} groups and {len(partition.decisions)} kinds of "
            "decision.",
            (Remedy("Name a group", "group"), Remedy("use another method", "method")),
        )
    change = np.zeros(partition.rows.shape, np.int64)
    for at in differing_lines(partition, threshold).tolist():
        sizes = partition.rows[:, at].tolist()
        rate, other_rate = map(Fraction, partition.favorable[0, :, at].tolist(), sizes)
        difference = other_rate - rate
        group = int(smaller and sizes[0] > sizes[1])
        rows = ceil(sizes[group] * (abs(difference) - threshold))
        change[group, at] = rows if (difference > 0) == (group == 0) else -rows
    return change
