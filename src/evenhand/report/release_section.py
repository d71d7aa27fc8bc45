"""A release: the verdict and the cost, which open the page, and section 6, before and after."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.evidence.first_sentence import seen_sentence
from evenhand.releasing import Release
from evenhand.releasing.manifest import notice
from evenhand.removal import BaselinePlan, GeneratedPlan, RemovalPlan, changed_columns
from evenhand.report import picture_types as pictures
from evenhand.report import template_types as page
from evenhand.report.charts import HISTOGRAM_HEIGHT, Scale, count_by_step, histogram, in_points
from evenhand.report.differences_sections import FEW
from evenhand.report.opening_section import mark
from evenhand.report.phrases import Words, capital, listing, rate
from evenhand.report.shown_groups import Case, GroupNames, Sharing
from evenhand.report.template_types import Strong, text


def released(
    release: Release | None, cases: Sequence[Case], words: Words, sharing: Sharing
) -> page.Released | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    before, after = release.before, release.certificate
    same = same_lines(before.partition, after.partition)
    return page.Released(
        heading=f"{released_name(release) or 'The released rows'}: {after.verdict}",
        lead=_lead(release, words, sharing),
        cards=(_verdict_card(after, words, sharing), _cost_card(release, words, sharing)),
        shifts=shifts(release, cases, words, sharing)
        if same and cases and len(cases) <= FEW
        else None,
        histograms=histograms(before, after, words)
        if sharing.whole and len(cases) > FEW
        else None,
        measures=_measures(release, words) if sharing.whole else (),
        paragraphs=tuple(_paragraphs(release, words, sharing)),
    )


def matching_partition(release: Release | None) -> Partition | None:
    """The released partition, if its lines are those before: what sharing must look at, too."""
    if release is None:
        return None
    after = release.certificate.partition
    return after if same_lines(release.before.partition, after) else None


def same_lines(before: Partition, after: Partition) -> bool:
    """Whether both have the same groups in the same order."""
    if before.names != after.names or len(before) != len(after):
        return False
    columns = (
        [np.asarray(a.values, object)[codes] for a, codes in zip(*sides, strict=True)]
        for sides in ((p.assignments.attributes, p.assignments.codes) for p in (before, after))
    )
    return all(np.array_equal(old, new) for old, new in zip(*columns, strict=True))


def released_name(release: Release | None) -> str | None:
    """The name of the released file, if it was written."""
    return release.files.data.name if release and release.files else None


def _lead(release: Release, words: Words, sharing: Sharing) -> page.Text:
    """What was and what is."""
    after, before = release.certificate, sharing.deciding(release.before)
    if before is None or sharing.deciding(after) is None:
        return text("The released rows were counted again, by the same graph and threshold.")
    seen = (
        seen_sentence(before),
        after.first_sentence(words.labels),
    )
    was, now = (f"{sentence[:1].lower()}{sentence[1:]}" for sentence in seen)
    return text(f"As recorded, {was}. ", Strong("As released, "), now)


def _verdict_card(certificate: Certificate, words: Words, sharing: Sharing) -> page.VerdictCard:
    largest = words.points(_largest(certificate.partition))
    return page.VerdictCard(
        about="As released",
        mark=mark(certificate),
        word=capital(str(certificate.verdict)),
        sentence=text(
            "Counted again from the released rows, given the same graph, at a threshold of "
            f"{words.threshold_points}.",
            f" The largest difference is {largest} points." if sharing.whole else "",
        ),
    )


def _cost_card(release: Release, words: Words, sharing: Sharing) -> page.VerdictCard:
    changed, rows = release.changed_rows, release.before.row_count
    return page.VerdictCard(
        about="What it cost",
        mark="cost",
        word=f"{changed:,} of {rows:,} rows changed ({rate(changed, rows)})"
        if sharing.whole
        else "Withheld",
        sentence=_directions(release.plan, words)
        if sharing.whole
        else text("How many rows were changed, and for whom."),
    )


def _reached(partition: Partition) -> str:
    return f"{partition.violating:,} of {partition.measured.sum():,}"


def _largest(partition: Partition) -> Fraction | None:
    return max(map(abs, partition.extremes), default=None)


def shifts(
    release: Release, cases: Sequence[Case], words: Words, sharing: Sharing
) -> pictures.ShiftPlot:
    """Few groups, each before and after."""
    after, naming = release.certificate.partition, GroupNames.of(release.before, words)
    # How many decisions changed in a group is a small count, too: others do not read it.
    plan = release.plan if isinstance(release.plan, RemovalPlan) and not sharing.share else None
    now = {case.line: after.risk_difference(case.line) or Fraction(0) for case in cases}
    held = [*map(in_points, cases), *(float(100 * value) for value in now.values())]
    scale = Scale.over(held, float(100 * words.question.threshold), left=0.04, right=0.04)
    return pictures.ShiftPlot(
        title="Each group before and after",
        subtitle="The difference as recorded and as released"
        + (", with the decisions changed." if plan else "."),
        name=naming.head,
        detail=naming.detail_head,
        changes="Decisions changed" if plan else "",
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
                changes=_changes(plan, case.line, words) if plan else (),
            )
            for case in cases
        ),
    )


def _changes(plan: RemovalPlan, line: int, words: Words) -> tuple[str, ...]:
    pairs = (
        (words.group, int(plan.group_change[line])),
        (words.other, int(plan.other_change[line])),
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


def _measures(release: Release, words: Words) -> tuple[tuple[str, str, str], ...]:
    before, after = release.before.partition, release.certificate.partition
    utility = release.utility

    def largest(partition: Partition) -> str:
        return words.points(_largest(partition))

    def favored(partition: Partition, side: str) -> str:
        yes = int(getattr(partition, f"{side}_yes").sum())
        total = int(getattr(partition, side).sum())
        return f"{yes:,} of {total:,} ({rate(yes, total)})"

    reaching = f"Groups that differ by {words.threshold_points} or more"
    return (
        (reaching, _reached(before), _reached(after)),
        ("Largest difference, points", largest(before), largest(after)),
        *(
            (f"{capital(who)} who {words.did}", favored(before, side), favored(after, side))
            for who, side in ((words.group, "group"), (words.other, "other"))
        ),
        ("Cells of the table changed (n_T)", "", f"{utility.cell_changes:,}"),
        ("Distance of the distributions", "", f"{utility.distance:.3g}"),
        ("Chi-square", "", f"{utility.chi_square:,.1f}"),
    )


def _paragraphs(release: Release, words: Words, sharing: Sharing) -> Iterator[page.Text]:
    yield text(
        f"Method {release.plan.method}, policy {release.plan.policy}. What is left to chance "
        "is drawn with a seed; with the manifest, which holds it, the release can be repeated.",
    )
    decided = words.question.decision in changed_columns(release.plan)
    yield text(
        Strong(f"The released rows record nobody’s true {words.decision}. " if decided else ""),
        _effects(release, words),
    )
    if release.drop:
        yield text(f"Not released: {listing(map(words.column, release.drop))}.")
    for warning in release.warnings if sharing.whole else ():
        yield text(warning.text(words_only))
    if release.certificate.verdict is not Verdict.CERTIFIED:
        yield text(Strong("This release is not certified."), " The method gives no guarantee.")
    yield _relearned(release, words)


def _effects(release: Release, words: Words) -> str:
    """What was changed, and what became of the decision's consequences."""
    changed = changed_columns(release.plan)
    if not changed or changed[0] != words.question.decision:
        return notice(release.plan)
    redrawn = [table.node.name for table in release.plan.redrawn]
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
        return notice(release.plan)
    only = f"Only {words.decision} was changed."
    left = words.columns(sorted(release.before.graph.children(words.question.decision)))
    if left == "nothing":
        return only
    return f"{only} What follows from it ({left}) stayed, so that the link to it is weaker."


def _directions(plan: RemovalPlan | GeneratedPlan | BaselinePlan, words: Words) -> page.Text:
    """Who gains and who loses, where it is decisions that change."""
    changed = plan.changed_decisions
    if changed is None:
        return text(notice(plan))
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


def _relearned(release: Release, words: Words) -> page.Text:
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
