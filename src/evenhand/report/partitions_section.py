"""Section 5: which comparisons of people mean anything, and what each of them shows."""

from evenhand.evidence import Certificate, Partition, PartitionExplanation
from evenhand.evidence.partition_explanation import are_meaningful, explain_everybody
from evenhand.report.html_report import View
from evenhand.wording import Words, count
from evenhand.wording.premises import what_is_seen

_MOST_ROWS = 20


def comparisons(
    certificate: Certificate, requested: PartitionExplanation | None, words: Words
) -> View:
    """The decision causes, other block sets checked, everybody, and what was asked."""
    partitions, least = certificate.partitions, certificate.min_coverage
    causes = len(certificate.causes)
    role = "decides the verdict" if causes == 1 else "possible causes of the decision"
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
                verdict = f"nothing about {what_is_seen(words)}"
            row = _row(explained.partition, origin, words, _reasons(explained))
            rows.append(row.but(meaningful=meaningful, verdict=verdict))
    examined = f"{count(len(partitions), 'was', 'were')} examined"
    more = "" if certificate.complete else "; not all that were asked for"
    return View(
        lead=f"Of the comparisons that hold every other route equal {examined}{more}.",
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
    return View(
        alike=words.same(partition.names),
        origin=origin,
        reasons=reasons,
        reached=f"{partition.violating:,} of {int(partition.measured.sum()):,}",
        span=("" if words.has_sides or not ends else "up to ") + span or "none",
    )


def _reasons(explained: PartitionExplanation) -> tuple[str, ...]:
    """Why it misleads, and what would mend it; or the open edges on which that depends."""
    if explained.is_meaningful is None:
        edges = " or ".join(f"{a} – {b}" for a, b in explained.deciding_edges)
        return (f"depends on the direction of {edges}",)
    return () if explained.is_meaningful else tuple(map(str, explained.check.summary().notes))
