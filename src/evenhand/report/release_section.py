"""Section 6: a release before and after, and the cards with which a page opens."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from evenhand.evidence import Certificate, Partition
from evenhand.evidence.sentences import state_before
from evenhand.report.differences import FEW
from evenhand.report.groups import Case, group_heads, group_names, widest_in
from evenhand.report.html_report import View
from evenhand.report.paths_section import claim_card
from evenhand.report.pictures.charts import Scale, histograms
from evenhand.wording import VerdictCard, Words, capital, rate, tally
from evenhand.wording.release_words import (
    ReleaseFacts,
    has_many_values,
    release_lead,
    release_statements,
    rows_changed,
    two_values,
    who_gains,
)
from evenhand.wording.verdict_words import certificate_class, verdict_word


def released(release: ReleaseFacts | None, cases: Sequence[Case], words: Words) -> View | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    before, after = release.before, release.after
    changes, is_few = release.changed is not None, 0 < len(cases) <= FEW
    alike = is_few and same_lines(before.partition, after.partition)
    drawn = shifts(before, after, cases, words, tells_changes=changes) if alike else None
    cost = VerdictCard("What it cost", "cost", rows_changed(release), who_gains(release, words))
    claim = claim_card(after, words)
    return View(
        heading=f"{release.file or 'The released rows'}: {after.verdict}",
        before=state_before(words.question),
        lead=release_lead(release, words),
        cards=[_verdict_card(after, words), cost, *([claim] if claim else [])],
        shifts=drawn,
        histograms=histograms(before, after, words) if len(cases) > FEW else None,
        measures=[*_measures(release, words)],
        moves=_moves(release, words),
        paragraphs=[*release_statements(release, words)],
    )


def _verdict_card(certificate: Certificate, words: Words) -> VerdictCard:
    largest = max(map(abs, certificate.partition.extremes), default=None)
    differ = f" The largest difference is {words.points(largest)} points."
    return VerdictCard(
        about="As released",
        mark=certificate_class(certificate),
        word=verdict_word(certificate.verdict),
        sentence="Counted again from the released rows, given the same graph, at a threshold "
        f"of {words.threshold_points}.{'' if largest is None else differ}",
    )


def shifts(
    before: Certificate,
    after: Certificate,
    cases: Sequence[Case],
    words: Words,
    *,
    tells_changes: bool,
) -> View:
    """Few groups, each before and after, with the decisions changed where it is these."""
    partitions, names = (before.partition, after.partition), before.partition.names
    lines = []
    for case in cases:
        was, now = (
            widest_in(one, case.line).risk_difference or Fraction(0) for one in partitions
        )
        lines.append(
            View(
                id=case.id,
                names=group_names(case, names, words),
                before=float(100 * was),
                after=float(100 * now),
                description=f"from {words.points(was)} to {words.points(now)} points",
                changes=[*_changes(before, after, case.line, words)] if tells_changes else [],
            )
        )
    held = [end for line in lines for end in (line.before, line.after)]
    what = "difference" if before.partition.two_groups else "widest difference"
    with_changes = ", with the decisions changed" if tells_changes else ""
    state = f"as {state_before(words.question)}"
    return View(
        title="Each group before and after",
        before=state,
        subtitle=f"The {what} {state} and as released{with_changes}.",
        heads=group_heads(names, words),
        changes="Decisions changed" if tells_changes else "",
        axis=Scale.over(held, words, left=0.04, right=0.04),
        lines=lines,
    )


def _changes(before: Certificate, after: Certificate, line: int, words: Words) -> Iterator[str]:
    """How many decisions of each group change; of more than two kinds, by how many each."""
    was, now, names = before.partition, after.partition, words.groups
    if len(words.cuts) > 1:
        for who, moved in zip(names, (now.counts - was.counts)[:, :, line].T, strict=True):
            if moved.any():
                yield f"{who}: {_growth(moved.tolist(), words)}"
        return
    ways = ("to favorable", "to unfavorable")
    if not has_many_values(before):
        worse, better = two_values(before, words)
        ways = (f"{worse} → {better}", f"{better} → {worse}")
    change = (now.favorable[0] - was.favorable[0])[:, line].tolist()
    if words.is_named:
        for who, many in zip(names, change, strict=True):
            if many:
                yield f"{abs(many):,} {who} {ways[many < 0]}"
        return
    for way, sign in zip(ways, (1, -1), strict=True):
        if some := tally([max(many * sign, 0) for many in change], names):
            yield f"{way}: {', '.join(some)}"


def _growth(change: Sequence[int], words: Words) -> str:
    """By how many each kind of decision grows or shrinks."""
    each = zip(change, words.decision_names, strict=True)
    return ", ".join(
        f"{'+' if n > 0 else '−'}{abs(n):,}\u00a0{decided}" for n, decided in each if n
    )


def _measures(release: ReleaseFacts, words: Words) -> Iterator[tuple[str, str, str]]:
    """What is counted, as recorded and as released."""
    both = release.before.partition, release.after.partition

    def row(name: str, *values: str) -> tuple[str, str, str]:
        before, after = values
        return name, before, after

    reaching = (f"{one.violating:,} of {one.measured.sum():,}" for one in both)
    yield row(f"Groups that differ by {words.threshold_points} or more", *reaching)
    largest = (words.points(max(map(abs, one.extremes), default=None)) for one in both)
    yield row("Largest difference, points", *largest)
    for at, who in enumerate(words.groups):
        for cut in range(len(both[0].favorable)):
            did = f"{capital(who)} who {words.did_by(both[0].cut_label(cut))}"
            yield row(did, *(_favored(one, cut, at) for one in both))
    utility = release.utility
    yield "Cells of the table changed (n_T)", "", f"{utility.cell_changes:,}"
    yield "Distance of the distributions", "", f"{utility.distance:.3g}"
    yield "Chi-square", "", f"{utility.chi_square:,.1f}"


def _favored(partition: Partition, cut: int, group: int) -> str:
    yes, total = int(partition.favorable[cut, group].sum()), int(partition.rows[group].sum())
    return f"{yes:,} of {total:,} ({rate(yes, total)})"


def _moves(release: ReleaseFacts, words: Words) -> tuple[tuple[str, str], ...]:
    """From which decision to which, and how many of each group, if there are more than two."""
    if not has_many_values(release.before):
        return ()
    decided = release.before.examined.counts.attribute(words.question.decision).values
    names = [words.labels.value(words.question.decision, value) for value in decided]
    rank = release.before.examined.decision_kinds.tolist()
    ways = {(old, new) for _, old, new in release.moves}
    return tuple(
        (
            f"{names[old]} → {names[new]}",
            ", ".join(
                tally(
                    (release.moves.get((at, old, new), 0) for at in range(len(words.groups))),
                    words.groups,
                )
            ),
        )
        for old, new in sorted(ways, key=lambda way: [(rank[kind], kind) for kind in way])
    )


def same_lines(before: Partition, after: Partition) -> bool:
    """Whether both have the same groups in the same order."""
    if before.names != after.names or len(before) != len(after):
        return False
    columns = (
        [np.asarray(a.values, object)[codes] for a, codes in zip(*sides, strict=True)]
        for sides in ((p.assignments.attributes, p.assignments.codes) for p in (before, after))
    )
    return all(np.array_equal(old, new) for old, new in zip(*columns, strict=True))
