"""A release: the verdict and the cost, which open the page, and section 6, before and after."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.evidence.first_sentence import deciding_partition, seen_sentence
from evenhand.report import picture_types as pictures
from evenhand.report import template_types as page
from evenhand.report.charts import HISTOGRAM_HEIGHT, Scale, count_by_step, histogram, in_points
from evenhand.report.differences_sections import FEW
from evenhand.report.opening_section import mark
from evenhand.report.phrases import Words, capital, listing, rate
from evenhand.report.release_facts import ReleaseFacts, changes_by_line, same_lines
from evenhand.report.shown_groups import Case, GroupNames
from evenhand.report.template_types import Strong, text


def released(
    release: ReleaseFacts | None, cases: Sequence[Case], words: Words
) -> page.Released | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    is_few = cases and len(cases) <= FEW
    return page.Released(
        heading=f"{release.file or 'The released rows'}: {release.after.verdict}",
        lead=_lead(release, words),
        cards=(_verdict_card(release.after, words), _cost_card(release, words)),
        shifts=shifts(
            release.before,
            release.after,
            cases,
            words,
            tells_changes=release.changed is not None,
        )
        if is_few and same_lines(release.before.partition, release.after.partition)
        else None,
        histograms=histograms(release.before, release.after, words)
        if len(cases) > FEW
        else None,
        measures=tuple(_measures(release, words)),
        paragraphs=tuple(_paragraphs(release, words)),
    )


def _lead(release: ReleaseFacts, words: Words) -> page.Text:
    """What was and what is."""
    before, after = release.before, release.after
    seen = (
        seen_sentence(deciding_partition(before.partitions)),
        after.first_sentence(words.labels),
    )
    was, now = (f"{sentence[:1].lower()}{sentence[1:]}" for sentence in seen)
    return text(f"As recorded, {was}. ", Strong("As released, "), now)


def _verdict_card(certificate: Certificate, words: Words) -> page.VerdictCard:
    largest = _largest(certificate.partition)
    return page.VerdictCard(
        about="As released",
        mark=mark(certificate),
        word=capital(str(certificate.verdict)),
        sentence=text(
            "Counted again from the released rows, given the same graph, at a threshold of "
            f"{words.threshold_points}.",
            ""
            if largest is None
            else f" The largest difference is {words.points(largest)} points.",
        ),
    )


def _cost_card(release: ReleaseFacts, words: Words) -> page.VerdictCard:
    changed, rows = release.changed_rows, release.before.row_count
    return page.VerdictCard(
        about="What it cost",
        mark="cost",
        word=f"{changed:,} of {rows:,} rows changed ({rate(changed, rows)})",
        sentence=_directions(release, words),
    )


def _reached(partition: Partition) -> str:
    return f"{partition.violating:,} of {partition.measured.sum():,}"


def _largest(partition: Partition) -> Fraction | None:
    return max(map(abs, partition.extremes), default=None)


def shifts(
    before: Certificate,
    after: Certificate,
    cases: Sequence[Case],
    words: Words,
    *,
    tells_changes: bool,
) -> pictures.ShiftPlot:
    """Few groups, each before and after, with the decisions changed where it is these."""
    naming, partitions = GroupNames.of(before, words), (before.partition, after.partition)
    _, later = partitions
    now = {case.line: later.risk_difference(case.line) or Fraction(0) for case in cases}
    held = [*map(in_points, cases), *(float(100 * value) for value in now.values())]
    scale = Scale.over(held, float(100 * words.question.threshold), left=0.04, right=0.04)
    return pictures.ShiftPlot(
        title="Each group before and after",
        subtitle="The difference as recorded and as released"
        + (", with the decisions changed." if tells_changes else "."),
        name=naming.head,
        detail=naming.detail_head,
        changes="Decisions changed" if tells_changes else "",
        axis=scale.axis(words),
        lines=tuple(
            pictures.Shift(
                id=case.id,
                name=naming.name(case),
                detail=naming.detail(case),
                before=scale.at(in_points(case)),
                after=scale.at(float(100 * now[case.line])),
                description=f"from {words.points(case.difference)} to "
                f"{words.points(now[case.line])} points",
                changes=_changes(partitions, case.line, words) if tells_changes else (),
            )
            for case in cases
        ),
    )


def _changes(
    partitions: tuple[Partition, Partition], line: int, words: Words
) -> tuple[str, ...]:
    changes = changes_by_line(*partitions)
    pairs = (
        (who, int(change[line]))
        for who, change in zip((words.group, words.other), changes, strict=True)
    )
    return tuple(
        f"{abs(many):,} {who} {'no → yes' if many > 0 else 'yes → no'}"
        for who, many in pairs
        if many
    )


def histograms(before: Certificate, after: Certificate, words: Words) -> pictures.Histograms:
    """Many groups by difference, before and after."""
    both = [
        ("As recorded", "none", before.partition),
        ("As released", "after", after.partition),
    ]
    threshold = float(100 * words.question.threshold)
    ends = (float(100 * end) for _, _, partition in both for end in partition.extremes)
    scale = Scale.over(ends, threshold)
    tallest = max(max(count_by_step(partition).values(), default=1) for _, _, partition in both)
    return pictures.Histograms(
        title="Before and after",
        subtitle="Comparable groups by difference in percentage points. Each bar is "
        f"{words.threshold_points} wide; those within the band are under the threshold.",
        axis=scale.axis(words),
        height=HISTOGRAM_HEIGHT,
        both=tuple(
            histogram(label, partition, scale, words, tallest=tallest, within=within)
            for label, within, partition in both
        ),
    )


def _measures(release: ReleaseFacts, words: Words) -> Iterator[tuple[str, str, str]]:
    before, after = release.before.partition, release.after.partition

    def largest(partition: Partition) -> str:
        return words.points(_largest(partition))

    def favored(partition: Partition, side: str) -> str:
        yes = int(getattr(partition, f"{side}_yes").sum())
        total = int(getattr(partition, side).sum())
        return f"{yes:,} of {total:,} ({rate(yes, total)})"

    yield (
        f"Groups that differ by {words.threshold_points} or more",
        _reached(before),
        _reached(after),
    )
    yield "Largest difference, points", largest(before), largest(after)
    for who, side in ((words.group, "group"), (words.other, "other")):
        yield f"{capital(who)} who {words.did}", favored(before, side), favored(after, side)
    utility = release.utility
    yield "Cells of the table changed (n_T)", "", f"{utility.cell_changes:,}"
    yield "Distance of the distributions", "", f"{utility.distance:.3g}"
    yield "Chi-square", "", f"{utility.chi_square:,.1f}"


def _paragraphs(release: ReleaseFacts, words: Words) -> Iterator[page.Text]:
    yield text(
        f"Method {release.method}, policy {release.policy}. What is left to chance "
        "is drawn with a seed; with the manifest, which holds it, the release can be repeated.",
    )
    decided = words.question.decision in release.changed_columns
    yield text(
        Strong(f"The released rows record nobody’s true {words.decision}. " if decided else ""),
        _effects(release, words),
    )
    if release.dropped_columns:
        yield text(f"Not released: {listing(map(words.column, release.dropped_columns))}.")
    for warning in release.warnings:
        yield text(warning.text(words_only))
    if release.after.verdict is not Verdict.CERTIFIED:
        yield text(Strong("This release is not certified."), " The method gives no guarantee.")
    yield _relearned(release, words)


def _effects(release: ReleaseFacts, words: Words) -> str:
    """What was changed, and what became of the decision's consequences."""
    changed = release.changed_columns
    if not changed or changed[0] != words.question.decision:
        return release.notice
    redrawn = release.redrawn
    if redrawn:
        reasons = [
            f"{listing(map(words.column, names))} {'was' if len(names) == 1 else 'were'} drawn "
            f"anew, because {why}"
            for in_graph, why in (
                (True, "the decision brings it about"),
                (False, "it would tell which rows were changed"),
            )
            if (names := [n for n in redrawn if (n in release.before.graph.nodes) is in_graph])
        ]
        return f"In changed rows {'; '.join(reasons)}; nothing else of any row changed."
    if len(changed) > 1:
        return release.notice
    only = f"Only {words.decision} was changed."
    left = words.columns(sorted(release.before.graph.children(words.question.decision)))
    if left == "nothing":
        return only
    return f"{only} What follows from it ({left}) stayed, so that the link to it is weaker."


def _directions(release: ReleaseFacts, words: Words) -> page.Text:
    """Who gains and who loses, where it is decisions that change."""
    changed = release.changed
    if changed is None:
        return text(release.notice)
    groups = (words.group, words.other)
    gains, losses = (
        listing(f"{n:,} {who}" for n, who in zip(way, groups, strict=True) if n)
        if any(way)
        else "nobody"
        for way in zip(changed.group, changed.other, strict=True)
    )
    return text(
        "Who gains (no to yes): ",
        Strong(gains),
        ". Who loses (yes to no): ",
        Strong(losses),
        ".",
    )


def _relearned(release: ReleaseFacts, words: Words) -> page.Text:
    relearned = release.relearned
    if relearned is None:
        return (
            "The graph was given, so it was not learned again from the released rows. ",
            "The certificate of the release is given with the same graph.",
        )
    change = [
        f"{word} {words.columns(names)}"
        for word, names in (("gained", relearned.gained), ("lost", relearned.lost))
        if names
    ]
    same = (
        "the same causes of the decision"
        if not change
        else f"other causes of the decision ({'; '.join(change)})"
    )
    return text(
        Strong("Learned again from the released rows, "),
        f"the graph has {same}; by it the verdict would be “{relearned.verdict}”. This is no "
        "part of the certificate, which is given with its own graph.",
    )
