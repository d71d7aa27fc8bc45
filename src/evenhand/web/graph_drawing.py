"""The graph as a picture of links that can be chosen; boxes keep their places."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.question.question_file import Labels
from evenhand.report.graph_picture import Arrow, Box, GraphDrawing, draw_narrow, draw_wide
from evenhand.report.graph_selection import Sketch, select_for_drawing
from evenhand.web.addresses import graph_address
from evenhand.wording import Words

_Places: TypeAlias = tuple[GraphDrawing, GraphDrawing]


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLink:
    """An arrow, or a link that the counts speak for, in words and with its address."""

    arrow: Arrow
    label: str
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureBox:
    """An attribute that can be chosen: its label names its causes."""

    box: Box
    label: str
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturePage:
    """The picture for one width of page."""

    frame: GraphDrawing
    links: tuple[PictureLink, ...]
    boxes: tuple[PictureBox, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPicture:
    """The picture for wide and narrow pages, and how many links are hidden."""

    wide: PicturePage
    narrow: PicturePage
    hidden: int
    left_out: int
    kinds: frozenset[str]


def draw(
    base: Audit,
    audit: Audit,
    words: Words,
    chosen: tuple[str, ...],
    keep: Mapping[str, str],
    *,
    shows_all: bool,
) -> GraphPicture:
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
        PicturePage(
            frame=page,
            links=tuple(_links(page, named, chosen, keep)),
            boxes=tuple(_boxes(page, audit, named, chosen, keep)),
        )
        for page in pages
    )
    doubted = sum(link[2] == "against" for link in sketch.links)
    return GraphPicture(
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
) -> Iterator[PictureLink]:
    for arrow in page.arrows:
        first, second = (named[name] for name in arrow.ends)
        label = (
            f"{first} causes {second}"
            if arrow.head
            else f"{first} and {second}: direction open"
        )
        if arrow.kind == "against":
            label = f"{first} may cause {second}: the counts speak for it"
        yield PictureLink(
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
) -> Iterator[PictureBox]:
    graph = audit.certificate.graph
    # In the order in which they stand, so that the order of keyboard focus stays, too.
    for box in sorted(page.boxes, key=lambda one: (one.layer, one.y, one.x)):
        causes = sorted(named.get(name, name) for name in graph.parents(box.key))
        label = f"{box.name}, {box.caption}" if box.caption else box.name
        caused = f"caused by {', '.join(causes)}" if causes else "no known causes"
        first = chosen[0] if len(chosen) == 1 and chosen[0] != box.key else ""
        ends = (first, box.key) if first else (box.key,)
        yield PictureBox(
            box=box,
            label=f"{label}; {caused}",
            address=graph_address(keep, *ends),
            chosen=box.key in chosen,
        )
