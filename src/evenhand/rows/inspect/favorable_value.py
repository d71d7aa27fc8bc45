"""Which value of a decision people hope for, as far as its name and its values tell.

Words in the values come first: "granted" is good. A word of harm in the name of the column
turns the sense of *yes*: ``two_year_recid = 1`` is bad for the person. Where nothing speaks for
either value the guess is not sure, and a person should be asked.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from evenhand.counts.label_order import known_order


def _words(texts: str) -> re.Pattern[str]:
    """Any of some words: a stem of at least five letters may go on, a shorter one not."""
    stems = (f"{text}.*" if len(text) > 4 else text for text in texts.split())
    return re.compile("|".join(stems))


_HARM = _words(
    "abuse accident adverse arrear arrest attrition bad bankrupt charged chargeoff complain "
    "convict crime crimin dead death debt declin default delinq denial denied deny deport "
    "detain detention died disapprov dismiss disqualif dropout droppedout evict expel expuls "
    "fail failed failing fails failure foreclos fraud guilty highrisk ill incarcerat injur "
    "jail jobless laidoff late layoff loss lost mortal offen overdue penal poor poverty prison "
    "punish recid refus reject reoff repossess risk risky sick suspen terminat unemploy unpaid "
    "unsatisf unsuccess victim violat violen worse"
)
_BENEFIT = _words(
    "accept admis admit approv award bonus callback cured earning eligib employ enrol "
    "excellent favor good gpa grade graduat grant hire hired income interview invit licen "
    "lowrisk offered paid parole pass passed passes passing pay positive promot qualif "
    "recommend recover releas repaid reward salary satisf scholar select succe surviv "
    "tenure wage"
)
_NEGATION = frozenset({"no", "not", "non", "never", "without"})
_YES, _NO = {"yes", "y", "true", "t", "1"}, {"no", "n", "false", "f", "0"}
_ABOVE = re.compile(r"\s*(>|≥|over |above |more than |at least )\s*=?\s*[\d$€£]", re.IGNORECASE)


# Words for what is known only once it was decided.
_AFTER = (
    "after afterwards appeal closed decided disposition end ended event final finally followup "
    "letter notice notified outcome reason reasons verdict"
)


class Favorable(NamedTuple):
    """The value that people hope for, why it was taken, and whether nobody need be asked."""

    value: str
    why: str
    sure: bool


def words_of(text: str) -> list[str]:
    """The words of a name, in small letters.

    >>> words_of("loanGranted_2")
    ['loan', 'granted']
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return re.sub(r"[^a-z]+", " ", spaced.casefold()).split()


def sense(text: str) -> int:
    """1 if a text speaks of a benefit, -1 of a harm, 0 of neither; "not" turns it.

    Neighboring words are read as one, too: "charge off" and "ChargeOff" are the same.

    >>> [sense(name) for name in ("two_year_recid", "loanGranted", "not_default", "class")]
    [-1, 1, 1, 0]
    >>> [sense(value) for value in ("Charged Off", "unemployed", "latest", "Low risk")]
    [-1, -1, 0, 1]
    """
    words = words_of(text)
    turned = -1 if _NEGATION.intersection(words) else 1
    words = [*words, *map("".join, pairwise(words))]
    if "lowrisk" in words or not any(map(_HARM.fullmatch, words)):
        return turned if any(map(_BENEFIT.fullmatch, words)) else 0
    return -turned


def named_after(names: Iterable[str], decision: str) -> list[str]:
    """Columns named like the decision, or like what comes after a decision.

    >>> named_after(["exam", "hired_on", "final_letter"], "hired")
    ['hired_on', 'final_letter']
    """
    spoken = {*_AFTER.split()} | {word for word in words_of(decision) if sense(word)}
    return [
        name for name in names if name != decision and not spoken.isdisjoint(words_of(name))
    ]


def favorable_value(
    name: str, values: Sequence[str], *, of_numbers: bool = False
) -> Favorable | None:
    """The guess for a decision of this name, its values the most frequent first.

    ``of_numbers`` says that the values are classes of numbers, in order. Of three values or
    more that say nothing, only a person can tell.
    """
    if not of_numbers and (found := _by_values(values)):
        return found
    meant = 0 if _is_coded_risk(name, values) else sense(name)
    why = f"{name!r} sounds {'good' if meant > 0 else 'bad'} for the person"
    if not meant:
        why = f"neither {name!r} nor its values say which is good for the person"
    yes, no = ([v for v in values if _plain(v) in words] for words in (_YES, _NO))
    above = [value for value in values if _ABOVE.match(value)]
    ordered: Sequence[str] = values if of_numbers else known_order(values)
    if len(yes) == 1 and (len(values) == 2 or (no and not ordered)):
        ordered = [*(no or [v for v in values if v not in yes]), *yes]
    elif len(values) == 2 and len(above) == 1:
        ordered = [*({*values} - {*above}), *above]
        meant, why = (meant, why) if meant else (1, f"{above[0]!r} is the higher class")
    elif len(values) == 2 and not ordered:
        ordered, meant = [values[-1]], 0  # the rarer one
    if not ordered:
        return None
    return Favorable(ordered[0 if meant < 0 else -1], why, bool(meant))


def _is_coded_risk(name: str, values: Sequence[str]) -> bool:
    """Whether numbers stand for a risk: 1 means a good one as often as a high one."""
    words = words_of(name)
    is_bare = [word for word in words if sense(word)] == ["risk"] and sense(name) < 0
    return is_bare and {"at", "high"}.isdisjoint(words) and all(map(str.isdecimal, values))


def _by_values(values: Sequence[str]) -> Favorable | None:
    """The one value that sounds good, or of two the other one than that which sounds bad."""
    senses = {value: sense(value) for value in values}
    good = [value for value, of in senses.items() if of > 0]
    bad = [value for value, of in senses.items() if of < 0]
    if len(good) == 1:
        return Favorable(good[0], f"{good[0]!r} sounds good for the person", sure=True)
    if len(bad) == 1 and len(values) == 2:
        (other,) = {*values} - {*bad}
        return Favorable(other, f"{bad[0]!r} sounds bad for the person", sure=True)
    return None


def _plain(value: str) -> str:
    return value.strip().rstrip(".").casefold()
