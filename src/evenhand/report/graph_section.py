"""The causal graph in words and as a picture."""

from evenhand.evidence import Certificate
from evenhand.graph import PartialGraph
from evenhand.question import Knowledge
from evenhand.report.pictures.graph_picture import (
    draw_narrow,
    draw_wide,
    select_for_drawing,
    select_without_question,
)
from evenhand.report.rendering import View
from evenhand.verdict import StatisticalVerdict
from evenhand.wording import Strong, Text, Words, count, text

_KEY = {
    "direct": "the arrow in question",
    "cause": "another cause: held equal",
    "held": "{protected} acts through it",
    "after": "a consequence: never held equal",
    "rest": "other links",
    "asked": "effects through it are asked about",
}
_PREDICTION_KEY = {
    "cause": "another cause of the recorded decision: held equal",
    "after": "a consequence of the recorded decision: never held equal",
}


def caused_by(certificate: Certificate, words: Words) -> tuple[str, ...]:
    """What causes the decision, by the graph."""
    certain = certificate.decision_causes
    others = Strong(words.columns(certain) if certain else "nothing else")
    possible = {name for names in certificate.possible_decision_causes for name in names}
    unsure = sorted(possible - {*certain})
    verb = "causes" if len(unsure) == 1 else "cause"
    is_open = (f" Whether {words.columns(unsure)} also {verb} it is open.",) if unsure else ()
    if certificate.question.predicts:
        return text(
            f"The recorded {words.recorded} is caused by ",
            others,
            f", {words.protected} aside. {words.decision} takes its place here.",
            *is_open,
        )
    if certificate.direct_arrow:
        itself = Strong(f"{words.protected} itself")
        by = (f"In this graph {words.decision} is caused by ", itself, " (thick arrow) and ")
        return (*by, others, ".", *is_open)
    by_none = (
        f"In this graph no arrow leads from {words.protected} to {words.decision}, which is "
        "caused by "
    )
    return by_none, others, ".", *is_open


def causes(certificate: Certificate, words: Words) -> tuple[Text, ...]:
    """What the picture says, in words."""
    compared = (
        "Comparing only people alike in the other causes leaves only the direct path open. "
    )
    if certificate.question.predicts:
        compared = "The predictions of people alike in these are compared. "
    return (caused_by(certificate, words), compared + _what_differs(certificate))


def _what_differs(certificate: Certificate) -> str:
    if certificate.question.predicts:
        return (
            "Any remaining difference is due to whatever else the model reads, the protected "
            "attribute included, or to chance."
        )
    if certificate.direct_arrow:
        way = "the thick arrow or to chance."
    elif certificate.population.verdict is StatisticalVerdict.SHOWN:
        way = "chance; but chance does not explain it, so the graph is in doubt."
    else:
        way = "chance."
    return f"If the graph is right, any remaining difference is due to {way}"


def graph_figure(certificate: Certificate, knowledge: Knowledge, words: Words) -> View:
    """The graph, drawn for wide and for narrow pages; its key has the links that occur."""
    question = certificate.question
    sketch = select_for_drawing(certificate, knowledge, words.column)
    kinds = {kind for _, _, kind, _ in sketch.links}
    directed = {kind for _, _, kind, has_head in sketch.links if has_head}
    left_out = (
        f" {count(sketch.left_out, 'unrelated attribute')} not drawn."
        if sketch.left_out
        else ""
    )
    order = ""
    if certificate.graph_origin.decision_last:
        order = f" No order was given: {words.decision} is taken to come last."
    elif sketch.headings:
        order = " From left to right, attributes follow the given order."
    arrows = [
        f"{words.column(a)} → {words.column(b)}"
        for a, b in sorted(certificate.graph.arrows)
        if question.decision in (a, b)
    ]
    return View(
        subtitle=f"{_size(certificate.graph)}{order}{left_out}",
        description=f"Causal graph. At the decision: {'; '.join(arrows) or 'no arrows'}.",
        wide=draw_wide(sketch),
        narrow=draw_narrow(sketch),
        key=tuple(
            (kind, meaning.replace("{protected}", words.protected), kind in directed)
            for kind, meaning in (_KEY | _PREDICTION_KEY if question.predicts else _KEY).items()
            if kind in kinds or (kind == "asked" and any(node.asked for node in sketch.nodes))
        ),
    )


def whole_graph_figure(graph: PartialGraph) -> View:
    """A graph without a question: no attribute has a part in it, so there is no key."""
    sketch = select_without_question(graph)
    left_out = (
        f" The {len(sketch.nodes)} attributes with the most links are drawn."
        if sketch.left_out
        else ""
    )
    return View(
        subtitle=f"{_size(graph)}{left_out}",
        description=f"Causal graph: {_size(graph)}",
        wide=draw_wide(sketch),
        narrow=None,
        key=(),
    )


def _size(graph: PartialGraph) -> str:
    """How many links and attributes there are."""
    nodes, links = count(len(graph.nodes), "attribute"), count(len(graph.arrows), "arrow")
    if not graph.undirected:
        return f"The graph has {nodes} and {links}."
    return (
        f"The graph has {nodes}, {links} and {count(len(graph.undirected), 'link')} of open "
        "direction, drawn without a head."
    )
