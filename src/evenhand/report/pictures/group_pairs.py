"""Who against whom: the differences on average of all pairs of groups, as pictures.

A matrix shows each pair once, in the row of the group that is ahead; groups stand in the order
of how far they are ahead, so that what is under the diagonal goes against that order. Where all
are compared with one group, or two groups by several rates, or where there are too many groups
for a matrix, the pairs stand under each other instead.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from evenhand.evidence import Certificate
from evenhand.evidence.statistical_verdict import PairDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.report.pictures.charts import Mark, dot_plot
from evenhand.report.rendering import View
from evenhand.wording import Text, Words, capital, count, listing, share
from evenhand.wording.difference_words import turned_common

MOST_GROUPS = 10
MOST_MATRICES = 6
_MOST_LINES = 20
_MOST_ROWS = 500
_MOST_NAMED = 8
_KEY = {
    "shown": "significantly beyond {}",
    "reach": "{} or more, not significantly",
    "some": "less than {}, but not zero",
    "open": "may be zero",
    "absent": "no overlap",
}


def who_against_whom(certificate: Certificate, words: Words) -> View | None:
    """The pairs of groups in pictures and numbers; None for one pair and one rate.

    Nor are there any where a rule determines the decision, or nothing is compared.
    """
    pairs = [_Pair(pair, words) for pair in certificate.population.pairs]
    if certificate.is_determined or not any(pair.common for pair in pairs):
        return None
    cuts, many = len(words.cuts), len(words.group_values)
    as_matrix = not words.has_sides and many <= MOST_GROUPS and cuts <= MOST_MATRICES
    kinds = {pair.kind for pair in pairs}
    strongest = sorted(pairs, key=attrgetter("strength"))
    left_out = max(len(pairs) - _MOST_ROWS, 0)
    listed = count(len(pairs) - left_out, "average difference", "average differences")
    # Where the page is narrow five columns are too small for an interval.
    size = "wide listed" if many > 5 else "some listed" if many > 4 else ""
    return View(
        heading=f"By {words.decision}" if words.is_named else "Who against whom",
        lead=_lead(words, as_matrix=as_matrix),
        matrices=[*_matrices(pairs, words)] if as_matrix else [],
        size=size or ("some" if cuts == 1 else "few"),
        key=[
            (kind, meaning.format(words.threshold_points))
            for kind, meaning in _KEY.items()
            if kind in kinds and as_matrix
        ],
        plot=None if as_matrix else _plot(strongest, words),
        rows_title=f"{'The' if left_out else 'All'} {listed} in numbers"
        + (f"; {left_out:,} more are in the certificate" if left_out else ""),
        rows=strongest[:_MOST_ROWS],
        notes=[*_notes(certificate, pairs, words)],
    )


class _Pair:
    """A pair of groups by one rate: who is ahead by how much, and how sure that is."""

    def __init__(self, pair: PairDifference, words: Words) -> None:
        self.pair, self.common, self.strength = pair, pair.common, pair.strength
        self.difference, self.low, self.high = (
            turned_common(pair.common, words.question) if pair.common else (0.0, 0.0, 0.0)
        )
        turned = self.common and self.common.difference < 0 and not words.has_sides
        ends = pair.group, pair.other
        self.ends = ends[::-1] if turned else ends
        self.behind, self.ahead = map(words.group_name, self.ends)
        self.points = words.points(self.difference) if self.common else ""
        self.interval = words.interval((self.low, self.high)) if self.common else ""
        shown = f", {pair.shown:,} significantly" if pair.shown else ""
        self.reached = f"{pair.reaching:,} of {pair.comparisons:,}"
        self.shown = f"{pair.shown:,} significant" if pair.shown else ""
        self.reached_and_shown = f"{self.reached}{shown}" if self.common else ""
        self.p = p_value(self.common.p_adjusted) if self.common else ""
        self.coverage = share(float(pair.coverage)) if self.common else "0%"
        self.kind = self._kind(words)
        self.title = self._title(words)
        who = f"{self.ahead} {words.than} {self.behind} by {self.points} points"
        if words.has_sides:
            higher = words.higher(self.difference, (self.behind, self.ahead))
            who = f"difference {self.points} points, {higher}"
        self.description = (
            f"{who}, interval {self.interval}; {self.reached} comparisons differ by "
            f"{words.threshold_points} or more{shown}; on average "
            f"{'' if self.kind == 'shown' else 'not '}significantly beyond it"
        )

    def _kind(self, words: Words) -> str:
        if self.common is None:
            return "absent"
        if self.common.shown:
            return "shown"
        if self.low <= 0.0:
            return "open"
        return "reach" if self.difference >= words.question.threshold else "some"

    def _title(self, words: Words) -> str:
        """Who is compared, and by which rate if there are several."""
        if self.common is None:
            return f"{self.behind} and {self.ahead}"
        rate = [words.did_by(self.pair.decision)] if len(words.cuts) > 1 else []
        who = f"{self.ahead} {words.than} {self.behind}"
        if words.has_sides:
            who = self.behind
        return capital(": ".join(rate if words.is_named else [who, *rate]))


def _lead(words: Words, *, as_matrix: bool) -> Text:
    average = "Pooled difference (Mantel–Haenszel) in percentage points"
    if as_matrix:
        did = words.did if words.cuts[1:] else words.did_by(*words.cuts)
        more = f"more often than others {did}"
        if words.is_favor:
            more = f"are ahead of others, that is, more often {did}"
        return (
            f"{average}: by how much the people of each row {more}, with its 95% interval and "
            f"the number of groups that differ by {words.threshold_points} or more. Each pair "
            f"stands in the row of those {words.ahead}."
        )
    whom = f"{words.ahead} minus {words.behind}"
    if words.has_sides:
        whom = f"{words.other} minus {words.group}"
    return f"{average}, with 95% intervals: {whom}."


def _matrices(pairs: Sequence[_Pair], words: Words) -> Iterator[View]:
    """One matrix for each rate, groups in one order: farthest ahead by the first rate first."""
    lead = dict.fromkeys(words.group_values, 0.0)
    for pair in pairs:
        if pair.pair.decision == words.cuts[0]:
            behind, ahead = pair.ends
            lead[ahead] += pair.difference
            lead[behind] -= pair.difference
    order = sorted(lead, key=lambda group: -lead[group])
    more, _, than = words.than.rpartition(" ")
    for cut in words.cuts:
        yield View(
            title=capital(words.did_by(cut)) if len(words.cuts) > 1 else "",
            than=words.than,
            corner=f"{more}\u00a0↓ {than}\u00a0→",
            groups=[(group, words.group_name(group)) for group in order],
            cells={pair.ends[::-1]: pair for pair in pairs if pair.pair.decision == cut},
        )


def _plot(strongest: Sequence[_Pair], words: Words) -> View:
    """Pairs under each other: all in the order of their rates, or the strongest of many."""
    chosen = [pair for pair in strongest if pair.common]
    title = "Average differences"
    if len(chosen) > _MOST_LINES:
        chosen = chosen[:_MOST_LINES]
        title += f": the {_MOST_LINES} of {len(strongest):,} that are least likely to be chance"
    else:
        place = {cut: at for at, cut in enumerate(words.cuts)}
        chosen.sort(key=lambda pair: (place[pair.pair.decision], -pair.difference))
    name = "Pair"
    if words.is_named:
        name = capital(words.decision)
    elif words.has_sides:
        name = f"Compared with {words.other}"
    return dot_plot(
        (_line(pair, words) for pair in chosen),
        words,
        title=title,
        subtitle=f"Under each: comparisons that differ by {words.threshold_points} or more.",
        heads=(name, "comparisons"),
        key=("significantly beyond the threshold on average", "not significantly"),
    )


def _line(pair: _Pair, words: Words) -> View:
    kind = "group" if pair.difference > 0 else "other"
    if abs(pair.difference) < float(words.question.threshold):
        kind = "none"
    return View(
        id="",
        names=(pair.title, pair.reached_and_shown),
        pair="",
        mark=Mark(
            100 * pair.difference,
            100 * pair.low,
            100 * pair.high,
            kind,
            pair.kind == "shown",
            pair.points,
            pair.description,
        ),
    )


def _notes(certificate: Certificate, pairs: Sequence[_Pair], words: Words) -> Iterator[str]:
    """Pairs that can hardly be compared, and what the interval does not allow for."""
    least = certificate.min_coverage
    few = {(one.pair.group, one.pair.other): one.pair for one in pairs}
    few = {ends: pair for ends, pair in few.items() if pair.coverage < least}
    if few:
        ordered = sorted(few.items(), key=lambda item: item[1].coverage)
        named = [
            f"{listing(map(words.group_name, ends))} ({share(float(pair.coverage))})"
            for ends, pair in ordered[:_MOST_NAMED]
        ]
        if rest := len(few) - len(named):
            named.append(f"{rest:,} more pairs")
        yield (
            f"Less than {share(float(least))} of the rows of one group overlap with the other, "
            f"so the difference speaks for a part of these people only: {listing(named)}."
        )
    yield (
        "Intervals are not corrected; significance is, for all "
        f"{certificate.population.comparisons:,} comparisons."
    )
