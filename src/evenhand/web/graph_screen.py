"""The graph beside the verdict: links that can be corrected, each with what it would decide."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence import Certificate
from evenhand.evidence.subpopulations import p_value
from evenhand.evidence.variations.variations import Variations
from evenhand.question.graph_edits import NO_REASON
from evenhand.question.question_file import Labels
from evenhand.report.html_report import View
from evenhand.report.pictures.graph_picture import GraphDrawing, draw_narrow, draw_wide
from evenhand.report.pictures.graph_selection import Sketch, select_for_drawing
from evenhand.web.addresses import graph_address
from evenhand.web.graph_links import (
    LinkState,
    choose_link,
    give_reason,
    judged_arrows,
    link_state,
    moved,
    previews,
    refit_edits,
    tier_columns,
)
from evenhand.web.jobs import Job
from evenhand.web.judging import judge, work_out
from evenhand.web.session import Session
from evenhand.web.verdict_panel import deciding_words, verdict_panel
from evenhand.wording import Words
from evenhand.wording.verdict_words import verdict_class, verdict_word

_Places: TypeAlias = tuple[GraphDrawing, GraphDrawing]


def draw(
    base: Audit,
    audit: Audit,
    words: Words,
    chosen: tuple[str, ...],
    keep: Mapping[str, str],
    *,
    shows_all: bool,
) -> View:
    """Draw the graph of an audit where the graph as it was learned has its boxes."""
    extra = frozenset(name for edit in audit.graph.edits for name in edit.arrow)
    extra |= {*chosen, *(one.name for one in audit.doubt().contradicted)}
    places = _places(base, words.labels, extra)
    sketch = select_for_drawing(audit.certificate, audit.knowledge, words.column, extra)
    whole = len(sketch.links)
    sketch = _with_doubts(_near(sketch, chosen) if not shows_all else sketch, audit)
    named = {node.name: node.label for node in sketch.nodes}
    pages = (
        draw_wide(sketch, like=places[0], captioned=True),
        draw_narrow(sketch, like=places[1], captioned=True),
    )
    wide, narrow = (
        View(
            frame=page,
            links=tuple(_links(page, named, chosen, keep)),
            boxes=tuple(_boxes(page, audit, named, chosen, keep)),
        )
        for page in pages
    )
    doubted = sum(link[2] == "against" for link in sketch.links)
    return View(
        wide=wide,
        narrow=narrow,
        hidden=whole - len(sketch.links) + doubted,
        left_out=sketch.left_out,
        kinds=frozenset(kind for _, _, kind, _ in sketch.links)
        | {"open" for a, b, _, head in sketch.links if not head},
    )


_PLACES: "WeakKeyDictionary[Audit, dict[tuple[tuple[str, str], ...], _Places]]" = (
    WeakKeyDictionary()
)


def _places(base: Audit, labels: Labels, extra: frozenset[str]) -> _Places:
    """Where boxes stand: laid out once for the graph as it was learned."""
    sketch = select_for_drawing(base.certificate, base.knowledge, labels.column, extra)
    drawn = tuple((node.name, node.label) for node in sketch.nodes)
    kept = _PLACES.setdefault(base, {})
    if drawn not in kept:
        kept[drawn] = draw_wide(sketch, captioned=True), draw_narrow(sketch, captioned=True)
    return kept[drawn]


def _near(sketch: Sketch, chosen: tuple[str, ...]) -> Sketch:
    """Only links that the question is about, and the chosen one."""
    links = tuple(
        link
        for link in sketch.links
        if link[2] != "rest" or (chosen and {*chosen} <= {*link[:2]})
    )
    return replace(sketch, links=links)


def _with_doubts(sketch: Sketch, audit: Audit) -> Sketch:
    """The sketch with a dotted arrow for each cause that the counts speak for."""
    there = {node.name for node in sketch.nodes}
    dotted = tuple(
        (one.name, audit.question.decision, "against", True)
        for one in audit.doubt().contradicted
        if one.name in there
    )
    return replace(sketch, links=(*sketch.links, *dotted))


def _links(
    page: GraphDrawing,
    named: Mapping[str, str],
    chosen: tuple[str, ...],
    keep: Mapping[str, str],
) -> Iterator[View]:
    for arrow in page.arrows:
        first, second = (named[name] for name in arrow.ends)
        label = (
            f"{first} causes {second}"
            if arrow.head
            else f"{first} and {second}: direction open"
        )
        if arrow.kind == "against":
            label = f"{first} may cause {second}: the counts speak for it"
        yield View(
            arrow=arrow,
            label=label,
            address=graph_address(keep, *arrow.ends),
            chosen={*arrow.ends} == {*chosen},
        )


def _boxes(
    page: GraphDrawing,
    audit: Audit,
    named: Mapping[str, str],
    chosen: tuple[str, ...],
    keep: Mapping[str, str],
) -> Iterator[View]:
    graph = audit.certificate.graph
    # In the order in which they stand, so that the order of keyboard focus stays, too.
    for box in sorted(page.boxes, key=lambda one: (one.layer, one.y, one.x)):
        causes = sorted(named.get(name, name) for name in graph.parents(box.key))
        label = f"{box.name}, {box.caption}" if box.caption else box.name
        caused = f"caused by {', '.join(causes)}" if causes else "no known causes"
        first = chosen[0] if len(chosen) == 1 and chosen[0] != box.key else ""
        ends = (first, box.key) if first else (box.key,)
        yield View(
            box=box,
            label=f"{label}; {caused}",
            address=graph_address(keep, *ends),
            chosen=box.key in chosen,
        )


_LEARNING = "Learning what causes what"


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
    shown = View(
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


def shown_verdict(audit: Audit) -> View:
    """What is decided of every claim, with the groups of each possible set of causes."""
    sign, word = deciding_words(audit)
    return View(mark=sign, word=word, groups=groups(audit.certificate))


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


def _chosen(session: Session, audit: Audit, ends: tuple[str, ...], words: Words) -> View:
    first, second = ends
    labels = words.column(first), words.column(second)
    named = _state_words(*labels)
    state = link_state(audit.certificate.graph, first, second)
    title = {"open": f"{labels[0]} — {labels[1]}", "none": f"{labels[0]}, {labels[1]}"}
    return View(
        ends=(first, second),
        title=title.get(state, named[state]),
        sentences=tuple(_about_link(audit, (first, second), state, words)),
        choices=tuple(
            View(
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
) -> Iterator[View]:
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
        yield View(
            title=f"{words.column(name)} — {words.decision}",
            address=graph_address(keep, name, decision),
            sentence=f"is open. {'; '.join(said)}. {ending}",
        )


def _against(audit: Audit, words: Words, keep: Mapping[str, str]) -> Iterator[View]:
    """What the counts say against the graph: attributes that should be independent."""
    decision = audit.question.decision
    for one in audit.doubt().contradicted:
        yield View(
            title=f"{words.column(one.name)} → {words.decision}",
            address=graph_address(keep, one.name, decision),
            sentence="is not in the graph, and the counts speak for it "
            f"({p_value(one.p_adjusted)} after Holm's correction). It is offered, not applied.",
        )


def _hanging(
    dependence: Variations, audit: Audit, words: Words, keep: Mapping[str, str]
) -> Iterator[View]:
    for way in dependence.ways:
        yield View(
            name=words.column(way.name),
            address=graph_address(keep, way.name, audit.question.decision),
            change="with it" if way.is_cause else "without it",
            evidence="" if way.p is None else p_value(way.p),
            verdict=View(
                mark=verdict_class(way.verdict, way.population),
                word=verdict_word(way.verdict),
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


def _edits(session: Session, base: Audit, words: Words) -> Iterator[View]:
    what = {"add": "{} → {}", "remove": "no link: {}, {}", "open": "open: {} — {}"}
    for edit in session.file.edits:
        cause, effect = map(words.column, edit.arrow)
        text = what.get(edit.kind, "{1} → {0}").format(cause, effect)
        reason = "" if edit.reason == NO_REASON else edit.reason
        yield View(
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
