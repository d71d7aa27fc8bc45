"""A finding in plain words, for people who will never read a table.

Words for columns and values come from the question file. A label of a value that begins like a
part of a sentence ("with a low score", "applying to EE", "were admitted") is used as it stands;
any other is put after the name of its column.
"""

from fractions import Fraction

from evenhand.display import points
from evenhand.evidence.subpopulations import Subpopulation
from evenhand.question import Question
from evenhand.question.group_words import decision_phrase, people_of
from evenhand.question.question_file import Labels

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
