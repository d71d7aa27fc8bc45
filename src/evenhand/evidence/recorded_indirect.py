"""The claim about effects through chosen attributes, measured again in a document's own tables.

Every table of the document counts the same people, so any two of them, and the tables of its
partitions, must agree on the attributes that they share.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.counts.count_table import check_row_count
from evenhand.effects.indirect import RecordedPotentials, measure_tables
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.indirect_reasons import ask_problems, too_many_orientations
from evenhand.effects.model_tables import (
    MOST_EXACT_CELLS,
    TableSource,
    compared_counts,
)
from evenhand.effects.transport import Potentials
from evenhand.errors import InputError, Problem
from evenhand.evidence.certificate import Certificate, Graph
from evenhand.graph.admissible_graphs import ancestral_graphs
from evenhand.question import Question
from evenhand.verdict import Verdict

Values: TypeAlias = Mapping[str, Sequence[str]]
Cube: TypeAlias = tuple[tuple[str, ...], NDArray[np.int64]]


def is_unmeasured(content: Mapping[str, Any], question: Question, graph: Graph) -> bool:
    """Whether a document has no effects for a reason that only the data can show."""
    if "graphs" in content["indirect"] or "chosen_from" in content["graph"]["origin"]:
        return False
    asked = content["question"]
    return (
        not ask_problems(question, asked["groups"], asked["decisions"])
        and ancestral_graphs(graph, question).complete
    )


def recorded_claim(
    content: Mapping[str, Any], judgement: Certificate, partitions: Iterable[ExaminedCounts]
) -> Indirect:
    """The claim that a document's tables give.

    Why tables were too large to be measured does not follow from a document without them.
    """
    question, examined = judgement.question, judgement.examined
    problems = ask_problems(question, examined.groups, examined.decisions)
    graphs = ancestral_graphs(judgement.graph, question)
    if not graphs.complete:
        problems = problems or (too_many_orientations(question),)
    if problems or "graphs" not in content:
        problems = problems or tuple(map(Problem, content.get("reasons", ())))
        verdict = Verdict.CANNOT_DECIDE
        return Indirect(question=question, verdict=verdict, reasons=problems)
    ends = {question.groups_column: examined.groups, question.decision: examined.decisions}
    source = recorded_tables(content, ends, map(compared_counts, partitions))
    potentials = recorded_potentials(content)
    return measure_tables(source, content["values"], graphs, question, potentials=potentials)


def recorded_tables(
    content: Mapping[str, Any], ends: Values, others: Iterable[CountTable]
) -> TableSource:
    """The tables of a document, and others that must agree with them.

    ``ends`` are the groups and the decisions; of further attributes each value must occur.
    """
    values: Values = content["values"]
    if any([*labels] != values.get(name) for name, labels in ends.items()):
        raise InputError.of("indirect.values: groups and decisions are not those asked about.")
    known = [
        *(_cube(table, values, {*ends}) for table in content["tables"]),
        *(_recoded(other, values) for other in others),
    ]
    for (first, own), (second, other) in combinations(known, 2):
        both = tuple(sorted({*first} & {*second}))
        if not np.array_equal(_summed(own, first, both), _summed(other, second, both)):
            tables = " and of ".join(", ".join(names) for names in (first, second))
            raise InputError.of(f"indirect.tables: those of {tables} count other people.")

    def source(names: tuple[str, ...]) -> NDArray[np.int64]:
        for own, cube in known:
            if {*names} <= {*own}:
                return _summed(cube, own, names)
        raise InputError.of(f"indirect.tables: there is none of {', '.join(names)}.")

    return source


def recorded_potentials(content: Mapping[str, Any]) -> RecordedPotentials:
    """The potentials that prove the bounds of a document, for each of its graphs."""
    return tuple(
        {at: _parse_proofs(proofs) for at, proofs in graph.get("potentials", {}).items()}
        for graph in content.get("graphs", ())
    )


def _parse_proofs(proofs: Sequence[Sequence[Sequence[str]]]) -> tuple[Potentials, Potentials]:
    lower, upper = (
        tuple(tuple(map(Fraction, one)) for one in potentials) for potentials in proofs
    )
    return lower, upper


def _cube(table: Mapping[str, Any], values: Values, ends: Collection[str]) -> Cube:
    """The counts of a table with an axis for each name."""
    names, cells = tuple(table["names"]), table["counts"]
    shape = [len(values.get(name, ())) for name in names]
    whole = [line[:-1] for line in cells if len(line) == len(names) + 1]
    lines = np.array(whole, np.int64).reshape(-1, len(names))
    if len(lines) < len(cells) or (lines >= shape).any() or prod(shape) > MOST_EXACT_CELLS:
        raise InputError.of(f"indirect.tables: a cell of {', '.join(names)} cannot be there.")
    for name, many, column in zip(names, shape, lines.T.tolist(), strict=True):
        if len({*column}) < many and name not in ends:
            raise InputError.of(f"indirect.values: nobody has one of those of {name!r}.")
    check_row_count(sum(line[-1] for line in cells), counts=f"counts of {', '.join(names)}")
    cube = np.zeros(shape, np.int64)
    cube[tuple(lines.T)] = [line[-1] for line in cells]
    return names, cube


def _recoded(counts: CountTable, values: Values) -> Cube:
    """Counts by the attributes that have values, with an axis for each in their order."""
    names = tuple(name for name in counts.names if name in values)
    cube = np.zeros([len(values[name]) for name in names], np.int64)
    places = []
    for name in names:
        own, known = counts.attribute(name).values, list(values[name])
        if not {*own} <= {*known}:
            raise InputError.of(f"indirect.values: {own} are those of {name!r}.")
        places.append([known.index(value) for value in own])
    cube[np.ix_(*places)] = counts.cube(names)
    return names, cube


def _summed(
    cube: NDArray[np.int64], names: tuple[str, ...], keep: tuple[str, ...]
) -> NDArray[np.int64]:
    """The counts by some of the names, in their order."""
    left = [name for name in names if name in keep]
    summed = cube.sum(axis=tuple(at for at, name in enumerate(names) if name not in keep))
    return np.asarray(summed.transpose([left.index(name) for name in keep]), np.int64)
