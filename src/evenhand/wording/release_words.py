"""What is said of a release, before and after."""

from collections.abc import Iterable

from evenhand.evidence import Certificate
from evenhand.question.display_labels import begins_decision, state_before
from evenhand.releasing import Release
from evenhand.wording.difference_words import first_sentence, seen_sentence
from evenhand.wording.sentence_parts import MOST_LISTED, Strong, Text, listing, rate, shortened
from evenhand.wording.vocabulary import Words


def release_lead(release: Release, words: Words) -> Text:
    """What was and what is."""
    before, after = release.before, release.certificate
    seen = seen_sentence(before.deciding_partition, words), first_sentence(after, words)
    was, now = (f"{sentence[:1].lower()}{sentence[1:]}" for sentence in seen)
    return f"As {state_before(words.question)}, {was}. ", Strong("As released, "), now


def rows_changed(release: Release, *, verb: str = "changed") -> str:
    """How many rows changed, or would change."""
    changed, rows = release.changed_rows, release.before.row_count
    return f"{changed:,} of {rows:,} rows {verb} ({rate(changed, rows)})"


def who_gains(release: Release, words: Words) -> Text:
    """Who gains and who loses, where it is decisions that change."""
    changed = release.plan.changed_decisions
    if changed is None:
        return release.statement.notice
    if words.question.criterion == "every":
        each = _tally(map(sum, changed.groups), words)
        return "Whose decision becomes another: ", Strong(each), "."
    better, worse = both_ways(release.before, words)
    gains, losses = (_tally(way, words) for way in zip(*changed.groups, strict=True))
    who_loses = f". Who loses ({worse}): "
    return f"Who gains ({better}): ", Strong(gains), who_loses, Strong(losses), "."


def _tally(counts: Iterable[int], words: Words) -> str:
    """How many of each group; of more than ten groups the most frequent ones."""
    each = [*zip(counts, words.group_values, words.groups, strict=True)]
    if len(each) > MOST_LISTED:
        each.sort(key=lambda one: -one[0])
    named = [
        "".join(words.so_many(many, value)) if words.is_named else f"{name} ({many:,})"
        for many, value, name in each
        if many
    ]
    return listing(shortened(named) or ["nobody"])


def both_ways(before: Certificate, words: Words) -> tuple[str, str]:
    """How a decision that changes for the better, and one for the worse, is called."""
    question = before.question
    if question.criterion == "cumulative":
        return "to a better value", "to a worse one"
    decisions = before.examined.counts.attribute(question.decision).values
    if len(decisions) > 2:
        return "to a favorable decision", "to an unfavorable one"
    values = sorted(decisions, key=lambda value: value in question.favorable_values)
    labels = [words.labels.value(question.decision, value) for value in values]
    # A label that is part of a sentence is none.
    worse, better = values if any(map(begins_decision, labels)) else labels
    return f"{worse} to {better}", f"{better} to {worse}"
