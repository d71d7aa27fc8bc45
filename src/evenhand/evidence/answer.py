"""The answer: one word that a stranger may rely on, and what it depends on.

The verdict on the rows is exact, and says nothing of chance, of the graph or of the order of
columns. The answer listens to all of them. It is *Yes* where a difference is significant and
stands whatever else is held alike, *No* where everything lies within the threshold and a person
put all that is compared before the decision. *Not shown* is said only where these rows could
have shown a difference; else nobody can tell, and the reason says why.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

from evenhand.counts import FinerCounts
from evenhand.display import Plain, ProgressCallback, ProgressReporter, percent, plain
from evenhand.errors import CannotReleaseError, Problem, Remedy, listed
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certification import direct_edge, lower_coverage
from evenhand.evidence.implied_independences import GraphDoubt, possible_effects
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistical_verdict import exit_status, statistical_verdict
from evenhand.evidence.statistics.hidden_cause import widened, yardstick
from evenhand.evidence.statistics.p_values import Z
from evenhand.evidence.variations.adjustment_sets import AdjustmentSet, AdjustmentSets
from evenhand.evidence.variations.classes import WithinClasses
from evenhand.graph.orientation import edge_of
from evenhand.question import Knowledge
from evenhand.record import floats_as_text
from evenhand.verdict import StatisticalVerdict, Verdict, Word

ReasonKind: TypeAlias = Literal[
    "determined",
    "nothing compared",
    "graph refuted",
    "depends on",
    "written after",
    "not separated",
    "classes",
    "too few rows",
]
# Reasons that lie in the graph: no release is certified by it unless a person accepts it.
OF_THE_GRAPH: frozenset[ReasonKind] = frozenset(
    {"nothing compared", "graph refuted", "depends on", "written after", "not separated"}
)
VARYING = "judging with other causes and classes"  # the step's name
_POWER = 0.8
_LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason(Plain):
    """Why nobody can tell: of what kind, on which columns it hangs, and what to do."""

    kind: ReasonKind
    names: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFit(Plain):
    """How many independences of the decision the graph implies, and which the rows reject."""

    implied: int
    rejected: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCause(Plain):
    """What a cause that nobody recorded could do, if it is as strong as a recorded one.

    ``name`` is the recorded cause that could move the pooled difference most, by ``bound``, and
    ``interval`` that of the difference with such a cause. A hidden cause ``breaking_factor``
    times as strong could change the answer; None where the answer is not about the average.
    """

    keys = "name bound interval breaking_factor"

    name: str
    bound: float
    interval: tuple[float, float]
    breaking_factor: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(Plain):
    """Whether the protected attribute itself changes the decision, as far as anybody can tell.

    ``variations`` were judged besides the causes of the graph; ``differing`` are those in which
    the finding falls or another one is made. ``standing`` and ``fallen`` are the places of the
    pairs of groups whose difference is shown, and stands or does not. ``placed`` are the
    compared columns that a person put before the decision. ``detectable`` is the smallest
    pooled difference that these rows would have shown four times in five, for any pair of
    groups; for ``underpowered`` pairs it is more than twice the threshold. ``at_least`` so many
    subpopulations differ by the threshold or more; 0 if that is not shown, or does not stand.
    ``hidden_cause`` is None where no recorded cause is a yardstick. ``statements`` are the
    answer in sentences, the first to quote.
    """

    keys = (
        "word reason verdict=certificate.verdict "
        "explained_by_chance=certificate.explained_by_chance measured "
        "violating=certificate.partition.violating at_least? "
        "common_difference=certificate.population.common detectable variations=tally "
        "differing graph_fit placed unplaced suspects? hidden_cause within_classes? statements"
    )

    word: Word
    reason: Reason | None
    certificate: Certificate
    variations: tuple[AdjustmentSet, ...]
    graph_fit: GraphFit
    placed: tuple[str, ...]
    suspects: tuple[str, ...]
    detectable: float | None
    underpowered: int
    hidden_cause: HiddenCause | None
    at_least: int = 0
    within_classes: tuple[WithinClasses, ...] = ()
    standing: frozenset[int] = frozenset()
    fallen: frozenset[int] = frozenset()
    statements: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join(self.statements) or str(self.word)

    def __bool__(self) -> bool:
        raise TypeError("An answer is not true or false. Compare `answer.word is Word.YES`.")

    def status(self, *, strict: bool = False) -> int:
        """0 for No, 1 for Yes, 3 where nobody can tell; 3 for Not shown if that is strict."""
        return exit_status({"": self.word}, strict=strict)

    @property
    def open_problem(self) -> Problem | None:
        """What would help to tell; None where nobody knows, or the verdict's reasons say it."""
        reason = self.reason
        remedies = () if reason is None else reason.remedies
        if self.certificate.is_determined:
            remedies = _without_determining(self.certificate)
        return Problem("What would help:", remedy=remedies, is_open=True) if remedies else None

    @property
    def graph_problem(self) -> Problem | None:
        """Why no release is certified unless a person accepts the graph; None where it may be.

        Where people alike are too few or unseen, the coverage of the released rows says so.
        """
        reason = self.reason
        if (
            reason is None
            or reason.kind not in OF_THE_GRAPH
            or (reason.kind == "nothing compared" and self.causes)
        ):
            return None
        words = "accept the graph, with a reason that is recorded"
        accept = Remedy(words if reason.remedies else words.capitalize(), "accept_graph")
        what = "By this graph no release is certified."
        return Problem(what, self.statements[0], (*reason.remedies, accept))

    def require_graph(self) -> None:
        """Refuse a release by a graph that a person has to accept."""
        if problem := self.graph_problem:
            raise CannotReleaseError(problem)

    @property
    def causes(self) -> tuple[str, ...]:
        """What people are alike in who are compared."""
        return self.certificate.partition.names

    @property
    def found(self) -> bool:
        """Whether any difference is shown, standing or not."""
        return bool(self.standing | self.fallen)

    @property
    def compared(self) -> int:
        """How many comparisons were made: one for each pair of groups in each subpopulation."""
        return len(self.certificate.partition.comparisons)

    @property
    def measured(self) -> int:
        """How many groups of people alike could be compared."""
        return int(self.certificate.partition.measured.sum())

    @property
    def unplaced(self) -> tuple[str, ...]:
        """The compared columns that nobody put before the decision."""
        names = self.certificate.partition.names
        return tuple(name for name in names if name not in self.placed)

    @property
    def differing(self) -> tuple[AdjustmentSet, ...]:
        """The variations that give another answer."""
        return tuple(one for one in self.variations if one.falls)

    def to_record(self, knowledge: Knowledge) -> dict[str, Any]:
        """What a certificate states; also what was known, if its graph does not say so."""
        told, reason = knowledge.told, self.reason
        content: dict[str, Any] = {
            "word": str(self.word),
            "reason": reason and {"kind": reason.kind, "names": reason.names},
            "variations": self.tally,
            "differing": [
                {"kind": one.kind, "names": one.names, "falls": one.falls}
                for one in self.differing
            ],
            "graph_fit": self.graph_fit,
            "placed": self.placed,
            "unplaced": self.unplaced,
            "suspects": self.suspects,
            "at_least": self.at_least,
            "detectable": self.detectable,
            "hidden_cause": self.hidden_cause,
        }
        if told != self.certificate.graph_origin.knowledge:
            content["knowledge"] = told or {"tiers": [], "required": [], "forbidden": []}
        return dict(floats_as_text(plain(content)))

    @property
    def tried(self) -> dict[str, int]:
        """How many other classes and other arrows were judged, as a certificate states it."""
        many = self.tally
        arrows = many.get("with", 0) + many.get("without", 0)
        return {"classes": many.get("classes", 0), "arrows": arrows}

    @property
    def tally(self) -> dict[str, int]:
        """How many variations of each kind were judged."""
        kinds = [one.kind for one in self.variations]
        return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def answer_of(
    certificate: Certificate,
    knowledge: Knowledge,
    doubt: GraphDoubt,
    finer: FinerCounts | None = None,
    named_after: Iterable[str] = (),
    *,
    progress: ProgressCallback | None = None,
) -> Answer:
    """The answer of a certificate, judged again in all variations.

    ``finer`` has the compared columns that are in classes as finely as rows allow.
    ``named_after`` are columns whose names sound as if they were written after the decision.
    ``progress`` is called with each variation.
    """
    sets = AdjustmentSets(
        certificate=certificate,
        knowledge=knowledge,
        finer=finer,
        named_after=frozenset(named_after),
    )
    compared = bool(certificate.partition.measured.any()) and not certificate.is_determined
    rules = _Rules(
        certificate=certificate,
        placed=sets.placed,
        found=sets.found if compared else frozenset(),
        judged=_reported(sets, progress) if compared else (),
        fit=GraphFit(implied=len(doubt.implied), rejected=doubt.contradicted_names),
    )
    reason = rules.reason
    word = rules.word(reason)
    some = sets.mixing if word is Word.YES else None
    detectable = detectable_differences(certificate)
    return Answer(
        word=word,
        reason=reason,
        certificate=certificate,
        variations=rules.judged,
        graph_fit=rules.fit,
        placed=tuple(name for name in certificate.partition.names if name in rules.placed),
        suspects=sets.suspects if compared else (),
        detectable=min(detectable, default=None),
        underpowered=sum(one > _reach(certificate) for one in detectable),
        hidden_cause=hidden_cause(certificate, word) if compared else None,
        at_least=some.at_least if some else 0,
        within_classes=sets.other_classes.within() if sets.other_classes else (),
        standing=rules.standing,
        fallen=rules.found - rules.standing,
    )


def _reported(
    sets: AdjustmentSets, progress: ProgressCallback | None
) -> tuple[AdjustmentSet, ...]:
    """All variations; after each it is reported how many are done."""
    reporter, found = ProgressReporter(progress), list[AdjustmentSet]()
    reporter.report(VARYING, 0)  # who is a candidate takes tests
    most = sets.most
    for one in sets.judged():
        found.append(one)
        reporter.report(VARYING, len(found), max(most, len(found)))
    reporter.report(VARYING, len(found), len(found))
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class _Rules:
    """What is asked of a finding, or of its absence, before it is an answer."""

    certificate: Certificate
    placed: frozenset[str]
    found: frozenset[int]
    judged: tuple[AdjustmentSet, ...]
    fit: GraphFit

    @property
    def given(self) -> bool:
        """Whether a person gave the graph."""
        return self.certificate.graph_origin.kind == "given"

    @property
    def within(self) -> bool:
        """Whether all differences are shown to be within the threshold."""
        return self.certificate.population.verdict is StatisticalVerdict.WITHIN

    def word(self, reason: Reason | None) -> Word:
        """The answer, if nobody can tell for a reason."""
        if reason is not None:
            return Word.CANNOT_TELL
        if self.found:
            return Word.YES
        is_certified = self.certificate.verdict is Verdict.CERTIFIED
        if self.within and is_certified and self.placed >= {*self.certificate.partition.names}:
            return Word.NO
        return Word.NOT_SHOWN

    @property
    def reason(self) -> Reason | None:
        """The reason that matters most why nobody can tell."""
        certificate = self.certificate
        if certificate.is_determined:
            names = certificate.determined_by or certificate.question.rule
            remedies = tuple(one for why in certificate.reasons for one in why.remedies)
            return Reason(kind="determined", names=names, remedies=remedies)
        if not certificate.partition.measured.any():
            return Reason(kind="nothing compared")
        if certificate.contradictions and self.within:  # what is shown, all sets of causes show
            return _reason(certificate, "graph refuted", ())
        graph = _open_edge(certificate) or (
            self._against_yes if self.found else self._against_no
        )
        if graph is not None:
            return graph
        if not certificate.partition.names and not self.given:
            return Reason(kind="nothing compared")
        return None if self.found else self._of_rows

    @cached_property
    def falls(self) -> list[AdjustmentSet]:
        """The variations against which a finding falls.

        By a graph that a person gave, only those by attributes of which the rows reject what
        it implies, and those by which people who are alike in a consequence are compared.
        """
        return [
            one
            for one in self.judged
            if one.falls
            and one.kind != "without suspects"
            and (
                _follows(self.certificate, one.names)
                if one.kind == "without"
                else one.kind == "classes"
                or not self.given
                or {*one.names} & {*self.fit.rejected}
            )
        ]

    @property
    def standing(self) -> frozenset[int]:
        """The places of the means of which something is shown that stands."""
        return self.found.difference(*(one.pairs for one in self.falls))

    @property
    def _against_yes(self) -> Reason | None:
        certificate = self.certificate
        if not certificate.direct_arrow and not certificate.question.predicts:
            return _no_link(certificate, given=self.given)
        if self.standing:
            return None
        first = self.falls[0]
        kind: ReasonKind = "depends on"
        if first.kind == "classes":
            kind = "classes"
        elif self.given and first.kind != "without":
            kind = "graph refuted"
        elif first.falls == "not separated":
            kind = "not separated"
        return _reason(certificate, kind, first.names)

    @property
    def _against_no(self) -> Reason | None:
        shown = [one for one in self.judged if one.falls == "shown"]
        after = [one for one in shown if one.kind == "without suspects"]
        added = [one for one in shown if one.kind == "with"]
        masked = [one for one in self.judged if one.falls == "larger"]
        # By a given graph, of which the rows reject what it implies, No must stay No.
        refuted = [
            one
            for one in self.judged
            if one.kind == "with"
            and (one in added or (self.within and not one.within))
            and {*one.names} & {*self.fit.rejected}
        ]
        chosen: list[tuple[ReasonKind, list[AdjustmentSet]]] = [
            ("written after", after),
            ("graph refuted", refuted if self.given else []),
            ("depends on", [*added, *masked] if self.within and not self.given else []),
            ("classes", [one for one in shown if one.kind == "classes"] if self.within else []),
        ]
        for kind, sets in chosen:
            if sets:
                return _reason(self.certificate, kind, sets[0].names)
        return None

    @property
    def _of_rows(self) -> Reason | None:
        """What too few rows leave open."""
        certificate = self.certificate
        if not certificate.coverage.reaches(certificate.min_coverage):
            return Reason(kind="nothing compared", remedies=self._to_compare_more())
        least = min(detectable_differences(certificate), default=None)
        if self.within or (least is not None and least <= _reach(certificate)):
            return None
        remedies: tuple[Remedy, ...] = ()
        if least is not None:
            threshold = float(certificate.question.threshold)
            times = ((least - threshold) / (_reach(certificate) - threshold)) ** 2
            enough = float(f"{times * certificate.row_count:.1e}")
            # A release is judged by its rows, and does not wait for the answer.
            words = f"Audit about {enough:,.0f} such rows; these can be released all the same"
            remedies = (Remedy(words),)
        return Reason(kind="too few rows", remedies=remedies)

    def _to_compare_more(self) -> tuple[Remedy, ...]:
        """What would let more be compared; the column that divides people most is named."""
        ways = [one for one in self.judged if one.kind == "without"]
        of = ""
        if ways:
            widest = max(ways, key=lambda one: one.coverage)
            share = percent(float(widest.coverage))
            of = f" of {widest.names[0]!r}, without which {share} of the rows could be compared"
        merge = Remedy(f"Merge values{of}", "merge")
        return merge, *lower_coverage(self.certificate.partition)


def _without_determining(certificate: Certificate) -> tuple[Remedy, ...]:
    """What is to be said besides if the columns that determine the decision are left out."""
    if certificate.question.rule:
        return ()
    names = {*certificate.partition.names} - {*certificate.determined_by}
    others = Partition.of(certificate.examined, names)
    if others.coverage.reaches(certificate.min_coverage):
        return ()
    share = percent(float(others.coverage.overall))
    left = f"Where {listed(certificate.determined_by)} is left out, {share} of the rows can be"
    return lower_coverage(others, f"{left} compared: lower the least coverage, too")


def _reach(certificate: Certificate) -> float:
    """The largest difference that rows must be able to show, if *Not shown* says anything."""
    return 2 * float(certificate.question.threshold)


def _open_edge(certificate: Certificate) -> Reason | None:
    """The open edge on which it hangs whether anything is shown."""
    verdicts = {
        statistical_verdict(one, min_coverage=certificate.min_coverage)
        for one in certificate.causes
    }
    if len(verdicts) == 1 or StatisticalVerdict.SHOWN not in verdicts:
        return None
    decision = certificate.question.decision
    first, *others = certificate.possible_decision_causes
    deciding = [name for name, _ in certificate.deciding_edges]
    open_ = [name for name in first if any(name not in names for names in others)]
    name = (deciding or open_ or [decision])[0]
    return Reason(kind="depends on", names=(name,), remedies=direct_edge(name, decision))


def _follows(certificate: Certificate, names: tuple[str, ...]) -> bool:
    """Whether the protected attribute may be a cause of these columns."""
    graph = certificate.graph
    return any(
        name in possible_effects(graph, protected)
        for protected in certificate.question.protected_names
        for name in names
    )


def _no_link(certificate: Certificate, *, given: bool) -> Reason:
    """What is shown contradicts a graph in which nothing joins groups and decision."""
    question, record = certificate.question, certificate.graph.record
    names: set[str] = set()
    for protected in question.protected_names:
        pair = edge_of(protected, question.decision)
        if record is not None and pair in record.separating:
            names |= record.separating[pair].given
    kind: ReasonKind = "graph refuted" if given or not names else "depends on"
    return _reason(certificate, kind, tuple(sorted(names)))


def _reason(certificate: Certificate, kind: ReasonKind, names: tuple[str, ...]) -> Reason:
    """A reason that hangs on columns, of which a person says when they were written."""
    decision = certificate.question.decision
    before = [f"{name} -> {decision}" for name in names]
    one = len(names) == 1
    they, them = ("it", "it") if one else ("they", "them")
    follows = "it is a consequence or a copy" if one else "they are consequences or copies"
    place = Remedy(f"Say that {they} came before the decision", "required", before)
    leave = Remedy(f"leave {them} out, if {follows}", "exclude", [*names])
    tiers = Remedy(f"name {them} in the order of the columns", "tiers")
    remedies = {
        "written after": (place, leave, tiers),
        "depends on": (place, leave, tiers),
        "graph refuted": (Remedy("Give another graph", "graph"),),
        "not separated": (leave, Remedy("merge its values", "merge")),
        "classes": (Remedy("Give finer classes", "bins"),),
    }.get(kind, ())
    return Reason(kind=kind, names=names, remedies=remedies)


def detectable_differences(certificate: Certificate) -> list[float]:
    """For each pair of groups the smallest pooled difference that these rows would have shown.

    Four times in five, that is.
    """
    statistics = certificate.partition.statistics
    normal = NormalDist()
    # The mean is one hypothesis of Holm's family, and its interval clears the threshold, too.
    corrected = normal.inv_cdf(1 - _LEVEL / max(statistics.family, 1))
    reach = max(Z, corrected) + normal.inv_cdf(_POWER)
    errors = [(mean.high - mean.low) / (2 * Z) for mean in statistics.means if mean]
    return [float(certificate.question.threshold) + reach * error for error in errors]


def hidden_cause(certificate: Certificate, word: Word) -> HiddenCause | None:
    """What a hidden cause as strong as the strongest recorded one could do to the average.

    None without a recorded cause that goes with the groups and with the decision.
    """
    partition = certificate.partition
    common, names = partition.statistics.common, partition.names
    if common is None:
        return None
    cut, pair = divmod(partition.statistics.leading, len(partition.pairs))
    group, other = partition.pairs[pair]
    tables = (
        partition.favorable[cut][group],
        partition.rows[group],
        partition.favorable[cut][other],
        partition.rows[other],
    )
    strengths = {}
    for name in names:
        stratum, _ = partition.assignments.groups([one for one in names if one != name])
        found = yardstick(stratum, *tables)
        if found and found.group > 0 and found.decision > 0:
            strengths[name] = found
    if not strengths:
        return None
    name = max(strengths, key=lambda one: (strengths[one].bound(), one))
    bound, threshold = strengths[name].bound(), float(certificate.question.threshold)
    gap = None
    if word is Word.YES and common.shown:
        gap = min(map(abs, common.interval)) - threshold
    elif word is Word.NO:
        gap = max(threshold - max(map(abs, common.interval)), 0.0)
    return HiddenCause(
        name=name,
        bound=min(bound, 2.0),  # no difference of rates moves by more
        interval=widened(common.interval, bound),
        breaking_factor=None if gap is None else strengths[name].breaking_factor(gap),
    )
