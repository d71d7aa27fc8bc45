"""Section 6: the data before and after a release, what was changed, and what it cost."""

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.releasing import Release
from evenhand.releasing.manifest import notice
from evenhand.removal import RemovalPlan, changed_columns
from evenhand.report import drawing, view
from evenhand.report.charts import HISTOGRAM_HEIGHT, Scale, counted, histogram, in_points
from evenhand.report.differences_sections import FEW
from evenhand.report.group_names import Naming
from evenhand.report.opening_section import mark
from evenhand.report.phrases import Words, capital, listing, rate
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.view import Strong, text


def released(
    release: Release | None, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> view.Released | None:
    """Before and after side by side; None where nothing was released."""
    if release is None:
        return None
    before, after = release.before, release.certificate
    same = _comparable(before.partition, after.partition)
    return view.Released(
        states=(
            _state("As recorded", before, words, sharing),
            _state("As released", after, words, sharing),
        ),
        moved=_moved(release, drawn, words, sharing)
        if same and drawn and len(drawn) <= FEW
        else None,
        histograms=_histograms(before, after, words)
        if sharing.whole and len(drawn) > FEW
        else None,
        measures=_measures(release, words) if sharing.whole else (),
        told=tuple(_told(release, words, sharing)),
    )


def aligned(release: Release | None) -> Partition | None:
    """The released partition, if its lines are those before: what sharing must look at, too."""
    if release is None:
        return None
    after = release.certificate.partition
    return after if _comparable(release.before.partition, after) else None


def _comparable(before: Partition, after: Partition) -> bool:
    if len(before) != len(after):
        return False
    return all(before.where(line) == after.where(line) for line in range(len(before)))


def _state(when: str, found: Certificate, words: Words, sharing: Sharing) -> view.State:
    partition = found.partition
    sizes = [abs(d) for d in _differences(partition)]
    sentence = (
        f"{partition.violating:,} of {len(sizes):,} groups at or beyond "
        f"{words.threshold_points}"
    )
    if sizes:
        sentence += f"; largest difference {words.points(max(sizes))}"
    return view.State(
        when=when,
        mark=mark(found.verdict),
        word=capital(str(found.verdict)),
        sentence=sentence if sharing.whole else "given the same graph and threshold",
    )


def _differences(partition: Partition) -> list[Fraction]:
    found = map(partition.risk_difference, range(len(partition)))
    return [difference for difference in found if difference is not None]


def _moved(
    release: Release, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> drawing.MovedPlot:
    after, naming = release.certificate.partition, Naming.of(release.before, words)
    # How many decisions changed in a group is a small count, too: others do not read it.
    is_told = isinstance(release.plan, RemovalPlan) and not sharing.share
    plan = cast("RemovalPlan", release.plan) if is_told else None
    now = {case.line: after.risk_difference(case.line) or Fraction(0) for case in drawn}
    held = [*map(in_points, drawn), *(float(100 * value) for value in now.values())]
    scale = Scale.over(held, float(100 * words.question.threshold), left=0.04, right=0.04)
    return drawing.MovedPlot(
        title="Each group before and after",
        subtitle="The difference as recorded and as released"
        + (", with the decisions changed." if plan else "."),
        name=naming.head,
        detail=naming.detail_head,
        changes="Decisions changed" if plan else "",
        axis=scale.axis(words),
        lines=tuple(
            drawing.Moved(
                id=case.id,
                name=naming.name(case),
                detail=naming.detail(case),
                before=scale.at(in_points(case)),
                after=scale.at(float(100 * now[case.line])),
                kind=case.kind,
                told=f"from {words.points(case.difference)} to "
                f"{words.points(now[case.line])} points",
                changes=_changes(plan, case.line, words) if plan else (),
            )
            for case in drawn
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


def _histograms(before: Certificate, after: Certificate, words: Words) -> drawing.Histograms:
    both = [
        ("As recorded", "none", _differences(before.partition)),
        ("As released", "after", _differences(after.partition)),
    ]
    threshold = float(100 * words.question.threshold)
    scale = Scale.over([float(100 * d) for _, _, found in both for d in found], threshold)
    tallest = max(max(counted(found, words).values(), default=1) for _, _, found in both)
    return drawing.Histograms(
        title="Before and after",
        subtitle="Comparable groups by difference in percentage points. Each bar is "
        f"{words.threshold_points} wide; those within the band are under the threshold.",
        axis=scale.axis(words),
        height=HISTOGRAM_HEIGHT,
        both=tuple(
            histogram(label, found, scale, words, tallest=tallest, calm=calm)
            for label, calm, found in both
        ),
    )


def _measures(release: Release, words: Words) -> tuple[view.BeforeAfter, ...]:
    before, after = release.before, release.certificate
    utility = release.utility

    def largest(found: Certificate) -> str:
        return words.points(max(map(abs, _differences(found.partition)), default=None))

    def favored(found: Certificate, side: str) -> str:
        yes = int(getattr(found.partition, f"{side}_yes").sum())
        total = int(getattr(found.partition, side).sum())
        return f"{yes:,} of {total:,} ({rate(yes, total)})"

    def reached(found: Certificate) -> str:
        return f"{found.partition.violating:,} of {found.partition.measured.sum():,}"

    return (
        view.BeforeAfter(
            measure=f"Groups that differ by {words.threshold_points} or more",
            before=reached(before),
            after=reached(after),
        ),
        view.BeforeAfter(
            measure="Largest difference, points", before=largest(before), after=largest(after)
        ),
        *(
            view.BeforeAfter(
                measure=f"{capital(who)} who {words.did}",
                before=favored(before, side),
                after=favored(after, side),
            )
            for who, side in ((words.group, "group"), (words.other, "other"))
        ),
        view.BeforeAfter(
            measure="Cells of the table changed (n_T)",
            before="",
            after=f"{utility.cell_changes:,}",
        ),
        view.BeforeAfter(
            measure="Distance of the distributions", before="", after=f"{utility.distance:.3g}"
        ),
        view.BeforeAfter(measure="Chi-square", before="", after=f"{utility.chi_square:,.1f}"),
    )


def _told(release: Release, words: Words, sharing: Sharing) -> list[view.Text]:
    plan, after = release.plan, release.certificate
    said: list[view.Text] = []
    if sharing.whole:
        said.append(
            text(
                Strong(
                    f"{release.changed_rows:,} of {release.before.rows:,} rows were changed "
                    f"({rate(release.changed_rows, release.before.rows)})."
                ),
                *_directions(plan, words),
                f" Method {plan.method}, policy {plan.policy}. Which rows of a group change "
                "is drawn at random.",
            )
        )
    else:
        said.append(
            text(
                f"Method {plan.method}, policy {plan.policy}. How many rows were changed is "
                "withheld.",
            )
        )
    said.append(
        text(
            Strong(f"The released rows record nobody’s true {words.decision}. "),
            _effects(release, words),
        )
    )
    if after.verdict is not Verdict.CERTIFIED:
        said.append(
            text(Strong("This release is not certified."), " The method gives no guarantee.")
        )
    said.append(_relearned(release, words))
    return said


def _effects(release: Release, words: Words) -> str:
    """What became of the decision's consequences."""
    redrawn = [words.column(table.node.name) for table in release.plan.redrawn]
    if redrawn:
        return (
            f"In changed rows {listing(redrawn)} {'was' if len(redrawn) == 1 else 'were'} "
            "drawn anew, because the decision brings it about; nothing else of any row changed."
        )
    if changed_columns(release.plan) != (words.question.decision,):
        return notice(release.plan)
    only = f"Only {words.decision} was changed."
    left = words.columns(sorted(release.before.graph.children(words.question.decision)))
    if left == "nothing":
        return only
    return f"{only} What follows from it ({left}) stayed, so that the link to it is weaker."


def _directions(plan: object, words: Words) -> view.Text:
    if not isinstance(plan, RemovalPlan):
        return ()
    parts = []
    for who, change in ((words.group, plan.group_change), (words.other, plan.other_change)):
        up, down = int(change.clip(0).sum()), int((-change).clip(0).sum())
        told = [
            f"{n:,} go from {way}" for n, way in ((up, "no to yes"), (down, "yes to no")) if n
        ]
        if told:
            parts.append(f" {capital(who)}: {', '.join(told)}.")
    return tuple(parts)


def _relearned(release: Release, words: Words) -> view.Text:
    found = release.relearned
    if found is None:
        return (
            "The graph was given, so it was not learned again from the released rows. ",
            "The certificate of the release is given with the same graph.",
        )
    change = [
        f"{word} {words.columns(names)}"
        for word, names in (("gained", found.gained), ("lost", found.lost))
        if names
    ]
    same = (
        "the same causes of the decision"
        if not change
        else f"other causes of the decision ({'; '.join(change)})"
    )
    return text(
        Strong("Learned again from the released rows, "),
        f"the graph has {same}; by it the verdict would be “{found.verdict}”. This is no "
        "part of the certificate, which is given with its own graph.",
    )
