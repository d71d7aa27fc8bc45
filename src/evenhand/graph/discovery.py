"""``discover``: from counts to a partial causal graph, by the PC algorithm.

Edges first (``skeleton``), then colliders (``colliders``), then every direction that follows
from these and from what is known (``orientation``).
"""

from dataclasses import replace
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any, Literal, get_args

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import Problem, QuestionError, Remedy, listed
from evenhand.graph.cached_tests import Evaluator, KernelName, TestsMade
from evenhand.graph.colliders import (
    ClassifiedTriples,
    PositionTriple,
    classify_by_first_set,
    classify_by_majority,
    unshielded_triples,
)
from evenhand.graph.discovery_record import DiscoveryRecord, Separation
from evenhand.graph.graph import PartialGraph
from evenhand.graph.independence_tests import (
    check_choice,
    check_significance,
    check_test,
    p_values,
)
from evenhand.graph.kernels.batch import Batch
from evenhand.graph.orientation import Triple, edge_of, orient, triple_of
from evenhand.graph.searched_columns import (
    keeping_determined,
    stand_ins,
    with_rule,
    without_columns,
)
from evenhand.graph.skeleton import MOST_WORK, Evaluate, Limits, Skeleton
from evenhand.question import SIGNIFICANCE, Knowledge, KnownOrder, Question, Tiers

Algorithm = Literal["stable", "original"]

# So many tests a pair takes in a search, more or less: 38 in hepar2, 357 in the Dutch census.
_TESTS_PER_PAIR = 200


def discover(
    counts: CountTable,
    *,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = SIGNIFICANCE,
    test: str = "chi-square",
    algorithm: Algorithm = "stable",
    max_depth: int | None = None,
    max_tests: int | None = None,
    question: Question | None = None,
    progress: ProgressCallback | None = None,
    kernel: KernelName = "auto",
    reuse: PartialGraph | None = None,
) -> PartialGraph:
    """Learn which attributes cause which, as far as the counts and the knowledge say.

    An edge stays as long as no set makes its ends independent at the significance level. With
    ``max_depth`` or ``max_tests`` the search ends early with the edges not yet removed; without
    them it does so before it would take longer than about half a minute. The record says so.
    ``kernel`` changes the speed, not the result; so does ``reuse``, a graph learned before: of
    the same counts no test is made again. Of columns that determine each other one enters the
    search, those of the ``question`` first; the record names the others. A rule that the
    question declares is the decision's only cause.

    >>> from evenhand.counts import CountTable, examined_counts
    >>> counts = CountTable.of(
    ...     {"x": list("aabb"), "y": list("cdcd")}, counts=[40, 10, 10, 40]
    ... )
    >>> discover(counts, knowledge=Tiers(["x"], ["y"])).arrows
    frozenset({('x', 'y')})
    """
    level = check_significance(significance)
    chosen_test = check_test(test)
    check_choice("algorithm", algorithm, get_args(Algorithm))
    check_choice("kernel", kernel, get_args(KernelName))
    _check_limits(max_depth=max_depth, max_tests=max_tests)
    known = Knowledge.of(knowledge)
    left = stand_ins(counts, known.about(counts.names), question)
    order = with_rule(known, question, counts.names).about(counts.names)
    order = without_columns(order, left)
    names = names_by_tier(order) if algorithm == "stable" else list(order.names)
    limits = Limits(
        max_depth=max_depth,
        max_tests=max_tests,
        most_work=MOST_WORK if max_depth is None and max_tests is None else None,
        cards=tuple(len(counts.attribute(name)) for name in names),
        lines=len(counts),
        reporter=ProgressReporter(progress),
    )
    expected = _TESTS_PER_PAIR * len(names) * (len(names) - 1) // 2
    evaluator = Evaluator(
        counts,
        names,
        kernel=kernel,
        after_each=limits.report_more,
        before_compiling=partial(
            limits.reporter.report, "compiling, once", 0, 1, is_even=False
        ),
        tests=expected if max_tests is None else min(expected, max_tests),
    )

    def evaluate(batch: Batch) -> np.ndarray:
        return evaluator.p_values(batch, chosen_test)

    made = reuse.record.made if reuse and reuse.record else None
    if made is None or not made.are_of(counts, chosen_test):
        made = TestsMade(counts, chosen_test)
    tests = keeping_determined(made.evaluating(evaluate, names), counts, names)
    skeleton, classified = search(
        names, order, level, tests, limits, algorithm=algorithm, question=question
    )
    notes = [
        f"{name!r} says the same as {first!r} in other words: only {first!r} was searched."
        for name, first in sorted(left.items())
    ]
    notes += [
        f"Given {names[x]!r} the decision is independent of {names[y]!r}, and the reverse, but "
        "it depends on both together: both are kept as possible causes."
        for x, y in skeleton.together
    ]
    ended_early = " ".join(filter(None, (skeleton.stopped, classified.stopped)))
    notes += [ended_early] if ended_early else []
    if chosen_test == "chi-square":
        notes += _thin_strata_notes(skeleton, names, evaluator)
    return oriented_graph(
        names,
        order,
        skeleton,
        classified,
        DiscoveryRecord(
            algorithm=algorithm,
            test=chosen_test,
            significance=level,
            max_depth=max_depth,
            limits=str(limits),
            ended_early=ended_early,
            depth=len(skeleton.tests) - 1 if skeleton.stopped and skeleton.tests else None,
            notes=tuple(notes),
            stand_ins=left,
            counts=counts,
            made=made,
            knowledge=known,
        ),
    )


def search(
    names: list[str],
    order: KnownOrder,
    significance: float,
    evaluate: Evaluate,
    limits: Limits,
    *,
    algorithm: str = "stable",
    question: Question | None = None,
) -> tuple[Skeleton, ClassifiedTriples]:
    """Find edges, then colliders, with the p-values that ``evaluate`` gives.

    Columns that separate each other from the decision of the ``question`` are both kept. The
    protected attribute is not: the answer says on which column its link depends.
    """
    skeleton = initial_skeleton(names, order, significance)
    if algorithm == "original":
        skeleton.search_original(evaluate, limits)
        return skeleton, classify_by_first_set(skeleton)
    skeleton.search(evaluate, limits)
    if question is not None and question.decision in names:
        never = [names.index(name) for name in question.protected_names if name in names]
        skeleton.join_together(names.index(question.decision), evaluate, never)
    return skeleton, classify_by_majority(skeleton, evaluate, limits)


def names_by_tier(order: KnownOrder) -> list[str]:
    """Names by tier, so that similar tests share an array layout."""
    return sorted(order.names, key=lambda name: (order.tier[name] or 0, name))


def initial_skeleton(names: list[str], order: KnownOrder, significance: float) -> Skeleton:
    """The skeleton to start from: all edges that knowledge allows."""
    place = {name: at for at, name in enumerate(names)}
    tiers = [order.tier[name] for name in names]
    tier = np.array([np.nan if number is None else number for number in tiers])
    # By arrays, since 500 columns have 250,000 pairs; a tier that is not known compares false.
    may_cause = ~(tier[:, None] > tier) & ~np.eye(len(names), dtype=bool)
    required = np.zeros_like(may_cause)
    for cause, effect in order.required | order.forbidden:
        if cause in place and effect in place:
            at = place[cause], place[effect]
            if (cause, effect) in order.required:
                required[at] = required[at[::-1]] = True
                may_cause[at[::-1]] = False
            if (cause, effect) in order.forbidden:
                may_cause[at] = False
    return Skeleton(may_cause, required, significance)


def oriented_graph(
    names: list[str],
    order: KnownOrder,
    skeleton: Skeleton,
    classified: ClassifiedTriples,
    record: DiscoveryRecord,
) -> PartialGraph:
    """Direct the edges, and complete the record of what they rest on."""

    def triple(positions: PositionTriple) -> Triple:
        return triple_of(*(names[at] for at in positions))

    edges = sorted(
        edge_of(names[x], names[y]) for x, y in np.argwhere(np.triu(skeleton.adjacent)).tolist()
    )
    adjacent = skeleton.adjacent.tolist()
    # Most pairs of a wide table are separated by the same few sets.
    named = lru_cache(maxsize=None)(lambda given: frozenset(names[at] for at in given))
    separating = {
        edge_of(names[x], names[y]): Separation(named(weakest.given), weakest.p)
        for (x, y), weakest in sorted(skeleton.weakest.items())
        if not adjacent[x][y]
    }
    ambiguous = sorted(map(triple, classified.ambiguous))
    oriented = orient(
        sorted(names),
        edges,
        colliders=sorted(map(triple, classified.colliders)),
        ambiguous=ambiguous,
        # Rounded, so that what should be equal is equal.
        support={
            read: float(np.float32(separating[read[0], read[2]].p))
            for read in map(triple, unshielded_triples(skeleton))
            if (read[0], read[2]) in separating
        },
        order=order,
    )
    tests = map(sum, zip_longest(skeleton.tests, classified.tests, fillvalue=0))
    return PartialGraph(
        nodes=tuple(names),
        arrows=oriented.arrows,
        undirected=oriented.undirected,
        record=replace(
            record,
            tests=tuple(tests),
            separating=separating,
            conflicts=oriented.conflicts,
            ambiguous=tuple(ambiguous),
        ),
    )


def _thin_strata_notes(skeleton: Skeleton, names: list[str], evaluator: Evaluator) -> list[str]:
    """A note of the edges that only thin strata hold, if there are any.

    In strata of few rows chi-square rejects too often. An edge is held by thin strata if its
    ends would pass for independent in its weakest test, the one with the largest p, once that
    test is adjusted for them.
    """
    held = [
        (names[x], names[y], [names[at] for at in weakest.given])
        for (x, y), weakest in skeleton.weakest.items()
        if skeleton.adjacent[x, y] and weakest.p <= skeleton.significance
    ]
    p = p_values(*evaluator.statistics_by_name(held, "chi-square-adjusted"))
    thin = [edge_of(*held[at][:2]) for at in np.flatnonzero(p > skeleton.significance)]
    if not thin:
        return []
    edges = sorted(map(" - ".join, thin))
    joined = int(skeleton.adjacent.sum()) // 2
    note = (
        f"{len(edges):,} of {joined:,} edges are held by thin strata, in which chi-square "
        "rejects too often: in its weakest test, chi-square-adjusted would not keep "
        f"{listed(edges)}."
    )
    return [note]


def learn_graph(
    counts: CountTable,
    question: Question,
    knowledge: Knowledge,
    **search: Any,  # noqa: ANN401  # that of ``discover``
) -> tuple[PartialGraph, tuple[str, ...]]:
    """The graph of the rows that are compared, and what required arrows did to the causes."""
    if question.predicts:
        raise QuestionError.of(
            f"It is not said what causes {question.predicts!r}, whose predictions are audited.",
            "Learned from predictions, the graph would be another.",
            Remedy("Give the graph of the data", "graph"),
        )
    examined = examined_counts(counts, question).counts
    graph = discover(examined, knowledge=knowledge, question=question, **search)
    if not knowledge.required:
        return graph, ()
    free = replace(knowledge, required=())
    before = discover(examined, knowledge=free, question=question, **{**search, "reuse": graph})
    decision = question.decision
    causes, free_causes = (
        one.parents(decision) | one.neighbors(decision) for one in (graph, before)
    )
    if causes >= free_causes:
        return graph, ()
    note = (
        f"The required arrows evict {listed(sorted(free_causes - causes))} from the possible "
        f"causes of {decision!r}: without them these would be {listed(sorted(free_causes))}."
    )
    return graph, (note,)


def _check_limits(**limits: object) -> None:
    problems = [
        Problem(
            f"The limit {name}={limit!r} is no number of {what}.",
            remedy="Give a whole number, zero or more, or leave it out.",
        )
        for what, (name, limit) in zip(("attributes", "tests"), limits.items(), strict=True)
        if limit is not None and not (isinstance(limit, int) and limit >= 0)
    ]
    if problems:
        raise QuestionError(*problems)
