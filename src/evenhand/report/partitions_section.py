"""Section 5: which comparisons of people mean anything, and what each of them shows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from evenhand.evidence import (
    Certificate,
    Partition,
    PartitionExplanation,
    PartitionSurvey,
    Verdict,
    survey_partitions,
)
from evenhand.evidence.partition_explanation import MOST_BLOCK_SETS
from evenhand.report.html_report import View
from evenhand.wording import Strong, Text, Words, count, text
from evenhand.wording.premises import what_is_seen

_MOST_ROWS = 8


def comparisons(
    certificate: Certificate,
    requested: PartitionExplanation | None,
    words: Words,
) -> View:
    """The decision causes, other block sets checked, everybody, and what was asked."""
    survey = survey_partitions(certificate)
    explained = ((survey.everybody, ""), (requested, "asked for"))
    return View(
        lead=_lead(certificate, survey, words),
        rows=(
            *_examined(certificate, survey, words),
            *(
                _explained(certificate, explanation, origin, words)
                for explanation, origin in explained
                if explanation is not None
            ),
        ),
        reached=f"Groups at or beyond {words.threshold_points}",
        after=(
            *_more([one.verdict for one in survey.examined[_MOST_ROWS:]]),
            *_gap(certificate, survey.everybody, words),
            *_requested(requested, words),
        ),
    )


def _examined(
    certificate: Certificate, survey: PartitionSurvey, words: Words
) -> Iterator[View]:
    """The decision causes and the other block sets that were checked."""
    causes = len(certificate.causes)
    role = "decides the verdict" if causes == 1 else "possible causes of the decision"
    for place, examined in enumerate(survey.examined[:_MOST_ROWS]):
        partition = examined.partition
        yield View(
            alike=words.same(partition.names),
            origin=role if place < causes else "also checked",
            meaningful=examined.is_meaningful,
            reasons=(),
            verdict=str(examined.verdict),
            **_numbers(partition, words),
        )


def _explained(
    certificate: Certificate,
    explanation: PartitionExplanation,
    origin: str,
    words: Words,
) -> View:
    partition, meaningful = explanation.partition, explanation.is_meaningful
    verdict = str(partition.verdict(certificate.min_coverage))
    return View(
        alike=words.same(partition.names),
        origin=origin,
        meaningful=meaningful,
        reasons=_reasons(explanation, words, certificate),
        verdict=f"nothing about {what_is_seen(words)}" if meaningful is False else verdict,
        **_numbers(partition, words),
    )


def _numbers(partition: Partition, words: Words) -> dict[str, str]:
    """How many groups reach the threshold, and the range of differences."""
    measured = int(partition.measured.sum())
    ends = partition.extremes
    if not words.has_sides:
        ends = tuple(max(map(abs, ends)) for _ in ends[:1])
    shown = dict.fromkeys(map(words.points, ends))
    return {
        "reached": f"{partition.violating:,} of {measured:,}",
        "span": ("" if words.has_sides or not ends else "up to ") + " to ".join(shown)
        or "none",
    }


def _lead(certificate: Certificate, survey: PartitionSurvey, words: Words) -> Text:
    free, block_sets = survey.attributes, survey.block_sets
    possible = survey.possible_block_sets
    if possible is None or free < 1:
        return (
            "A comparison is meaningful if it holds equal every other route from "
            f"{words.protected} to {words.decision}, and nothing that the decision brought "
            "about."
        )
    ways = f"{2**free:,}" if free < 40 else f"2 to the power of {free}"
    compare = f"{'compares' if block_sets == 1 else 'compare'} like with like"
    if block_sets == possible:
        where, strong = "In this graph", f"{_number(block_sets)} of them {compare}"
    else:
        where = "Edges without direction leave several graphs; in each of these"
        strong = (
            f"{_number(block_sets)} of the ways {compare}, in at least one {_number(possible)}"
        )
    return text(
        f"{count(free, 'other attribute')} {'gives' if free == 1 else 'give'} {ways} ways to "
        f"compare. {where} ",
        Strong(strong),
        f". {_scope(certificate)}",
    )


def _number(block_sets: int | None) -> str:
    if block_sets is None:
        return "an unknown number"
    many = block_sets > MOST_BLOCK_SETS
    return f"more than {MOST_BLOCK_SETS:,}" if many else f"{block_sets:,}"


def _scope(certificate: Certificate) -> str:
    examined = f"{count(len(certificate.partitions), 'was', 'were')} examined"
    if certificate.scope == "causes":
        return (
            "Only the causes of the decision were held equal here: in rows that follow the "
            "graph exactly no other of them differs by more, but in finite data one can "
            "(the scope 'all' examines them)."
        )
    if certificate.complete:
        causes = "the causes of the decision, and the minimal ones"
        return f"{examined}: {causes if certificate.scope == 'minimal' else 'all of them'}."
    return f"{examined}; not all that were asked for."


def _more(verdicts: Sequence[Verdict]) -> tuple[Text, ...]:
    """How the comparisons turned out that have no row of their own."""
    if not verdicts:
        return ()
    tally = ", ".join(f"{many:,} {verdict}" for verdict, many in Counter(verdicts).items())
    return (f"{len(verdicts):,} further meaningful comparisons were checked: {tally}.",)


def _gap(
    certificate: Certificate,
    everybody: PartitionExplanation | None,
    words: Words,
) -> tuple[Text, ...]:
    """Why the choice matters: the plain gap beside the average among people alike."""
    common = certificate.population.common
    if everybody is None or common is None:
        return ()
    if everybody.is_meaningful is not False:
        return ()
    plain = _plain(everybody.partition, certificate.partition.statistics.leading)
    if plain is None:
        return ()
    pair = words.leading_pair(certificate.partition)
    return (
        text(
            f"Why the choice matters: over everybody the difference {_of_pair(pair, words)}is ",
            Strong(f"{words.points(plain)} points"),
            f" ({words.higher(plain, pair)}). Among people alike in "
            f"{words.columns(certificate.partition.names)} it is "
            f"{words.points(common.difference)} points on average. What lies between the two "
            "goes with what is held equal"
            + (" or with people who cannot be compared" if certificate.unmeasured else "")
            + (": " if certificate.question.predicts else ": it is no direct effect, and ")
            + "whether it should be there is not asked here.",
        ),
    )


def _of_pair(pair: tuple[str, str], words: Words) -> str:
    return "" if words.is_named else f"of {pair[1]} and {pair[0]} "


def _plain(everybody: Partition, leading: int) -> Fraction | None:
    """The difference over everybody of the pair whose difference on average leads."""
    (own,) = np.nonzero(everybody.comparisons.mean == leading)
    return everybody.comparisons.difference(int(own[0])) if len(own) else None


def _requested(requested: PartitionExplanation | None, words: Words) -> tuple[Text, ...]:
    if requested is None:
        return ()
    names = words.columns(requested.partition.names)
    meaning = {
        True: "meaningful: it compares people alike."
        if words.question.predicts
        else "meaningful: what it shows is evidence.",
        False: "misleading: what it shows, or does not show, is no evidence of "
        f"{what_is_seen(words)}.",
        None: "meaningful or misleading, as the edges without direction may be.",
    }[requested.is_meaningful]
    return (f"The comparison that was asked for, by {names}, is {meaning}",)


def _reasons(
    explanation: PartitionExplanation, words: Words, certificate: Certificate
) -> tuple[str, ...]:
    """Why it misleads, and what would mend it; or the open edges on which that hangs."""
    check = explanation.check
    if explanation.is_meaningful is None:
        edges = (words.columns(edge) for edge in explanation.deciding_edges)
        return (
            f"hangs on the direction of the edge between {', or of that between '.join(edges)}",
        )
    faults = (
        [f"leaves open {_path(check.open_path, words, certificate)}"] if check.open_path else []
    )
    faults += [
        f"{words.column(name)} is a consequence of {words.decision}"
        for name in check.consequences
    ]
    mend = [f"hold {words.columns(check.missing)} equal"] if check.missing else []
    mend += [f"leave out {words.columns(check.consequences)}"] if check.consequences else []
    return (*faults, *([f"to mend it, {' and '.join(mend)}"] if mend else []))


def _path(path: tuple[str, ...], words: Words, certificate: Certificate) -> str:
    arrows = certificate.graph.arrows
    chain = words.column(path[0])
    for a, b in pairwise(path):
        sign = "→" if (a, b) in arrows else "←" if (b, a) in arrows else "–"
        chain += f" {sign} {words.column(b)}"
    return chain
