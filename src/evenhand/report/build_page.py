"""Results in, ``Page`` out: what each section says, collected from what is already known."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.evidence import Certificate, PartitionExplanation
from evenhand.evidence.bootstrap import Bootstrap
from evenhand.evidence.graph_doubt import GraphDoubt
from evenhand.question import Knowledge
from evenhand.question.question_file import Labels
from evenhand.releasing import Release
from evenhand.report import view
from evenhand.report.assumptions_section import of_graph, premises, taken_as_values
from evenhand.report.chance_section import chance
from evenhand.report.closing_sections import checking, small_print, unmeasured
from evenhand.report.differences_sections import differences, evidence
from evenhand.report.graph_picture import draw_narrow, draw_wide
from evenhand.report.graph_selection import Sketch, sketch
from evenhand.report.opening_section import example, lead, verdicts
from evenhand.report.partitions_section import comparisons
from evenhand.report.phrases import Words, count, listing, spaced
from evenhand.report.release_section import aligned, released
from evenhand.report.shown_groups import Sharing, cases
from evenhand.report.view import Strong, text
from evenhand.rows import Rows


class Audited(Protocol):
    """What a report needs of an audit."""

    @property
    def rows(self) -> Rows | None:
        """The rows, if they were read from somewhere."""

    @property
    def counts(self) -> CountTable:
        """Their counts."""

    @property
    def knowledge(self) -> Knowledge:
        """What was known before."""

    @property
    def certificate(self) -> Certificate:
        """The verdict with everything it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the reader wants: words, a partition, trials of the graph, sharing, title, date."""

    labels: Labels
    partition: PartitionExplanation | None
    doubt: GraphDoubt | None
    resampled: Bootstrap | None
    share: bool
    least_count: int
    title: str | None
    generated: str


def collect(audit: Audited, release: Release | None, asked: Asked) -> view.Page:
    """Collect the page."""
    certificate = audit.certificate
    labels = spaced(asked.labels, audit.counts.names)
    words = Words(question=certificate.question, labels=labels)
    sharing = Sharing(asked.share, asked.least_count, certificate.partition, aligned(release))
    drawn = cases(certificate, sharing)
    told = certificate.population
    source = _file_name(audit.rows)
    name = asked.title or source or "a table"
    plan = sketch(certificate, audit.knowledge, words.column)
    question = f"Does {words.protected} itself change {words.decision}?"
    copy = f"copy for others: counts under {asked.least_count} withheld"
    return view.Page(
        title=f"{certificate.verdict}: {question} | {name}",
        masthead=(
            name,
            asked.generated,
            copy if asked.share else "full report: small counts shown",
        ),
        question=question,
        lead=lead(certificate, words, sharing),
        verdicts=verdicts(certificate, drawn, told, words, sharing),
        example=example(drawn, words),
        causes=_causes(certificate, words),
        graph=_graph(certificate, plan, words),
        differences=differences(certificate, drawn, words, sharing),
        evidence=evidence(drawn, words, sharing),
        chance=chance(told, certificate.relaxed(), drawn, words, sharing),
        comparisons=comparisons(certificate, asked.partition, words, sharing),
        released=released(release, drawn, words, sharing),
        premises=(
            *of_graph(certificate, audit.knowledge, words, asked.doubt, asked.resampled),
            *taken_as_values(audit.counts, words, sharing),
            *premises(certificate, drawn, words, sharing),
        ),
        unmeasured=unmeasured(certificate, words, sharing),
        checking=checking(certificate, drawn, source, words, sharing),
        small_print=small_print(certificate, words, sharing, asked.generated),
    )


def _file_name(rows: Rows | None) -> str | None:
    """The name of the one file that was read, if it was one; folders are nobody's business."""
    if rows is None or len(rows.sources) != 1 or rows.sources[0].kind == "frame":
        return None
    return PurePath(rows.sources[0].where).name


def _causes(certificate: Certificate, words: Words) -> tuple[view.Text, ...]:
    """What the picture says, in words."""
    causes = certificate.decision_causes
    others = Strong(words.columns(causes) if causes else "nothing else")
    said: view.Text = (
        text(
            f"In this graph {words.decision} is caused by ",
            Strong(f"{words.protected} itself"),
            ", by the thick arrow, and ",
            others,
            ".",
        )
        if certificate.direct_arrow
        else text(
            f"In this graph no arrow leads from {words.protected} to {words.decision}, which "
            "is caused by ",
            others,
            ".",
        )
    )
    possible = sorted(
        {n for names in certificate.possible_decision_causes for n in names} - set(causes)
    )
    if possible:
        does = "does" if len(possible) == 1 else "do"
        said += text(f" Whether {listing(map(words.column, possible))} {does} is open.")
    return (
        said,
        text(
            f"Comparing only people who are equal in what else causes {words.decision} "
            "closes every detour. "
            + (
                "If the graph is right, what then still differs can only have come along the "
                "thick arrow."
                if certificate.direct_arrow
                else "If the graph is right, nothing but chance can make them differ then."
            ),
        ),
    )


def _graph(certificate: Certificate, plan: Sketch, words: Words) -> view.GraphFigure:
    graph, question = certificate.graph, certificate.question
    kinds = {kind for _, _, kind, _ in plan.links}
    key = (
        ("direct", f"the arrow in question: {words.protected} itself"),
        ("cause", "another cause of the decision: held equal"),
        ("held", f"{words.protected} works through it"),
        ("after", "a consequence of the decision: never held equal"),
        ("rest", "other arrows"),
    )
    left_out = (
        f" {count(plan.left_out, 'attribute')} without a part in the question "
        f"{'is' if plan.left_out == 1 else 'are'} not drawn."
        if plan.left_out
        else ""
    )
    order = (
        " They stand in the order of events that was given; no arrow points back in it."
        if plan.headings
        else ""
    )
    links = count(len(graph.arrows), "arrow")
    if graph.undirected:
        links += (
            f" and {count(len(graph.undirected), 'link')} of open direction, drawn without a "
            "head,"
        )
    arrows = [
        f"{words.column(a)} → {words.column(b)}"
        for a, b in sorted(graph.arrows)
        if question.decision in (a, b)
    ]
    return view.GraphFigure(
        subtitle=f"{links} among {count(len(graph.nodes), 'attribute')}.{order}{left_out}",
        told=f"Causal graph. At the decision: {'; '.join(arrows) or 'no arrows'}.",
        wide=draw_wide(plan),
        narrow=draw_narrow(plan),
        key=tuple((kind, text) for kind, text in key if kind in kinds),
    )
