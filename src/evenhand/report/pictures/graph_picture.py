"""The causal graph as a picture: attributes in columns of time, links that never cross a box.

First it is chosen what is drawn, in which columns, with which links. A link that passes over a
column gets a narrow lane there, as if it were a small box. The same layout serves wide pages,
where columns stand side by side, and narrow ones, where they become rows. "Along" is the
direction of time, "across" the other one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from evenhand.display import visible
from evenhand.evidence.certificate import Certificate
from evenhand.graph import PartialGraph
from evenhand.question import Knowledge, KnownOrder, Question
from evenhand.report.pictures.graph_layout import Item, Link, arrange, place_lanes
from evenhand.report.rendering import View

# Above so many attributes only those that matter for the question are drawn.
MOST_BOXES = 15
# Of a graph without a question at most so many attributes and links.
_MOST_ATTRIBUTES = 40
_MOST_LINKS = 80
# A column with more boxes is divided.
_MOST_STACKED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An attribute to be drawn."""

    name: str
    label: str
    role: str
    column: int
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What is to be drawn: attributes in columns, links of some kind, headings over columns."""

    nodes: tuple[Node, ...]
    links: tuple[tuple[str, str, str, bool], ...]
    headings: tuple[tuple[str, int, int], ...]
    left_out: int


def select_for_drawing(
    certificate: Certificate,
    knowledge: Knowledge,
    label: Callable[[str], str],
    also: Collection[str] = (),
) -> Sketch:
    """Choose what is drawn, and in which column: tiers, the decision's own tier in three.

    Of many attributes those are drawn that the question is about, and those of ``also``.
    """
    graph, question = certificate.graph, certificate.question
    roles = _roles(certificate)
    known = knowledge.restricted(certificate.graph.nodes)
    order = known.about(certificate.graph.nodes) if known.tiers else None
    chosen = set(graph.nodes)
    if len(chosen) > MOST_BOXES:
        chosen = {n for n in chosen if roles[n] not in ("plain", "consequence")}
        chosen |= graph.children(question.decision)
        chosen |= {*question.redlining, *also} & {*graph.nodes}
    places = {
        name: _place(graph, question.protected_names, question.decision, order, name)
        for name in chosen
    }
    columns = sorted(set(places.values()))
    before = {name: at for at, name in enumerate(graph.topological_order())}
    nodes = tuple(
        Node(
            name=name,
            label=visible(label(name)),
            role=roles[name],
            column=columns.index(places[name]),
            asked=name in question.redlining,
        )
        for name in sorted(chosen, key=lambda n: (places[n], before[n]))
    )
    ends = (
        *((a, b, True) for a, b in sorted(graph.arrows)),
        *((a, b, False) for a, b in sorted(graph.undirected)),
    )
    links = tuple(
        (a, b, _kind(question, roles, a, b), directed)
        for a, b, directed in ends
        if a in chosen and b in chosen
    )
    return Sketch(
        nodes=nodes,
        links=links,
        headings=_headings(columns, tiered=order is not None),
        left_out=len(graph.nodes) - len(chosen),
    )


def select_without_question(graph: PartialGraph) -> Sketch:
    """Choose what is drawn of a graph alone: causes left of effects, the most linked if many.

    A column is one more than that of the last cause; for this, links of open direction count
    as arrows from the attribute that comes first.
    """
    links = [*((*arrow, True) for arrow in sorted(graph.arrows))]
    links += [(*edge, False) for edge in sorted(graph.undirected)]
    many = Counter(name for a, b, _ in links for name in (a, b))
    chosen = sorted(graph.nodes, key=lambda name: (-many[name], name))[:_MOST_ATTRIBUTES]
    links = [link for link in links if {*link[:2]} <= {*chosen}]
    while len(links) > _MOST_LINKS:
        left_out = chosen.pop()
        links = [link for link in links if left_out not in link[:2]]
    order = {name: at for at, name in enumerate(graph.topological_order())}
    column = dict.fromkeys(sorted(chosen, key=order.__getitem__), 0)
    pairs = [sorted((a, b), key=order.__getitem__) for a, b, _ in links]
    for name in column:
        column[name] = max((column[a] + 1 for a, b in pairs if b == name), default=0)
    return Sketch(
        nodes=tuple(
            Node(name=name, label=visible(name), role="plain", column=at)
            for name, at in column.items()
        ),
        links=tuple((a, b, "rest", directed) for a, b, directed in links),
        headings=(),
        left_out=len(graph.nodes) - len(chosen),
    )


def _roles(certificate: Certificate) -> dict[str, str]:
    graph, question = certificate.graph, certificate.question
    possible = {name for names in certificate.possible_decision_causes for name in names}
    roles = dict.fromkeys(graph.nodes, "plain")
    roles |= dict.fromkeys(graph.descendants(question.decision), "consequence")
    roles |= dict.fromkeys(possible, "possible") | dict.fromkeys(
        certificate.decision_causes, "cause"
    )
    return roles | {
        **dict.fromkeys(question.protected_names, "protected"),
        question.decision: "decision",
    }


def _place(
    graph: PartialGraph,
    protected: Collection[str],
    decision: str,
    order: KnownOrder | None,
    name: str,
) -> tuple[int, int]:
    """The column: by tier, or without tiers by whether the protected attribute comes before."""
    after = name in graph.descendants(decision) and name != decision
    before = name in graph.ancestors(decision) and name != decision
    tiers = order.tier if order is not None else {}
    tier, last = tiers.get(name), tiers.get(decision)
    if tier is not None and last is not None:
        if tier != last:
            return tier, 0
        return tier, 2 if after else 0 if before else 1
    if after or name == decision:
        return 2, int(after)
    follows = name not in protected and not graph.ancestors(name).isdisjoint(protected)
    return int(follows), 0


def _kind(question: Question, roles: dict[str, str], a: str, b: str) -> str:
    protected = question.protected_names
    if b == question.decision:
        if a in protected:  # of predictions no arrow is in question
            return "rest" if question.predicts else "direct"
        return "cause" if roles[a] in ("cause", "possible") else "rest"
    if a == question.decision:
        return "after" if roles[b] != "possible" else "cause"
    return "held" if a in protected and roles[b] == "cause" else "rest"


def _headings(
    columns: list[tuple[int, int]], *, tiered: bool
) -> tuple[tuple[str, int, int], ...]:
    tiers = sorted({tier for tier, _ in columns})
    if not tiered or len(tiers) < 2:
        return ()
    spans = {
        tier: [at for at, column in enumerate(columns) if column[0] == tier] for tier in tiers
    }
    words = ["First", *["Then"] * (len(tiers) - 2), "Last"]
    return tuple(
        (word, spans[t][0], spans[t][-1]) for word, t in zip(words, tiers, strict=True)
    )


_STRENGTHS = {
    "direct": 14.0,
    "cause": 8.0,
    "held": 4.0,
    "after": 3.0,
    "rest": 1.0,
    "against": 0.5,
}
_HEADS = {"direct": 10.0, "cause": 8.0, "held": 6.5, "after": 7.0, "rest": 5.5, "against": 5.5}
_CAPTIONS = {
    "protected": "protected",
    "decision": "decision",
    "cause": "held equal",
    "possible": "perhaps a cause",
    "consequence": "consequence",
    "plain": "",
}
_ABREAST = 3
Point = Callable[[float, float], tuple[float, float]]


def draw_wide(sketch: Sketch, *, like: View | None = None, captioned: bool = False) -> View:
    """Columns from left to right; boxes stand where they do in a drawing ``like`` this one.

    ``captioned`` keeps room for a caption in every box. A drawing has its place and size,
    ``headings`` with a text, a place and a width, ``arrows`` as paths with their heads (none
    where the direction is open), and ``boxes``: of each the ``key`` is the column's name, the
    ``layer`` its column or row, and ``asked`` marks those through which effects are measured.
    """
    sketch = _standing(sketch, like) if like else _divided(sketch)
    many = max(node.column for node in sketch.nodes) + 1
    width = min(158.0, max(100.0, (764 - 62 * (many - 1)) / many))
    gap = max(62.0, min(150.0, (764 - width * many) / max(1, many - 1)))
    letters = int((width - 14) / 7.2)
    frame = _Frame(page=764.0, box=width, gap=gap, letters=letters, wide=True)
    return _draw(sketch, frame, like, captioned=captioned)


def draw_narrow(sketch: Sketch, *, like: View | None = None, captioned: bool = False) -> View:
    """Rows from top to bottom, few boxes in each; a tier may take several rows."""
    frame = _Frame(page=354.0, box=100.0, gap=46.0, letters=12, wide=False)
    if like is not None:
        standing = replace(_standing(sketch, like), headings=())
        return _draw(standing, frame, like, captioned=captioned)
    rows: list[list[Node]] = []
    for column in range(max(node.column for node in sketch.nodes) + 1):
        tier = [node for node in sketch.nodes if node.column == column]
        many = -(-len(tier) // _ABREAST)
        cuts = [at * len(tier) // many for at in range(many + 1)]
        rows += [tier[start:end] for start, end in pairwise(cuts)]
    nodes = tuple(replace(node, column=at) for at, row in enumerate(rows) for node in row)
    laid_out = replace(sketch, nodes=nodes, headings=())
    return _draw(laid_out, frame, None, captioned=captioned)


def _standing(sketch: Sketch, like: View) -> Sketch:
    """The sketch with its attributes in the layers of a drawing."""
    return _moved(sketch, {box.key: box.layer for box in like.boxes})


def _divided(sketch: Sketch) -> Sketch:
    """The sketch with columns that are too tall divided into several."""
    layers: dict[str, int] = {}
    first = 0
    for column in sorted({node.column for node in sketch.nodes}):
        names = [node.name for node in sketch.nodes if node.column == column]
        parts = -(-len(names) // _MOST_STACKED)
        layers |= {name: first + at * parts // len(names) for at, name in enumerate(names)}
        first += parts
    return _moved(sketch, layers)


def _moved(sketch: Sketch, layers: Mapping[str, int]) -> Sketch:
    """The sketch with its attributes in other columns, and the headings over these."""
    spans = (
        (text, [layers[n.name] for n in sketch.nodes if first <= n.column <= last])
        for text, first, last in sketch.headings
    )
    return replace(
        sketch,
        nodes=tuple(replace(node, column=layers[node.name]) for node in sketch.nodes),
        headings=tuple((text, min(over), max(over)) for text, over in spans if over),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Measures of a drawing: the page, a box, the room between columns or rows."""

    page: float
    box: float
    gap: float
    letters: int
    wide: bool

    def point(self, along: float, across: float) -> tuple[float, float]:
        return (along, across) if self.wide else (across, along)


@dataclass(slots=True)
class _Route:
    """A link with the items it passes: its two ends, and lanes between."""

    ends: tuple[str, str]
    kind: str
    directed: bool
    stops: list[int]


def _draw(sketch: Sketch, frame: _Frame, like: View | None, *, captioned: bool) -> View:
    lines = {node.name: wrap_name(node.label, frame.letters) for node in sketch.nodes}
    outgoing = Counter(a for a, _, _, _ in sketch.links)
    incoming = Counter(b for _, b, _, _ in sketch.links)

    def height(node: Node) -> float:
        text = (
            16.0 * len(lines[node.name]) + (15 if captioned or _CAPTIONS[node.role] else 0) + 14
        )
        if not frame.wide:
            return text
        each = 11.0 if node.role == "decision" else 6.0
        return max(text, 42.0, each * max(incoming[node.name], outgoing[node.name]) + 14)

    sizes = {n.name: height(n) if frame.wide else frame.box for n in sketch.nodes}
    top = 26.0 if sketch.headings else 0.0
    standing: dict[str, float] = {}
    for box in like.boxes if like else ():
        sizes[box.key] = box.height if frame.wide else box.width
        near = box.y - top if frame.wide else box.x
        standing[box.key] = near + sizes[box.key] / 2
    depth = frame.box if frame.wide else max(map(height, sketch.nodes))
    items = [
        Item(
            layer=n.column,
            size=sizes[n.name],
            margin=18 if frame.wide else 14,
            pinned=n.role == "protected" and frame.wide,
        )
        for n in sketch.nodes
    ]
    index = {node.name: at for at, node in enumerate(sketch.nodes)}
    routes, links = _routes(sketch, index, items)
    centre = (
        place_lanes(items, [standing[n.name] for n in sketch.nodes], [r.stops for r in routes])
        if like
        else arrange(items, links)
    )

    def along(layer: int) -> float:
        return layer * (depth + frame.gap) + (0 if frame.wide else 2)

    pen = _Pen(items, [c + top for c in centre], along, depth, frame.point)
    pen.assign_ports(routes)
    arrows = sorted(
        (pen.arrow(route) for route in routes), key=lambda arrow: _STRENGTHS[arrow.kind]
    )
    boxes = tuple(
        _box(
            node,
            lines[node.name],
            frame.point(along(node.column), pen.centre[at] - sizes[node.name] / 2),
            frame.point(depth, sizes[node.name]),
        )
        for at, node in enumerate(sketch.nodes)
    )
    layers = max(item.layer for item in items)
    extent = frame.point(
        along(layers) + depth,
        max(c + i.size / 2 for c, i in zip(pen.centre, items, strict=True)),
    )
    beyond = frame.point(pen.before, 2.0)
    width = extent[0] + beyond[0] + frame.point(pen.after, 2.0)[0]
    # A small graph is not blown up to the width of the page: it stands in the middle.
    free = max(0.0, frame.page - width)
    return View(
        left=-beyond[0] - free / 2,
        top=-beyond[1],
        width=width + free,
        height=extent[1] + beyond[1] + frame.point(pen.after, 2.0)[1],
        headings=tuple(
            (text, along(first), along(last) + depth - along(first))
            for text, first, last in sketch.headings
        ),
        arrows=tuple(arrows),
        boxes=boxes,
    )


def _routes(
    sketch: Sketch, index: dict[str, int], items: list[Item]
) -> tuple[list[_Route], list[Link]]:
    """Links with a lane in every column they pass; lanes are added to the items."""
    routes, links = [], []
    for a, b, kind, directed in sketch.links:
        ends = [index[a], index[b]]
        backward = items[ends[0]].layer > items[ends[1]].layer
        first, last = ends[::-1] if backward else ends
        stops = [first]
        for layer in range(items[first].layer + 1, items[last].layer):
            thin = kind == "rest"
            items.append(
                Item(
                    layer=layer, size=1.0, margin=4.0 if thin else 7.0, pinned=kind == "direct"
                )
            )
            stops.append(len(items) - 1)
        stops.append(last)
        links += [Link(s, t, _STRENGTHS[kind]) for s, t in pairwise(stops)]
        routes.append(_Route((a, b), kind, directed, stops[::-1] if backward else stops))
    return routes, links


class _Pen:
    """Draws links between items that have their places.

    ``centre`` holds the places across; ``along`` gives the beginning of a layer and ``depth``
    its extent. ``before`` and ``after`` are how far arcs reach beyond the first and the last
    layer. A port is where a link meets the side of a box.
    """

    def __init__(
        self,
        items: Sequence[Item],
        centre: list[float],
        along: Callable[[int], float],
        depth: float,
        point: Point,
    ) -> None:
        self.items, self.centre = items, centre
        self.along, self.depth, self.point = along, depth, point
        self.last = max(item.layer for item in items)
        self.rank = {
            box: place
            for layer in range(self.last + 1)
            for place, box in enumerate(self.boxes(layer))
        }
        self.before = self.after = 2.0
        self.ports: dict[tuple[int, int], float] = {}

    def boxes(self, layer: int) -> list[int]:
        """The boxes of a layer in their order, without lanes."""
        boxes = [
            n for n, item in enumerate(self.items) if item.layer == layer and item.size > 1
        ]
        return sorted(boxes, key=self.centre.__getitem__)

    def assign_ports(self, routes: Sequence[_Route]) -> None:
        """Give each link its own place on the side of a box, in the order of the other ends."""
        sides: dict[tuple[int, bool], list[tuple[float, int]]] = {}
        for number, route in enumerate(routes):
            for box, near in (route.stops[:2], route.stops[:-3:-1]):
                step = self.items[near].layer - self.items[box].layer
                if step:
                    sides.setdefault((box, step > 0), []).append((self.centre[near], number))
        self.numbers = {id(route): number for number, route in enumerate(routes)}
        for (box, _), ends in sides.items():
            ends.sort()
            room = self.items[box].size - 14
            each = min(13.0, room / max(1, len(ends) - 1))
            for place, (_, number) in enumerate(ends):
                shift = (place - (len(ends) - 1) / 2) * each
                self.ports[number, box] = self.centre[box] + shift

    def arrow(self, route: _Route) -> View:
        first, last = route.stops[0], route.stops[-1]
        head = _HEADS[route.kind] if route.directed else 0.0
        if self.items[first].layer == self.items[last].layer:
            return self.within_layer(route, first, last, head)
        number = self.numbers[id(route)]
        forward = 1 if self.items[last].layer > self.items[first].layer else -1
        here = (
            self.along(self.items[first].layer) + (self.depth if forward > 0 else 0),
            self.ports[number, first],
        )
        path = [f"M{self.at(*here)}"]
        for stop in route.stops[1:]:
            near = self.along(self.items[stop].layer) + (0 if forward > 0 else self.depth)
            far = near + forward * self.depth
            is_end = stop == last
            across = self.ports[number, last] if is_end else self.centre[stop]
            near -= forward * (head + 1.5 if is_end and head else 0)
            middle = (here[0] + near) / 2
            path.append(
                f"C{self.at(middle, here[1])} {self.at(middle, across)} {self.at(near, across)}"
            )
            if not is_end:
                path.append(f"L{self.at(far, across)}")
            here = (near if is_end else far, across)
        return View(
            ends=route.ends,
            kind=route.kind,
            path="".join(path),
            head=self.head(here, (forward, 0), head),
        )

    def within_layer(self, route: _Route, first: int, last: int, head: float) -> View:
        """A link within a column: straight between neighbours, else an arc beside the boxes."""
        start = self.along(self.items[first].layer)
        sign = 1 if self.centre[last] > self.centre[first] else -1
        from_ = self.centre[first] + sign * self.items[first].size / 2
        to = self.centre[last] - sign * self.items[last].size / 2
        if abs(self.rank[first] - self.rank[last]) == 1:
            middle = start + self.depth / 2
            end = to - sign * (head + 1.5 if head else 0)
            path = f"M{self.at(middle, from_)}L{self.at(middle, end)}"
            return View(
                ends=route.ends,
                kind=route.kind,
                path=path,
                head=self.head((middle, end), (0, sign), head),
            )
        right = self.items[first].layer == self.last and self.last > 0
        edge = start + (self.depth if right else 0)
        out = 1 if right else -1
        reach = 14.0 + 5 * abs(self.rank[first] - self.rank[last])
        bulge = edge + out * reach
        if right:
            self.after = max(self.after, reach)
        elif self.items[first].layer == 0:
            self.before = max(self.before, reach)
        from_ -= sign * min(12, self.items[first].size / 3)
        to += sign * min(12, self.items[last].size / 3)
        end = edge + out * (head + 1.5 if head else 0)
        path = (
            f"M{self.at(edge, from_)}C{self.at(bulge, from_)} {self.at(bulge, to)} "
            f"{self.at(end, to)}"
        )
        return View(
            ends=route.ends,
            kind=route.kind,
            path=path,
            head=self.head((end, to), (-out, 0), head),
        )

    def head(self, base: tuple[float, float], way: tuple[int, int], length: float) -> str:
        if not length:
            return ""
        half = length * 0.42
        (a, c), (da, dc) = base, way
        one, other = (
            self.at(a - dc * half, c - da * half),
            self.at(a + dc * half, c + da * half),
        )
        return f"M{one}L{self.at(a + da * length, c + dc * length)}L{other}Z"

    def at(self, along: float, across: float) -> str:
        x, y = self.point(along, across)
        return f"{x:.1f} {y:.1f}"


def wrap_name(text: str, letters: int) -> tuple[str, ...]:
    """A name in at most two lines; what does not fit is cut, with a sign that it was.

    >>> wrap_name("household position", 14)
    ('household', 'position')
    >>> wrap_name("prev_residence_place", 18)
    ('prev_residence_', 'place')
    >>> wrap_name("abcdefghij" * 3, 12)
    ('abcdefghijab', 'cdefghijabc…')
    """
    if len(text) <= letters:
        return (text,)
    space = text.rfind(" ", 1, letters + 1)
    hinge = 1 + max(text.rfind(mark, 1, letters) for mark in "_-/.")
    end = space if space > 0 else hinge or letters
    first, rest = text[:end], text[end:].lstrip(" ")
    return first, rest if len(rest) <= letters else rest[: letters - 1] + "…"


def _box(
    node: Node, lines: tuple[str, ...], corner: tuple[float, float], size: tuple[float, float]
) -> View:
    caption = _CAPTIONS[node.role]
    many = len(lines) + bool(caption)
    first = corner[1] + size[1] / 2 - 8 * (many - 1) + 4.5
    return View(
        name=node.label,
        key=node.name,
        layer=node.column,
        lines=tuple((first + 16 * at, line) for at, line in enumerate(lines)),
        role=node.role,
        asked=node.asked,
        caption=caption,
        caption_y=first + 16 * len(lines),
        x=corner[0],
        y=corner[1],
        width=size[0],
        height=size[1],
    )
