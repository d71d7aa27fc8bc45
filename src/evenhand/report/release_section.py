"""A release: the verdict and the cost, which open the page, and section 6, before and after."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.evidence.release_statement import rows_not_released
from evenhand.evidence.sentences import deciding_partition, seen_sentence, state_before
from evenhand.question.group_words import begins_decision
from evenhand.report.charts import HISTOGRAM_HEIGHT, Scale, count_by_step, histogram
from evenhand.report.differences_sections import FEW
from evenhand.report.html_report import View
from evenhand.report.opening_section import mark
from evenhand.report.paths_section import claim_card
from evenhand.report.release_facts import ReleaseFacts, changes_by_line, same_lines
from evenhand.report.shown_groups import Case, GroupNames, widest_in
from evenhand.wording import (
    Strong,
    Text,
    VerdictCard,
    Words,
    capital,
    listing,
    rate,
    tally,
    text,
)


def released(release: ReleaseFacts | None, cases: Sequence[Case], words: Words) -> View | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    is_few = cases and len(cases) <= FEW
    return View(
        heading=f"{release.file or 'The released rows'}: {release.after.verdict}",
        before=state_before(words.question),
        lead=_lead(release, words),
        cards=(
            _verdict_card(release.after, words),
            _cost_card(release, words),
            *filter(None, [claim_card(release.after, words)]),
        ),
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
        moves=_moves(release, words),
        paragraphs=tuple(_paragraphs(release, words)),
    )


def _lead(release: ReleaseFacts, words: Words) -> Text:
    """What was and what is."""
    before, after = release.before, release.after
    seen = (
        seen_sentence(deciding_partition(before.partitions)),
        after.first_sentence(words.labels),
    )
    was, now = (f"{sentence[:1].lower()}{sentence[1:]}" for sentence in seen)
    return text(f"As {state_before(words.question)}, {was}. ", Strong("As released, "), now)


def _verdict_card(certificate: Certificate, words: Words) -> VerdictCard:
    largest = _largest(certificate.partition)
    return VerdictCard(
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


def _cost_card(release: ReleaseFacts, words: Words) -> VerdictCard:
    changed, rows = release.changed_rows, release.before.row_count
    return VerdictCard(
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
) -> View:
    """Few groups, each before and after, with the decisions changed where it is these."""
    naming, partitions = GroupNames.of(before, words), (before.partition, after.partition)
    was, now = (
        {case.line: widest_in(one, case.line).risk_difference or Fraction(0) for case in cases}
        for one in partitions
    )
    scale = Scale.over(
        [float(100 * value) for value in (*was.values(), *now.values())],
        float(100 * words.question.threshold),
        signed=words.has_sides,
        left=0.04,
        right=0.04,
    )
    what = "difference" if before.partition.two_groups else "widest difference"
    many = _has_many_values(before)
    ways = ("to favorable", "to unfavorable")
    if not many:
        worse, better = _two_values(before, words)
        ways = (f"{worse} → {better}", f"{better} → {worse}")
    return View(
        title="Each group before and after",
        before=f"as {state_before(words.question)}",
        subtitle=f"The {what} as {state_before(words.question)} and as released"
        + (", with the decisions changed." if tells_changes else "."),
        name=naming.head,
        detail=naming.detail_head,
        changes="Decisions changed" if tells_changes else "",
        axis=scale.axis(words),
        lines=tuple(
            View(
                id=case.id,
                name=naming.name(case),
                detail=naming.detail(case),
                before=scale.at(float(100 * was[case.line])),
                after=scale.at(float(100 * now[case.line])),
                description=f"from {words.points(was[case.line])} to "
                f"{words.points(now[case.line])} points",
                changes=_changes(partitions, case.line, ways, words) if tells_changes else (),
            )
            for case in cases
        ),
    )


def _changes(
    partitions: tuple[Partition, Partition], line: int, ways: tuple[str, str], words: Words
) -> tuple[str, ...]:
    """How many decisions of each group change; of more than two kinds, by how many each."""
    before, after = partitions
    names = words.groups
    if len(words.cuts) > 1:
        moved = (after.counts - before.counts)[:, :, line].T.tolist()
        return tuple(
            f"{who}: {_growth(change, words)}"
            for who, change in zip(names, moved, strict=True)
            if any(change)
        )
    changes = [*zip(names, changes_by_line(before, after)[:, line].tolist(), strict=True)]
    if words.is_named:
        return tuple(
            f"{abs(many):,} {who} {way}"
            for who, many in changes
            for way, sign in zip(ways, (1, -1), strict=True)
            if many * sign > 0
        )
    return tuple(
        f"{way}: {', '.join(some)}"
        for way, sign in zip(ways, (1, -1), strict=True)
        if (some := tally([max(many * sign, 0) for _, many in changes], names))
    )


def _growth(change: Sequence[int], words: Words) -> str:
    """By how many each kind of decision grows or shrinks."""
    each = zip(change, words.decision_names, strict=True)
    return ", ".join(
        f"{'+' if n > 0 else '−'}{abs(n):,}\u00a0{decided}" for n, decided in each if n
    )


def histograms(before: Certificate, after: Certificate, words: Words) -> View:
    """Many groups by difference, before and after."""
    both = [
        (f"As {state_before(words.question)}", "none", before.partition),
        ("As released", "after", after.partition),
    ]
    threshold = float(100 * words.question.threshold)
    signed = words.has_sides
    ends = (
        float(100 * (end if signed else abs(end)))
        for _, _, partition in both
        for end in partition.extremes
    )
    scale = Scale.over(ends, threshold, signed=signed)
    tallest = max(max(count_by_step(partition).values(), default=1) for _, _, partition in both)
    return View(
        title="Before and after",
        subtitle=f"{capital(words.comparisons)} by difference in percentage points. Each bar "
        f"is {words.threshold_points} wide; those within the band are under the threshold.",
        axis=scale.axis(words),
        height=HISTOGRAM_HEIGHT,
        both=tuple(
            histogram(
                label,
                partition,
                scale,
                words,
                tallest=tallest,
                within=within,
                what=words.comparisons.removeprefix("comparable "),
            )
            for label, within, partition in both
        ),
    )


def _measures(release: ReleaseFacts, words: Words) -> Iterator[tuple[str, str, str]]:
    before, after = release.before.partition, release.after.partition

    def largest(partition: Partition) -> str:
        return words.points(_largest(partition))

    def favored(partition: Partition, cut: int, group: int) -> str:
        yes, total = (
            int(partition.favorable[cut, group].sum()),
            int(partition.rows[group].sum()),
        )
        return f"{yes:,} of {total:,} ({rate(yes, total)})"

    yield (
        f"Groups that differ by {words.threshold_points} or more",
        _reached(before),
        _reached(after),
    )
    yield "Largest difference, points", largest(before), largest(after)
    for at, who in enumerate(words.groups):
        for cut, label in enumerate(map(before.cut_label, range(len(before.favorable)))):
            did = f"{capital(who)} who {words.did_by(label)}"
            yield did, favored(before, cut, at), favored(after, cut, at)
    utility = release.utility
    yield "Cells of the table changed (n_T)", "", f"{utility.cell_changes:,}"
    yield "Distance of the distributions", "", f"{utility.distance:.3g}"
    yield "Chi-square", "", f"{utility.chi_square:,.1f}"


def _moves(release: ReleaseFacts, words: Words) -> tuple[tuple[str, str], ...]:
    """From which decision to which, and how many of each group, if there are more than two."""
    if not _has_many_values(release.before):
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


def _has_many_values(certificate: Certificate) -> bool:
    """Whether more than two decisions are recorded, however many are told apart."""
    decision = certificate.question.decision
    return len(certificate.examined.counts.attribute(decision).values) > 2


def _paragraphs(release: ReleaseFacts, words: Words) -> Iterator[Text]:
    chosen = (
        f"Of people who are alike, those nearest to the other side by {release.rank} changed. "
        if release.rank is not None
        else ""
    )
    yield text(
        f"Method {release.method}, policy {release.policy}. {chosen}What is left to chance "
        "is drawn with a seed; with the manifest, which holds it, the release can be repeated.",
    )
    if release.accuracy:
        yield text(f"Predictions of the kind of the label: {release.accuracy}.")
    decided = words.question.decision in release.changed_columns
    yield text(
        Strong(f"The released rows record nobody’s true {words.decision}. " if decided else ""),
        _effects(release, words),
    )
    if release.dropped_columns:
        yield text(f"Not released: {listing(map(words.column, release.dropped_columns))}.")
    if left_behind := rows_not_released(release.before.dropped):
        yield text(left_behind)
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
        were = "was" if len(redrawn) == 1 else "were"
        return (
            f"In changed rows {listing(map(words.column, redrawn))} {were} drawn anew, because "
            "the decision brings it about; nothing else of any row changed."
        )
    if len(changed) > 1:
        return release.notice
    only = f"Only {words.decision} was changed."
    left = words.columns(sorted(release.before.graph.children(words.question.decision)))
    if left == "nothing":
        return only
    return f"{only} What follows from it ({left}) stayed, so that the link to it is weaker."


def _directions(release: ReleaseFacts, words: Words) -> Text:
    """Who gains and who loses, where it is decisions that change."""
    changed = release.changed
    if changed is None:
        return text(release.notice)
    groups = words.groups
    if words.question.criterion == "every":
        each = listing(tally(map(sum, changed.groups), groups) or ["nobody"])
        return text("Whose decision becomes another: ", Strong(each), ".")
    better, worse = both_ways(release.before, words)
    gains, losses = (
        listing(tally(way, groups) or ["nobody"]) for way in zip(*changed.groups, strict=True)
    )
    who_loses = f". Who loses ({worse}): "
    return text(f"Who gains ({better}): ", Strong(gains), who_loses, Strong(losses), ".")


def both_ways(before: Certificate, words: Words) -> tuple[str, str]:
    """How a decision that changes for the better, and one for the worse, is called."""
    if before.question.criterion == "cumulative":
        return "to a better value", "to a worse one"
    if _has_many_values(before):
        return "to a favorable decision", "to an unfavorable one"
    worse, better = _two_values(before, words)
    return f"{worse} to {better}", f"{better} to {worse}"


def _two_values(before: Certificate, words: Words) -> tuple[str, str]:
    """The unfavorable and the favorable value; a label that is part of a sentence is none."""
    question = before.question
    decisions = before.examined.counts.attribute(question.decision).values
    values = sorted(decisions, key=lambda value: value in question.favorable_values)
    labels = [words.labels.value(question.decision, value) for value in values]
    worse, better = values if any(map(begins_decision, labels)) else labels
    return worse, better


def _relearned(release: ReleaseFacts, words: Words) -> Text:
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
