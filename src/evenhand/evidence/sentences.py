"""A result in words: its first sentence, its facts, single findings, what is taken for granted.

The number of subpopulations that reach the threshold says little alone: small ones differ by
chance. So beside it stands how many chance would make, and where that explains everything, the
first sentence says so. A finding is for people who will never read a table: a label of a value
that begins like a part of a sentence ("with a low score", "applying to EE", "were admitted") is
used as it stands; any other is put after the name of its column.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from operator import itemgetter
from typing import Any

import numpy as np

from evenhand.display import percent, points
from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.subpopulations import Subpopulation, p_value, threshold_points
from evenhand.question import Question
from evenhand.question.group_words import decision_phrase, group_heading, people_of
from evenhand.question.question_file import Labels

_LEVEL = 0.05


def first_sentence(
    partitions: Sequence[Partition],
    *,
    causes: int = 1,
    min_coverage: Fraction,
    released: bool = False,
    labels: Labels | None = None,
) -> str:
    """How many groups differ, seen and by chance, and the difference on average.

    It is about the first partition, by the decision causes; where that shows nothing but
    another block set does, about that one. Where several sets of causes are possible, so many
    partitions come first, and the one with the largest difference on average is told besides.
    Released rows get neither chance nor interval: chance did not make them.
    """
    labels = labels or Labels()
    partition = deciding_partition(partitions)
    if not partition.measured.any():
        return _nobody_sentence(partition.question)
    sentence = seen_sentence(partition)
    if partition is not partitions[0]:
        sentence = f"Alike in {_names(partition, labels)}: {_lower(sentence)}"
    sentence += coverage_phrase(partition, min_coverage, labels)
    if not released:
        explained = explained_by_chance((*partitions[:causes], partition))
        words = ", no more than chance would make, given this graph: {}"
        sentence += (words if explained else "; chance alone would make {}").format(
            partition.by_chance
        )
    sentence = f"{sentence}. {average_sentence(partition, labels, released=released)}".rstrip()
    others = [one for one in partitions[:causes] if one is not partition and one.measured.any()]
    if not others:
        return sentence
    other = max(others, key=_average)
    average = _lower(average_sentence(other, labels, released=released))
    return (
        f"{sentence} If instead the other causes are {_names(other, labels)}, which the graph "
        f"leaves open: {_lower(seen_sentence(other))}; {average}"
    )


def _nobody_sentence(question: Question) -> str:
    two = "both groups" if question.group is not None else "two groups"
    enough = f" with {question.min_rows:,} rows or more" if question.min_rows > 1 else ""
    return f"Nobody could be compared: in no group of people alike do {two} occur{enough}."


def _average(partition: Partition) -> float:
    common = partition.statistics.common
    return abs(common.difference) if common else 0.0


def _names(partition: Partition, labels: Labels) -> str:
    return ", ".join(map(labels.column, partition.names)) or "nothing"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def coverage_phrase(
    partition: Partition, min_coverage: Fraction, labels: Labels | None = None
) -> str:
    """How many of the rows, or of a group's, could be compared; empty where enough could."""
    cover, question = partition.coverage, partition.question
    if cover.reaches(min_coverage):
        return ""
    if cover.overall < min_coverage:
        share, whom = cover.overall, "the rows"
    else:
        share, fewest = min(
            zip(cover.groups, partition.groups, strict=True), key=lambda pair: pair[0]
        )
        whom = f"the {people_of(question, fewest, labels or Labels())}"
    return f", in the {percent(float(share))} of {whom} that could be compared"


def deciding_partition(partitions: Sequence[Partition]) -> Partition:
    """The first, by the decision causes; another block set if only that one differs."""
    return next((one for one in partitions if one.violating), partitions[0])


def explained_by_chance(partitions: Sequence[Partition]) -> bool:
    """Whether all that was seen is no more than chance would make, given this graph.

    That is so if chance makes as many with a probability of at least .05, no difference is
    shown, and none on average. Where the graph leaves several sets of causes open it must be so
    for all of them, each tested at its part of .05.
    """
    different = {partition.names: partition for partition in partitions}.values()
    return all(is_explained(one, _LEVEL / len(different)) for one in different)


def is_explained(partition: Partition, level: float = _LEVEL) -> bool:
    """Whether chance explains one partition: the number seen, each difference and each mean.

    Of many means the least likely counts, allowing for their number (Bonferroni); it need not
    be that of the leading pair.
    """
    chance, statistics = partition.by_chance, partition.statistics
    means = [mean for mean in statistics.means if mean]
    return (
        chance is not None
        and chance.p >= level
        and min(mean.p_zero for mean in means) * len(means) >= level
        and not statistics.any_shown
    )


def average_sentence(partition: Partition, labels: Labels, *, released: bool = False) -> str:
    """Who is ahead on average, by how much; empty if nothing is measured.

    The interval is what chance in sampling leaves open, so released rows have none.
    """
    question, common = partition.question, partition.statistics.common
    if common is None:
        return ""
    low, high = common.low, common.high
    if common.difference < 0:
        low, high = -high, -low
    span = "" if released else f" ({_points(low, question)} to {_points(high, question)})"
    size = _points(abs(common.difference), question)
    if not common.difference:
        return f"On average nobody is ahead{span}."
    pair = partition.leading_labels
    ahead, behind = pair[::-1] if common.difference > 0 else pair
    leads = people_of(question, ahead, labels)
    if partition.two_groups:
        return f"On average {leads} are {size} points ahead{span}."
    return (
        f"On average the clearest of {partition.statistics.mean_count:,} differences: {leads} "
        f"{decision_phrase(question, labels, partition.leading_decision)} {size} points more "
        f"often than {people_of(question, behind, labels)}{span}."
    )


def seen_sentence(partition: Partition) -> str:
    """How many comparable groups reach the threshold, without a period."""
    many, differing = int(partition.measured.sum()), partition.violating
    reach = f"by {threshold_points(partition.question)} or more"
    if many == 1:
        verb = "differs" if differing else "does not differ"
        return f"The one comparable group {verb} {reach}"
    some, verb = f"{differing:,}", "differ" if differing > 1 else "differs"
    return f"{some if differing else 'None'} of {many:,} comparable groups {verb} {reach}"


def _points(difference: float, question: Question) -> str:
    # Turning an interval of just 0 must not leave a minus sign before it.
    return points(difference + 0.0, threshold=question.threshold)


_BEGINS_CONDITION = (
    "aged",
    "applying",
    "at",
    "between",
    "born",
    "from",
    "having",
    "in",
    "living",
    "of",
    "on",
    "over",
    "under",
    "who",
    "with",
    "without",
    "working",
)


def finding(
    subpopulation: Subpopulation, question: Question, labels: Labels | None = None
) -> str:
    """What was counted in one subpopulation, with the difference and its interval.

    >>> words = Labels(values={
    ...     "gender": {"female": "women", "male": "men"},
    ...     "major": {"EE": "applying to EE"},
    ...     "score": {"L": "with a low score"},
    ...     "admission": {"yes": "were admitted"},
    ... })
    >>> asked = Question(protected="gender", group="female", other="male",
    ...                  decision="admission", favorable="yes")
    >>> low_scores = Subpopulation(
    ...     where={"major": "EE", "score": "L"}, group_yes=240, group_no=360, other_yes=90,
    ...     other_no=110, risk_difference=Fraction(1, 20), interval=(-0.0284, 0.1291),
    ...     p_zero=0.21, p_threshold=0.5, p_adjusted=1.0, discovery_rate=1.0,
    ...     shown=False)
    >>> print(finding(low_scores, asked, words))
    Of 600 women applying to EE with a low score 240 were admitted, of 200 men 90: 5.0 points
    fewer (95 % interval −2.8 to 12.9).
    """
    words = labels or Labels()
    who = _people(subpopulation, question, words)
    group, other = (people_of(question, one, words) for one in pair_of(subpopulation, question))
    difference, interval = subpopulation.risk_difference, subpopulation.interval
    if difference is None or interval is None:
        absent = other if subpopulation.group else group
        return f"{who}: nobody to compare with, as there are no {absent}."
    favored = decision_phrase(question, words, subpopulation.decision)
    return (
        f"Of {subpopulation.group:,} {who} {subpopulation.group_yes:,} {favored}, of "
        f"{subpopulation.other:,} {other} {subpopulation.other_yes:,}: "
        f"{_difference(difference, interval, question.threshold)}."
    )


def _difference(
    difference: Fraction, interval: tuple[float, float], threshold: Fraction
) -> str:
    """By how much fewer or more of the group, the interval turned the same way."""
    low, high = interval if difference >= 0 else (-interval[1], -interval[0])
    # Turning an interval of just 0 must not leave a minus sign before it.
    low, high = low + 0.0, high + 0.0
    span = " to ".join(points(end, threshold=threshold) for end in (low, high))
    size = points(abs(difference), threshold=threshold)
    side = "fewer" if difference > 0 else "more" if difference < 0 else "of difference"
    return f"{size} points {side} (95 % interval {span})"


def _people(subpopulation: Subpopulation, question: Question, words: Labels) -> str:
    """The group, and what its members have in common."""
    conditions = [_condition(name, value, words) for name, value in subpopulation.where.items()]
    phrases = [text for text, is_phrase in conditions if is_phrase]
    plain = [text for text, is_phrase in conditions if not is_phrase]
    listed = ", ".join(plain[:-1]) + (" and " if plain[1:] else "") + "".join(plain[-1:])
    parts = [people_of(question, pair_of(subpopulation, question)[0], words), *phrases]
    return " ".join([*parts, f"with {listed}"] if plain else parts)


def _condition(name: str, value: str, words: Labels) -> tuple[str, bool]:
    label = words.value(name, value)
    if label.split(" ")[0] in _BEGINS_CONDITION:
        return label, True
    return f"{words.column(name)} {label}", False


def pair_of(subpopulation: Subpopulation, question: Question) -> tuple[str, str]:
    """The groups that are compared in a subpopulation."""
    group, other = subpopulation.labels or (str(question.group), str(question.other))
    return group, other


_SHOWN_GROUPS = 10  # of more those with the smallest coverage


def partition_facts(partition: Partition) -> list[tuple[str, str]]:
    """Names and texts: its subpopulations, their coverage, and the range of differences."""
    facts = [
        ("subpopulations", _numbers_text(partition)),
        ("coverage", _coverage_text(partition)),
        ("same decision for all", _same_decision_text(partition)),
    ]
    if partition.measured.any():
        facts.append(("difference in points", _range_text(partition)))
    return facts


def numbers_by_chance(partition: Partition, chance: ByChance | None) -> dict[str, Any]:
    """How many subpopulations occur and reach the threshold, and would by chance."""
    return {
        **partition.numbers,
        "violating_rows": partition.violating_rows,
        "same_decision": int(partition.same_decision.sum()),
        "same_decision_rows": int(partition.row_counts[partition.same_decision].sum()),
        "by_chance": chance.to_dict() if chance else None,
    }


def chance_facts(partitions: Sequence[Partition]) -> list[tuple[str, str]]:
    """For each partition how many would reach the threshold by chance, and just under it."""
    first, *others = partitions
    further = [
        (f"alike in {', '.join(one.names) or 'nothing'}", f"{one.violating:,} seen; {chance}")
        for one in others
        if (chance := _chance_text(one))
    ]
    return [*([("by chance alone", text)] if (text := _chance_text(first)) else []), *further]


def _chance_text(partition: Partition) -> str:
    chance = partition.by_chance
    if chance is None:
        return ""
    return (
        f"{chance}, p of as many {p_value(chance.p)}; {chance.rows:,.0f} people, seen "
        f"{partition.violating_rows:,}{_further(chance)}"
    )


def _further(chance: ByChance) -> str:
    if chance.error is not None:
        return f"; simulated, standard error {chance.error:.2g}"
    return f"; if all true differences were just under the threshold {chance.text_at_threshold}"


def difference_moments(partition: Partition) -> dict[str, float | None]:
    """Extremes, mean and standard deviation of the differences, weighted by rows."""
    differences = partition.statistics.difference
    if not len(differences):
        return dict.fromkeys(("min", "max", "mean", "sd"))
    rows = partition.comparisons.row_counts
    mean = float(np.average(differences, weights=rows))
    variance = float(np.average((differences - mean) ** 2, weights=rows))
    return {
        "min": float(differences.min()),
        "max": float(differences.max()),
        "mean": mean,
        "sd": sqrt(variance),
    }


def _numbers_text(partition: Partition) -> str:
    numbers = partition.numbers
    above, below = numbers["above"], numbers["below"]
    detail = (
        f" ({above:,} above, {below:,} below)"
        if partition.two_groups
        else f"; of {numbers['comparisons']:,} comparisons {above + below:,} at or beyond"
    )
    return (
        f"{numbers['occupied']:,} occur, {numbers['measured']:,} measured, "
        f"{numbers['violating']:,} at or beyond the threshold{detail}"
    )


def _coverage_text(partition: Partition) -> str:
    question, coverage = partition.question, partition.coverage
    shares = [*zip(partition.groups, coverage.groups, strict=True)]
    rest = len(shares) - _SHOWN_GROUPS
    if rest > 0:
        shares.sort(key=itemgetter(1))
    by_group = ", ".join(
        f"{group_heading(question, label)} {percent(float(share))}"
        for label, share in shares[:_SHOWN_GROUPS]
    )
    more = f" and {rest:,} more" if rest > 0 else ""
    return f"{percent(float(coverage.overall))} of the rows; {by_group}{more}"


def _same_decision_text(partition: Partition) -> str:
    """How many rows lie where everybody got the same decision: no difference can be there."""
    alike, rows = partition.same_decision, partition.row_counts
    many = int(rows[alike].sum())
    return f"{percent(many / max(int(rows.sum()), 1))} of the rows, in {alike.sum():,} of them"


def _range_text(partition: Partition) -> str:
    """The smallest and largest difference, exact, so that neither crosses the threshold."""
    threshold = partition.question.threshold
    low, high = (points(end, threshold=threshold) for end in partition.extremes)
    return low if low == high else f"{low} to {high}"


_SCOPES = {
    "causes": "Only the decision causes were examined: in rows that follow the graph exactly "
    "no other block set differs by more, but in finite data one can.",
    "predictions": "Only the causes of the recorded decision were examined: predictions need "
    "not follow the graph, and among people alike in other attributes they can differ by more.",
    "minimal": "The decision causes and all minimal block sets were examined: in finite data a "
    "larger block set can still differ.",
    "all": "All block sets of the graph were examined.",
}


def assumption_sentences(
    question: Question,
    graph_origin: GraphOrigin,
    *,
    scope: str,
    complete: bool,
    pools_others: bool,
    pools_decisions: bool,
    left_out: int,
    dropped: int,
) -> tuple[str, ...]:
    """The sentences that apply, in a fixed order."""
    sentences = {
        "The verdict holds if the graph is right: it lacks no common cause of its "
        "attributes, and every arrow points from cause to effect.": True,
        f"The graph was {graph_origin}.": True,
        f"Only the direct effect of {question.groups_column} on {question.decision} is "
        "measured, not what works through other attributes.": not question.redlining
        and not question.predicts,
        f"People alike in the causes of the recorded {question.predicts} are compared by their "
        f"predictions, {question.decision}; no direct effect of {question.groups_column} on "
        "them is claimed, and a model that does not read it has none.": bool(question.predicts),
        "The verdict is about these predictions, not about the model as a rule for new "
        "rows.": bool(question.predicts),
        f"The verdict is about the direct effect of {question.groups_column} on "
        f"{question.decision}; the effect through {', '.join(question.redlining)} has one of "
        "its own, and nothing is said of other ways.": bool(question.redlining),
        "The threshold was chosen by whoever asked the question.": True,
        "The verdict describes these rows; what they tell about other people is a matter "
        "of statistics.": True,
        _SCOPES["predictions" if question.predicts and scope == "causes" else scope]: complete,
        "Not all block sets that were asked for were examined.": not complete,
        "Where one of the groups is absent nothing is measured, and nothing is said.": True,
        "Certified does not mean anonymous.": True,
        f"All groups other than {question.group} were pooled.": pools_others,
        "Rows of groups that are not compared were left out.": left_out > 0,
        "Rows with missing values were dropped.": dropped > 0,
        "All decisions that are not favorable were pooled.": pools_decisions,
    }
    return tuple(sentence for sentence, applies in sentences.items() if applies)


def state_before(question: Question) -> str:
    """How decisions stood before a release: those of a model were predicted."""
    return "predicted" if question.predicts else "recorded"


def prediction_claim(question: Question) -> dict[str, str]:
    """What a difference of predictions says, under a name; nothing of recorded decisions."""
    alike = f"people alike in the causes of the recorded {question.predicts}"
    return {"claim": f"{alike} get different predictions"} if question.predicts else {}
