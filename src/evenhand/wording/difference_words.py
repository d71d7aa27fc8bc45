"""What was found, in sentences: how many groups differ, by how much, and what chance makes."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from evenhand.display import percent
from evenhand.evidence import Certificate, Partition, Subpopulation
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.question import Question
from evenhand.wording.sentence_parts import (
    Strong,
    Text,
    capital,
    count,
    share,
    text,
)
from evenhand.wording.vocabulary import Words, has_sides

_LEVEL = 0.05


def seen_sentence(partition: Partition, words: Words) -> str:
    """How many comparable groups reach the threshold, without a period."""
    many, differing = int(partition.measured.sum()), partition.violating
    reach = f"by {words.threshold_points} or more"
    if not many:
        return capital(nobody_compared(words))
    if many == 1:
        verb = "differ" if differing else "do not differ"
        return f"In the one comparable group {words.both} {verb} {reach}"
    if not differing:
        return f"In none of {many:,} comparable groups do {words.both} differ {reach}"
    some = f"{differing:,} of {many:,}"
    if differing == many:
        some = "both" if many == 2 else f"all {many:,}"
    return f"In {some} comparable groups {words.both} differ {reach}"


def nobody_compared(words: Words) -> str:
    """That nobody could be compared, within a sentence."""
    question = words.question
    two = "both groups" if question.group is not None else "two groups"
    enough = f" with {question.min_rows:,} rows or more" if question.min_rows > 1 else ""
    return f"nobody could be compared: {two} never occur{enough} among people alike"


def expected_phrase(certificate: Certificate, partition: Partition) -> str:
    """How many were to be expected by chance; nothing of released rows."""
    chance = partition.by_chance
    if chance is None or certificate.release:
        return ""
    return f"; {chance.text(what=' are expected by chance')}"


def average_sentence(
    partition: Partition, words: Words, *, released: bool = False, alike: bool = False
) -> str:
    """Who is behind on average, by how much, of the leading pair; empty if none is measured.

    The interval is what chance in sampling leaves open, so released rows have none; ``alike``
    says in how many attributes people are.
    """
    statistics = partition.statistics
    mean = statistics.means[statistics.leading] if statistics.means else None
    if mean is None:
        return ""
    if not mean.difference:
        neither = "neither is ahead" if words.is_favor else "there is no difference"
        return f"On average {neither}{_span(mean, words, released=released)}."
    said = average_clause(
        partition, words, mean, at=statistics.leading, released=released, alike=alike
    )
    if statistics.mean_count == 1:
        return f"On average {said}."
    if not (released or statistics.any_mean_differs):
        none = f"None of {statistics.mean_count:,} average differences is significant"
        return f"{none}; the clearest: {said}."
    return f"The clearest of {statistics.mean_count:,} average differences: {said}."


def average_clause(
    partition: Partition,
    words: Words,
    mean: PooledDifference,
    *,
    at: int,
    released: bool = False,
    alike: bool = False,
) -> str:
    """Who is behind whom on average, of the pair and the rate at this place."""
    cut, pair = divmod(at, len(partition.pairs))
    group, other = (words.people_with(partition.groups[one]) for one in partition.pairs[pair])
    ahead, behind = (other, group) if mean.difference > 0 else (group, other)
    names = count(len(partition.names), "attribute")
    same = f" with the same values of {names}" if alike and partition.names else ""
    size, span = words.points(abs(mean.difference)), _span(mean, words, released=released)
    if not words.is_favor or len(words.cuts) > 1:
        did = words.did_by(partition.cut_label(cut))
        return f"{ahead} {did} {size} points more often than {behind}{same}{span}"
    return f"{behind} are {size} points behind {ahead}{same}{span}"


def _span(mean: PooledDifference, words: Words, *, released: bool) -> str:
    """The interval of a difference, seen from the group that is behind."""
    ends = mean.interval if mean.difference > 0 else (-mean.high, -mean.low)
    return "" if released else f" (95% interval {words.interval(ends)})"


def coverage_phrase(partition: Partition, min_coverage: Fraction, words: Words) -> str:
    """How many of the rows, or of a group's, could be compared; empty where enough could."""
    cover = partition.coverage
    if cover.reaches(min_coverage):
        return ""
    part, whom = cover.overall, "the rows"
    if cover.overall >= min_coverage:
        part, fewest = min(
            zip(cover.groups, partition.groups, strict=True), key=lambda pair: pair[0]
        )
        whom = f"the {words.people_with(fewest)}"
    return f", in the {percent(float(part))} of {whom} that could be compared"


def first_sentence(certificate: Certificate, words: Words) -> str:
    """How many groups differ, seen and by chance, and the difference on average.

    Where the decision is determined, that, and the verdict without the rule. Else it is about
    the people alike in the decision causes; where that shows nothing but another block set
    does, about that one. Chance did not make released rows: they get no interval.
    """
    beside = certificate.without_rule
    if certificate.is_determined:
        without = ""
        if beside is not None:
            without = f" Without it: {beside.verdict}. {first_sentence(beside, words)}"
        return certificate.reasons[0].what + without
    partition, released = certificate.deciding_partition, certificate.release is not None
    sentence = seen_sentence(partition, words)
    if not partition.measured.any():
        return f"{sentence}."
    if partition is not certificate.partition:
        sentence = f"Alike in {words.columns(partition.names)}: {_lower(sentence)}"
    sentence += coverage_phrase(partition, certificate.min_coverage, words)
    sentence += expected_phrase(certificate, partition)
    if certificate.explained_by_chance:
        sentence += ": chance explains what was seen, given this graph"
    return f"{sentence}. {average_sentence(partition, words, released=released)}".rstrip()


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def finding(people: Subpopulation, words: Words, where: Mapping[str, str]) -> Text:
    """One group in counts, with its difference and whether that is significant."""
    size = abs(people.risk_difference or Fraction(0))
    ends = people.interval
    if ends and (people.risk_difference or 0) < 0:
        ends = (-ends[1], -ends[0])
    how = "" if people.shown else "not "
    return text(
        *words.story(people, where),
        " The difference is ",
        Strong(f"{words.points(size)} points"),
        f" (95% interval {words.interval(ends)}), {how}significant after correction.",
    )


def findings_heading(certificate: Certificate, told: int) -> str:
    """What the groups told in words are: significant ones, or those that only look large."""
    shown = certificate.population.shown
    if shown >= told:
        many = f"The {told} clearest of {shown:,}" if shown > told else f"The {told}"
        return (
            "The one significant difference"
            if shown == 1
            else f"{many} significant differences"
        )
    if told == 1:
        return "The clearest difference, not significant after correction"
    which = f"{shown:,} of them" if shown else "none is"
    return f"The {told} clearest differences; {which} significant after correction"


def evidence_lead(certificate: Certificate, words: Words) -> Text:
    """How many groups reach the threshold, and how many of them significantly."""
    partition = certificate.partition
    reaching = partition.violating
    if not reaching:
        return f"No comparable group differs by {words.threshold_points} or more."
    leads = np.append(partition.statistics.shown, False)[partition.lead]
    shown = np.count_nonzero(leads & partition.violates)
    differ = f" {words.both} differ by {words.threshold_points} or more"
    if reaching == 1:
        how = "" if shown else ", but not significantly"
        return text("In ", Strong("1 group"), f"{differ}{how}.")
    return text(
        "In ",
        Strong(f"{reaching:,} groups"),
        f"{differ}; {shown or 'none'} of these differences "
        f"{'is' if shown < 2 else 'are'} significant. The strongest evidence comes first.",
    )


def no_overlap_statements(certificate: Certificate, words: Words) -> Iterator[Text]:
    """How many groups hold nobody to compare, and what that leaves open."""
    absent, partition = certificate.unmeasured, certificate.partition
    if not absent:
        yield Strong("Everybody could be compared."), f" Each group holds {words.both}."
        return
    rows = int(partition.row_counts[absent.lines].sum())
    hold = "holds" if len(absent) == 1 else "hold"
    yield text(
        Strong(
            f"{len(absent):,} of {count(len(partition), 'group')}, with "
            f"{count(rows, 'person', 'people')} ({share(rows / certificate.row_count)} of the "
            f"rows), {hold} {_alone(words)}."
        ),
        " They count neither for the answer nor against it. The question requires that at "
        f"least {share(float(certificate.min_coverage))} of each protected group can be "
        "compared.",
    )


def _alone(words: Words) -> str:
    """Who is in a group without a comparison."""
    least = words.question.min_rows
    if words.is_named:
        few = f", or fewer than {least:,} of one" if least > 1 else ""
        return f"only {words.group_people} or only {words.other_people}{few}"
    enough = f" with at least {least:,} people" if least > 1 else ""
    if words.has_sides:
        return f"only {words.other_people}{enough}, or none of them"
    return f"no two {words.kinds}{enough}"


def turned_common(common: PooledDifference, question: Question) -> tuple[float, float, float]:
    """A difference on average with the ends of its interval; a gap is not below zero."""
    if has_sides(question) or common.difference >= 0:
        return common.difference, common.low, common.high
    return -common.difference, 0.0 - common.high, 0.0 - common.low


def chance_lead(certificate: Certificate) -> str:
    """Whether chance explains what was seen: the number, the significant ones, the average."""
    partition = certificate.deciding_partition
    chance = partition.by_chance
    if chance is None or certificate.release:
        return ""
    means = (
        "The number expected by chance (95% range) is what shuffling the decisions within "
        "each group gives."
    )
    if certificate.explained_by_chance:
        return f"Given this graph, chance explains what was seen. {means}"
    if chance.p < _LEVEL:
        return f"More groups differ than chance explains. {means}"
    if partition.is_explained():
        others = "other causes that the graph leaves open"
        if len(certificate.possible_decision_causes) < 2:
            others = "the causes of the decision held equal"
        return f"With {others}, chance does not explain what was seen. {means}"
    what = f"{'the' if partition.two_groups else 'every'} average difference"
    if shown := int(partition.statistics.shown.sum()):
        many = f"{shown:,} " if shown > 1 else ""
        what = f"the {many}significant difference{'s' * (shown > 1)}"
    return f"Chance may explain the number of groups, but not {what}. {means}"
