"""What the counts say against the graph around the decision.

The graph says that whatever is not an effect of the decision is independent of it given its
causes. Each of these independences is tested; a small p says that the graph lacks something.
Whether an arrow into the decision is needed is not tested: among causes that go together, each
looks needless given the others.
"""

from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Plain, ProgressCallback, ProgressReporter, Summary
from evenhand.evidence.statistics.comparison_statistics import holm
from evenhand.graph import PartialGraph, known_order
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.independence_tests import p_values
from evenhand.question import Knowledge, KnownOrder, Question, Tiers

Names: TypeAlias = tuple[str, ...]

TESTING = "testing what the graph implies"  # the step's name
# Thin strata make the plain test reject too often: no graph is blamed for that.
_CALIBRATED = "chi-square-adjusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpliedIndependence:
    """An attribute that the graph says is independent of the decision given its causes.

    Where the graph leaves the causes open, ``given`` is the possible set with the largest p.
    ``p_adjusted`` is Holm's, over all attributes; an untestable one has p = 1.
    """

    name: str
    given: Names
    p: float
    p_adjusted: float
    testable: bool


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class GraphDoubt(Plain, Described):
    """Independences of the decision that a graph implies, those that the rows reject first."""

    keys = "decision contradicted=contradicted_names implied"

    decision: str
    implied: tuple[ImpliedIndependence, ...]
    predicts: str | None = None

    @property
    def contradicted(self) -> tuple[ImpliedIndependence, ...]:
        """The independences that the counts speak against, corrected for all of them."""
        return tuple(one for one in self.implied if one.p_adjusted < 0.05)

    @property
    def contradicted_names(self) -> Names:
        """Their attributes."""
        return tuple(one.name for one in self.contradicted)

    @property
    def sentence(self) -> str:
        """How many of the independences that the graph implies the rows contradict."""
        return (
            f"they contradict {len(self.contradicted):,} of the {len(self.implied):,} "
            "independences that it implies."
        )

    def summary(self) -> Summary:
        """What the graph may lack, and every independence that was tested."""
        if self.predicts:
            what = f"predictions say nothing of how {self.predicts} came about"
            return Summary(title=f"the graph is taken as it was given: {what}.")
        implied = f"{len(self.implied)}, {len(self.contradicted)} rejected by the rows"
        return Summary(
            title=f"independences of {self.decision} that the graph implies",
            facts=(("independences", implied),),
            columns=("should be independent", "given", "p", "after Holm's correction"),
            lines=tuple(
                (one.name, ", ".join(one.given), f"{one.p:.2g}", f"{one.p_adjusted:.2g}")
                for one in self.implied
            ),
        )


def doubt(
    counts: CountTable,
    graph: PartialGraph,
    question: Question,
    *,
    knowledge: Knowledge | Tiers | None = None,
    progress: ProgressCallback | None = None,
) -> GraphDoubt:
    """Test what the graph implies of the decision, by chi-square adjusted for thin strata.

    Every attribute is tested that is in no case a cause or an effect of the decision. Of
    predictions nothing is tested: the graph does not say how they come about.
    """
    decision, order = question.decision, known_order(knowledge, counts.names)
    if question.predicts:
        return GraphDoubt(decision=decision, implied=(), predicts=question.predicts)
    found = graph.parent_sets(question.decision, question=question, progress=progress)
    possible = found.sets
    effects = possible_effects(graph, decision, order)
    apart = {*graph.nodes} - effects - frozenset().union(*possible)
    tests = [
        (name, decision, tuple(causes.union(question.protected_names) - {name}))
        for name in sorted(apart)
        for causes in possible
    ]
    reporter = ProgressReporter(progress)
    advance = partial(reporter.advance, TESTING, total=len(tests))
    evaluator = Evaluator(counts, sorted(counts.names), after_each=advance)
    results = evaluator.statistics_by_name(tests, _CALIBRATED)
    reporter.report(TESTING, len(tests), len(tests))
    every = zip(tests, p_values(*results).tolist(), (results.degrees > 0).tolist(), strict=True)
    largest: dict[str, tuple[float, Names, bool]] = {}
    for (name, _, given), p, testable in every:
        if name not in largest or p > largest[name][0]:
            largest[name] = p, tuple(sorted(given)), testable
    adjusted = holm(np.array([p for p, _, _ in largest.values()]))
    implied = [
        ImpliedIndependence(name=name, given=given, p=p, p_adjusted=holms, testable=testable)
        for (name, (p, given, testable)), holms in zip(
            largest.items(), adjusted.tolist(), strict=True
        )
    ]
    implied.sort(key=lambda one: (one.p, one.name))
    return GraphDoubt(decision=decision, implied=tuple(implied))


def possible_effects(
    graph: PartialGraph, node: str, order: KnownOrder | None = None
) -> set[str]:
    """A node and whatever may be an effect of it, if open edges are directed so."""
    reached, new = {node}, {node}
    while new:
        new = {
            effect
            for cause in new
            for effect in graph.children(cause) | graph.neighbors(cause)
            if order is None or order.may_cause(cause, effect)
        } - reached
        reached |= new
    return reached
