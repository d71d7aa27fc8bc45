"""How sure is the graph? What the counts say against the arrows at the decision, and for more.

Two kinds of evidence. *Against an arrow*: the set of neighbors given which its ends look most
independent; the larger its p, the weaker the arrow. *Against a missing arrow*: the graph says that
whatever is not an effect of the decision is independent of it given its causes; each of these
independences is tested, and a small p says that the graph lacks something.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Summary
from evenhand.graph.dag import CausalGraph
from evenhand.graph.independence import Independence, Tester
from evenhand.graph.mixed import Known, known_order
from evenhand.graph.partial import PartialGraph
from evenhand.question import Knowledge, KnownOrder, Question, Tiers

# Thin strata make the plain test reject too often: no graph is blamed for that.
_CALIBRATED = "chi-square-adjusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowDoubt:
    """The strongest evidence against one arrow, or possible arrow, into the decision.

    Of ``tests`` sets tried, ``given`` gave the largest ``p``; ``certain`` is false where the graph
    leaves the direction of the edge open, ``required`` true where knowledge asks for the arrow.
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

    ``p_adjusted`` is Holm's, over all that were tested; an untestable one has p = 1.
    """

    name: str
    given: tuple[str, ...]
    p: float
    p_adjusted: float
    testable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDoubt(Described):
    """Arrows into the decision, weakest first, and implied independences, worst first."""

    decision: str
    test: str
    arrows: tuple[ArrowDoubt, ...]
    implied: tuple[ImpliedIndependence, ...]
    complete: bool

    @property
    def contradicted(self) -> tuple[ImpliedIndependence, ...]:
        """The independences that the counts speak against, corrected for all of them."""
        return tuple(one for one in self.implied if one.p_adjusted < 0.05)

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "decision": self.decision,
            "test": self.test,
            "complete": self.complete,
            "arrows": [
                {
                    "cause": one.cause,
                    "given": list(one.given),
                    "p": one.p,
                    "tests": one.tests,
                    "certain": one.certain,
                    "required": one.required,
                }
                for one in self.arrows
            ],
            "implied": [
                {
                    "name": one.name,
                    "given": list(one.given),
                    "p": one.p,
                    "p_adjusted": one.p_adjusted,
                    "testable": one.testable,
                }
                for one in self.implied
            ],
        }

    def summary(self) -> Summary:
        """The arrows with what speaks against them, then what the graph may lack."""
        weakest = self.arrows[0] if self.arrows else None
        against = len(self.contradicted)
        facts = [
            ("weakest arrow", _arrow_text(weakest, self.decision) if weakest else "none"),
            ("implied independences", f"{len(self.implied)}, {against} contradicted"),
        ]
        notes = [
            f"{one.name} should be independent of {self.decision} given {_braced(one.given)}: "
            f"p = {one.p:.2g}, {one.p_adjusted:.2g} after Holm's correction."
            for one in self.contradicted
        ]
        if not self.complete:
            notes.append("Not all sets were tried: there are too many.")
        return Summary(
            title=f"evidence against the graph at {self.decision}",
            facts=tuple(facts),
            columns=("cause", "largest p", "given", "sets tried"),
            rows=tuple(
                (one.cause, f"{one.p:.2g}", _braced(one.given), f"{one.tests:,}")
                for one in self.arrows
            ),
            notes=tuple(notes),
        )


def doubt(
    counts: CountTable,
    graph: CausalGraph | PartialGraph,
    question: Question,
    *,
    knowledge: Knowledge | Tiers | None = None,
    test: str | None = None,
    max_tests: int = 4096,
) -> GraphDoubt:
    """Collect what the counts say against the graph around the decision.

    Sets are drawn from the neighbors of either end, as in the search for the graph, by the test
    it was found with, or chi-square; at most ``max_tests`` for each arrow, small sets first.
    Implied independences are tested by chi-square adjusted for thin strata.
    """
    from evenhand.graph.independence import check_test  # noqa: PLC0415

    record = graph.record if isinstance(graph, PartialGraph) else None
    chosen = check_test(test or (record.test if record else "chi-square"))
    order = known_order(knowledge, counts.names)
    tester = Tester(counts, test=chosen)
    near = {
        name: name in graph.parents(question.decision)
        for name in graph.parents(question.decision) | graph.neighbors(question.decision)
    }
    found = [
        _arrow_doubt(tester, graph, order, name, question.decision, certain, max_tests)
        for name, certain in near.items()
    ]
    arrows = sorted((arrow for arrow, _ in found), key=lambda one: (-one.p, one.cause))
    return GraphDoubt(
        decision=question.decision,
        test=chosen,
        arrows=tuple(arrows),
        implied=_implied(counts, graph, question, knowledge),
        complete=all(complete for _, complete in found),
    )


def _arrow_doubt(
    tester: Tester,
    graph: CausalGraph | PartialGraph,
    order: KnownOrder,
    cause: str,
    decision: str,
    certain: bool,  # noqa: FBT001
    max_tests: int,
) -> tuple[ArrowDoubt, bool]:
    sets = list(islice(_sets(graph, order, cause, decision), max_tests + 1))
    tried = [tester.test(cause, decision, given) for given in sets[:max_tests]]
    strongest = max(tried, key=lambda one: (one.p, -len(one.given)))
    required = (cause, decision) in order.required
    arrow = ArrowDoubt(
        cause=cause,
        given=strongest.given,
        p=strongest.p,
        tests=len(tried),
        certain=certain,
        required=required,
    )
    return arrow, len(sets) <= max_tests


def _sets(
    graph: CausalGraph | PartialGraph, order: KnownOrder, cause: str, decision: str
) -> Iterator[tuple[str, ...]]:
    """All sets that either end offers, each once, small ones first."""
    pools = [
        sorted(
            name
            for name in graph.parents(end) | graph.children(end) | graph.neighbors(end)
            if name not in (cause, decision) and order.may_cause(name, end)
        )
        for end in (decision, cause)
    ]
    for size in range(max(map(len, pools)) + 1):
        yield from dict.fromkeys(given for pool in pools for given in combinations(pool, size))


def _implied(
    counts: CountTable,
    graph: CausalGraph | PartialGraph,
    question: Question,
    knowledge: Known,
) -> tuple[ImpliedIndependence, ...]:
    """Test every attribute that is neither a cause nor an effect of the decision."""
    whole = graph.extension(knowledge).graph if isinstance(graph, PartialGraph) else graph
    decision, causes = question.decision, whole.parents(question.decision)
    given = causes | {question.protected}
    apart = set(whole.nodes) - {decision} - causes - whole.descendants(decision)
    tester = Tester(counts, test=_CALIBRATED)
    tested: list[Independence] = [
        tester.test(name, decision, given - {name}) for name in sorted(apart)
    ]
    adjusted = _holm([one.p for one in tested])
    found = [
        ImpliedIndependence(
            name=name,
            given=one.given,
            p=one.p,
            p_adjusted=p,
            testable=one.status == "tested",
        )
        for name, one, p in zip(sorted(apart), tested, adjusted, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (one.p, one.name)))


def _holm(p: list[float]) -> list[float]:
    """Holm's adjusted p-values."""
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(np.asarray(p)[order] * steps))
    return adjusted.tolist()


def _arrow_text(arrow: ArrowDoubt, decision: str) -> str:
    mark = "->" if arrow.certain else "-"
    return (
        f"{arrow.cause} {mark} {decision}, p up to {arrow.p:.2g} given {_braced(arrow.given)}"
    )


def _braced(names: tuple[str, ...]) -> str:
    return "{" + ", ".join(names) + "}"
