"""Section 1: the causal graph in words and as a picture."""

from evenhand.evidence import Certificate
from evenhand.graph import PartialGraph
from evenhand.question import Knowledge
from evenhand.report.html_report import View
from evenhand.report.pictures.graph_picture import draw_narrow, draw_wide
from evenhand.report.pictures.graph_selection import select_for_drawing, select_without_question
from evenhand.verdict import StatisticalVerdict
from evenhand.wording import Strong, Text, Words, count, text

_KEY = {
    "direct": "the arrow in question: {protected} itself",
    "cause": "another cause of the decision: held equal",
    "held": "{protected} works through it",
    "after": "a consequence of the decision: never held equal",
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
    does = "does" if len(unsure) == 1 else "do"
    is_open = (f" Whether {words.columns(unsure)} {does} is open.",) if unsure else ()
    if certificate.question.predicts:
        return text(
            f"In the data the recorded {words.recorded} is caused by ",
            others,
            f", {words.protected} aside. The graph does not say how a model predicts it: "
            f"{words.decision} stands in its place.",
            *is_open,
        )
    if certificate.direct_arrow:
        itself = Strong(f"{words.protected} itself")
        by = (
            f"In this graph {words.decision} is caused by ",
            itself,
            ", by the thick arrow, and ",
        )
        return (*by, others, ".", *is_open)
    by_none = (
        f"In this graph no arrow leads from {words.protected} to {words.decision}, which is "
        "caused by "
    )
    return by_none, others, ".", *is_open


def causes(certificate: Certificate, words: Words) -> tuple[Text, ...]:
    """What the picture says, in words."""
    compared = (
        f"Comparing only people who are equal in what else causes {words.decision} closes "
        "every detour. "
    )
    if certificate.question.predicts:
        compared = "Compared are the predictions of people who are equal in these. "
    which = "What that is is open: every possible set was examined (section 5). "
    return (
        caused_by(certificate, words),
        f"{compared}{which * certificate.ambiguous}{_what_differs(certificate)}",
    )


def _what_differs(certificate: Certificate) -> str:
    if certificate.question.predicts:
        return (
            "What then still differs came through whatever else the model reads, the protected "
            "attribute included, or by chance (section 4)."
        )
    if certificate.direct_arrow:
        way = "came along the thick arrow, or by chance (section 4)."
    elif certificate.population.verdict is StatisticalVerdict.SHOWN:
        way = (
            "came by chance; chance does not explain it (section 4), so the graph is in doubt."
        )
    else:
        way = "came by chance (section 4)."
    return f"If the graph is right, what then still differs {way}"


def graph_figure(certificate: Certificate, knowledge: Knowledge, words: Words) -> View:
    """The graph, drawn for wide and for narrow pages; its key has the links that occur."""
    question = certificate.question
    sketch = select_for_drawing(certificate, knowledge, words.column)
    kinds = {kind for _, _, kind, _ in sketch.links}
    directed = {kind for _, _, kind, has_head in sketch.links if has_head}
    left_out = (
        f" {count(sketch.left_out, 'attribute')} without a part in the question "
        f"{'is' if sketch.left_out == 1 else 'are'} not drawn."
        if sketch.left_out
        else ""
    )
    order = ""
    if certificate.graph_origin.decision_last:
        order = f" No order of events was given: {words.decision} is taken to come last."
    elif sketch.headings:
        order = " They stand in the order of events that was given; no arrow points back in it."
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
    links = count(len(graph.arrows), "arrow")
    if graph.undirected:
        links += (
            f" and {count(len(graph.undirected), 'link')} of open direction, drawn without a "
            "head,"
        )
    return f"{links} among {count(len(graph.nodes), 'attribute')}."
