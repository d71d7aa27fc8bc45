"""Section 5: which comparisons of people mean anything, and what each of them shows."""

from collections.abc import Callable
from fractions import Fraction
from itertools import islice, pairwise

from evenhand.errors import GraphError
from evenhand.evidence import Certificate, Partition, PartitionExplanation, explain_partition
from evenhand.graph import PartialGraph
from evenhand.report import view
from evenhand.report.phrases import Words, count
from evenhand.report.shown_groups import Sharing
from evenhand.report.view import Strong, text

_MOST_SETS = 1000
_MOST_ROWS = 8


def comparisons(
    certificate: Certificate,
    asked: PartitionExplanation | None,
    words: Words,
    sharing: Sharing,
) -> view.Comparisons:
    """The decision causes, other block sets checked, everybody, and what was asked."""
    everybody = _everybody(certificate)
    checked = [
        _row(partition, words, sharing, origin=origin, certificate=certificate)
        for partition, origin in _examined(certificate)
    ]
    told = [
        _explained(found, words, sharing, origin, certificate)
        for found, origin in ((everybody, ""), (asked, "asked for"))
        if found is not None
    ]
    return view.Comparisons(
        lead=_lead(certificate, words),
        rows=(*checked, *told),
        reached=f"Groups at or beyond {words.threshold_points}",
        after=(
            *_more(certificate),
            *_gap(certificate, everybody, words, sharing),
            *_asked(asked, words),
        ),
    )


def _examined(certificate: Certificate) -> list[tuple[Partition, str]]:
    causes = len(certificate.causes)
    role = "decides the verdict" if causes == 1 else "possible causes of the decision"
    return [
        (partition, role if at < causes else "also checked")
        for at, partition in enumerate(certificate.partitions[:_MOST_ROWS])
    ]


def _row(
    partition: Partition,
    words: Words,
    sharing: Sharing,
    *,
    origin: str,
    certificate: Certificate,
) -> view.Comparison:
    own = partition is certificate.partition
    return view.Comparison(
        alike=_alike(partition, words),
        origin=origin,
        meaningful=True,
        reasons=(),
        verdict=str(partition.verdict(certificate.min_coverage)),
        **_numbers(partition, words, hidden=sharing.share and not (own and sharing.whole)),
    )


def _explained(
    found: PartitionExplanation,
    words: Words,
    sharing: Sharing,
    origin: str,
    certificate: Certificate,
) -> view.Comparison:
    return view.Comparison(
        alike=_alike(found.partition, words),
        origin=origin,
        meaningful=found.is_meaningful,
        reasons=_reasons(found, words, certificate),
        verdict=str(found.partition.verdict(certificate.min_coverage))
        if found.is_meaningful
        else "says nothing",
        **_numbers(found.partition, words, hidden=sharing.share),
    )


def _numbers(partition: Partition, words: Words, *, hidden: bool) -> dict[str, str]:
    """How many groups reach the threshold, and the range of differences."""
    if hidden:
        return {"reached": "withheld", "span": "withheld"}
    measured = int(partition.measured.sum())
    shown = dict.fromkeys(map(words.points, _extremes(partition)))
    return {
        "reached": f"{partition.violating:,} of {measured:,}",
        "span": " to ".join(shown) or "none",
    }


def _extremes(partition: Partition) -> list[Fraction]:
    """The smallest and the largest difference, exact."""
    lines = partition.measured.nonzero()[0]
    if not len(lines):
        return []
    drawn = partition.statistics.difference
    ends = (
        partition.risk_difference(int(lines[at])) for at in (drawn.argmin(), drawn.argmax())
    )
    return [end for end in ends if end is not None]


def _alike(partition: Partition, words: Words) -> str:
    return f"Same {words.columns(partition.names)}" if partition.names else "Everybody at once"


def _everybody(certificate: Certificate) -> PartitionExplanation | None:
    """People compared with nothing held equal, unless just that decides."""
    if not certificate.partition.names:
        return None
    return _try(
        lambda: explain_partition(
            certificate.examined.counts, certificate.graph, certificate.question, []
        )
    )


def _try(explain: Callable[[], PartitionExplanation]) -> PartitionExplanation | None:
    """An explanation, or None where the graph's open edges cannot all be directed."""
    try:
        return explain()
    except GraphError:
        return None


def _lead(certificate: Certificate, words: Words) -> view.Text:
    free = len(certificate.graph.nodes) - 2
    found = _block_sets(certificate)
    if found is None or free < 1:
        return text(
            "A comparison is meaningful if it holds equal every other route from "
            f"{words.protected} to {words.decision}, and nothing that the decision brought "
            "about.",
        )
    many = f"more than {_MOST_SETS:,}" if found > _MOST_SETS else f"{found:,}"
    ways = f"{2**free:,}" if free < 40 else f"2 to the power of {free}"
    return text(
        f"The {count(free, 'other attribute')} can be combined in {ways} ways. In this graph ",
        Strong(f"{many} of them {'compares' if found == 1 else 'compare'} like with like"),
        f". {_scope(certificate)}",
    )


def _scope(certificate: Certificate) -> str:
    examined = f"{count(len(certificate.partitions), 'was', 'were')} examined"
    if certificate.scope == "causes":
        return (
            "Only the causes of the decision were held equal here: in rows that follow the "
            "graph exactly no other of them differs by more, but in finite data one can "
            "(the scope 'all' examines them)."
        )
    if certificate.complete:
        which = "minimal ones" if certificate.scope == "minimal" else "all of them"
        return f"{examined}: the causes of the decision, and {which}."
    return f"{examined}; not all that were asked for."


def _block_sets(certificate: Certificate) -> int | None:
    graph = certificate.graph
    try:
        whole = graph.to_dag() if isinstance(graph, PartialGraph) else graph
    except GraphError:
        return None
    return sum(1 for _ in islice(whole.block_sets(certificate.question), _MOST_SETS + 1))


def _more(certificate: Certificate) -> tuple[view.Text, ...]:
    rest = certificate.partitions[_MOST_ROWS:]
    if not rest:
        return ()
    verdicts = [str(partition.verdict(certificate.min_coverage)) for partition in rest]
    told = ", ".join(f"{verdicts.count(one):,} {one}" for one in dict.fromkeys(verdicts))
    return (text(f"{len(rest):,} further meaningful comparisons were checked: {told}."),)


def _gap(
    certificate: Certificate,
    everybody: PartitionExplanation | None,
    words: Words,
    sharing: Sharing,
) -> tuple[view.Text, ...]:
    """Why the choice matters: the plain gap beside the average among people alike."""
    moments = certificate.relaxed().moments
    if everybody is None or moments is None or sharing.share or everybody.is_meaningful:
        return ()
    plain = everybody.partition.risk_difference(0)
    if plain is None:
        return ()
    return (
        text(
            "Why the choice matters: over everybody the difference is ",
            Strong(f"{words.points(plain)} points"),
            f" ({words.higher(plain)}). Among people alike in "
            f"{words.columns(certificate.partition.names)} it is "
            f"{words.points(moments.mean)} points on average. What lies between the two came "
            "with other attributes, and says nothing about a direct effect.",
        ),
    )


def _asked(asked: PartitionExplanation | None, words: Words) -> tuple[view.Text, ...]:
    if asked is None:
        return (text("No further comparison was asked about."),)
    names = words.columns(asked.partition.names)
    if asked.is_meaningful:
        return (
            text(
                f"The comparison that was asked for, by {names}, is meaningful: what it "
                "shows is evidence.",
            ),
        )
    return (
        text(
            f"The comparison that was asked for, by {names}, is misleading: what it shows, "
            "or does not show, is no evidence of anything.",
        ),
    )


def _reasons(
    found: PartitionExplanation, words: Words, certificate: Certificate
) -> tuple[str, ...]:
    """Why it misleads, and what would mend it."""
    check = found.check
    said = (
        [f"leaves open {_path(check.open_path, words, certificate)}"] if check.open_path else []
    )
    said += [
        f"{words.column(name)} is a consequence of {words.decision}"
        for name in check.consequences
    ]
    mend = [f"hold {words.columns(check.missing)} equal"] if check.missing else []
    mend += [f"leave out {words.columns(check.consequences)}"] if check.consequences else []
    return (*said, *([f"to mend it, {' and '.join(mend)}"] if mend else []))


def _path(path: tuple[str, ...], words: Words, certificate: Certificate) -> str:
    arrows = certificate.graph.arrows
    drawn = words.column(path[0])
    for a, b in pairwise(path):
        sign = "→" if (a, b) in arrows else "←" if (b, a) in arrows else "–"
        drawn += f" {sign} {words.column(b)}"
    return drawn
