"""Pictures of single results for notebooks, drawn by the charts and templates of the report.

A notebook has a page of its own, light or dark: the pictures take its text colour, and what
has a colour of its own can be seen on both. There is no script and no request.
"""

from dataclasses import replace
from functools import singledispatch

import numpy as np
from markupsafe import Markup

from evenhand.evidence import Certificate
from evenhand.graph.mixed_graph import MixedGraph
from evenhand.question import Knowledge
from evenhand.question.question_file import Labels
from evenhand.releasing import Release
from evenhand.report.charts import case_spots, funnel
from evenhand.report.differences_sections import FEW, MARKS_KEY, plot_of_few
from evenhand.report.graph_section import graph_figure, whole_graph_figure
from evenhand.report.html_report import environment, style_sheet
from evenhand.report.path_words import claim_words
from evenhand.report.phrases import Words
from evenhand.report.picture_types import Waterfall
from evenhand.report.release_facts import same_lines
from evenhand.report.release_section import histograms, shifts
from evenhand.report.shown_groups import select_cases
from evenhand.report.template_types import NotebookFigures
from evenhand.report.waterfall import Measured, waterfalls
from evenhand.report.who_against_whom import who_against_whom

# More dots than these are hard to tell apart, and a notebook keeps every output.
MOST_DOTS = 150


@singledispatch
def figures(result: object) -> str:
    """The pictures of a result as an HTML fragment: a graph, a certificate or a release."""
    raise TypeError(f"There are no pictures of a {type(result).__name__}.")


@figures.register
def _(result: MixedGraph) -> str:
    return _render(NotebookFigures(graph=whole_graph_figure(result)))


@figures.register
def _(result: Certificate) -> str:
    words = _words(result)
    shown = replace(_differences(result, words), waterfalls=_waterfalls(result, words))
    return _render(shown)


@figures.register
def _(result: Release) -> str:
    before, after = result.before, result.certificate
    words = _words(before)
    cases = select_cases(before)
    if not cases:
        return _render(NotebookFigures())
    if len(cases) <= FEW and same_lines(before.partition, after.partition):
        changes = result.plan.changed_decisions is not None
        plot = shifts(before, after, cases, words, tells_changes=changes)
        return _render(NotebookFigures(shifts=plot))
    return _render(NotebookFigures(histograms=histograms(before, after, words)))


def audit_figures(certificate: Certificate, knowledge: Knowledge, labels: Labels) -> str:
    """The graph with what is held equal, and the differences, in the words of the labels."""
    words = _words(certificate, labels)
    graph = graph_figure(certificate, knowledge, words)
    shown = replace(_differences(certificate, words), graph=graph)
    return _render(replace(shown, waterfalls=_waterfalls(certificate, words)))


def _differences(certificate: Certificate, words: Words) -> NotebookFigures:
    """Few groups by name with intervals, many as dots by size; none if none is measured."""
    cases = select_cases(certificate)
    if not cases:
        return NotebookFigures()
    alike = f"alike in {words.columns(names)}" if (names := certificate.partition.names) else ""
    title = f"Differences among people {alike}".rstrip()
    if certificate.is_sample and len(cases) <= FEW:
        plot = plot_of_few(certificate, cases, words)
        subtitle = "With 95% intervals. Evidence first, least likely to be chance first."
        plot = replace(plot, title=title, subtitle=subtitle, rates="")
        return NotebookFigures(who=who_against_whom(certificate, words), plot=plot)
    key, dots = dict(MARKS_KEY), [*cases.most_notable(MOST_DOTS)]
    if not certificate.is_sample:
        # Chance did not make these rows: nothing is shown of a population.
        dots = [replace(case, shown=False) for case in dots]
        key["hollow"] = "at or beyond it"
    total = int(np.count_nonzero(certificate.partition.measured))
    what = "comparable groups"
    chart = funnel(case_spots(dots), words, total=total, what=what, **key)
    return NotebookFigures(
        who=who_against_whom(certificate, words),
        funnel=replace(
            chart, title=title, dots=tuple(replace(dot, id="") for dot in chart.dots)
        ),
    )


def _waterfalls(certificate: Certificate, words: Words) -> tuple[Waterfall, ...]:
    """The effects through chosen attributes in both directions, if they were measured."""
    measured = Measured.of(certificate)
    if measured is None:
        return ()
    (both,) = waterfalls([measured], claim_words(measured.indirect, words))
    return both


def _words(certificate: Certificate, labels: Labels | None = None) -> Words:
    return Words.of(certificate, labels, certificate.examined.counts.names)


def _render(shown: NotebookFigures) -> str:
    if shown == NotebookFigures():
        return ""
    style = style_sheet(
        "pictures.css",
        "notebook.css",
        *["against.css"] * bool(shown.who),
        *["paths.css"] * bool(shown.waterfalls),
    )
    template = environment().get_template("notebook.html.j2")
    return template.render(figures=shown, style=Markup(style))  # noqa: S704  # ours
