"""Judge again from the same counts, with other people held alike: what the answer stands on.

A candidate is a column that may be a cause of the decision by what is known and is none in
the graph. Each is added to the adjustment set by itself, those first that go with the decision
most, given the set without the protected attribute. Whether a candidate is independent of the
decision given the protected attribute is never asked: that is what removes true causes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import ExaminedCounts, FinerCounts, equivalent_columns
from evenhand.counts.examined import with_groups
from evenhand.counts.functional_dependencies import repeats
from evenhand.display import Plain
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.determining_columns import determining_pairs, nearly_determines
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistical_verdict import statistical_verdict
from evenhand.evidence.statistics.mixing_distribution import MixingDistribution
from evenhand.evidence.statistics.p_values import Z
from evenhand.evidence.statistics.pooled_difference import Margin, margin, pooled_difference
from evenhand.evidence.variations.classes import OtherClasses
from evenhand.graph import known_order
from evenhand.graph.cached_tests import IndependenceTester
from evenhand.question import Knowledge, KnownOrder
from evenhand.verdict import StatisticalVerdict, Verdict

# What was judged otherwise: an attribute more or less, all that comes before the decision, a
# number in other classes, the causes of a search one level less deep, suspects left out.
SetKind: TypeAlias = Literal[
    "with", "without", "all before", "classes", "depth", "without suspects"
]
# Why a finding does not stand.
Fall: TypeAlias = Literal["", "smaller", "not separated", "within", "shown", "larger"]

MOST_CANDIDATES = 60
_LEVEL = 0.01
_FAMILY = 0.05
_MOST_FINDINGS = 20
# Half the width of a 90 % interval, as tests of equivalence at 5 % have it, in that of 95 %.
_NARROWER = NormalDist().inv_cdf(0.95) / Z
_CALIBRATED = "chi-square-adjusted"
_FEWEST_CLASSES, _MOST_CLASSES = 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentSet(Plain):
    """What is given with another adjustment set, and whether the answer's findings stand.

    ``names`` are the attributes that are added or left out. ``falls`` says why a finding does
    not stand: the difference is ``smaller``, people who are alike in the attribute are hardly
    ever of both groups (``not separated``), all of it lies ``within`` the threshold, what lay
    within it is ``larger``, or what is no finding of the answer is ``shown``. ``pairs`` are the
    places of the means that fall. ``verdict``, ``measured``, ``violating`` and ``coverage`` are
    those of the rows, ``difference`` is the pooled one of the leading pair. ``within`` says,
    where the answer has no finding, whether all is shown to lie within the threshold.
    """

    keys = "kind names falls verdict measured violating difference coverage"

    kind: SetKind
    names: tuple[str, ...]
    verdict: Verdict
    measured: int
    violating: int
    difference: float | None
    coverage: Fraction
    falls: Fall = ""
    pairs: frozenset[int] = frozenset()
    within: bool = False

    def change(self, spell: Callable[[str], str] = str) -> str:
        """Which attribute is added or left out, with columns in the words of a reader."""
        return f"{self.kind} {', '.join(map(spell, self.names))}"


@dataclass(frozen=True, kw_only=True, eq=False)
class AdjustmentSets:
    """Another look at what a certificate found, each with one thing chosen otherwise.

    ``named_after`` are columns whose names sound as if they were written after the decision.
    """

    certificate: Certificate
    knowledge: Knowledge
    finer: FinerCounts | None = None
    named_after: frozenset[str] = frozenset()

    @property
    def examined(self) -> ExaminedCounts:
        """The rows that are compared."""
        return self.certificate.examined

    @cached_property
    def base(self) -> Partition:
        """What the answer is about: people alike in the causes of the decision."""
        return self.certificate.partition

    @cached_property
    def found(self) -> frozenset[int]:
        """The places of the means, by cut and pair, of which anything is shown."""
        return shown_means(self.base) or self._some_differ(self.base)

    @cached_property
    def mixing(self) -> MixingDistribution | None:
        """What all subpopulations show together, of two groups that are compared."""
        return _mixing(self.base)

    def _some_differ(self, partition: Partition) -> frozenset[int]:
        """The place of the only mean, if some differences are shown that cannot be named."""
        found = self.mixing if partition is self.base else _mixing(partition)
        return frozenset({0} if found and found.significant else ())

    @cached_property
    def order(self) -> KnownOrder:
        """What is known of the columns."""
        return known_order(self.knowledge, self.examined.counts.names)

    @cached_property
    def tester(self) -> IndependenceTester:
        """Tests of independence, of groups as they are compared."""
        counts = with_groups(self.examined.counts, self.examined.question)
        return IndependenceTester(counts, test=_CALIBRATED)

    @property
    def placed(self) -> frozenset[str]:
        """The columns that a person put before the decision.

        By a tier that names them, a required arrow, a rule, an edit, or a graph that was given.
        """
        graph, decision = self.certificate.graph, self.certificate.question.decision
        if self.certificate.graph_origin.kind == "given":
            return frozenset(graph.nodes)
        known, tier = self.knowledge, self.order.tier
        named = {
            name
            for one in (known.tiers.tiers if known.tiers else ())
            if one is not ...
            for name in one
        }
        end = tier.get(decision)
        earlier = {
            name
            for name in named
            if end is not None and (at := tier.get(name)) is not None and at < end
        }
        said = {cause for cause, effect in known.required if effect == decision}
        said |= {e.arrow[0] for e in graph.edits if e.kind == "add" and e.arrow[1] == decision}
        return frozenset(earlier | said | {*self.certificate.question.rule})

    @cached_property
    def suspects(self) -> tuple[str, ...]:
        """Columns that nobody placed and that look as if written after the decision.

        Such a column goes with the groups through the decision alone, dependent on them and no
        longer given the decision; it nearly determines the decision, or does so without
        exception together with another column; or its name says so.
        """
        names, question = self.base.names, self.examined.question
        free = [name for name in names if name not in self.placed]
        pairs = () if question.predicts else determining_pairs(self.examined, free)
        together = {name for pair in pairs for name in pair}
        suspected = {*self._suspected(names), *together}
        return tuple(name for name in names if name in suspected)

    def _suspected(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of these columns that look as if written after the decision."""
        question, base = self.examined.question, {*self.base.names}
        group, decision = question.groups_column, question.decision
        asked = [name for name in names if name not in self.placed]
        near = {
            name
            for name in asked
            if name in self.named_after or nearly_determines(self.examined, name)
        }
        tests = [
            (name, group, [*given, *end])
            for name in asked
            for given in (base - {name}, ())
            for end in ((), (decision,))
        ]
        p = np.array([one.p for one in self.tester.test_all(tests)]).reshape(-1, 2, 2)
        separated = (p[..., 0] < _LEVEL) & (p[..., 1] > _LEVEL)
        return tuple(
            name for at, name in enumerate(asked) if separated[at].any() or name in near
        )

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Columns that may be causes of the decision, those first that go with it most."""
        question, counts = self.examined.question, self.examined.counts
        graph = self.certificate.graph
        if question.predicts:
            return ()
        ends = {*question.protected_names, question.decision}
        copies: set[str] = set()
        for alike in equivalent_columns(counts):
            kept = [name for name in alike if name in ends | {*self.base.names}]
            copies |= {*alike} - {*(kept or alike)[:1]}
        after = graph.descendants(question.decision)
        names = [
            name
            for name, card in zip(counts.names, counts.cards, strict=True)
            if name not in ends | copies | {*self.base.names}
            and name not in after
            and card > 1
            and (self.certificate.graph_origin.kind == "learned" or name in graph.nodes)
            and self.order.may_cause(name, question.decision)
            and repeats(counts, name)
        ]
        if self.knowledge.tiers_assumed or self.knowledge.tiers is None:
            suspects = self._suspected(names)
            names = [name for name in names if name not in suspects]
        tests = [(name, question.decision, self.base.names) for name in names]
        found = dict(zip(names, self.tester.test_all(tests), strict=True))
        names.sort(
            key=lambda name: (
                found[name].p,
                -found[name].statistic / max(found[name].degrees_of_freedom, 1),
                name,
            )
        )
        return tuple(names[:MOST_CANDIDATES])

    @property
    def most(self) -> int:
        """How many variations there are at most."""
        numbers = len(self.finer.finer) if self.finer else 0
        return len(self.candidates) + len(self.base.names) + 2 * numbers + 3

    def judged(self) -> Iterator[AdjustmentSet]:
        """All variations, the candidates first."""
        for name in self.candidates:
            yield self.with_name(name)
        # The causes of the recorded decision say who is compared by predictions.
        for name in () if self.examined.question.predicts else self.base.names:
            yield self.without([name], "without")
        yield from self._in_other_classes
        if self.suspects:
            yield self.without(self.suspects, "without suspects")
        if more := self._less_deep:
            deeper = self._finer("depth", more, self.examined)
            if self.found or deeper.falls != "not separated":
                yield deeper
        if len(self.candidates) > 1 and self.certificate.graph_origin.kind == "learned":
            everything = self._finer("all before", self.candidates, self.examined)
            if everything.falls != "not separated":
                yield everything

    @property
    def _less_deep(self) -> tuple[str, ...]:
        """Further causes if a search that was stopped had been stopped one level earlier."""
        record = self.certificate.graph.record
        if record is None or record.depth is None:
            return ()
        decision = self.examined.question.decision
        last = {
            name
            for pair, separation in record.separating.items()
            for name in pair
            if decision in pair and name != decision and len(separation.given) == record.depth
        }
        return tuple(sorted(last - {*self.base.names, *self.examined.question.protected_names}))

    @cached_property
    def other_classes(self) -> OtherClasses | None:
        """The compared columns in other classes, if any is in classes."""
        if self.finer is None:
            return None
        return OtherClasses.of(self.finer, self.examined, self.base.names)

    @property
    def _in_other_classes(self) -> Iterator[AdjustmentSet]:
        """Each compared column in twice as many classes; merged values are taken apart."""
        if self.other_classes is None:
            return
        examined, base = self.other_classes.examined, self.other_classes.base
        for name, second, codes in self.other_classes.classes():
            recoded = with_column(examined, second, codes)
            found = self._finer("classes", [second], recoded, base)
            # Where people in finer classes cannot be compared, these say nothing.
            if found.falls != "not separated":
                yield replace(found, names=(name,))

    def with_name(self, name: str) -> AdjustmentSet:
        """What is given if one more attribute is a cause of the decision.

        An attribute whose values hardly ever have both groups is compared in few classes, by
        the share of the group in each value.
        """
        found = self._finer("with", [name], self.examined)
        if found.falls != "not separated":
            return found
        for classes in range(_MOST_CLASSES, _FEWEST_CLASSES - 1, -1):
            merged = self._finer("with", [name], self._merged(name, classes))
            if merged.falls != "not separated":
                return merged
        question = self.examined.question
        test = self.tester.test(name, question.groups_column, self.base.names)
        if self.found and test.p < _LEVEL:
            return found
        # Where nothing is shown, nothing falls with people who cannot be compared.
        return replace(found, falls="", pairs=frozenset())

    def _merged(self, name: str, classes: int) -> ExaminedCounts:
        """The rows with the values of an attribute in a few classes, by the group's share."""
        counts = self.examined.counts
        codes = counts.column(name)
        values = len(counts.attribute(name))
        first = self.examined.group_codes == 0
        rows = np.bincount(codes, counts.counts, values)
        share = np.bincount(codes, counts.counts * first, values) / np.maximum(rows, 1)
        order = np.argsort(share, kind="stable")
        place = np.empty(values, np.intp)
        reached = np.cumsum(rows[order]) - rows[order] / 2
        place[order] = np.minimum(reached * classes // max(rows.sum(), 1), classes - 1)
        return with_column(self.examined, name, place[codes])

    def _finer(
        self,
        kind: SetKind,
        names: Iterable[str],
        examined: ExaminedCounts,
        base: Partition | None = None,
    ) -> AdjustmentSet:
        """What people give who are alike in more; ``base`` has the same rows undivided."""
        names, base = tuple(names), base or self.base
        finer = Partition.of(examined, {*base.names, *names})
        least = min(self.certificate.min_coverage, *self._coverage(base))
        fallen: frozenset[int] = frozenset()
        falls: Fall = ""
        if min(self._coverage(finer)) < least * self.certificate.min_coverage:
            fallen, falls = self.found or frozenset({0}), "not separated"
        elif self.found:
            fallen = frozenset(at for at in self.found if not self._stands(base, finer, at))
            if fallen:
                also = shown_means(finer) or self._some_differ(finer)
                fallen -= {at for at in also if not _reversed(base, finer, at)}
            falls = "smaller" if fallen else ""
        elif kind != "all before" and shown_means(finer):
            fallen, falls = shown_means(finer), "shown"
        elif kind == "with" and (masked := self._masked(base, finer)):
            fallen, falls = masked, "larger"
        within = not self.found and self._all_within(finer)
        return replace(self._of(kind, names, finer, falls, fallen), within=within)

    def _of(
        self,
        kind: SetKind,
        names: Iterable[str],
        partition: Partition,
        falls: Fall,
        pairs: frozenset[int],
    ) -> AdjustmentSet:
        return AdjustmentSet(
            kind=kind,
            names=tuple(names),
            verdict=partition.verdict(self.certificate.min_coverage),
            measured=int(partition.measured.sum()),
            violating=partition.violating,
            difference=_pooled(_tables(self.base, partition, self.base.statistics.leading)),
            coverage=partition.coverage.overall,
            falls=falls,
            pairs=pairs,
        )

    def _all_within(self, partition: Partition) -> bool:
        verdict = statistical_verdict(partition, min_coverage=self.certificate.min_coverage)
        return verdict is StatisticalVerdict.WITHIN

    @staticmethod
    def _coverage(partition: Partition) -> Sequence[Fraction]:
        return partition.coverage.groups

    def _masked(self, base: Partition, finer: Partition) -> frozenset[int]:
        """The means within the threshold that lie beyond it among people alike in more.

        By more than noise alone takes them there: a close proxy hid them.
        """
        if not self._all_within(base):
            return frozenset()
        threshold = float(self.examined.question.threshold)
        margins = ((at, self._margin(base, finer, at)) for at in range(base.comparisons.means))
        return frozenset(at for at, kept in margins if kept and kept.was_masked(threshold))

    def _margin(self, base: Partition, finer: Partition, at: int) -> Margin | None:
        """One mean before and after people are compared alike in more."""
        line, _ = finer.assignments.groups(base.names)
        least = self.examined.question.min_rows
        return margin(line, *_tables(base, finer, at), least_rows=least)

    def _stands(self, base: Partition, finer: Partition, at: int) -> bool:
        """Whether what is shown of one pair of groups stands among people alike in more."""
        threshold = float(self.examined.question.threshold)
        mean = base.statistics.means[at]
        if mean is not None and mean.shown:
            kept = self._margin(base, finer, at)
            if kept is not None and kept.stands(threshold):
                return True
        line, _ = finer.assignments.groups(base.names)
        tables = _tables(base, finer, at)
        own = np.flatnonzero(base.statistics.shown & (base.comparisons.mean == at))
        strongest = own[np.argsort(base.statistics.p_threshold[own], kind="stable")]
        return any(
            self._finding_stands(
                base, one, [column[line == base.comparisons.line[one]] for column in tables]
            )
            for one in strongest[:_MOST_FINDINGS].tolist()
        )

    def _finding_stands(
        self, base: Partition, finding: int, tables: Sequence[NDArray[np.int64]]
    ) -> bool:
        """Whether the pooled difference within one subpopulation is still significant.

        It is corrected as the finding was. With a margin alone the strongest of many findings
        would stand: that it is the strongest is chance's work, too.
        """
        statistics = base.statistics
        a, n, b, m = tables
        both = (n > 0) & (m > 0)
        if not both.any():
            return False
        threshold = float(self.examined.question.threshold)
        pooled = pooled_difference(a[both], n[both], b[both], m[both], threshold)
        p, adjusted = statistics.p_threshold[finding], statistics.p_adjusted[finding]
        same_side = pooled.difference * statistics.difference[finding] > 0
        return bool(
            same_side and pooled.p_threshold * max(adjusted / max(p, 1e-300), 1) < _FAMILY
        )

    def without(self, names: Sequence[str], kind: SetKind) -> AdjustmentSet:
        """What is given if some attributes are no causes of the decision."""
        coarser = Partition.of(self.examined, {*self.base.names} - {*names})
        falls: Fall = ""
        fallen: frozenset[int] = frozenset()
        if self.found:
            fallen = frozenset(at for at in self.found if self._within(coarser, at))
            falls = "within" if fallen else ""
        elif kind == "without suspects" and (fallen := shown_means(coarser)):
            falls = "shown"
        return self._of(kind, names, coarser, falls, fallen)

    def _within(self, coarser: Partition, at: int) -> bool:
        """Whether what was shown lies within the threshold: the mean, or each difference.

        And nothing else of this pair of groups is shown.
        """
        threshold, was = float(self.examined.question.threshold), self.base.statistics.means[at]
        own = coarser.comparisons.mean == at
        if not own.any():
            return False
        if was is not None and was.shown:
            mean = pooled_difference(*coarser.comparisons.of_mean(at).tables, threshold)
            low, high = (
                mean.difference + (end - mean.difference) * _NARROWER for end in mean.interval
            )
            within = -threshold < low and high < threshold
        elif coarser.comparisons.side[own].any():  # the exact differences say it without a test
            return False
        else:
            within = bool(coarser.statistics.within[own].all())
        return within and at not in shown_means(coarser)


def _tables(base: Partition, finer: Partition, at: int) -> tuple[NDArray[np.int64], ...]:
    """The finer counts of one pair of groups by one cut."""
    cut, pair = divmod(at, len(base.pairs))
    return tuple(
        column
        for place in base.pairs[pair]
        for column in (finer.favorable[cut][place], finer.rows[place])
    )


def _mixing(partition: Partition) -> MixingDistribution | None:
    """What all subpopulations show together; None of many groups or decisions."""
    if not partition.two_groups:
        return None
    threshold = float(partition.question.threshold)
    return MixingDistribution(*partition.comparisons.tables, threshold)


def shown_means(partition: Partition) -> frozenset[int]:
    """The places of the means of which something is shown: the mean, or a difference in it."""
    statistics = partition.statistics
    single = partition.comparisons.mean[statistics.shown].tolist()
    means = [at for at, mean in enumerate(statistics.means) if mean and mean.shown]
    return frozenset([*single, *means])


def _reversed(base: Partition, finer: Partition, at: int) -> bool:
    """Whether both means are shown, to opposite sides: then either contradicts the other."""
    before, after = (one.statistics.means[at] for one in (base, finer))
    if not (before and after and before.shown and after.shown):
        return False
    return before.difference * after.difference < 0


def with_column(examined: ExaminedCounts, name: str, codes: NDArray[np.intp]) -> ExaminedCounts:
    """The examined rows with other codes in one column, which may be a new one."""
    values = [*map(str, range(int(codes.max(initial=0)) + 1))]
    return replace(examined, counts=examined.counts.with_column(name, values, codes))


def _pooled(tables: Sequence[NDArray[np.int64]]) -> float | None:
    """The pooled difference of one pair of groups; None where the two are nowhere together."""
    a, n, b, m = tables
    weight = n * m / np.maximum(n + m, 1)
    if not weight.any():
        return None
    return float(np.average(b / np.maximum(m, 1) - a / np.maximum(n, 1), weights=weight))
