"""A release before and after, and the cards with which a page opens."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from evenhand.evidence import Certificate, Partition
from evenhand.question.display_labels import state_before
from evenhand.releasing import Release
from evenhand.report.differences import (
    group_heads,
    group_names,
    is_few,
    select_cases,
    widest_in,
)
from evenhand.report.effects_section import claim_card
from evenhand.report.pictures.charts import Scale, histograms
from evenhand.report.rendering import View
from evenhand.wording import VerdictCard, Words, capital, rate
from evenhand.wording.release_words import (
    release_lead,
    rows_changed,
    who_gains,
)
from evenhand.wording.verdict_words import certificate_class, verdict_word


def released(release: Release | None, words: Words) -> View | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    before, after, files = release.before, release.certificate, release.files
    cost = VerdictCard("What it cost", "cost", rows_changed(release), who_gains(release, words))
    claim = claim_card(after, words)
    return View(
        heading=f"The release{f', {files.data.name}' if files else ''}",
        before=state_before(words.question),
        lead=release_lead(release, words),
        cards=[_verdict_card(after, words), cost, *([claim] if claim else [])],
        shifts=shifts(before, after, words),
        histograms=None if is_few(before) else histograms(before, after, words),
        measures=[*_measures(release, words)],
        result=release.summary(),
    )


def _verdict_card(certificate: Certificate, words: Words) -> VerdictCard:
    largest = max(map(abs, certificate.partition.extremes), default=None)
    differ = f" The largest difference is {words.points(largest)} points."
    return VerdictCard(
        about="As released",
        mark=certificate_class(certificate),
        word=verdict_word(certificate.verdict),
        sentence="The released rows were counted and judged again, with the same graph and "
        f"threshold.{'' if largest is None else differ}",
    )


def shifts(before: Certificate, after: Certificate, words: Words) -> View | None:
    """Few groups, each before and after.

    None where there are many, or where the released rows have other groups.
    """
    partitions, cases = (before.partition, after.partition), select_cases(before.partition)
    if not (cases and is_few(before) and same_lines(*partitions)):
        return None
    lines = []
    for case in cases:
        was, now = (
            widest_in(one, case.line).risk_difference or Fraction(0) for one in partitions
        )
        lines.append(
            View(
                id=case.id,
                names=group_names(case, words),
                before=float(100 * was),
                after=float(100 * now),
                description=f"from {words.points(was)} to {words.points(now)} points",
            )
        )
    held = [end for line in lines for end in (line.before, line.after)]
    what = "difference" if before.partition.two_groups else "widest difference"
    state = f"as {state_before(words.question)}"
    return View(
        title="Each group before and after",
        before=state,
        subtitle=f"The {what} {state} and as released.",
        heads=group_heads(before.partition.names, words),
        axis=Scale.over(held, words, left=0.04, right=0.04),
        lines=lines,
    )


def _measures(release: Release, words: Words) -> Iterator[tuple[str, ...]]:
    """What is counted, as recorded and as released."""
    both = release.before.partition, release.certificate.partition
    reaching = (f"{one.violating:,} of {one.measured.sum():,}" for one in both)
    yield f"Groups that differ by {words.threshold_points} or more", *reaching
    largest = (words.points(max(map(abs, one.extremes), default=None)) for one in both)
    yield "Largest difference, points", *largest
    for at, who in enumerate(words.groups):
        for cut in range(len(both[0].favorable)):
            did = f"{capital(who)} who {words.did_by(both[0].cut_label(cut))}"
            yield did, *(_favored(one, cut, at) for one in both)


def _favored(partition: Partition, cut: int, group: int) -> str:
    yes, total = int(partition.favorable[cut, group].sum()), int(partition.rows[group].sum())
    return f"{yes:,} of {total:,} ({rate(yes, total)})"


def same_lines(before: Partition, after: Partition) -> bool:
    """Whether both have the same groups in the same order."""
    if before.names != after.names or len(before) != len(after):
        return False
    columns = (
        [np.asarray(a.values, object)[codes] for a, codes in zip(*sides, strict=True)]
        for sides in ((p.assignments.attributes, p.assignments.codes) for p in (before, after))
    )
    return all(np.array_equal(old, new) for old, new in zip(*columns, strict=True))
