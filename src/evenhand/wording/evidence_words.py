"""What was found, in sentences: differences, evidence, and what chance could have done."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition, Subpopulation
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.question import Question
from evenhand.wording.numbers import MOST_LISTED, capital, count, share, shortened
from evenhand.wording.statements import Strong, Text, text
from evenhand.wording.words import Words, has_sides

_LEVEL = 0.05


def differences_lead(certificate: Certificate, words: Words) -> Text:
    """From where to where the differences go, and who is ahead."""
    partition = certificate.partition
    if not partition.measured.any():
        return f"There is no group to show in which {words.both} can be compared."
    compared, values = partition.comparisons, partition.extremes
    if not words.has_sides:
        return text(
            "The widest gap in a group is ",
            Strong(f"{words.points(max(map(abs, values)))} points"),
            f". Of each group those two {words.kinds} are drawn and told whose difference "
            "chance explains least.",
        )
    ends = Strong(
        " to ".join(dict.fromkeys(map(words.points, (min(values), max(values))))) + " points"
    )
    if len(compared) == 1:
        return "The one difference is ", ends, "."
    if words.points(min(values)) == words.points(max(values)):
        return "The differences are all ", ends, "."
    sides = {*compared.side.tolist()}
    who = f"Above zero {words.other_people} {words.lead}, below zero {words.group_people}."
    if sides in ({1}, {-1}):
        ahead = words.other_people if sides == {1} else words.group_people
        who = f"In every one of them {ahead} {words.lead}."
    return "The differences go from ", ends, f". {who}"


def evidence_lead(certificate: Certificate, in_words: int, words: Words) -> Text:
    """How many groups reach the threshold, and how many of them are told in words."""
    partition = certificate.partition
    reaching = partition.violating
    if not partition.measured.any():
        return "No group can be compared: there is no evidence to list."
    if not reaching:
        return (
            f"No comparable group differs by {words.threshold_points} or more: there is no "
            "evidence to list."
        )
    if in_words < reaching:
        leads = np.append(partition.statistics.shown, False)[partition.lead]
        shown = np.count_nonzero(leads & partition.violates)
        return text(
            Strong(f"{reaching:,} groups"),
            f" reach the threshold, {shown:,} of them shown to lie beyond it. The {in_words} "
            "least likely to be chance are told in words, the others follow in numbers; all of "
            "them are in the certificate.",
        )
    many = f"All {reaching} groups that reach the threshold"
    if reaching == 1:
        many = "The one group that reaches the threshold"
    return f"{many}, least likely to be chance first."


def example_statement(people: Subpopulation, id_: str, words: Words) -> Text:
    """The strongest group whose difference is shown."""
    alike = "else causes the decision"
    if words.question.predicts:
        alike = "caused the recorded decision"
    return text(
        *words.story(people),
        " A difference of ",
        Strong(f"{words.points(abs(people.risk_difference or Fraction(0)))} points"),
        f" between people who are alike in what {alike} by this graph (",
        Strong(id_),
        f"), shown to lie beyond {words.threshold_points}.",
    )


def unmeasured_statements(certificate: Certificate, words: Words) -> Iterator[Text]:
    """How many groups hold nobody to compare, and what that leaves open."""
    absent, partition = certificate.unmeasured, certificate.partition
    if not absent:
        held = _held(partition.rows, words)
        yield Strong("Nothing was left out by necessity."), f" Every group holds {held}."
        return
    rows = int(partition.row_counts[absent.lines].sum())
    hold = "holds" if len(absent) == 1 else "hold"
    yield text(
        Strong(
            f"{len(absent):,} of {count(len(partition), 'group')}, with "
            f"{count(rows, 'person', 'people')} ({share(rows / certificate.row_count)} of the "
            f"rows), {hold} {_alone(words)}."
        ),
        " Nobody there can be compared, so they neither support the verdict nor speak against "
        f"it. {_only(partition.rows[:, absent.lines], words)}. The least coverage of each "
        f"group that was asked for is {share(float(certificate.min_coverage))}.",
    )


def _held(rows: NDArray[np.int64], words: Words) -> str:
    """Who is in every group of people alike."""
    if words.has_sides:
        return f"{'both ' * words.is_named}{words.both}"
    least = int((rows > 0).sum(axis=0).min())
    return f"{f'all {least:,}' if least == len(rows) else 'at least two'} {words.kinds}"


def _alone(words: Words) -> str:
    """Who is in a group without a comparison."""
    least = words.question.min_rows
    if words.is_named:
        few = f", or fewer than {least:,} of one" if least > 1 else ""
        return f"only {words.group} or only {words.other}{few}"
    enough = f" with at least {least:,} people" if least > 1 else ""
    if words.has_sides:
        return f"only {words.other}{enough}, or none of them"
    return f"no two {words.kinds}{enough}"


def _only(rows: NDArray[np.int64], words: Words) -> str:
    """How many groups hold only one of several kinds of people, by kind."""
    alone = (rows > 0).sum(axis=0) == 1
    only = ((rows > 0) & alone).sum(axis=1).tolist()
    mixed = rows.shape[1] - int(alone.sum())
    each = [*zip(only, words.groups, strict=True)]
    if len(each) > MOST_LISTED:
        each.sort(key=lambda one: -one[0])
    parts = shortened([f"only {who}: {many:,}" for many, who in each])
    return capital("; ".join([*parts, f"several: {mixed:,}"] if mixed else parts))


def turned_common(common: PooledDifference, question: Question) -> tuple[float, float, float]:
    """A difference on average with the ends of its interval; a gap is not below zero."""
    if has_sides(question) or common.difference >= 0:
        return common.difference, common.low, common.high
    return -common.difference, 0.0 - common.high, 0.0 - common.low


def chance_lead(certificate: Certificate) -> str:
    """Whether chance explains what was seen, and what chance alone means."""
    partition = certificate.deciding_partition
    chance = partition.by_chance
    if chance is None or certificate.release:
        return ""
    one = "the favorable decision" if len(partition.favorable) == 1 else "each decision"
    return (
        f"{_conclusion(certificate, partition, chance)} Chance alone means that nothing "
        f"differs: in each group as many get {one} as did, but who they are is drawn at "
        "random. The criterion asks less, that no difference reaches the threshold."
    )


def _conclusion(certificate: Certificate, partition: Partition, chance: ByChance) -> str:
    """The rule: the number, the shown ones and the average must all be chance's work."""
    if certificate.explained_by_chance:
        return "What was seen is no more than chance would make, given this graph."
    if chance.p < _LEVEL:
        return "What was seen is more than chance alone would make."
    if partition.is_explained():
        others = "other causes that the graph leaves open"
        if len(certificate.possible_decision_causes) < 2:
            others = "the causes of the decision held equal"
        return f"With {others}, chance would not explain it."
    what = f"{'the' if partition.two_groups else 'every'} difference on average"
    if shown := int(partition.statistics.shown.sum()):
        what = f"{count(shown, 'difference')} shown beyond the threshold"
    return f"The number may be chance, but chance does not explain {what}."


def sum_by_hand(people: Subpopulation, id_: str, words: Words) -> str:
    """The difference of a group as whoever checks it computes it."""
    other, group = people.other_yes / people.other, people.group_yes / people.group
    size = abs(people.risk_difference or Fraction(0))
    sign = "≥" if size >= words.question.threshold else "<"
    names = words.pair(people)
    who = "" if words.is_named else f"{names[1]} − {names[0]}: "
    return (
        f"{id_ + ': ' if id_ else ''}{who}{people.other_yes:,} ÷ {people.other:,} − "
        f"{people.group_yes:,} ÷ {people.group:,} = {100 * other:.2f}% − {100 * group:.2f}%; "
        f"{words.points(size)} points {sign} {words.threshold_points}"
    )
