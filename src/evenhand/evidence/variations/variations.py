"""What the verdict hangs on: judged again without each cause, and with each candidate.

A *candidate* is an attribute of the graph that may be a cause of the decision and is not
certain to be one: knowledge allows the arrow, and the arrow, added, directed or turned around,
closes no cycle. So effects of the decision are none, unless a single arrow makes them effects.
Each variation is judged on the same count as the audit, by every possible set of causes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from evenhand.display import Described, Plain, Summary, percent, points
from evenhand.errors import QuestionError, listed
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certification import by_finest
from evenhand.evidence.decision_rules import determining_names
from evenhand.evidence.partition import Partition, share_statistics
from evenhand.evidence.population import GraphOutcome
from evenhand.evidence.subpopulations import p_value
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.graph import PartialGraph, known_order
from evenhand.question import Knowledge, KnownOrder

_UNCORRECTED = "No p-value here is corrected for trying several graphs."


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation(GraphOutcome):
    """What is given if an attribute is a cause of the decision, or if it is none.

    ``p`` is the largest with which the two pass for independent: of a cause, given any set of
    its neighbors or the decision's; of a candidate that is not joined, given the causes. None
    if the graph lets nothing be tested.
    """

    keys = f"name cause=is_cause p_independent=p {GraphOutcome.keys}"
    name: str
    is_cause: bool
    p: float | None

    def change(self, spell: Callable[[str], str] = str) -> str:
        """What is other than in the audit, with columns in the words of a reader."""
        return f"{'with' if self.is_cause else 'without'} {spell(self.name)}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Variations(Plain, Described):
    """The verdict without each cause, then with each candidate, least independent first.

    ``audited`` is what the audit gives. ``candidates`` is the number of all candidates; of more
    than the limit the first are judged.
    """

    keys = (
        "decision candidates as_audited=audited variants=ways deciding=deciding_changes notes"
    )
    decision: str
    threshold: Fraction
    audited: GraphOutcome
    ways: tuple[Variation, ...]
    candidates: int

    @property
    def deciding(self) -> tuple[Variation, ...]:
        """The variations that give another verdict than the audit, on rows or population."""
        return tuple(way for way in self.ways if way.verdicts != self.audited.verdicts)

    @property
    def deciding_changes(self) -> tuple[str, ...]:
        """What is other in these."""
        return tuple(way.change() for way in self.deciding)

    def sentence(self, spell: Callable[[str], str] = str) -> str:
        """Which variations change the verdict, with columns in the words of a reader."""
        audited = "; ".join(map(str, self.audited.verdicts))
        if not self.ways:
            return f"There is no cause to leave out and no candidate to add ({audited})."
        many = len(self.deciding)
        opening = (
            f"{many or 'None'} of {len(self.ways):,} variants "
            f"{'change' if many > 1 else 'changes'} the verdict ({audited})"
        )
        changes = (
            f"{way.change(spell)}: {', '.join(self._differing(way))}" for way in self.deciding
        )
        return f"{opening}: {'; '.join(changes)}." if many else f"{opening}."

    def _differing(self, way: Variation) -> Iterable[str]:
        """The verdicts of a variation that are not those of the audit."""
        both = zip(way.verdicts, self.audited.verdicts, strict=True)
        return (str(own) for own, audited in both if own is not audited)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not judged, and what the numbers do not say."""
        judged = sum(way.is_cause for way in self.ways)
        bound = (
            f"Of {self.candidates:,} candidates the {judged:,} least independent were judged."
        )
        return (*((bound,) if judged < self.candidates else ()), _UNCORRECTED)

    def summary(self) -> Summary:
        """One line for each arrow."""
        rows: list[tuple[str, GraphOutcome, float | None]] = [
            ("as audited", self.audited, None),
            *((way.change(), way, way.p) for way in self.ways),
        ]
        return Summary(
            title=f"what hangs on each arrow to {self.decision}",
            sentence=self.sentence(),
            columns=("causes", "verdict", "population", "differ", "common", "compared", "p"),
            lines=tuple(
                (
                    change,
                    str(way.verdict),
                    str(way.population),
                    f"{way.violating:,} of {way.measured:,}",
                    points(way.common_difference, threshold=self.threshold),
                    percent(float(way.coverage or 0)),
                    "" if p is None else p_value(p),
                )
                for change, way, p in rows
            ),
            notes=self.notes,
        )


def judge_arrows(
    certificate: Certificate, doubt: GraphDoubt, knowledge: Knowledge, *, limit: int
) -> Variations:
    """Judge the table without each cause of the certificate, and with each candidate.

    An arrow whose direction is open is judged both ways, by the possible sets of causes with
    and without it. ``doubt`` says how independent the ends of each arrow look.
    """
    question, graph = certificate.question, certificate.graph
    if question.rule:
        raise QuestionError.of(
            f"Under the rule {listed(question.rule)} nothing is measured, with no arrows.",
            remedy="Ask without the rule.",
        )
    if limit < 0:
        raise QuestionError.of(f"At most {limit} candidates are none.", remedy="Ask for more.")
    sets = [frozenset(names) for names in certificate.possible_decision_causes]
    p = {one.name: one.p for one in doubt.implied} | {one.cause: one.p for one in doubt.arrows}
    order = known_order(knowledge, certificate.examined.counts.names)
    certain = {
        *question.protected_names,
        question.decision,
        *certificate.decision_causes,
    }
    candidates = sorted(
        (
            name
            for name in graph.nodes
            if name not in certain and _may_become_cause(graph, order, name, question.decision)
        ),
        key=lambda name: (p.get(name, 2), name),
    )
    causes = sorted(frozenset().union(*sets), key=lambda name: (-p.get(name, 0), name))
    changes = [(name, False) for name in causes]
    changes += [(name, True) for name in candidates[:limit]]
    divide = partial(Partition.of, certificate.examined)
    divided = [by_finest(divide, _changed(sets, *change)) for change in changes]
    if divided:
        share_statistics([one for partitions in divided for one in partitions])
    least, determined_by = certificate.min_coverage, certificate.determined_by
    return Variations(
        ways=tuple(
            Variation.of(
                partitions,
                min_coverage=least,
                determined=bool(
                    determined_by or determining_names(certificate.examined, [name])
                ),
                name=name,
                is_cause=is_cause,
                p=p.get(name),
            )
            for (name, is_cause), partitions in zip(changes, divided, strict=True)
        ),
        audited=GraphOutcome.of(
            certificate.causes, min_coverage=least, determined=bool(determined_by)
        ),
        threshold=question.threshold,
        decision=question.decision,
        candidates=len(candidates),
    )


def _changed(
    sets: list[frozenset[str]],
    name: str,
    is_cause: bool,  # noqa: FBT001  # in the variant
) -> Iterable[frozenset[str]]:
    """The possible sets of causes that have a name or lack it; if there are none, made so."""
    agreeing = [names for names in sets if (name in names) is is_cause]
    return agreeing or [names | {name} if is_cause else names - {name} for names in sets]


def _may_become_cause(graph: PartialGraph, order: KnownOrder, name: str, decision: str) -> bool:
    """Whether an arrow to the decision may be added, or turned around, without a cycle."""
    effects = graph.children(decision) - {name}
    reached = effects.union(*(graph.descendants(effect) for effect in effects))
    return order.may_cause(name, decision) and name not in reached
