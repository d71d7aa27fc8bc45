"""The first sentence of a result: what was seen, what chance would make, who is ahead.

The number of subpopulations that reach the threshold says little alone: small ones differ by
chance. So beside it stands how many chance would make, and where that explains everything, the
sentence says so.
"""

from collections.abc import Sequence
from fractions import Fraction

from evenhand.display import percent, points
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import threshold_points
from evenhand.question import Question
from evenhand.question.group_words import decision_phrase, people_of
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
