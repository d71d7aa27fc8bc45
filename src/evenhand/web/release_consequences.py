"""What the chosen method would do: whose decisions change, what is left, what betrays it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from evenhand.errors import Problem, QuestionError, Remedy, words_only
from evenhand.report.html_report import View
from evenhand.report.known_table import known_table
from evenhand.report.release_facts import ReleaseFacts
from evenhand.report.release_section import both_ways, released
from evenhand.report.shown_groups import select_cases
from evenhand.web.release_choice import ReleaseChoice
from evenhand.wording import Text, Words, capital


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """How many decisions of one group change in one direction; ``width`` is in percent."""

    who: str
    kind: str
    many: str
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something to do about a warning: an address with another choice."""

    words: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A warning before anything is published, and what can be done about it."""

    what: str
    found: str
    changes: tuple[Change, ...]
    further: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """What the chosen method would do to the rows."""

    title: str
    lead: Text
    flows: tuple[tuple[str, tuple[Flow, ...]], ...]
    gap: str
    released: View
    known: View
    warnings: tuple[Warned, ...]
    kept_out: tuple[Change, ...]


def consequences(facts: ReleaseFacts, choice: ReleaseChoice, words: Words) -> Consequences:
    """What the report will say of such a release, with choices beside the warnings."""
    cases = select_cases(facts.before)
    # Warnings have buttons here, so the paragraphs need not tell them again.
    section = released(replace(facts, warnings=()), cases, words)
    if section is None:
        raise QuestionError.of("Nothing would be released.", remedy="Choose another method.")
    known = known_table(facts.before, facts.after, words)
    return Consequences(
        title=section.cards[1].word.replace("changed", "would change"),
        lead=section.cards[1].sentence,
        flows=_flows(facts, words),
        gap=_gap(facts, words),
        released=section,
        known=known,
        warnings=tuple(_warned(one, choice) for one in facts.warnings),
        kept_out=tuple(_kept_out(choice)),
    )


def _flows(facts: ReleaseFacts, words: Words) -> tuple[tuple[str, tuple[Flow, ...]], ...]:
    """The changed decisions by direction and group; empty where no decisions change."""
    changed = facts.changed
    if changed is None:
        return ()
    ways: list[tuple[str, list[int]]]
    if words.question.criterion == "every":
        ways = [("to another decision", [sum(by) for by in changed.groups])]
    else:
        numbers = [list(way) for way in zip(*changed.groups, strict=True)]
        ways = [*zip(both_ways(facts.before, words), numbers, strict=True)]
    most = max((max(way) for _, way in ways), default=0) or 1
    kinds = ("group", "other") if len(words.groups) == 2 else ("ink",) * len(words.groups)
    return tuple(
        (
            capital(name),
            tuple(
                Flow(who=capital(who), kind=kind, many=f"{many:,}", width=100 * many / most)
                for who, kind, many in zip(words.groups, kinds, way, strict=True)
            ),
        )
        for name, way in ways
    )


def _gap(facts: ReleaseFacts, words: Words) -> str:
    """The difference between everybody and everybody, before and after."""
    partitions = facts.before.partition, facts.after.partition
    if not words.question.favorable or len(words.groups) != 2:
        return ""
    gaps = []
    for one in partitions:
        yes, rows = one.favorable[0].sum(axis=1).tolist(), one.rows.sum(axis=1).tolist()
        if 0 in rows:
            return ""
        gaps.append(Fraction(yes[1], rows[1]) - Fraction(yes[0], rows[0]))
    before, after = (words.points(abs(gap)) for gap in gaps)
    who = [*map(words.higher, gaps)]
    sides = f", {who[0]}" if who[0] == who[1] else f" ({who[0]}, then {who[1]})"
    return (
        f"The plain gap between {words.both}: {before} points as recorded, {after} as "
        f"released{sides}. If the graph is right, what remains runs through what is held "
        "equal, and a release does not touch that."
    )


def _warned(problem: Problem, choice: ReleaseChoice) -> Warned:
    """A warning; dropping columns is another address."""
    changes, further = [], []
    for remedy in problem.remedies:
        text = capital(remedy.text(words_only))
        if remedy.argument == "drop":
            names = tuple(dict.fromkeys((*choice.drop, *map(str, _values(remedy)))))
            changes.append(Change(words=text, address=choice.address(drop=names)))
        else:
            further.append(text)
    return Warned(
        what=problem.what,
        found=problem.found,
        changes=tuple(changes),
        further=tuple(further),
    )


def _values(remedy: Remedy) -> tuple[Any, ...]:
    return tuple(remedy.value) if isinstance(remedy.value, list | tuple) else (remedy.value,)


def _kept_out(choice: ReleaseChoice) -> Iterator[Change]:
    """What was chosen about columns, each with the address that takes it back."""
    for name in choice.drop:
        rest = tuple(one for one in choice.drop if one != name)
        yield Change(words=f"{name} is not released", address=choice.address(drop=rest))
