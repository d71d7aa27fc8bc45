"""Pages about the paper's admissions examples with their text, and sketches of graphs."""

import re
from html import unescape

import evenhand as eh
from evenhand.report import report
from evenhand.report.pictures.graph_picture import select_for_drawing

QUESTION = eh.datasets.question("admissions")
GRAPH = eh.CausalGraph.parse(
    "gender -> major -> admission; test_score -> admission; gender -> admission"
)


def page_text(html):
    """The text of a page."""
    body = html[html.index("</style>") :]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", body)))


def _luminance(color):
    """Relative luminance as WCAG 2 defines it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(*colors):
    """The contrast of two colors as WCAG 2 defines it."""
    low, high = sorted(map(_luminance, colors))
    return (high + 0.05) / (low + 0.05)


def admissions_audit(example=2, graph=GRAPH, **options):
    return eh.audit(eh.datasets.admissions(example), QUESTION.question, graph=graph, **options)


def report_text(counts, graph=GRAPH, **options):
    """The text of the page about these counts."""
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    return page_text(report(audit, labels=QUESTION.labels, generated="today", **options).html)


def one_sided():
    columns = {
        "gender": ["female", "female", "male", "male"],
        "town": ["A", "A", "B", "B"],
        "admission": ["admitted", "rejected"] * 2,
    }
    return eh.CountTable.of(columns, [10, 20, 30, 40]), eh.CausalGraph.parse(
        "town -> admission; gender -> admission; gender -> town"
    )


def shown_on_average():
    """Twenty towns, 24 of 60 women and 31 of 60 men admitted in each: too few in any one."""
    towns = [f"town {number:02}" for number in range(20) for _ in range(4)]
    columns = {
        "gender": ["female", "female", "male", "male"] * 20,
        "town": towns,
        "admission": ["admitted", "rejected"] * 40,
    }
    return eh.CountTable.of(columns, [24, 36, 31, 29] * 20), eh.CausalGraph.parse(
        "town -> admission; gender -> admission"
    )


CASES = {
    "not certified": (eh.datasets.admissions(2), GRAPH),
    "certified": (eh.datasets.admissions(1), GRAPH),
    "nothing comparable": one_sided(),
    "no causes": (
        eh.datasets.admissions(1),
        eh.CausalGraph(
            ("gender", "admission", "major", "test_score"), frozenset({("gender", "admission")})
        ),
    ),
    "open edge": (
        eh.datasets.admissions(2),
        eh.PartialGraph.parse("gender -> admission; gender -> major; major - admission"),
    ),
    "no direct arrow": (
        eh.datasets.admissions(1),
        eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission"),
    ),
}


def sketch(arrows, tiers=None, *, undirected=()):
    """What is drawn of a graph whose protected attribute is c and whose decision is e."""
    names = sorted({name for pair in (*arrows, *undirected) for name in pair})
    columns = {name: ["0", "0", "1", "1"] for name in names} | {"e": ["0", "1", "0", "1"]}
    graph = eh.PartialGraph(tuple(names), frozenset(arrows), frozenset(undirected))
    asked = eh.Question(protected="c", group="0", decision="e", favorable="0")
    certificate = eh.certify(eh.CountTable.of(columns, [20, 20, 20, 20]), graph, asked)
    return select_for_drawing(certificate, eh.Knowledge(tiers=tiers), str)
