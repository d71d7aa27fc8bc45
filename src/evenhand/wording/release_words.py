"""``ReleaseFacts``: what is said of a release, before and after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.errors import Problem, words_only
from evenhand.evidence import Certificate
from evenhand.evidence.release_statement import rows_not_released
from evenhand.evidence.sentences import deciding_partition, seen_sentence, state_before
from evenhand.question.group_words import begins_decision
from evenhand.releasing import Release, Utility
from evenhand.releasing.cost import Accuracy, Relearned
from evenhand.releasing.manifest import notice
from evenhand.removal import ChangedDecisions, RemovalPlan, changed_columns
from evenhand.removal.removal_plan import DecisionChanges
from evenhand.verdict import Verdict
from evenhand.wording.numbers import listing, rate, tally
from evenhand.wording.statements import Strong, Text, text
from evenhand.wording.words import Words


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """Both certificates, what the method did, and what it cost.

    ``file`` is the name of the released rows, if they were written. ``changed`` is None if what
    changes is not decisions; ``moves`` counts them by group, old and new value.
    """

    before: Certificate
    after: Certificate
    file: str | None
    method: str
    policy: str
    rank: str | None
    accuracy: Accuracy | None
    notice: str
    changed_columns: tuple[str, ...]
    redrawn: tuple[str, ...]
    changed: ChangedDecisions | None
    moves: Mapping[tuple[int, int, int], int]
    changed_rows: int
    utility: Utility
    relearned: Relearned | None
    dropped_columns: tuple[str, ...]
    warnings: tuple[Problem, ...]

    @classmethod
    def of(cls, release: Release) -> "ReleaseFacts":
        """What is known of a release."""
        plan, files = release.plan, release.files
        return cls(
            before=release.before,
            after=release.certificate,
            file=files.data.name if files else None,
            method=plan.method,
            policy=plan.policy,
            rank=plan.rank,
            accuracy=release.accuracy,
            notice=notice(plan),
            changed_columns=changed_columns(plan),
            redrawn=tuple(table.node.name for table in plan.redrawn),
            changed=plan.changed_decisions,
            moves=_moves(plan.changes) if isinstance(plan, RemovalPlan) else {},
            changed_rows=release.changed_rows,
            utility=release.utility,
            relearned=release.relearned,
            dropped_columns=release.drop,
            warnings=tuple(release.warnings),
        )


def _moves(changes: DecisionChanges) -> dict[tuple[int, int, int], int]:
    if not len(changes.rows):
        return {}
    ways, way = np.unique(
        np.stack([changes.group, changes.old, changes.new]), axis=1, return_inverse=True
    )
    rows = np.zeros(ways.shape[1], np.int64)
    np.add.at(rows, way.ravel(), changes.rows)
    return {
        (group, old, new): many
        for (group, old, new), many in zip(ways.T.tolist(), rows.tolist(), strict=True)
    }


def release_lead(release: ReleaseFacts, words: Words) -> Text:
    """What was and what is."""
    before, after = release.before, release.after
    seen = (
        seen_sentence(deciding_partition(before.partitions)),
        after.first_sentence(words.labels),
    )
    was, now = (f"{sentence[:1].lower()}{sentence[1:]}" for sentence in seen)
    return f"As {state_before(words.question)}, {was}. ", Strong("As released, "), now


def rows_changed(release: ReleaseFacts, *, verb: str = "changed") -> str:
    """How many rows changed, or would change."""
    changed, rows = release.changed_rows, release.before.row_count
    return f"{changed:,} of {rows:,} rows {verb} ({rate(changed, rows)})"


def who_gains(release: ReleaseFacts, words: Words) -> Text:
    """Who gains and who loses, where it is decisions that change."""
    changed = release.changed
    if changed is None:
        return release.notice
    groups = words.groups
    if words.question.criterion == "every":
        each = listing(tally(map(sum, changed.groups), groups) or ["nobody"])
        return "Whose decision becomes another: ", Strong(each), "."
    better, worse = both_ways(release.before, words)
    gains, losses = (
        listing(tally(way, groups) or ["nobody"]) for way in zip(*changed.groups, strict=True)
    )
    who_loses = f". Who loses ({worse}): "
    return f"Who gains ({better}): ", Strong(gains), who_loses, Strong(losses), "."


def both_ways(before: Certificate, words: Words) -> tuple[str, str]:
    """How a decision that changes for the better, and one for the worse, is called."""
    if before.question.criterion == "cumulative":
        return "to a better value", "to a worse one"
    if has_many_values(before):
        return "to a favorable decision", "to an unfavorable one"
    worse, better = two_values(before, words)
    return f"{worse} to {better}", f"{better} to {worse}"


def two_values(before: Certificate, words: Words) -> tuple[str, str]:
    """The unfavorable and the favorable value; a label that is part of a sentence is none."""
    question = before.question
    decisions = before.examined.counts.attribute(question.decision).values
    values = sorted(decisions, key=lambda value: value in question.favorable_values)
    labels = [words.labels.value(question.decision, value) for value in values]
    worse, better = values if any(map(begins_decision, labels)) else labels
    return worse, better


def has_many_values(certificate: Certificate) -> bool:
    """Whether more than two decisions are recorded, however many are told apart."""
    decision = certificate.question.decision
    return len(certificate.examined.counts.attribute(decision).values) > 2


def release_statements(release: ReleaseFacts, words: Words) -> Iterator[Text]:
    """How the rows were made, what was changed, and what is to be known of it."""
    chosen = (
        f"Of people who are alike, those nearest to the other side by {release.rank} changed. "
    )
    yield (
        f"Method {release.method}, policy {release.policy}. "
        f"{'' if release.rank is None else chosen}What is left to chance is drawn with a seed; "
        "with the manifest, which holds it, the release can be repeated."
    )
    if release.accuracy:
        yield f"Predictions of the kind of the label: {release.accuracy}."
    decided = words.question.decision in release.changed_columns
    yield (
        Strong(f"The released rows record nobody’s true {words.decision}. " if decided else ""),
        _effects(release, words),
    )
    if release.dropped_columns:
        yield f"Not released: {words.columns(release.dropped_columns)}."
    if left_behind := rows_not_released(release.before.dropped):
        yield left_behind
    for warning in release.warnings:
        yield warning.text(words_only)
    if release.after.verdict is not Verdict.CERTIFIED:
        yield Strong("This release is not certified."), " The method gives no guarantee."
    yield _relearned(release, words)


def _effects(release: ReleaseFacts, words: Words) -> str:
    """What was changed, and what became of the decision's consequences."""
    changed = release.changed_columns
    if not changed or changed[0] != words.question.decision:
        return release.notice
    if redrawn := release.redrawn:
        were = "was" if len(redrawn) == 1 else "were"
        return (
            f"In changed rows {words.columns(redrawn)} {were} drawn anew, because "
            "the decision brings it about; nothing else of any row changed."
        )
    if len(changed) > 1:
        return release.notice
    only = f"Only {words.decision} was changed."
    follows = sorted(release.before.graph.children(words.question.decision))
    if not follows:
        return only
    left = words.columns(follows)
    return f"{only} What follows from it ({left}) stayed, so that the link to it is weaker."


def _relearned(release: ReleaseFacts, words: Words) -> Text:
    relearned = release.relearned
    if relearned is None:
        return (
            "The graph was given, so it was not learned again from the released rows. "
            "The certificate of the release is given with the same graph."
        )
    change = [
        f"{word} {words.columns(names)}"
        for word, names in (("gained", relearned.gained), ("lost", relearned.lost))
        if names
    ]
    same = "the same causes of the decision"
    if change:
        same = f"other causes of the decision ({'; '.join(change)})"
    return text(
        Strong("Learned again from the released rows, "),
        f"the graph has {same}; by it the verdict would be “{relearned.verdict}”. This is no "
        "part of the certificate, which is given with its own graph.",
    )
