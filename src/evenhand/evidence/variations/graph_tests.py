"""How sure is the graph? What the counts say against the arrows at the decision, and for more.

Two kinds of evidence. *Against an arrow*: the set of neighbors given which its ends look most
independent; the larger its p, the weaker the arrow. *Against a missing arrow*: the graph says
that whatever is not an effect of the decision is independent of it given its causes; each of
these independences is tested, and a small p says that the graph lacks something.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from typing import Any, TypeAlias

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Plain, ProgressCallback, ProgressReporter, Summary
from evenhand.evidence.certification import parent_sets
from evenhand.evidence.statistics.comparison_statistics import holm
from evenhand.graph import PartialGraph, known_order
from evenhand.graph.independence_tester import Evaluator
from evenhand.graph.independence_tests import p_values
from evenhand.graph.searched_columns import determining_pairs
from evenhand.question import Knowledge, KnownOrder, Question, Tiers

Names: TypeAlias = tuple[str, ...]

# Thin strata make the plain test reject too often: no graph is blamed for that.
_CALIBRATED = "chi-square-adjusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowDoubt:
    """The strongest evidence against one arrow, or possible arrow, into the decision.

    Of ``tests`` sets tried, ``given`` gave the largest ``p``; ``certain`` is false where the
    graph leaves the direction open, ``required`` true where knowledge asks for the arrow.
    """

    cause: str
    given: tuple[str, ...]
    p: float
    tests: int
    certain: bool
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpliedIndependence:
    """An attribute that the graph says is independent of the decision given its causes.

    Where the graph leaves the causes open, ``given`` is the possible set with the largest p.
    ``p_adjusted`` is Holm's, over all attributes; an untestable one has p = 1.
    """

    name: str
    given: tuple[str, ...]
    p: float
    p_adjusted: float
    testable: bool


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class GraphDoubt(Plain, Described):
    """Arrows into the decision, weakest first, and implied independences, worst first."""

    keys = "decision contradicted=contradicted_names test complete arrows implied"

    decision: str
    test: str
    arrows: tuple[ArrowDoubt, ...]
    implied: tuple[ImpliedIndependence, ...]
    complete: bool
    predicts: str | None = None

    @property
    def contradicted(self) -> tuple[ImpliedIndependence, ...]:
        """The independences that the counts speak against, corrected for all of them."""
        return tuple(one for one in self.implied if one.p_adjusted < 0.05)

    @property
    def contradicted_names(self) -> tuple[str, ...]:
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
        """The arrows with what speaks against them, then what the graph may lack."""
        if self.predicts:
            what = f"predictions say nothing of how {self.predicts} came about"
            return Summary(title=f"the graph is taken as it was given: {what}.")
        weakest = "none"
        for one in self.arrows[:1]:
            arrow = f"{one.cause} {'->' if one.certain else '-'} {self.decision}"
            weakest = f"{arrow}, p up to {one.p:.2g} given {_braced(one.given)}"
        notes = [
            f"{one.name} should be independent of {self.decision} given {_braced(one.given)}: "
            f"p = {one.p:.2g}, {one.p_adjusted:.2g} after Holm's correction."
            for one in self.contradicted
        ]
        if not self.complete:
            notes.append("Not all sets were tried: there are too many.")
        implied = f"{len(self.implied)}, {len(self.contradicted)} contradicted"
        return Summary(
            title=f"evidence against the graph at {self.decision}",
            facts=(("weakest arrow", weakest), ("implied independences", implied)),
            columns=("cause", "largest p", "given", "sets tried"),
            lines=tuple(
                (one.cause, f"{one.p:.2g}", _braced(one.given), f"{one.tests:,}")
                for one in self.arrows
            ),
            notes=tuple(notes),
        )


def doubt(
    counts: CountTable,
    graph: PartialGraph,
    question: Question,
    *,
    knowledge: Knowledge | Tiers | None = None,
    max_tests: int = 4096,
    progress: ProgressCallback | None = None,
) -> GraphDoubt:
    """Collect what the counts say against the graph around the decision.

    Sets are taken from the neighbors of either end, as in the search for the graph, by the test
    it was found with, or chi-square; at most ``max_tests`` for each arrow, small sets first.
    Of predictions nothing is tested: the graph does not say how they come about.
    Given a column that determines an end, a test says nothing: such sets are left out, and so
    are those beyond the depth to which the search was limited.
    Implied independences are tested by chi-square adjusted for thin strata.
    """
    record = graph.record
    test, limit = (record.test, record.max_depth) if record else ("chi-square", None)
    decision, order = question.decision, known_order(knowledge, counts.names)
    if question.predicts:
        untested: dict[str, Any] = {"arrows": (), "implied": (), "predicts": question.predicts}
        return GraphDoubt(decision=decision, test=test, complete=True, **untested)
    advance = partial(ProgressReporter(progress).advance, "tests against the graph")
    evaluator = Evaluator(counts, sorted(counts.names), after_each=advance)
    certain = graph.parents(decision)
    causes = sorted(certain | graph.neighbors(decision))
    determines = determining_pairs(counts, _around(graph, decision, *causes))
    sets = {}
    for cause in causes:
        every = _sets(graph, order, determines, cause, decision, limit=limit)
        sets[cause] = [*islice(every, max_tests + 1)]
    tried = {cause: given[:max_tests] for cause, given in sets.items()}
    arrows = [
        ArrowDoubt(
            cause=cause,
            given=given,
            p=p,
            tests=len(tried[cause]),
            certain=cause in certain,
            required=(cause, decision) in order.required,
        )
        for cause, (given, p, _) in _largest_p(evaluator, decision, tried, test).items()
    ]
    return GraphDoubt(
        decision=decision,
        test=test,
        arrows=tuple(sorted(arrows, key=lambda one: (-one.p, one.cause))),
        implied=_implied(evaluator, graph, question, order),
        complete=sets == tried and not (record and limit is not None and record.ended_early),
    )


def _largest_p(
    evaluator: Evaluator, decision: str, sets: Mapping[str, Sequence[Names]], test: str
) -> dict[str, tuple[Names, float, bool]]:
    """For each attribute the set with the largest p, that p, and whether it can be tested.

    It is the first of equals; all sets are tested at once.
    """
    tests = [(name, decision, given) for name, some in sets.items() for given in some]
    results = evaluator.statistics_by_name(tests, test)
    p, testable = p_values(*results), results.degrees > 0
    largest, start = {}, 0
    for name, some in sets.items():
        at = start + int(p[start : start + len(some)].argmax())
        largest[name] = tuple(sorted(tests[at][2])), float(p[at]), bool(testable[at])
        start += len(some)
    return largest


def _around(graph: PartialGraph, *ends: str) -> list[str]:
    """The ends and all that is joined to one of them."""
    joined = (graph.parents(end) | graph.children(end) | graph.neighbors(end) for end in ends)
    return sorted({*ends}.union(*joined))


def _sets(
    graph: PartialGraph,
    order: KnownOrder,
    determines: set[tuple[str, str]],
    cause: str,
    decision: str,
    *,
    limit: int | None,
) -> Iterator[Names]:
    """All sets that either end offers up to a size, each once, small ones first."""
    pools = [
        [
            name
            for name in _around(graph, end)
            if name not in {cause, decision}
            and order.may_cause(name, end)
            and determines.isdisjoint({(name, cause), (name, decision)})
        ]
        for end in (decision, cause)
    ]
    largest = max(map(len, pools))
    for size in range((largest if limit is None else min(largest, limit)) + 1):
        yield from dict.fromkeys(given for pool in pools for given in combinations(pool, size))


def _implied(
    evaluator: Evaluator, graph: PartialGraph, question: Question, order: KnownOrder
) -> tuple[ImpliedIndependence, ...]:
    """Test every attribute that is in no case a cause or an effect of the decision."""
    decision = question.decision
    possible = parent_sets(graph, question).sets
    apart = sorted(
        {*graph.nodes} - _effects(graph, order, decision) - frozenset().union(*possible)
    )
    sets = {
        name: [tuple(causes.union(question.protected_names) - {name}) for causes in possible]
        for name in apart
    }
    largest = _largest_p(evaluator, decision, sets, _CALIBRATED)
    adjusted = holm(np.array([p for _, p, _ in largest.values()])).tolist()
    implied = [
        ImpliedIndependence(name=name, given=given, p=p, p_adjusted=holms, testable=testable)
        for (name, (given, p, testable)), holms in zip(largest.items(), adjusted, strict=True)
    ]
    return tuple(sorted(implied, key=lambda one: (one.p, one.name)))


def _effects(graph: PartialGraph, order: KnownOrder, decision: str) -> set[str]:
    """The decision and whatever may be an effect of it, if open edges are directed so."""
    reached, new = {decision}, {decision}
    while new:
        new = {
            effect
            for cause in new
            for effect in graph.children(cause) | graph.neighbors(cause)
            if order.may_cause(cause, effect)
        } - reached
        reached |= new
    return reached


def _braced(names: tuple[str, ...]) -> str:
    return "{" + ", ".join(names) + "}"
