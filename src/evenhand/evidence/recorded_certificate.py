"""``RecordedCertificate``: a parsed certificate document, and whether it is reproducible.

The document is true if ``certify``, given the counts and the question that it records, writes
the same document. Without counts the document's own tables are used. What ``certify`` is given
besides the counts cannot be derived from them: ``stated`` lists it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from evenhand.counts import CountTable, ExaminedCounts, examined_counts
from evenhand.effects.indirect import measure_examined
from evenhand.effects.indirect_claim import Indirect
from evenhand.errors import EvenhandError, InputError, Problem, listed, words_only
from evenhand.evidence import certificate_encoding
from evenhand.evidence.certificate import Certificate, Graph
from evenhand.evidence.certificate_document import full_document, shared_document
from evenhand.evidence.certificate_schema import schema_errors
from evenhand.evidence.certification import certify_partitions, with_indirect
from evenhand.evidence.decision_rules import comparable_columns, determining_names
from evenhand.evidence.document_differences import document_differences
from evenhand.evidence.graph_origin import GraphOrigin, UneditedGraph
from evenhand.evidence.partition import Partition
from evenhand.evidence.recorded_indirect import (
    is_unmeasured,
    recorded_claim,
    recorded_potentials,
)
from evenhand.evidence.recorded_inputs import StatedField, is_derivable, recorded_inputs
from evenhand.evidence.recorded_partitions import recorded_counts
from evenhand.evidence.release_statement import ReleaseStatement
from evenhand.graph import PartialGraph
from evenhand.question import Codings, Question
from evenhand.question.question import PATHS, REST
from evenhand.verdict import Verdict

# Judges the graph before edits by partitions that a function makes.
_Judge: TypeAlias = Callable[[Callable[[tuple[str, ...]], Partition]], UneditedGraph]


@dataclass(frozen=True, eq=False, repr=False)
class RecordedCertificate:
    """The content of a certificate document that is valid against the schema."""

    content: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str, *, where: str = "certificate") -> "RecordedCertificate":
        """Parse and validate the JSON text of a document."""
        try:
            content = certificate_encoding.parse_document(text)
            found = content["format"]
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise InputError.of(f"This is no certificate: {error}.", where=where) from error
        certificate_encoding.check_format(found, where)
        problems = [
            Problem(f"This is no certificate: {error}.", where=where)
            for error in schema_errors(content)
        ]
        if problems:
            raise InputError(*problems)
        certificate_encoding.keep_by_column(content)
        return cls(content)

    @property
    def verdict(self) -> Verdict:
        """The recorded verdict."""
        return Verdict(self.content["verdict"])

    @property
    def verdicts(self) -> dict[tuple[str, ...], Verdict]:
        """The recorded verdict of each claim, by the attributes through which an effect goes.

        That of the direct effect is there in any case, by no attribute.
        """
        verdicts: dict[tuple[str, ...], Verdict] = {(): self.verdict}
        if self._indirect:
            through = tuple(self.content["question"]["redlining"])
            verdicts[through] = Verdict(self._indirect["verdict"])
        return verdicts

    @property
    def question(self) -> Question:
        """The question as it was asked."""
        fields = dict(self.content["question"])
        for derived in ("groups", "decisions", "min_coverage"):
            del fields[derived]
        if self.content["pooled"]["other"]:
            fields["other"] = REST
        fields["rule"] = self.content["rules"]["declared"]
        return Question(**fields)

    @property
    def codings(self) -> Codings:
        """How the columns are to be read."""
        return Codings.of(**self.content["codings"])

    @property
    def graph(self) -> PartialGraph:
        """The graph, with the doubts that remained when it was learned."""
        graph = self.content["graph"]
        doubts = frozenset((a, centre, b) for a, centre, b in graph["doubtful"])
        return PartialGraph(graph["nodes"], graph["arrows"], graph["undirected"], doubts=doubts)

    @property
    def release(self) -> ReleaseStatement | None:
        """What was changed in the rows, if they are a release."""
        if "release" not in self.content:
            return None
        return ReleaseStatement.parse(self.content["release"], self.question.decision)

    def differences(self, counts: CountTable, *, dropped: int = 0) -> tuple[str, ...]:
        """Every place where the counts give another document."""
        return self._compare(lambda: self.recertify(counts, dropped))

    def own_differences(self) -> tuple[str, ...]:
        """Every place where the document's own tables, if there are enough, give another."""
        if not is_derivable(self.content):
            return tuple(self._seal_differences())
        return self._compare(self.recertify_own_tables)

    @property
    def is_shared(self) -> bool:
        """Whether this is a copy for others."""
        return bool(self.content["copy"] == "shared")

    def stated(self, *, with_data: bool) -> tuple[StatedField, ...]:
        """What is taken from the document and not checked."""
        fields = [*recorded_inputs(self.content, with_data=with_data)]
        if not with_data and self._is_unmeasured:
            fields += [
                StatedField("indirect.reasons", "why nothing was measured"),
                StatedField("indirect.graphs", "that there was too much to be measured"),
            ]
        return tuple(fields)

    @property
    def is_settled_alone(self) -> bool:
        """Whether the document's own tables show if it is true."""
        return not self.is_shared and not self._is_unmeasured

    def recertify(self, counts: CountTable, dropped: int) -> Certificate:
        """The certificate that the counts of the data give."""
        examined = examined_counts(counts, self.question)
        self.graph.check(counts.names, self.question)
        beside = self._without_rule
        return self._recertify(
            examined,
            partial(Partition.of, examined),
            dropped,
            determining=partial(determining_names, examined),
            unedited=lambda judge, _: judge(partial(Partition.of, examined)),
            without_rule=beside.recertify(counts, dropped) if beside else None,
            claim=lambda new: measure_examined(
                new.examined, new.graph, potentials=recorded_potentials(self._indirect)
            ),
        )

    def recertify_own_tables(self) -> Certificate:
        """The certificate that the document's own tables give."""
        entries = {tuple(entry["names"]): entry for entry in self.content["partitions"]}
        tables = {
            names: recorded_counts(self.content, self.question, entry)
            for names, entry in entries.items()
        }

        def divide(names: tuple[str, ...]) -> Partition:
            if names not in entries:
                raise InputError.of(f"partitions: {list(names)} is not among them.")
            return Partition.of(tables[names], names)

        def divide_wider(names: tuple[str, ...]) -> Partition:
            for wider, examined in tables.items():
                if {*names} <= {*wider}:
                    return Partition.of(examined, names)
            return divide(names)

        divided = {name for names in entries for name in names}
        recorded = {*self.content["rules"].get("determining", ())}

        def determining(comparable: frozenset[str]) -> tuple[str, ...]:
            found = recorded & comparable - divided
            for names, examined in tables.items():
                found |= {*determining_names(examined, comparable & {*names})}
            return tuple(sorted(found))

        def unedited(judge: _Judge, before: UneditedGraph) -> UneditedGraph:
            graph = before.graph(self.graph.nodes)
            is_counted = comparable_columns(graph, self.question.decision) <= divided
            try:
                again = judge(divide_wider)
            except InputError:  # no partition has all its causes
                return before
            # Columns in no partition may leave nothing to compare.
            return again if is_counted or not before.is_open else before

        self.graph.check(question=self.question)
        beside = self._without_rule
        return self._recertify(
            next(iter(tables.values())),
            divide,
            self.content.get("rows", {}).get("dropped", 0),
            determining=determining,
            unedited=unedited,
            without_rule=beside.recertify_own_tables() if beside else None,
            claim=lambda new: (
                recorded_claim(
                    self._indirect,
                    new,
                    [tables[names] for names in new.possible_decision_causes],
                )
                if not self.is_shared
                else Indirect(question=new.question, verdict=Verdict.CERTIFIED, reasons=())
            ),
        )

    @property
    def _indirect(self) -> Mapping[str, Any]:
        """What the document says of effects through chosen attributes."""
        content: Mapping[str, Any] = self.content.get("indirect", {})
        return content

    @property
    def _is_unmeasured(self) -> bool:
        """Whether there are no effects for a reason that only the data can show."""
        if self.is_shared or not self._indirect:
            return False
        try:
            return is_unmeasured(self.content, self.question, self.graph)
        except EvenhandError:  # a question or graph that cannot be: the document is false
            return False

    @property
    def _comparable(self) -> frozenset[str]:
        """The columns that may determine the decision; none in released rows."""
        if self.release:
            return frozenset()
        return comparable_columns(self.graph, self.question.decision)

    @property
    def _without_rule(self) -> "RecordedCertificate | None":
        """The record that stands beside one under a declared rule."""
        record = self.content["rules"].get("without", {}).get("record")
        return None if record is None else RecordedCertificate(record)

    def _unlike_beside(self, beside: "RecordedCertificate") -> Iterator[str]:
        """What differs between this record and the one without the rule, and should not."""
        own = {**self.content, "question": _without_paths(self.content["question"])}
        left_out = {*own["rules"]["without"]["left_out"]}
        if both := sorted(left_out & {*beside.content["graph"]["nodes"]}):
            yield f"rules.without.record.graph: {listed(both)} should be left out"
        for name in ("copy", "question", "pooled", "codings", "scope"):
            if beside.content[name] != own[name]:
                yield f"rules.without.record.{name}: this is another than that of the record"
        if "release" in beside.content:
            yield "rules.without.record.release: this is no release"

    def _recertify(
        self,
        examined: ExaminedCounts,
        divide: Callable[[tuple[str, ...]], Partition],
        dropped: int,
        *,
        determining: Callable[[frozenset[str]], tuple[str, ...]],
        unedited: Callable[[_Judge, UneditedGraph], UneditedGraph],
        without_rule: Certificate | None,
        claim: Callable[[Certificate], Indirect],
    ) -> Certificate:
        """The certificate that the same question gives on these counts."""
        content = self.content
        roles = [entry["role"] for entry in content["partitions"]]
        judge = partial(
            certify_partitions,
            examined,
            pools_others=content["pooled"]["other"],
            limit=roles.count("block set"),
            min_coverage=content["question"]["min_coverage"],
            codings=self.codings,
            dropped=dropped,
        )
        origin = GraphOrigin.parse(content["graph"]["origin"])
        if self.is_shared or self.release:
            origin = origin.without_outcome
        before = origin.unedited
        if before is not None and before.outcome is not None:
            graph = before.graph(self.graph.nodes)
            determined = determining(comparable_columns(graph, self.question.decision))

            def judge_unedited(divide: Callable[[tuple[str, ...]], Partition]) -> UneditedGraph:
                return judge(
                    divide, graph, scope="causes", graph_origin=None, determined_by=determined
                ).as_unedited

            origin = replace(origin, unedited=unedited(judge_unedited, before))
        certificate = judge(
            divide,
            self.graph,
            scope="causes" if self.is_shared else content["scope"]["asked"],
            graph_origin=origin,
            determined_by=determining(self._comparable),
        )
        if certificate.question.redlining:
            certificate = with_indirect(certificate, claim)
        return replace(
            certificate,
            release=self.release,
            without_rule=without_rule,
            tried=content.get("variants", {}),
            **(
                {"scope": content["scope"]["asked"], "complete": content["scope"]["complete"]}
                if self.is_shared
                else {}
            ),
        )

    def _compare(self, recertify: Callable[[], Certificate]) -> tuple[str, ...]:
        """The differences from a new certificate, or the problems if there is none."""
        try:
            return tuple(self.differences_from(recertify()))
        except EvenhandError as error:
            return tuple(problem.text(words_only) for problem in error.problems)

    def differences_from(self, certificate: Certificate) -> Iterator[str]:
        """Every place where the document is another than that of a certificate."""
        content = self.content
        if self.is_shared:
            least_count = content["withheld"]["least_count"]
            right = shared_document(certificate, least_count=least_count)
        else:
            right = full_document(certificate)
        right |= {name: content[name] for name in ("versions", "seal")}
        beside, new = self._without_rule, certificate.without_rule
        if beside is not None and new is not None:
            right["rules"]["without"]["record"] = beside.content
            yield from self._unlike_beside(beside)
            for difference in beside.differences_from(new):
                yield f"rules.without.record.{difference}"
        found = [*document_differences(content, right)]
        yield from found
        origin = certificate.graph_origin
        before = origin.unedited
        if before is not None and not before.leads_to(certificate.graph, origin.edits):
            yield "graph.origin.unedited: with the edits it has other links than the graph"
        if self.release:
            yield from self.release.contradictions(
                row_count=certificate.row_count,
                left_out=certificate.examined.left_out,
                dropped=certificate.dropped,
                protected=self.question.protected_names,
                effects=_possible_effects(certificate.graph, self.question.decision),
                nodes=certificate.graph.nodes,
            )
        yield from self._seal_differences([] if found else right["partitions"])

    def _seal_differences(self, like: Sequence[Mapping[str, Any]] = ()) -> Iterator[str]:
        """Whether the seal is false; ``like`` are partitions with the same tables, if known."""
        content = {name: part for name, part in self.content.items() if name != "seal"}
        if like:  # these are encoded already: of a million lines that saves 0.7 s
            entries = zip(content["partitions"], like, strict=True)
            content["partitions"] = [own | {"table": new["table"]} for own, new in entries]
        right = certificate_encoding.with_seal(content)
        yield from document_differences({"seal": self.content["seal"]}, {"seal": right["seal"]})


def _possible_effects(graph: Graph, cause: str) -> set[str]:
    """The attributes that may be effects of one, however open edges are directed."""
    effects: set[str] = set()
    reached = {cause}
    while reached:
        effects |= reached
        reached = {b for a in reached for b in graph.children(a) | graph.neighbors(a)} - effects
    return effects - {cause}


def _without_paths(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a record beside a rule asks: only about the direct effect."""
    if "redlining" not in question:
        return question
    return {name: value for name, value in question.items() if name not in PATHS}
