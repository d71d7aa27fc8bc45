"""The graph beside the verdict: links that can be corrected, each with what it would decide."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError
from evenhand.evidence.subpopulations import p_value
from evenhand.question.knowledge import NO_REASON
from evenhand.report.differences import group_dots
from evenhand.report.html_report import View
from evenhand.report.paths_section import claim_card
from evenhand.report.pictures.graph_picture import draw_narrow, draw_wide
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
    tiers_of,
)
from evenhand.web.jobs import Job
from evenhand.web.judging import judge, work_out
from evenhand.web.pages import deciding_words
from evenhand.web.session import Session
from evenhand.wording import Words
from evenhand.wording.verdict_words import verdicts

_LEARNING = "Learning what causes what"


@lru_cache(maxsize=8)
def _places(sketch: Sketch) -> tuple[View, View]:
    """Where boxes stand on wide and on narrow pages."""
    return draw_wide(sketch, captioned=True), draw_narrow(sketch, captioned=True)


def draw(
    base: Audit, audit: Audit, words: Words, chosen: tuple[str, ...], *, shows_all: bool
) -> View:
    """Draw the graph of an audit where the graph as it was learned has its boxes."""
    doubted = [one.name for one in audit.doubt().contradicted]
    extra = {name for edit in audit.graph.edits for name in edit.arrow} | {*chosen, *doubted}
    label = words.column
    wide, narrow = _places(select_for_drawing(base.certificate, base.knowledge, label, extra))
    sketch = select_for_drawing(audit.certificate, audit.knowledge, label, extra)
    there = {node.name: node.label for node in sketch.nodes}
    near = [
        link
        for link in sketch.links
        if shows_all or link[2] != "rest" or (chosen and {*chosen} <= {*link[:2]})
    ]
    # A dotted arrow for each cause that the counts speak for.
    dotted = [(n, audit.question.decision, "against", True) for n in doubted if n in there]
    drawn = replace(sketch, links=(*near, *dotted))
    kinds = {kind for _, _, kind, _ in drawn.links}
    return View(
        wide=draw_wide(drawn, like=wide, captioned=True),
        narrow=draw_narrow(drawn, like=narrow, captioned=True),
        named=there,
        causes={
            name: sorted(there.get(one, one) for one in audit.certificate.graph.parents(name))
            for name in there
        },
        hidden=len(sketch.links) - len(near),
        left_out=sketch.left_out,
        kinds=kinds if all(head for *_, head in drawn.links) else kinds | {"open"},
    )


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The graph, the chosen link, sensitivity to each arrow, tiers and edits."""
    file = session.file  # raises what is still open in the question
    asked = file.question
    roles = dict.fromkeys(asked.protected_names, "protected") | {asked.decision: "decision"}
    order = {
        "tiers": tiers_of(session),
        "roles": roles,
        "labels": file.labels,
        "assumed": file.labels.column(asked.decision) if not file.knowledge.tiers else "",
    }
    base, audit = session.learned, session.audit
    if base is None or audit is None:
        return {"view": None, **order}
    words = Words.of(audit.certificate, file.labels, audit.counts.names)
    shows_all = query.get("all") == "1"
    named = (query.get(part, "") for part in ("a", "b"))
    ends = tuple(dict.fromkeys(name for name in named if name in audit.graph.nodes))
    shown = View(
        picture=draw(base, audit, words, ends, shows_all=shows_all),
        ends=ends,
        chosen=_chosen(session, audit, ends[0], ends[1], words) if len(ends) > 1 else None,
        nodes=audit.graph.nodes,
        open_links=tuple(_open_links(session, audit)),
        against=audit.doubt().contradicted,
        hangs=judged_arrows(audit),
        graph=audit.certificate.graph,
        edits=tuple(_edits(session, base, words)),
        as_learned=shown_verdict(base) if file.edits else None,
        panel=View(
            edits=len(file.edits),
            verdicts=verdicts(audit.certificate, words, audit.doubt()),
            claim=claim_card(audit.certificate, words, about="A claim apart from these"),
            sentence=audit.certificate.first_sentence(words.labels),
            dots=group_dots(audit.certificate, words),
        ),
        shows_all=shows_all,
        to=partial(graph_address, {"all": "1"} if shows_all else {}),
        words=words,
    )
    return {"view": shown, **order}


def shown_verdict(audit: Audit) -> View:
    """What is decided of every claim, with the groups of each possible set of causes."""
    counted = (
        f"{one.violating:,} of {int(one.measured.sum()):,}" for one in audit.certificate.causes
    )
    sign, word = deciding_words(audit)
    return View(mark=sign, word=word, groups=" or ".join(dict.fromkeys(counted)))


def _chosen(session: Session, audit: Audit, first: str, second: str, words: Words) -> View:
    """A link and its four states, each with the verdict it would give."""
    one, other = words.column(first), words.column(second)
    state = link_state(audit.certificate.graph, first, second)
    named = {
        "to": f"{one} → {other}",
        "from": f"{other} → {one}",
        "open": "direction open",
        "none": "no link",
    }
    title = {"open": f"{one} — {other}", "none": f"{one}, {other}"}
    return View(
        ends=(first, second),
        title=title.get(state, named[state]),
        named=named,
        sentences=tuple(_about_link(audit, (first, second), state, words)),
        choices=[
            (choice, shown_verdict(choice.audit) if choice.audit else None)
            for choice in previews(session, (first, second))
        ],
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
    for one in audit.doubt().contradicted if touches and state == "none" else ():
        if one.name in ends:
            p = p_value(one.p_adjusted)
            yield f"The counts speak against leaving it out ({p} after Holm's correction)."


def _open_links(session: Session, audit: Audit) -> Iterator[tuple[str, str]]:
    """Each attribute whose link with the decision is open, and what it decides."""
    found, decision = audit.certificate, audit.question.decision
    deciding = {frozenset(edge) for edge in found.deciding_edges}
    when = {"to": "If a cause", "from": "if not"}
    for name in sorted(found.graph.neighbors(decision)):
        said = []
        for one in previews(session, (name, decision)):
            if one.audit is not None and one.state in when:
                of = shown_verdict(one.audit)
                said.append(f"{when[one.state]}: {of.word.lower()}, {of.groups}")
        ending = "The verdict is the same either way, but a release needs to know."
        if frozenset((name, decision)) in deciding:
            ending = "The verdict hangs on it."
        yield name, f"is open. {'; '.join(said)}. {ending}"


def _edits(session: Session, base: Audit, words: Words) -> Iterator[View]:
    what = {"add": "{} → {}", "remove": "no link: {}, {}", "open": "open: {} — {}"}
    for edit in session.file.edits:
        yield View(
            ends=edit.arrow,
            what=what.get(edit.kind, "{1} → {0}").format(*map(words.column, edit.arrow)),
            reason="" if edit.reason == NO_REASON else edit.reason,
            as_learned=link_state(base.graph, *edit.arrow),
        )


# Changes


def learn(session: Session, _body: dict[str, Any]) -> Job | None:
    """Learn the graph for what is asked now, unless it was learned, and judge it."""
    _ = session.file
    if session.learned is not None:
        _refit(session, unasked=True)
        return judge(session)

    def work(progress: ProgressCallback) -> None:
        session.learn(progress)
        _refit(session, unasked=True)
        # An edit that does not fit the graph is told by the page, which offers to drop it.
        with suppress(EvenhandError):
            work_out(session, progress)

    return session.jobs.start(_LEARNING, work, joins=True)


def _refit(session: Session, _body: object = None, *, unasked: bool = False) -> None:
    """Drop changes of the graph that do not fit it; unasked if the order of events is new."""
    if session.refits or not unasked:
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
