"""Certify: examine every subpopulation that the graph makes comparable, and judge.

If the rows followed the graph exactly, the decision causes alone would settle the matter; on
finite data other block sets can differ although these do not, so they can be examined too.
Where the graph leaves the causes of the decision open, every possible set is examined.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from math import floor
from typing import Any

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import ProgressCallback, ProgressReporter, percent
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.measure import learned_near_decision, measure_examined
from evenhand.errors import EvenhandError, Problem, QuestionError, Remedy, listed
from evenhand.evidence.certificate import Certificate, Scope
from evenhand.evidence.determining_columns import (
    JudgedCase,
    check_rule,
    comparable_columns,
    determining_names,
    rule_reasons,
)
from evenhand.evidence.graph_origin import GraphOrigin, edges, with_knowledge
from evenhand.evidence.partition import Partition
from evenhand.evidence.relaxed_criterion import RelaxedCertificate, exact_share
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import MOST_GRAPHS, AdmissibleGraphs, admissible_graphs
from evenhand.graph.block_sets import smallest_block_sets
from evenhand.question import REST, Codings, Knowledge, Number, Question, Tiers
from evenhand.verdict import Verdict, all_must_agree, all_must_hold

JUDGING = "judging"  # the step's name
_SCOPES = ("causes", "minimal", "all")
_INCONSISTENT = (
    "The graph contradicts itself: no way to direct its open edges fits what was found. Every "
    "set of causes that keeps its arrows was examined."
)


_UNEXAMINED = "Block sets beyond the decision causes were not examined"
_SETTLE = "by tiers, required arrows or a graph, or ask for 'causes'."
_TOO_MANY_GRAPHS = Problem(
    f"{_UNEXAMINED}: the open edges can be directed in more than {MOST_GRAPHS:,} ways.",
    remedy=f"Settle some {_SETTLE}",
)
_CONTRADICTED = Problem(
    f"{_UNEXAMINED}: the graph contradicts itself.", remedy=f"Settle it {_SETTLE}"
)


def certify(
    counts: CountTable,
    graph: PartialGraph,
    question: Question,
    *,
    scope: Scope = "causes",
    limit: int = 1000,
    min_coverage: Number = "0.9",
    knowledge: Knowledge | Tiers | None = None,
    graph_origin: GraphOrigin | None = None,
    codings: Codings | None = None,
    dropped: int = 0,
    released: bool = False,
    progress: ProgressCallback | None = None,
) -> Certificate:
    """Judge whether every comparable subpopulation differs by less than the threshold.

    ``scope`` says what is examined: the decision causes, or besides them all minimal or all
    block sets, up to a limit. ``knowledge`` narrows the possible causes where the graph leaves
    them open. ``graph_origin``, ``codings`` and ``dropped`` are for the document: where the
    graph came from, and how the rows were counted; codings of columns that are not among the
    counts are left out. Of ``released`` rows it is not asked which columns determine the
    decision: a change may have made it so.

    >>> from evenhand.datasets import admissions
    >>> from evenhand.graph import CausalGraph
    >>> graph = CausalGraph.parse("gender -> major -> admission; gender -> admission; "
    ...                           "test_score -> admission")
    >>> question = Question(protected="gender", group="female",
    ...                     decision="admission", favorable="admitted", threshold="0.05")
    >>> [str(certify(admissions(example), graph, question).verdict) for example in (1, 2)]
    ['certified', 'not certified']

    Paper: alg:dd, thm:snd
    """
    examined = examined_counts(counts, question)
    graph.check(counts.names, question)
    pools_others, question = question.other == REST, examined.question
    names = () if released else comparable_columns(graph, question.decision)
    determined_by = determining_names(examined, names)
    codings = codings or Codings()
    uncounted = {*codings.bins, *codings.merge} - {*counts.names}
    if scope not in _SCOPES:
        raise QuestionError.of(
            f"There is no scope {scope!r}.", remedy=f"Choose one of {', '.join(_SCOPES)}."
        )
    least = exact_share(min_coverage, "least coverage")
    graph = with_knowledge(graph, question, knowledge)
    # One set, unless the graph leaves edges at the decision open.
    parents = graph.parent_sets(question.decision, question=question, progress=progress)
    divide = partial(Partition.of, examined)
    by_causes = by_finest(
        divide, (names.difference(question.protected_names) for names in parents.sets)
    )
    causes = tuple(partition.names for partition in by_causes)
    check_rule(examined, question, causes)
    determined = rule_reasons(examined, determined_by)
    variants, others, unfinished = _block_sets(
        graph, question, scope, limit, skip=causes, progress=progress
    )
    partitions = (*by_causes, *map(divide, others))
    verdicts = [partition.verdict(least) for partition in partitions]
    if variants.graphs:
        by_graph = _verdicts_by_graph(variants, partitions, verdicts)
        edges = variants.deciding_edges(by_graph)
    else:
        by_graph = verdicts
        edges = _deciding_edges(question, causes, verdicts)
    verdict = all_must_agree(by_graph)
    if determined or (verdict is Verdict.CERTIFIED and unfinished):
        verdict = Verdict.CANNOT_DECIDE
    certificate = Certificate(
        verdict=verdict,
        reasons=determined
        or (
            *edge_reasons(edges),
            *(
                reason
                for partition in partitions
                for reason in partition_reasons(partition, least)
            ),
            *unfinished,
        ),
        examined=examined,
        pools_others=pools_others,
        graph=graph,
        graph_origin=graph_origin or GraphOrigin.of(graph),
        direct_arrow=not question.predicts
        and any(graph.adjacent(name, question.decision) for name in question.protected_names),
        possible_decision_causes=causes,
        deciding_edges=edges,
        partitions=partitions,
        scope=scope,
        complete=not unfinished,
        min_coverage=least,
        codings=codings.dropping(uncounted),
        dropped=dropped,
        contradictions=() if parents.consistent else (_INCONSISTENT,),
        determined_by=determined_by,
    )
    if question.redlining:
        certificate = with_indirect(
            certificate, lambda new: measure_examined(examined, new.graph, progress=progress)
        )
    return _with_known_rows(certificate, counts)


def with_indirect(
    certificate: Certificate, measure: Callable[[Certificate], Indirect]
) -> Certificate:
    """The certificate with the claim about effects through chosen attributes.

    Where a column determines the decision without being its rule, nothing can be said of it,
    nor where the graph was learned of columns near the decision.
    """
    question = certificate.question
    if certificate.graph_origin.chosen_from:
        verdict, reasons = Verdict.CANNOT_DECIDE, (learned_near_decision(question),)
        claim = Indirect(question=question, verdict=verdict, reasons=reasons)
        return replace(certificate, indirect=claim)
    claim = measure(certificate)
    if certificate.determined_by and not question.rule:
        claim = replace(claim, verdict=Verdict.CANNOT_DECIDE, reasons=certificate.reasons)
    return replace(certificate, indirect=claim)


def _with_known_rows(certificate: Certificate, counts: CountTable) -> Certificate:
    """Say of a learned graph whether it was learned from the same rows or from others."""
    graph, origin = certificate.graph, certificate.graph_origin
    record = graph.record
    if origin.rows == "original" or record is None or not record.counts:
        return certificate
    examined = certificate.examined.counts
    is_same = record.counts in (examined, counts) or record.digest in {
        examined.digest,
        counts.digest,
        certificate.digest,
    }
    rows = replace(origin, rows="same" if is_same else "other")
    return replace(certificate, graph_origin=rows)


def certify_relaxed(
    counts: CountTable,
    graph: PartialGraph,
    question: Question,
    *,
    assurance: Number = "0.8",
    threshold: Number | None = None,
    knowledge: Knowledge | Tiers | None = None,
) -> RelaxedCertificate:
    """Bound the share of rows in subpopulations that differ by less than the threshold.

    Paper: thm:srnd
    """
    certificate = certify(counts, graph, question, knowledge=knowledge)
    return certificate.relaxed(assurance=assurance, threshold=threshold)


def _largest_first(sets: Iterable[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The sets, each sorted; larger ones first."""
    return tuple(sorted({tuple(sorted(names)) for names in sets}, key=lambda s: (-len(s), s)))


def by_finest(
    divide: Callable[[tuple[str, ...]], Partition], sets: Iterable[frozenset[str]]
) -> tuple[Partition, ...]:
    """The partitions by each of the sets, the finest first."""
    partitions = [*map(divide, _largest_first(sets))]
    if len(partitions) == 1:  # as nearly always: its key would take longer than the verdict
        return tuple(partitions)
    return tuple(sorted(partitions, key=_finest_first))


def _finest_first(partition: Partition) -> tuple[object, ...]:
    """A sorting key: the finest partition leads, whatever its attributes are called.

    Names decide only between partitions with the same counts.
    """
    measured, cells = partition.measured, partition.cells
    compared, names = int(partition.row_counts[measured].sum()), partition.names
    return (
        -len(names),
        -len(partition),
        -int(measured.sum()),
        -compared,
        -partition.violating,
        cells[:, np.lexsort(cells)].tobytes(),
        names,
    )


def _block_sets(
    graph: PartialGraph,
    question: Question,
    scope: Scope,
    limit: int,
    *,
    skip: tuple[tuple[str, ...], ...],
    progress: ProgressCallback | None,
) -> tuple[AdmissibleGraphs, tuple[tuple[str, ...], ...], tuple[Problem, ...]]:
    """The further block sets that the scope asks for, and the reason if some are missing.

    They are those of every admissible graph. Neither they nor the reason depend on the names or
    the order of the attributes.
    """
    if scope == "causes":
        return AdmissibleGraphs(question=question, variants=()), (), ()
    found = admissible_graphs(graph, question, progress=progress)
    if not found.graphs:
        return found, (), (_CONTRADICTED if found.complete else _TOO_MANY_GRAPHS,)
    causes, is_minimal = {*map(frozenset, skip)}, scope == "minimal"
    most = limit + len(causes) + 1
    families = (one.block_sets(question, minimal=is_minimal) for one in found.graphs)
    sets = {names for family in families for names in islice(family, most)}
    if len(sets - causes) <= limit:
        return found, _largest_first(sets - causes), ()
    sets = smallest_block_sets(found.pruned, limit=limit, skip=causes) - causes
    too_many = Problem(
        f"Besides the decision causes only the {len(sets):,} smallest block sets were "
        "examined: there are more than the limit allows.",
        remedy="Raise the limit, or ask for scope 'minimal'.",
    )
    return found, _largest_first(sets), (too_many,)


def _verdicts_by_graph(
    variants: AdmissibleGraphs, partitions: tuple[Partition, ...], verdicts: list[Verdict]
) -> list[Verdict]:
    """What each admissible graph makes of the partitions: those by its block sets must hold."""
    return [
        all_must_hold(
            verdict
            for partition, verdict in zip(partitions, verdicts, strict=True)
            if graph.is_block_set(partition.names)
        )
        for graph in variants.pruned
    ]


def _deciding_edges(
    question: Question, causes: tuple[tuple[str, ...], ...], verdicts: list[Verdict]
) -> tuple[tuple[str, str], ...]:
    """The open edges at the decision on which the verdict hangs; none where all agree."""
    if len(set(verdicts)) == 1:
        return ()
    in_doubt = sorted({name for names in causes for name in names if not _in_all(name, causes)})

    def outcomes(name: str, *, is_cause: bool) -> set[Verdict]:
        judged = zip(causes, verdicts, strict=True)
        return {verdict for names, verdict in judged if (name in names) is is_cause}

    telling = [n for n in in_doubt if outcomes(n, is_cause=True) != outcomes(n, is_cause=False)]
    return tuple((name, question.decision) for name in telling or in_doubt)


def _in_all(name: str, sets: tuple[tuple[str, ...], ...]) -> bool:
    return all(name in names for names in sets)


def edge_reasons(edges: tuple[tuple[str, str], ...]) -> tuple[Problem, ...]:
    """The open edges on which a verdict hangs, and what directs them."""
    return tuple(
        Problem(
            f"The verdict hangs on the edge {name} - {decision}, whose direction is open.",
            remedy=direct_edge(name, decision),
        )
        for name, decision in edges
    )


def direct_edge(name: str, decision: str) -> tuple[Remedy, ...]:
    """What directs an open edge at the decision."""
    return (
        Remedy(f"Require {name} -> {decision}", "required", [f"{name} -> {decision}"]),
        Remedy(f"{decision} -> {name}", "required", [f"{decision} -> {name}"]),
        Remedy("put the two in different tiers", "tiers"),
        Remedy("give a graph", "graph"),
    )


def partition_reasons(partition: Partition, least: Fraction) -> tuple[Problem, ...]:
    """Why a partition is not certified: what differs, and what could not be compared."""
    question, measured = partition.question, partition.measured
    alike = f"{{{', '.join(partition.names)}}}"
    some, many = partition.violating, int(measured.sum())
    where = f" in {some:,} of {many:,} measured subpopulations of {alike}"
    if many == 1:
        where = f" in the only measured subpopulation of {alike}" if partition.names else ""
    differing = Problem(f"The groups differ by {question.threshold} or more{where}.")
    both = "both groups" if question.group else "it and a group to compare with"
    few = question.min_rows > 1
    enough = f", with {question.min_rows:,} rows or more each" if few else ""
    remedies = (
        Remedy("Merge values", "merge"),
        Remedy("use coarser bins", "bins"),
        *((Remedy("compare smaller groups", "min_rows"),) if few else ()),
    )
    if question.group is None and not measured.any():
        nobody = f"In no subpopulation of {alike} two groups occur that are compared{enough}."
        return (Problem(nobody, "Nothing is measured.", remedies),)
    remedies += lower_coverage(partition)
    uncovered = (
        Problem(
            f"Only {int(share * rows):,} of {rows:,} rows of {label!r} lie in "
            f"subpopulations of {alike} in which {both} occur{enough}.",
            f"At least {percent(float(least))} are required.",
            remedies,
        )
        for label, rows, share in zip(
            partition.groups,
            partition.rows.sum(axis=1).tolist(),
            partition.coverage.groups,
            strict=True,
        )
        if share < least or not partition.coverage.overall
    )
    apart = [
        f"{partition.groups[a]} and {partition.groups[b]} ({percent(float(share))})"
        for (a, b), share in zip(partition.pairs, partition.pair_coverage, strict=True)
        if share < least
    ]
    rarely = Problem(
        f"In {len(apart):,} of {len(partition.pairs):,} pairs of groups less than "
        f"{percent(float(least))} of the rows of one lie beside the other: {listed(apart)}.",
        "The verdict says nothing about the rest of these rows.",
    )
    return (
        *((differing,) if partition.violating else ()),
        *uncovered,
        *((rarely,) if apart and not partition.two_groups else ()),
    )


def lower_coverage(
    partition: Partition, words: str = "lower the least coverage to that of these rows"
) -> tuple[Remedy, ...]:
    """To ask for no more coverage than there is, in whole percent; nothing where that is 0."""
    share = floor(100 * min(partition.coverage.groups)) / 100
    return (Remedy(words, "min_coverage", f"{share:g}"),) if share else ()


def certify_case(
    case: JudgedCase,
    judging: Mapping[str, Any],
    unedited: dict[tuple[PartialGraph, Question], dict[str, Any]],
    progress: ProgressCallback | None = None,
) -> Certificate:
    """Certify; of an edited graph also what it gave before, by its causes alone."""
    counts, graph, question, knowledge, origin = case
    judging, reporter = {**judging, "progress": progress}, ProgressReporter(progress)
    reporter.report(JUDGING, 0, 1)
    certificate = certify(
        counts, graph, question, knowledge=knowledge, graph_origin=origin, **judging
    )
    reporter.report(JUDGING, 1, 1)
    if (before := graph.unedited) is None:
        return certificate
    if (before, question) not in unedited:
        unedited[before, question] = edges(before)
        causes = {**judging, "scope": "causes"}
        # Edits may mend what could not be judged, as an arrow against the tiers.
        with suppress(EvenhandError):
            found = certify(counts, before, question.direct, knowledge=knowledge, **causes)
            unedited[before, question] = found.as_unedited
    origin = replace(certificate.graph_origin, unedited=unedited[before, question])
    return replace(certificate, graph_origin=origin)
