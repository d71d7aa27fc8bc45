"""Which comparisons of people are valid, what each shows, and measures that people know."""

from evenhand.evidence import Certificate, Partition, PartitionExplanation
from evenhand.evidence.known_measures import ComparedPair, known_measures
from evenhand.evidence.partition_explanation import are_meaningful, explain_everybody
from evenhand.evidence.subpopulations import p_value
from evenhand.question.display_labels import state_before
from evenhand.report.rendering import View
from evenhand.wording import Words, count
from evenhand.wording.premises import what_is_seen

_MOST_ROWS = 20


def comparisons(
    certificate: Certificate, requested: PartitionExplanation | None, words: Words
) -> View:
    """The decision causes, other block sets checked, everybody, and what was asked."""
    partitions, least = certificate.partitions, certificate.min_coverage
    causes = len(certificate.causes)
    role = "decides the verdict" if causes == 1 else "possible causes"
    rows = [
        _row(one, role if at < causes else "also checked", words).but(
            meaningful=meaningful, verdict=str(one.verdict(least))
        )
        for at, (one, meaningful) in enumerate(
            zip(partitions[:_MOST_ROWS], are_meaningful(certificate), strict=False)
        )
    ]
    for explained, origin in ((explain_everybody(certificate), ""), (requested, "asked for")):
        if explained is not None:
            meaningful = explained.is_meaningful
            verdict = str(explained.partition.verdict(least))
            if meaningful is False:
                verdict = f"says nothing about {what_is_seen(words)}"
            row = _row(explained.partition, origin, words, _reasons(explained))
            rows.append(row.but(meaningful=meaningful, verdict=verdict))
    examined = count(len(partitions), "valid adjustment set is", "valid adjustment sets are")
    more = "" if certificate.complete else "; not all that were asked for"
    return View(
        lead=f"{examined} compared here{more}. A valid set, or block set, blocks every path "
        "from the protected attribute to the decision but the direct one, and contains no "
        "consequence of the decision.",
        rows=rows,
        reached=f"Groups at or beyond {words.threshold_points}",
        more=max(len(partitions) - _MOST_ROWS, 0),
    )


def _row(
    partition: Partition, origin: str, words: Words, reasons: tuple[str, ...] = ()
) -> View:
    """Who is compared, how many groups reach the threshold, and the range of differences."""
    ends = partition.extremes
    if not words.has_sides:
        ends = tuple(max(map(abs, ends)) for _ in ends[:1])
    span = " to ".join(dict.fromkeys(map(words.points, ends)))
    chance = partition.by_chance
    return View(
        alike=words.same(partition.names),
        origin=origin,
        reasons=reasons,
        reached=f"{partition.violating:,} of {int(partition.measured.sum()):,}",
        expected=f"{chance.text()}; p {p_value(chance.p)}" if chance else "",
        span=("" if words.has_sides or not ends else "up to ") + span or "none",
    )


def _reasons(explained: PartitionExplanation) -> tuple[str, ...]:
    """Why it misleads, and what would mend it; or the open edges on which that depends."""
    if explained.is_meaningful is None:
        edges = " or ".join(f"{a} – {b}" for a, b in explained.deciding_edges)
        return (f"depends on the direction of {edges}",)
    return () if explained.is_meaningful else tuple(map(str, explained.check.summary().notes))


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
        title="Well-known measures",
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
        f"In the formulas, group is {group}, other is {other}{chosen}, a rate is the share "
        f"who {words.did_by(pair.decision)}, and q are people alike in the causes of the "
        "decision. These measures answer other questions and decide nothing here."
    )
