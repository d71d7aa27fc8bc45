"""Effects through chosen attributes as functions of the decisions that a plan changes.

Only decisions change, and no share of people by causes depends on them. So in an identified
graph the effect is linear in the rates of favorable decisions: it can be limited by a plan, and
computed exactly for planned counts.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.effects import DIRECTIONS, DirectionEffects, GraphEffects
from evenhand.effects.indirect import measure_tables
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.indirect_reasons import not_identified
from evenhand.effects.model_tables import compared_counts
from evenhand.effects.world_shares import Bounds
from evenhand.errors import CannotReleaseError, Problem, Remedy, listed
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.certification import direct_edge
from evenhand.graph.admissible_graphs import ancestral_graphs
from evenhand.removal.linear_effects import LinearEffect


def through_effects(certificate: Certificate, threshold: Fraction) -> tuple[LinearEffect, ...]:
    """The effects in both directions, limited so that the claim about them is met.

    There are none without a path through the chosen attributes. Raises ``CannotReleaseError``
    where the graph is open or the effect is not identified.
    """
    graph = identified_graph(certificate)
    if not graph.sides.in_use:
        return ()
    return tuple(
        LinearEffect(
            weights=_by_line(certificate.partition, one, group, one.weights),
            **one.limits(threshold)._asdict(),
        )
        for group, one in enumerate(graph.directions.values())
    )


def identified_graph(certificate: Certificate) -> GraphEffects:
    """The one graph in which the effect is identified, or ``CannotReleaseError``."""
    claim = certificate.indirect
    if claim is None or not claim.graphs or not claim.is_exact:
        raise CannotReleaseError(*(claim.reasons if claim else ()))
    if problems := (*_open_edges(certificate, claim), *_refused(claim)):
        raise CannotReleaseError(*problems)
    (graph,) = claim.graphs
    return graph


def _open_edges(certificate: Certificate, claim: Indirect) -> Iterator[Problem]:
    """The open edges that the graphs direct in different ways."""
    through = listed(certificate.question.redlining)
    for a, b in sorted(certificate.graph.undirected):
        both = ((a, b), (b, a))
        ways = {graph.sides.graph.arrows.intersection(both) for graph in claim.graphs}
        if len(ways) > 1:
            yield Problem(
                f"A release that removes the effect through {through} needs one graph.",
                f"The graph does not direct {a} - {b}.",
                direct_edge(a, b),
            )


def _refused(claim: Indirect) -> Iterator[Problem]:
    question = claim.question
    if claim.witnesses:
        yield not_identified(claim.witnesses, question)
    if not question.favorable:
        yield Problem(
            "Effects through other attributes are removed from favorable decisions.",
            "None is named.",
            Remedy("Name what is favorable", "favorable"),
        )


def planned_claim(certificate: Certificate, after: Partition) -> Indirect | None:
    """The claim about effects if the decisions were as planned; None if there is no claim."""
    if certificate.indirect is None:
        return None
    question, table = certificate.question, compared_counts(certificate.examined)

    def source(names: tuple[str, ...]) -> NDArray[np.int64]:
        if question.decision not in names:
            return table.cube(names)
        return _decisions(after, names, tuple(len(table.attribute(name)) for name in names))

    return measure_tables(
        source,
        {attribute.name: attribute.values for attribute in table.attributes},
        ancestral_graphs(certificate.graph, question),
        question,
    )


def claim_values(claim: Indirect) -> dict[str, object]:
    """The claim about changed decisions as plain values, without errors: chance made none."""
    ends = {name: [float(low), float(high)] for name, (low, high) in claim_ends(claim).items()}
    return {"verdict": str(claim.verdict), "threshold": str(claim.threshold), "effects": ends}


def claim_fact(claim: Indirect, when: str) -> tuple[str, str]:
    """The same in words, for a summary: before or after a change."""
    question = claim.question
    people = (question.group, question.other)
    ways = zip((people, people[::-1]), claim_ends(claim).values(), strict=False)
    texts = [f"{a} to {b} {claim.span(*ends)}" for (a, b), ends in ways]
    return (
        f"{claim.name}, {when}",
        f"{claim.verdict} at {claim.threshold}: {', '.join(texts)} points",
    )


def claim_ends(claim: Indirect) -> dict[str, Bounds]:
    """For both directions the least and the largest effect, over all graphs."""
    ends = {}
    for name in DIRECTIONS if claim.graphs else ():
        bounds = [graph.directions[name].through.bounds for graph in claim.graphs]
        ends[name] = Bounds(min(b.lower for b in bounds), max(b.upper for b in bounds))
    return ends


def _decisions(
    partition: Partition, names: tuple[str, ...], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """A partition's counts of decisions by some of its causes and the group."""
    cube = np.zeros(shape, np.int64)
    question, axes = partition.question, np.indices(partition.counts.shape)
    of = {question.decision: axes[0], question.groups_column: axes[1]}
    of |= {name: partition.assignments.column(name)[axes[2]] for name in partition.names}
    np.add.at(cube, tuple(of[name] for name in names), partition.counts)
    return cube


def _by_line(
    partition: Partition, direction: DirectionEffects, group: int, weights: NDArray[Any]
) -> NDArray[np.object_]:
    """Weights of a group's rates by causes, as those of each line's rates.

    Where the graph does not let the group cause the decision, its table has one rate for both:
    then the weight is shared as the rows are.
    """
    tables = direction.tables
    of_line = weights[tuple(partition.assignments.column(name) for name in tables.causes)]
    by_group = np.full(partition.rows.shape, Fraction(0), object)
    if tables.protected in tables.parents[tables.decision]:
        by_group[group] = of_line
        return by_group
    for own, rows in zip(by_group, partition.rows, strict=True):
        whole = zip(rows.tolist(), partition.row_counts.tolist(), strict=True)
        own[:] = [w * Fraction(a, b) for w, (a, b) in zip(of_line, whole, strict=True)]
    return by_group
