"""Pictures of single results for notebooks, drawn by the charts and templates of the report.

A notebook has a page of its own, light or dark: the pictures take its text colour, and what
has a colour of its own can be seen on both. There is no script and no request.
"""

from functools import singledispatch
from typing import Any

from markupsafe import Markup

from evenhand.display import Summary
from evenhand.evidence import Certificate
from evenhand.graph import PartialGraph
from evenhand.question.display_labels import Labels
from evenhand.releasing import Release
from evenhand.report.differences import is_few, plot_of_few
from evenhand.report.effects_section import Measured, waterfalls
from evenhand.report.graph_section import graph_figure, whole_graph_figure
from evenhand.report.pictures.charts import funnel, histograms
from evenhand.report.pictures.group_pairs import who_against_whom
from evenhand.report.release_section import shifts
from evenhand.report.rendering import environment, style_sheet
from evenhand.wording import Words
from evenhand.wording.answer_words import answer_statements
from evenhand.wording.effect_words import claim_words
from evenhand.wording.premises import Audited

# More dots than these are hard to tell apart, and a notebook keeps every output.
MOST_DOTS = 150


@singledispatch
def figures(result: object) -> str:
    """The pictures of a result as an HTML fragment: a graph, a certificate or a release."""
    raise TypeError(f"There are no pictures of a {type(result).__name__}.")


@figures.register
def _(result: PartialGraph) -> str:
    return _render(graph=whole_graph_figure(result))


@figures.register
def _(result: Certificate) -> str:
    return _render(**_pictures(result, Words.of(result)))


@figures.register
def _(result: Release) -> str:
    before, after = result.before, result.certificate
    words = Words.of(before)
    if not before.partition.measured.any():
        return ""
    if drawn := shifts(before, after, words):
        return _render(shifts=drawn)
    return _render(histograms=histograms(before, after, words))


def audit_view(audit: Audited, labels: Labels) -> str:
    """The answer, and the graph and the differences that it is about, as an HTML fragment."""
    words = Words.of(audit.certificate, labels)
    said = answer_statements(audit.answer, words)
    graph = graph_figure(audit.certificate, audit.knowledge, words)
    return Summary(
        title=str(said.word),
        sentence=said.sentence,
        besides=said.lines,
        hint="audit.certificate has the numbers; "
        'audit.report().write("report.html") writes the whole page.',
    ).html(_render(graph=graph, **_pictures(audit.certificate, words)))


def _pictures(certificate: Certificate, words: Words) -> dict[str, Any]:
    """Few groups by name with intervals, many as dots by size; effects, if they were measured.

    There is no picture of groups where none is measured.
    """
    partition, shown = certificate.partition, dict[str, Any]()
    if measured := Measured.of(certificate):
        (shown["waterfalls"],) = waterfalls([measured], claim_words(measured.indirect, words))
    if not partition.measured.any():
        return shown
    shown["who"] = who_against_whom(certificate, words)
    alike = f"alike in {words.columns(partition.names)}" if partition.names else ""
    title = f"Differences among people {alike}".rstrip()
    # Chance did not make rows that were changed: nothing is shown of a population.
    sampled, leads = certificate.is_sample, partition.lead[partition.measured]
    if sampled and is_few(certificate):
        subtitle = "With 95% intervals; what is least likely to be chance comes first."
        plot = plot_of_few(certificate, words)
        return shown | {"plot": plot.but(title=title, subtitle=subtitle, rates="")}
    chart = funnel(partition, leads, words, most=MOST_DOTS, shows=sampled, title=title)
    return shown | {"funnel": chart}


def _render(**shown: Any) -> str:  # noqa: ANN401  # views of several kinds
    if not any(shown.values()):
        return ""
    style = style_sheet(
        "pictures.css",
        "notebook.css",
        *["against.css"] * bool(shown.get("who")),
        *["paths.css"] * bool(shown.get("waterfalls")),
    )
    template = environment().get_template("notebook.html.j2")
    return template.render(figures=shown, style=Markup(style))  # noqa: S704  # ours
