"""What of a causal graph is drawn: which attributes, in which columns, with which links."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from evenhand.display import visible
from evenhand.evidence.certificate import Certificate
from evenhand.graph import PartialGraph
from evenhand.question import Knowledge, KnownOrder, Question

# Above so many attributes only those that matter for the question are drawn.
MOST_BOXES = 15
# Of a graph without a question at most so many attributes and links.
_MOST_ATTRIBUTES = 40
_MOST_LINKS = 80


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
