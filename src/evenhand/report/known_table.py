"""The table of measures that people know, each with what it does not see; in section 5."""

from evenhand.evidence import Certificate
from evenhand.evidence.known_measures import ComparedPair, known_measures
from evenhand.question.labels import state_before
from evenhand.report.html_report import View
from evenhand.wording import Words


def known_table(certificate: Certificate, released: Certificate | None, words: Words) -> View:
    """The measures of the rows as recorded and, if there is a release, as released."""
    pair = ComparedPair.of(certificate.partition)
    both = [one for one in (certificate, released) if one is not None]
    measured = [
        known_measures(
            one.examined, one.graph.nodes, causes=certificate.partition.names, pair=pair
        ).measures
        for one in both
    ]
    before = f"As {state_before(words.question)}"
    heads = (before, "As released") if released is not None else ("Value",)
    return View(
        title="Measures that people know",
        subtitle=_subtitle(pair, words),
        heads=heads,
        rows=tuple(
            View(
                name=values[0].kind.name,
                formula=values[0].kind.formula,
                values=tuple(zip(heads, (one.sentence for one in values), strict=True)),
                unseen=values[0].kind.unseen,
            )
            for values in zip(*measured, strict=True)
        ),
    )


def _subtitle(pair: ComparedPair, words: Words) -> str:
    group, other = words.group_name(pair.group), words.group_name(pair.other)
    chosen = f" (of {pair.pairs:,} comparisons the clearest)" if pair.pairs > 1 else ""
    return (
        f"Group: {group}; other: {other}{chosen}. Rate: the share of those who "
        f"{words.did_by(pair.decision)}. q: people alike in the causes of the decision. These "
        "measures answer other questions than this report does, and decide nothing in it."
    )
