"""The graph beside the verdict: links that can be corrected, each with what it would decide."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence import Certificate, Verdict
from evenhand.evidence.subpopulations import p_value
from evenhand.evidence.variations.variations import Variations
from evenhand.question.graph_edits import NO_REASON
from evenhand.verdict import StatisticalVerdict
from evenhand.web.addresses import graph_address
from evenhand.web.graph_drawing import GraphPicture, draw
from evenhand.web.graph_links import (
    LinkState,
    choose_link,
    give_reason,
    judged_arrows,
    link_state,
    previews,
    refit_edits,
)
from evenhand.web.jobs import Job
from evenhand.web.judging import judge, work_out
from evenhand.web.session import Session
from evenhand.web.tiers import moved, tier_columns
from evenhand.web.verdict_panel import VerdictPanel, deciding_words, verdict_panel
from evenhand.wording import Words, capital

_LEARNING = "Learning what causes what"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVerdict:
    """A verdict in a few words: its mark, its word, in how many groups."""

    mark: str
    word: str
    groups: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChoice:
    """One state of a link; ``refusal`` says why it cannot be chosen."""

    state: LinkState
    words: str
    chosen: bool
    verdict: ShownVerdict | None
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenLink:
    """The link that is looked at: its ends, what is known of it, its four states."""

    ends: tuple[str, str]
    title: str
    sentences: tuple[str, ...]
    choices: tuple[LinkChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLink:
    """A link at the decision whose direction is open, and what it decides."""

    title: str
    address: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HangingArrow:
    """What hangs on an arrow: the verdict without a cause, or with a candidate."""

    name: str
    address: str
    change: str
    evidence: str
    verdict: ShownVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEdit:
    """A change of the learned graph, and its reason, if one was given."""

    ends: tuple[str, str]
    what: str
    reason: str
    as_learned: LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphView:
    """Everything that the screen shows once the graph is learned."""

    picture: GraphPicture
    chosen: ChosenLink | None
    box: str
    box_label: str
    candidates: tuple[tuple[str, str], ...]
    open_links: tuple[OpenLink, ...]
    against: tuple[OpenLink, ...]
    hangs: tuple[HangingArrow, ...]
    hangs_notes: tuple[str, ...]
    arrows: tuple[tuple[str, str, str], ...]
    edits: tuple[ShownEdit, ...]
    as_learned: ShownVerdict | None
    panel: VerdictPanel
    shows_all: bool
    toggle_all: str
    decision: str


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The graph, the chosen link, what hangs on each arrow, tiers and edits."""
    if session.table is None:
        raise QuestionError.of("No table is open.", remedy="Choose one on the first screen.")
    file = session.file  # raises what is still open in the question
    order = {
        "tiers": tier_columns(session),
        "assumed": file.labels.column(file.question.decision)
        if not file.knowledge.tiers
        else "",
    }
    base, audit = session.learned, session.audit
    if base is None or audit is None:
        return {"view": None, **order}
    words = Words.of(audit.certificate, session.file.labels, audit.counts.names)
    shows_all = query.get("all") == "1"
    ends = _ends(query, audit.graph.nodes)
    keep = {"all": "1"} if shows_all else {}
    dependence = judged_arrows(audit)
    shown = GraphView(
        picture=draw(base, audit, words, ends, keep, shows_all=shows_all),
        chosen=_chosen(session, audit, ends, words) if len(ends) > 1 else None,
        box=ends[0] if len(ends) == 1 else "",
        box_label=words.column(ends[0]) if len(ends) == 1 else "",
        candidates=_candidates(audit, ends, words, keep) if len(ends) == 1 else (),
        open_links=tuple(_open_links(session, audit, words, keep)),
        against=tuple(_against(audit, words, keep)),
        hangs=tuple(_hanging(dependence, audit, words, keep)) if dependence else (),
        hangs_notes=dependence.notes if dependence else (),
        arrows=tuple(_all_arrows(audit, words, keep)),
        edits=tuple(_edits(session, base, words)),
        as_learned=shown_verdict(base) if session.file.edits else None,
        panel=verdict_panel(session, audit, words),
        shows_all=shows_all,
        toggle_all=graph_address({} if shows_all else {"all": "1"}, *ends),
        decision=words.decision,
    )
    return {"view": shown, **order}


def shown_verdict(audit: Audit) -> ShownVerdict:
    """What is decided of every claim, with the groups of each possible set of causes."""
    sign, word = deciding_words(audit)
    return ShownVerdict(mark=sign, word=word, groups=groups(audit.certificate))


def groups(certificate: Certificate) -> str:
    """In how many groups of how many there is a difference, for each possible set of causes."""
    counted = (
        f"{one.violating:,} of {int(one.measured.sum()):,}" for one in certificate.causes
    )
    return " or ".join(dict.fromkeys(counted))


def _ends(query: Mapping[str, str], nodes: tuple[str, ...]) -> tuple[str, ...]:
    """The box or link that the address names, as far as the graph has them."""
    named = [query.get(part, "") for part in ("a", "b")]
    return tuple(dict.fromkeys(name for name in named if name in nodes))


def _state_words(first: str, second: str) -> dict[LinkState, str]:
    return {
        "to": f"{first} → {second}",
        "from": f"{second} → {first}",
        "open": "direction open",
        "none": "no link",
    }


def _chosen(session: Session, audit: Audit, ends: tuple[str, ...], words: Words) -> ChosenLink:
    first, second = ends
    labels = words.column(first), words.column(second)
    named = _state_words(*labels)
    state = link_state(audit.certificate.graph, first, second)
    title = {"open": f"{labels[0]} — {labels[1]}", "none": f"{labels[0]}, {labels[1]}"}
    return ChosenLink(
        ends=(first, second),
        title=title.get(state, named[state]),
        sentences=tuple(_about_link(audit, (first, second), state, words)),
        choices=tuple(
            LinkChoice(
                state=one.state,
                words=named[one.state],
                chosen=one.chosen,
                verdict=shown_verdict(one.audit) if one.audit else None,
                refusal=f"{one.problem.what} {one.problem.found}".strip()
                if one.problem
                else "",
            )
            for one in previews(session, (first, second))
        ),
    )


def _about_link(
    audit: Audit, ends: tuple[str, str], state: LinkState, words: Words
) -> Iterator[str]:
    question = audit.question
    touches = question.decision in ends
    if state == "open":
        yield "The counts leave its direction open" + (
            f", and it touches {words.decision}. Who knows how the two come about can settle "
            "it; each choice shows the verdict it would give."
            if touches
            else ". Each choice shows the verdict it would give."
        )
    if touches and not {*ends}.isdisjoint(question.protected_names):
        yield (
            "This is the arrow in question. Removing it is a claim about causes: it changes no "
            "number and no decision. Only a release changes decisions."
        )
    if question.redlining:
        through = ", ".join(map(words.column, question.redlining))
        yield (
            "A choice shows the verdict on the direct claim alone; the effect through "
            f"{through} is measured once it is chosen."
        )
    other = next((name for name in ends if name != question.decision), "")
    doubted = {one.name: one for one in audit.doubt().contradicted}
    if touches and state == "none" and other in doubted:
        p = p_value(doubted[other].p_adjusted)
        yield f"The counts speak against leaving it out ({p} after Holm's correction)."


def _open_links(
    session: Session, audit: Audit, words: Words, keep: Mapping[str, str]
) -> Iterator[OpenLink]:
    found, decision = audit.certificate, audit.question.decision
    deciding = {frozenset(edge) for edge in found.deciding_edges}
    for name in sorted(found.graph.neighbors(decision)):
        outcomes = {one.state: one for one in previews(session, (name, decision))}
        said = []
        for state, words_if in (("to", "If a cause"), ("from", "if not")):
            outcome = outcomes.get(state)  # type: ignore[call-overload]
            if outcome is not None and outcome.audit is not None:
                of = shown_verdict(outcome.audit)
                said.append(f"{words_if}: {of.word.lower()}, {of.groups}")
        same = frozenset((name, decision)) not in deciding
        ending = (
            "The verdict is the same either way, but a release needs to know."
            if same
            else "The verdict hangs on it."
        )
        yield OpenLink(
            title=f"{words.column(name)} — {words.decision}",
            address=graph_address(keep, name, decision),
            sentence=f"is open. {'; '.join(said)}. {ending}",
        )


def _against(audit: Audit, words: Words, keep: Mapping[str, str]) -> Iterator[OpenLink]:
    """What the counts say against the graph: attributes that should be independent."""
    decision = audit.question.decision
    for one in audit.doubt().contradicted:
        yield OpenLink(
            title=f"{words.column(one.name)} → {words.decision}",
            address=graph_address(keep, one.name, decision),
            sentence="is not in the graph, and the counts speak for it "
            f"({p_value(one.p_adjusted)} after Holm's correction). It is offered, not applied.",
        )


def _hanging(
    dependence: Variations, audit: Audit, words: Words, keep: Mapping[str, str]
) -> Iterator[HangingArrow]:
    for way in dependence.ways:
        is_shown = way.population is StatisticalVerdict.SHOWN
        differs = way.verdict is Verdict.NOT_CERTIFIED
        yield HangingArrow(
            name=words.column(way.name),
            address=graph_address(keep, way.name, audit.question.decision),
            change="with it" if way.is_cause else "without it",
            evidence="" if way.p is None else p_value(way.p),
            verdict=ShownVerdict(
                mark="shown" if is_shown and differs else str(way.verdict).replace(" ", "-"),
                word=capital(str(way.verdict)),
                groups=f"{way.violating:,} of {way.measured:,}",
            ),
        )


def _all_arrows(
    audit: Audit, words: Words, keep: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Every link as cause, effect and address; those of open direction say so."""
    graph = audit.certificate.graph
    for first, second in sorted(graph.arrows):
        yield words.column(first), words.column(second), graph_address(keep, first, second)
    for first, second in sorted(graph.undirected):
        label = f"{words.column(second)} (direction open)"
        yield words.column(first), label, graph_address(keep, first, second)


def _candidates(
    audit: Audit, ends: tuple[str, ...], words: Words, keep: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The attributes with which a chosen one can be joined."""
    return tuple(
        (words.column(name), graph_address(keep, ends[0], name))
        for name in audit.graph.nodes
        if name != ends[0]
    )


def _edits(session: Session, base: Audit, words: Words) -> Iterator[ShownEdit]:
    what = {"add": "{} → {}", "remove": "no link: {}, {}", "open": "open: {} — {}"}
    for edit in session.file.edits:
        cause, effect = map(words.column, edit.arrow)
        text = what.get(edit.kind, "{1} → {0}").format(cause, effect)
        reason = "" if edit.reason == NO_REASON else edit.reason
        yield ShownEdit(
            ends=edit.arrow,
            what=text,
            reason=reason,
            as_learned=link_state(base.graph, *edit.arrow),
        )


# Changes


def learn(session: Session, _body: dict[str, Any]) -> Job | None:
    """Learn the graph for what is asked now, unless it was learned, and judge it."""
    _ = session.file
    if session.learned is not None:
        _give_way(session)
        return judge(session)

    def work(progress: ProgressCallback) -> None:
        session.learn(progress)
        _give_way(session)
        # An edit that does not fit the graph is told by the page, which offers to drop it.
        with suppress(EvenhandError):
            work_out(session, progress)

    return session.jobs.start(_LEARNING, work, joins=True)


def _give_way(session: Session) -> None:
    """Drop changes of the graph that a new order of events leaves no room for."""
    if session.refits:
        refit_edits(session)


def _refit(session: Session, _body: dict[str, Any]) -> None:
    """Drop changes of the graph that do not fit it."""
    refit_edits(session)


def _link(session: Session, body: dict[str, Any]) -> dict[str, Any] | None:
    """Choose the state of a link; while the graph is being learned, once it is."""
    if session.learned is None and not body.get("waited") and (job := learn(session, body)):
        return {"job": job.id, "again": True}
    ends = str(body.get("a", "")), str(body.get("b", ""))
    reason = str(body.get("reason", "")).strip() or NO_REASON
    choose_link(session, ends, str(body.get("state")), body.get("revision"), reason)
    return None


def _reason(session: Session, body: dict[str, Any]) -> None:
    ends = str(body.get("a", "")), str(body.get("b", ""))
    give_reason(session, ends, str(body.get("reason", "")), body.get("revision"))


def _move(session: Session, body: dict[str, Any]) -> Job | None:
    """Move a column to another tier, and learn again what the new order allows."""
    tiers = moved(session, str(body.get("name", "")), body.get("by"), body.get("beside"))
    session.patch({"knowledge": {"tiers": tiers}})
    session.refits = True
    return learn(session, body)


CHANGES: list[Any] = [
    ("POST", "learn", learn),
    ("POST", "graph", _link),
    ("POST", "reason", _reason),
    ("PUT", "tiers", _move),
    ("POST", "refit", _refit),
]
