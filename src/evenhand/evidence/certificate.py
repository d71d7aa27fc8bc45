"""``Certificate``: a verdict with everything that it rests on, and its two documents."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.counts import ExaminedCounts
from evenhand.display import Described, Summary
from evenhand.errors import Problem, words_only
from evenhand.evidence import certificate_encoding as document
from evenhand.evidence import partition_facts
from evenhand.evidence.assumption_sentences import assumption_sentences
from evenhand.evidence.by_chance import ByChance
from evenhand.evidence.first_sentence import (
    deciding_partition,
    explained_by_chance,
    first_sentence,
)
from evenhand.evidence.graph_origin import GraphOrigin, no_tiers
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import Population, population
from evenhand.evidence.relaxed import RelaxedCertificate, relax
from evenhand.evidence.release_statement import ReleaseStatement
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.evidence.verdict import Coverage, Verdict
from evenhand.files import write_file
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Codings, Number, Question
from evenhand.question.question_file import Labels

Scope: TypeAlias = Literal["causes", "minimal", "all"]
Graph: TypeAlias = CausalGraph | PartialGraph

_ESTIMATES = (
    "These are estimates, computed in floating point and rounded to twelve digits. The engine "
    "computes them again; the stand-alone checker does not."
)
_MET = {
    Verdict.CERTIFIED: "met",
    Verdict.NOT_CERTIFIED: "not met",
    Verdict.CANNOT_DECIDE: "neither met nor broken",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certificate(Described):
    """Whether the criterion is met, given this graph, and the counts that show it.

    ``partitions`` holds what was examined: first the possible decision causes, finest first,
    then, if asked for, other block sets. ``complete`` says whether all that the scope asks for
    was examined; ``reasons`` why the verdict is what it is, with a remedy where there is one.
    ``contradictions`` are sentences about a graph that contradicts itself. ``release`` says
    what was changed in these rows, if they are a release.
    """

    verdict: Verdict
    reasons: tuple[Problem, ...]
    examined: ExaminedCounts
    pools_others: bool
    graph: Graph
    graph_origin: GraphOrigin
    direct_arrow: bool
    possible_decision_causes: tuple[tuple[str, ...], ...]
    deciding_edges: tuple[tuple[str, str], ...]
    partitions: tuple[Partition, ...]
    scope: Scope
    complete: bool
    min_coverage: Fraction
    codings: Codings = field(default_factory=Codings)
    dropped: int = 0
    contradictions: tuple[str, ...] = ()
    release: ReleaseStatement | None = None

    def __repr__(self) -> str:
        threshold = self.question.threshold
        return f"<Certificate: {self.verdict} at {threshold}, {self.row_count:,} rows>"

    def __bool__(self) -> bool:
        raise TypeError(
            "A certificate is not true or false: there are three verdicts. Compare "
            "`certificate.verdict is Verdict.CERTIFIED`."
        )

    def __eq__(self, other: object) -> bool:
        return (
            self.to_json() == other.to_json()
            if isinstance(other, Certificate)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self.to_json())

    @property
    def question(self) -> Question:
        """The question, with both groups named."""
        return self.examined.question

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were put together."""
        return self.question.other if self.pools_others else None

    @property
    def row_count(self) -> int:
        """How many rows were examined."""
        return self.examined.counts.row_count

    @property
    def ambiguous(self) -> bool:
        """Whether the graph leaves open what causes the decision."""
        return len(self.possible_decision_causes) > 1

    @property
    def decision_causes(self) -> tuple[str, ...]:
        """The certain causes of the decision, the protected attribute aside."""
        first, *others = self.possible_decision_causes
        return tuple(name for name in first if all(name in names for names in others))

    @property
    def partition(self) -> Partition:
        """The people divided by the decision causes; the finest, where these are ambiguous."""
        return self.partitions[0]

    @property
    def causes(self) -> tuple[Partition, ...]:
        """The partitions by possible decision causes."""
        return self.partitions[: len(self.possible_decision_causes)]

    @property
    def coverage(self) -> Coverage:
        """The share of rows that could be compared."""
        return self.partition.coverage

    @cached_property
    def population(self) -> Population:
        """What these rows tell about the population that they came from."""
        return population(self.causes, min_coverage=self.min_coverage)

    @property
    def subpopulations(self) -> Subpopulations:
        """Every subpopulation that occurs."""
        return Subpopulations(self.partition, np.arange(len(self.partition)))

    @property
    def evidence(self) -> Subpopulations:
        """The violating subpopulations, strongest first."""
        return Subpopulations(self.partition, self.partition.by_strength)

    @property
    def unmeasured(self) -> Subpopulations:
        """The subpopulations in which one of the groups is absent."""
        return Subpopulations(self.partition, np.flatnonzero(~self.partition.measured))

    def relaxed(
        self, *, assurance: Number = "0.8", threshold: Number | None = None
    ) -> RelaxedCertificate:
        """The relaxed criterion on every partition that was examined; the weakest bound."""
        question = self.question
        if threshold is not None:
            question = replace(question, threshold=threshold)  # type: ignore[arg-type]  # text
        others = self.partitions[len(self.causes) :]
        return relax(self.causes, others, assurance=assurance, threshold=question.threshold)

    @property
    def explained_by_chance(self) -> bool:
        """Whether all that was seen is no more than chance would make, given this graph."""
        return not self.release and explained_by_chance(deciding_partition(self.partitions))

    def first_sentence(self, labels: Labels | None = None) -> str:
        """How many groups differ, seen and by chance, and the difference on average."""
        return first_sentence(
            self.partitions,
            min_coverage=self.min_coverage,
            released=self.release is not None,
            labels=labels,
        )

    @property
    def by_chance(self) -> ByChance | None:
        """What chance alone would make; None of released rows, which chance did not make."""
        return None if self.release else self.partition.by_chance

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the counts that the verdict rests on."""
        return document.digest(self.examined, self.partition)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the verdict takes for granted, in words and without numbers."""
        applying = assumption_sentences(
            self.question,
            self.graph_origin,
            scope=self.scope,
            complete=self.complete,
            pools_others=self.pools_others,
            pools_decisions=self._pools_decisions,
            left_out=self.examined.left_out,
            dropped=self.dropped,
        )
        return (*applying, *self.also_assumed)

    @property
    def also_assumed(self) -> tuple[str, ...]:
        """The assumptions that only some certificates make: about the graph, and a release."""
        return (
            *((no_tiers(self.question.decision),) if self.graph_origin.decision_last else ()),
            *self.contradictions,
            *((self.release.notice,) if self.release else ()),
        )

    @property
    def _pools_decisions(self) -> bool:
        return len(self.examined.counts.attribute(self.question.decision)) > 2

    def full_document(self) -> dict[str, Any]:
        """The document for the owner of the data: every subpopulation, and digests."""
        content = self._shared_fields()
        if self.release:
            content["release"] = self.release.to_dict()
        content["copy"] = "full"
        content["reasons"] = [reason.text(words_only) for reason in self.reasons]
        content["rows"] = {
            "read": self.row_count + self.examined.left_out + self.dropped,
            "dropped": self.dropped,
            "left_out": self.examined.left_out,
            "examined": self.row_count,
        }
        for entry, partition in zip(content["partitions"], self.partitions, strict=True):
            entry |= {
                "coverage": partition.coverage.to_dict(),
                "subpopulations": {**partition.numbers, **self._chance(partition)},
                "table": document.table(partition, np.arange(len(partition))),
                "evidence": partition.by_strength.tolist(),
                "digest": document.digest(self.examined, partition),
            }
        content["population"] |= document.floats_as_text(self.population.to_dict())
        return document.with_seal(content)

    def _chance(self, partition: Partition) -> dict[str, Any]:
        """What chance alone would make of a partition; nothing of released rows."""
        chance = None if self.release else partition.by_chance
        return {"by_chance": document.floats_as_text(chance.to_dict())} if chance else {}

    def shared_document(self, *, least_count: int = 10) -> dict[str, Any]:
        """The document for others: what it withholds cannot be computed from what it shows.

        Of the decision causes it shows the subpopulations with no cell under the least count. A
        total would give a withheld row back by subtraction, and so would a second partition of
        the same people: there are none.
        """
        content, partition = self._shared_fields(), self.partition
        if self.release:
            content["release"] = self.release.to_shared_dict()
        content["copy"] = "shared"
        shown = np.flatnonzero(
            np.all([cell >= least_count for cell in partition.cells], axis=0)
        )
        content["partitions"][0]["table"] = document.table(partition, shown)
        content["withheld"] = {
            "least_count": least_count,
            "subpopulations": len(partition) - len(shown),
        }
        return document.with_seal(content)

    def _shared_fields(self) -> dict[str, Any]:
        """What both documents say."""
        graph = self.graph
        doubtful = graph.doubtful if isinstance(graph, PartialGraph) else ()
        return {
            "format": document.FORMAT,
            "versions": {"evenhand": version("evenhand")},
            "verdict": str(self.verdict),
            "population": {"notice": _ESTIMATES, "verdict": str(self.population.verdict)},
            "question": {
                **self.question.to_dict(),
                "unfavorable": document.unfavorable(self.examined),
                "min_coverage": str(self.min_coverage),
            },
            "pooled": {"other": self.pools_others, "unfavorable": self._pools_decisions},
            "codings": self.codings.to_dict(),
            "graph": {
                **graph.to_dict(),
                # Where a collider was neither found nor excluded: open edges may make one.
                "doubtful": sorted(map(list, doubtful)),
                "origin": self.graph_origin.to_dict(),
            },
            "direct_arrow": self.direct_arrow,
            "decision_causes": list(self.decision_causes),
            "possible_decision_causes": list(map(list, self.possible_decision_causes)),
            "scope": {"asked": self.scope, "complete": self.complete},
            "partitions": [
                {
                    "names": list(partition.names),
                    "role": "causes" if partition in self.causes else "block set",
                    "verdict": str(partition.verdict(self.min_coverage)),
                }
                for partition in self.partitions
            ],
            "assumptions": list(self.assumptions),
        }

    def to_json(self) -> str:
        """The full certificate document as canonical JSON."""
        return document.canonical(self.full_document())

    def to_shared_json(self, *, least_count: int = 10) -> str:
        """The document for others, without subpopulations that have a cell under the count."""
        return document.canonical(self.shared_document(least_count=least_count))

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the full document atomically, readable by its owner only.

        An existing file is replaced only with ``overwrite``.
        """
        return write_file(path, self.to_json(), mode=0o600, overwrite=overwrite)

    def write_shared(
        self, path: str | Path, *, least_count: int = 10, overwrite: bool = False
    ) -> Path:
        """Write the shared document in the same way, readable by everybody."""
        text = self.to_shared_json(least_count=least_count)
        return write_file(path, text, mode=0o644, overwrite=overwrite)

    def to_dict(self, *, assurance: Number = "0.8") -> dict[str, Any]:
        """The result as plain values, evidence strongest first."""
        partition, question, coverage = self.partition, self.question, self.coverage
        return {
            "verdict": str(self.verdict),
            "sentence": self.first_sentence(),
            "explained_by_chance": self.explained_by_chance,
            "reasons": [reason.text(words_only) for reason in self.reasons],
            "protected": question.protected,
            "group": question.group,
            "other": question.other,
            "decision": question.decision,
            "favorable": question.favorable,
            "threshold": str(question.threshold),
            "direct_arrow": self.direct_arrow,
            "rows": self.row_count,
            "left_out": self.examined.left_out,
            "dropped": self.dropped,
            "coverage": {name: float(one) for name, one in coverage.shares.items()},
            "min_coverage": float(self.min_coverage),
            "decision_causes": list(self.decision_causes),
            "possible_decision_causes": list(map(list, self.possible_decision_causes)),
            "graph": {**self.graph.to_dict(), "origin": str(self.graph_origin)},
            "scope": {
                "asked": self.scope,
                "complete": self.complete,
                "examined": [list(partition.names) for partition in self.partitions],
            },
            "subpopulations": partition_facts.numbers_by_chance(partition, self.by_chance),
            "risk_difference": partition_facts.difference_moments(partition),
            "relaxed": self.relaxed(assurance=assurance).to_dict(),
            "population": self.population.to_dict(),
            "evidence": [subpopulation.to_dict() for subpopulation in self.evidence],
            "unmeasured": {
                "subpopulations": len(self.unmeasured),
                "rows": int(partition.row_counts[~partition.measured].sum()),
            },
            "assumptions": list(self.assumptions),
        }

    def summary(self, labels: Labels | None = None) -> Summary:
        """The verdict, what was asked and given, and the strongest evidence."""
        question, asked = self.question, f"τ = {self.question.threshold}"
        sets = ["{" + ", ".join(names) + "}" for names in self.possible_decision_causes]
        compared = f"{question.protected} {question.group} against {question.other}"
        facts = [
            ("verdict", f"criterion {_MET[self.verdict]} at {asked}, given this graph"),
            *([] if self.release else [("in the population", self.population.headline)]),
            ("question", f"{question.decision} = {question.favorable}: {compared}"),
            ("threshold", f"{question.threshold}, chosen by whoever asked the question"),
            ("graph", str(self.graph_origin)),
            ("decision causes", "{" + ", ".join(self.decision_causes) + "}"),
            *([("possible decision causes", " or ".join(sets))] if self.ambiguous else []),
            *partition_facts.partition_facts(self.partition),
            *([] if self.release else partition_facts.chance_facts(self.partitions)),
            *(self.population.facts if self.by_chance else ()),
        ]
        table = self.evidence.summary()
        # Chance did not make released rows: no interval and no p, which are the last columns.
        columns = slice(-2 if self.release else None)
        return Summary(
            title=str(self.verdict),
            sentence=self.first_sentence(labels),
            facts=tuple(facts),
            columns=table.columns[columns] if table.lines else (),
            lines=tuple(line[columns] for line in table.lines),
            notes=(*table.notes, *self.reasons, *self.also_assumed),
        )
