"""Who against whom: the differences on average of all pairs of groups, as pictures.

A matrix shows each pair once, in the row of the group that is ahead; groups stand in the order
of how far they are ahead, so that what is under the diagonal goes against that order. Where all
are compared with one group, or two groups by several rates, or where there are too many groups
for a matrix, the pairs stand under each other instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from evenhand.evidence import Certificate
from evenhand.evidence.population import PairDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.report.charts import Scale, interval_mark
from evenhand.report.html_report import View
from evenhand.report.shown_groups import turned_common
from evenhand.wording import Text, Words, capital, count, listing, share, text

MOST_GROUPS = 10
MOST_MATRICES = 6
_MOST_LINES = 20
_MOST_ROWS = 500
_MOST_NAMED = 8
_KEY = {
    "shown": "shown to lie beyond {}",
    "reach": "{} or more, not shown",
    "some": "less than {}, but not zero",
    "open": "may be zero",
    "absent": "nowhere together",
}


def who_against_whom(certificate: Certificate, words: Words) -> View | None:
    """The pairs of groups in pictures and numbers; None for one pair and one rate.

    Nor are there any where a rule determines the decision, or nothing is compared.
    """
    pairs = certificate.population.pairs
    if certificate.is_determined or not any(pair.common for pair in pairs):
        return None
    cuts, many = len(words.cuts), len(words.group_values)
    as_matrix = not words.has_sides and many <= MOST_GROUPS and cuts <= MOST_MATRICES
    matrices = tuple(_matrices(pairs, words)) if as_matrix else ()
    kinds = {cell.kind for one in matrices for _, cells in one.rows for cell in cells}
    strongest = sorted(pairs, key=attrgetter("strength"))
    left_out = max(len(pairs) - _MOST_ROWS, 0)
    return View(
        heading=f"By {words.decision}" if words.is_named else "Who against whom",
        lead=_lead(words, as_matrix=as_matrix),
        matrices=matrices,
        # Where the page is narrow five columns are too small for an interval.
        size="wide listed"
        if many > 5
        else "some listed"
        if many > 4
        else "some"
        if cuts == 1
        else "few",
        key=tuple(
            (kind, meaning.format(words.threshold_points))
            for kind, meaning in _KEY.items()
            if kind in kinds
        ),
        plot=None if as_matrix else _plot(strongest, words),
        rows_title=f"{'The' if left_out else 'All'} {_number(len(pairs) - left_out)} in numbers"
        + (f"; {left_out:,} more are in the certificate" if left_out else ""),
        rows=tuple(_row(pair, words) for pair in strongest[:_MOST_ROWS]),
        notes=tuple(_notes(certificate, words)),
    )


def _number(pairs: int) -> str:
    return count(pairs, "difference on average", "differences on average")


def _difference(pair: PairDifference) -> float:
    return pair.common.difference if pair.common else 0.0


def _names(pair: PairDifference, words: Words) -> tuple[str, str]:
    """The group behind, or the one asked about, and the one ahead."""
    names = (words.group_name(pair.group), words.group_name(pair.other))
    return names[::-1] if not words.has_sides and _difference(pair) < 0 else names


def _interval(pair: PairDifference, words: Words) -> tuple[float, float, float]:
    """The difference and its ends; a gap is turned so that it is not below zero."""
    return turned_common(pair.common, words.question) if pair.common else (0.0, 0.0, 0.0)


def _lead(words: Words, *, as_matrix: bool) -> Text:
    average = (
        "On average over all groups of people alike (Mantel–Haenszel), in percentage points"
    )
    if as_matrix:
        did = words.did if words.cuts[1:] else words.did_by(*words.cuts)
        more = (
            f"are ahead of others, that is, more often {did}"
            if words.is_favor
            else f"more often than others {did}"
        )
        return text(
            f"{average}: by how much the people of each row {more}. With it the 95% interval, "
            "and in how many comparisons of people alike the two are "
            f"{words.threshold_points} or more apart. Each pair stands once, in the row of "
            f"those {'who are ' * words.is_favor}{words.ahead}."
        )
    whom = (
        f"{words.other} minus {words.group}"
        if words.has_sides
        else f"{words.ahead} minus {words.behind}"
    )
    return text(f"{average}, with 95% intervals: {whom}.")


def _matrices(pairs: Sequence[PairDifference], words: Words) -> Iterator[View]:
    """One matrix for each rate, groups in one order: farthest ahead by the first rate first."""
    by_cut = [[pair for pair in pairs if pair.decision == cut] for cut in words.cuts]
    lead = dict.fromkeys(words.group_values, 0.0)
    for pair in by_cut[0]:
        lead[pair.other] += _difference(pair)
        lead[pair.group] -= _difference(pair)
    order = sorted(lead, key=lambda group: -lead[group])
    names = tuple(map(words.group_name, order))
    more, _, than = words.than.rpartition(" ")
    for cut, own in zip(words.cuts, by_cut, strict=True):
        cells = {tuple(ends): cell for pair in own for ends, cell in _cells(pair, words)}
        title = capital(words.did_by(cut)) if len(words.cuts) > 1 else ""
        yield View(
            title=title,
            than=words.than,
            corner=f"{more}\u00a0↓ {than}\u00a0→",
            heads=names,
            rows=tuple(
                (name, tuple(cells.get((row, column), _SELF) for column in order))
                for name, row in zip(names, order, strict=True)
            ),
        )


_SELF = View(kind="self", points="")


def _cells(pair: PairDifference, words: Words) -> Iterator[tuple[tuple[str, str], View]]:
    """The cell of a pair, in the row of the group ahead, and its empty mirror."""
    ahead, behind = pair.other, pair.group
    if _difference(pair) < 0:
        ahead, behind = behind, ahead
    yield (ahead, behind), _cell(pair, words)
    yield (behind, ahead), View(kind="mirror" if pair.common else "absent", points="")


def _cell(pair: PairDifference, words: Words) -> View:
    common = pair.common
    if common is None:
        return View(kind="absent", points="")
    difference, low, high = _interval(pair, words)
    behind, ahead = _names(pair, words)
    who = (
        f"difference {words.points(difference)} points, "
        f"{words.higher(difference, (behind, ahead))}"
        if words.has_sides
        else f"{ahead} {words.than} {behind} by {words.points(difference)} points"
    )
    reached = f"{pair.reaching:,} of {pair.comparisons:,}"
    shown = f"{pair.shown:,} shown" if pair.shown else ""
    kind = (
        "shown"
        if common.shown
        else "open"
        if low <= 0.0
        else "reach"
        if difference >= words.question.threshold
        else "some"
    )
    return View(
        kind=kind,
        head=behind,
        points=words.points(difference),
        interval=words.interval((low, high)),
        reached=reached,
        shown=shown,
        description=f"{who}, interval "
        f"{words.interval((low, high))}; {reached} comparisons differ by "
        f"{words.threshold_points} or more{f', {shown}' if shown else ''}; on average "
        f"{'' if common.shown else 'not '}shown beyond it",
    )


def _plot(strongest: Sequence[PairDifference], words: Words) -> View:
    """Pairs under each other: all in the order of their rates, or the strongest of many."""
    chosen = [pair for pair in strongest if pair.common]
    title = "The differences on average"
    if len(chosen) > _MOST_LINES:
        chosen = chosen[:_MOST_LINES]
        title += f": the {_MOST_LINES} of {len(strongest):,} that chance explains least"
    else:
        place = {cut: at for at, cut in enumerate(words.cuts)}
        chosen.sort(key=lambda pair: (place[pair.decision], -_interval(pair, words)[0]))
    ends = [_interval(pair, words) for pair in chosen]
    held = [100 * end for three in ends for end in three]
    left, right = (
        0.26 if any(sign * three[0] > 0 for three in ends) else 0.02 for sign in (-1, 1)
    )
    scale = Scale.over(
        held,
        float(100 * words.question.threshold),
        signed=words.has_sides,
        left=left,
        right=right,
    )
    return View(
        title=title,
        subtitle=f"Under each: comparisons that differ by {words.threshold_points} or more.",
        name=capital(words.decision)
        if words.is_named
        else f"Compared with {words.other}"
        if words.has_sides
        else "Pair",
        detail="comparisons",
        flags=(),
        rates="",
        group=words.group,
        other=words.other,
        filled="shown to lie beyond the threshold on average",
        hollow="not shown beyond it",
        axis=scale.axis(words),
        lines=tuple(_line(pair, scale, words) for pair in chosen),
    )


def _line(pair: PairDifference, scale: Scale, words: Words) -> View:
    difference, low, high = _interval(pair, words)
    threshold, cell = float(words.question.threshold), _cell(pair, words)
    kind = "none" if abs(difference) < threshold else "group" if difference > 0 else "other"
    shown = f", {cell.shown}" if cell.shown else ""
    return View(
        id="",
        name=capital(_title(pair, words)),
        detail=f"{cell.reached}{shown}",
        pair="",
        mark=interval_mark(
            (difference, low, high),
            scale,
            words,
            kind=kind,
            shown=cell.kind == "shown",
            description=cell.description,
        ),
    )


def _title(pair: PairDifference, words: Words) -> str:
    """Who is compared, and by which rate if there are several."""
    behind, ahead = _names(pair, words)
    rate = words.did_by(pair.decision) if len(words.cuts) > 1 else ""
    if words.is_named:
        return rate
    who = behind if words.has_sides else f"{ahead} {words.than} {behind}"
    return f"{who}: {rate}" if rate else who


def _row(pair: PairDifference, words: Words) -> tuple[str, ...]:
    """One line of the table: the pair, and what is known of it."""
    common, cell = pair.common, _cell(pair, words)
    if common is None:
        group, other = _names(pair, words)
        return f"{group} and {other}", "nowhere together", "", "", "", "", "0%"
    return (
        capital(_title(pair, words)),
        cell.points,
        cell.interval,
        p_value(common.p_adjusted),
        "shown" if common.shown else "",
        cell.reached + (f", {cell.shown}" if cell.shown else ""),
        share(float(pair.coverage)),
    )


def _notes(certificate: Certificate, words: Words) -> Iterator[str]:
    """Pairs that can hardly be compared, and what the interval does not allow for."""
    pairs: Mapping[tuple[str, str], PairDifference] = {
        (pair.group, pair.other): pair for pair in certificate.population.pairs
    }
    least = certificate.min_coverage
    few = sorted(
        (pair for pair in pairs.values() if pair.coverage < least),
        key=lambda pair: pair.coverage,
    )
    if few:
        named = [
            f"{words.group_name(pair.group)} and {words.group_name(pair.other)} "
            f"({share(float(pair.coverage))})"
            for pair in few[:_MOST_NAMED]
        ]
        rest = len(few) - len(named)
        yield (
            f"Less than {share(float(least))} of the rows of one group lie beside the other, "
            "so that the difference speaks for a part of these people only: "
            f"{listing([*named, *([f'{rest:,} more pairs'] if rest else [])])}."
        )
    yield (
        "Each interval is that of its pair alone. Shown allows for all "
        f"{certificate.population.comparisons:,} comparisons."
    )
