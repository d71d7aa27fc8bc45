"""The graph beside the verdict: links that can be corrected, each with what it would decide."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError
from evenhand.evidence.audit_progress import whole_progress
from evenhand.graph import load_graph
from evenhand.question.display_labels import Labels
from evenhand.question.knowledge import NO_REASON
from evenhand.report.pictures.graph_picture import (
    MOST_BOXES,
    Node,
    Sketch,
    draw_narrow,
    draw_wide,
    select_for_drawing,
)
from evenhand.report.rendering import View
from evenhand.web.evidence_screen import answer_panel
from evenhand.web.graph_edits import (
    choose_link,
    give_reason,
    link_state,
    moved,
    previews,
    refit_edits,
    tiers_of,
)
from evenhand.web.jobs import Job
from evenhand.web.pages import deciding_words, environment, graph_address, picture_style
from evenhand.web.session import Session, judge, needed, work_out
from evenhand.wording import Words

_LEARNING = "Learning what causes what"


@lru_cache(maxsize=8)
def _places(sketch: Sketch) -> tuple[View, View]:
    """Where boxes stand on wide and narrow pages; a heading keeps room for those of tiers."""
    headed = replace(sketch, headings=(("", 0, 0),))
    return draw_wide(headed, captioned=True), draw_narrow(sketch, captioned=True)


def draw(
    base: Audit,
    audit: Audit,
    words: Words,
    tiers: list[list[str]],
    chosen: tuple[str, ...] = (),
    *,
    shows_all: bool = True,
) -> View:
    """Draw the graph of an audit where the graph as it was learned has its boxes."""
    doubted = [one.name for one in audit.doubt().contradicted]
    extra = {name for edit in audit.graph.edits for name in edit.arrow} | {*chosen, *doubted}
    label = words.column
    places = _places(select_for_drawing(base.certificate, base.knowledge, label, extra))
    sketch = select_for_drawing(audit.certificate, audit.knowledge, label, extra)
    there = {node.name: node.label for node in sketch.nodes}
    near = [
        link
        for link in sketch.links
        if shows_all or link[2] != "rest" or (chosen and {*chosen} <= {*link[:2]})
    ]
    # A dotted arrow for each cause that the counts speak for.
    dotted = [(n, audit.question.decision, "against", True) for n in doubted if n in there]
    kinds = {kind for _, _, kind, _ in (*near, *dotted)}
    return _picture(
        replace(sketch, links=(*near, *dotted)),
        places,
        tiers,
        causes={
            name: sorted(there.get(one, one) for one in audit.certificate.graph.parents(name))
            for name in there
        },
        hidden=len(sketch.links) - len(near),
        kinds=kinds if all(head for *_, head in near) else kinds | {"open"},
    )


def draw_order(tiers: list[list[str]], roles: Mapping[str, str], label: Labels) -> View:
    """Draw the order of events before a graph is learned: boxes in columns of time.

    Of many columns those of the largest tier are left to a list, but for the question's.
    """
    most = max(tiers, key=len, default=[])
    room = MOST_BOXES - sum(len(tier) for tier in tiers if tier is not most)
    kept = {*roles, *sorted(most, key=lambda name: name not in roles)[: max(room, 1)]}
    nodes = tuple(
        Node(name=name, label=label.column(name), role=roles.get(name, "plain"), column=at)
        for at, tier in enumerate(tiers)
        for name in tier
        if tier is not most or name in kept
    )
    left_out = sum(map(len, tiers)) - len(nodes)
    sketch = Sketch(nodes=nodes, links=(), headings=(), left_out=left_out)
    return _picture(sketch, _places(sketch), tiers, causes={}, hidden=0, kinds=set())


def _picture(
    sketch: Sketch,
    places: tuple[View, View],
    tiers: list[list[str]],
    **parts: Any,  # noqa: ANN401  # of the view
) -> View:
    headed = replace(sketch, headings=(("", 0, 0),))
    wide = draw_wide(headed, like=places[0], captioned=True)
    narrow = draw_narrow(sketch, like=places[1], captioned=True)
    return View(
        wide=wide,
        narrow=narrow,
        zones={"wide": zones(wide, tiers, wide=True), "narrow": zones(narrow, tiers)},
        named={node.name: node.label for node in sketch.nodes},
        left_out=sketch.left_out,
        **parts,
    )


def zones(frame: View, tiers: list[list[str]], *, wide: bool = False) -> list[View]:
    """Where each tier lies in a drawing: a box that is dropped there stands in it from then on.

    Between two tiers, and beyond the last, ``gap`` is where a new one begins.
    """
    drawn = [
        (tier, [box for box in frame.boxes if box.key in {*tier}])
        for tier in tiers
        if {box.key for box in frame.boxes} & {*tier}
    ]
    start, size = ("x", "width") if wide else ("y", "height")
    room = 14.0 if wide else 20.0
    found: list[View] = []
    for at, (tier, boxes) in enumerate(drawn):
        low = min(getattr(box, start) for box in boxes) - room
        high = max(getattr(box, start) + getattr(box, size) for box in boxes) + room
        if found:  # a box of another tier may reach into this one, never its zone
            low = max(low, found[-1].end)
        words = "First" if at == 0 else "Last" if at == len(drawn) - 1 else "Then"
        if len(drawn) == 1:
            words = "At any time"
        found.append(View(words=words, names=tier, start=low, end=high, size=high - low))
    return found


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The graph in its order, the chosen link or box, the answer and what it depends on."""
    file = session.file  # raises what is still open in the question
    asked = file.question
    roles = dict.fromkeys(asked.protected_names, "protected") | {asked.decision: "decision"}
    tiers = tiers_of(session)
    shown: dict[str, Any] = {
        "tiers": tiers,
        "labels": file.labels,
        "asks_order": session.asks_order,
        "given": session.given_name,
        "decision": asked.decision,
    }
    base, audit = session.learned, session.data_audit
    named = (query.get(part, "") for part in ("a", "b"))
    every = [name for tier in tiers for name in tier]
    if base is None or audit is None:
        ends = tuple(name for name in named if name in every)[:1]
        picture = draw_order(tiers, roles, file.labels)
        return {
            **shown,
            "picture": picture,
            "view": None,
            "ends": ends,
            "to": partial(graph_address, {}),
        }
    words = Words.of(audit.certificate, file.labels)
    shows_all = query.get("all") == "1"
    ends = tuple(dict.fromkeys(name for name in named if name in audit.graph.nodes))
    judged = View(
        chosen=_chosen(session, audit, ends[0], ends[1]) if len(ends) > 1 else None,
        nodes=audit.graph.nodes,
        open_links=tuple(_open_links(session, audit)),
        against=audit.doubt().contradicted,
        graph=audit.certificate.graph,
        edits=[(edit, link_state(base.graph, *edit.arrow)) for edit in file.edits],
        as_learned=shown_verdict(base) if file.edits else None,
        panel=answer_panel(needed(session.audit), len(file.edits)),
        shows_all=shows_all,
        words=words,
    )
    return {
        **shown,
        "picture": draw(base, audit, words, tiers, ends, shows_all=shows_all),
        "view": judged,
        "ends": ends,
        "to": partial(graph_address, {"all": "1"} if shows_all else {}),
    }


def shown_verdict(audit: Audit) -> View:
    """What is decided of every claim, with the groups of each possible set of causes."""
    counted = (
        f"{one.violating:,} of {int(one.measured.sum()):,}" for one in audit.certificate.causes
    )
    sign, word = deciding_words(audit)
    return View(mark=sign, word=word, groups=" or ".join(dict.fromkeys(counted)))


def _chosen(session: Session, audit: Audit, first: str, second: str) -> View:
    """A link and its four states, each with the verdict it would give."""
    about = [edit for edit in session.file.edits if {*edit.arrow} == {first, second}]
    return View(
        ends=(first, second),
        state=link_state(audit.certificate.graph, first, second),
        edit=about[0] if about else None,
        question=audit.question,
        against=audit.doubt().contradicted,
        choices=[
            (choice, shown_verdict(choice.audit) if choice.audit else None)
            for choice in previews(session, (first, second))
        ],
    )


def _open_links(session: Session, audit: Audit) -> Iterator[tuple[str, bool, list[View]]]:
    """Each attribute whose link with the decision is open, whether it decides, and what."""
    found, decision = audit.certificate, audit.question.decision
    deciding = {frozenset(edge) for edge in found.deciding_edges}
    for name in sorted(found.graph.neighbors(decision)):
        given = [
            View(cause=one.state == "to", verdict=shown_verdict(one.audit))
            for one in previews(session, (name, decision), ("to", "from"))
            if one.audit is not None
        ]
        yield name, frozenset((name, decision)) in deciding, given


# Changes


def learn(session: Session, _body: dict[str, Any]) -> Job | None:
    """Learn the graph for what is asked now, unless it was learned, and judge it."""
    _ = session.file
    session.asks_order = False
    if session.learned is not None:
        _refit(session, unasked=True)
        return judge(session)

    def work(of: ProgressCallback) -> None:
        progress = whole_progress(of, answers=True)
        session.learn(progress)
        _refit(session, unasked=True)
        # An edit that does not fit the graph is told by the page, which offers to drop it.
        with suppress(EvenhandError):
            work_out(session, progress)
        progress.finish()

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
    """Move a column to another tier, or confirm the order that is shown.

    Until an order is confirmed nothing is learned; afterwards it is learned again.
    """
    asks = session.asks_order
    tiers = tiers_of(session) if body.get("keep") else moved(session, body)
    session.patch({"knowledge": {"tiers": tiers}})
    if asks and not body.get("keep"):
        return None
    session.refits = True
    return learn(session, body)


def _give(session: Session, body: dict[str, Any]) -> Job | None:
    """Take the graph of a file in place of one that is learned; without a file, learn it."""
    path = str(body.get("path", ""))
    given = None
    if path:
        file = session.folder.existing(path)
        given = load_graph(file)
        given.check([*session.rows.columns], session.file.question)
    session.give(given)
    session.refits = True
    return learn(session, body)


def graph_file(session: Session, ending: str) -> tuple[bytes, str]:
    """The graph as it is now, in a file of a kind, and the type of that."""
    audit = needed(session.data_audit)
    match ending:
        case "json":
            return audit.graph.to_json().encode(), "application/json"
        case "dot":
            return audit.graph.to_dot().encode(), "text/vnd.graphviz"
    words = Words.of(audit.certificate, audit.labels)
    picture = draw(needed(session.learned), audit, words, tiers_of(session))
    page = environment().get_template("graph.svg.j2")
    return page.render(frame=picture.wide, style=picture_style()).encode(), "image/svg+xml"


CHANGES: list[Any] = [
    ("POST", "learn", learn),
    ("POST", "graph", _link),
    ("POST", "reason", _reason),
    ("PUT", "tiers", _move),
    ("POST", "refit", _refit),
    ("POST", "given", _give),
]
