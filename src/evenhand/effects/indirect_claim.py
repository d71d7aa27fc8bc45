"""``Indirect``: the claim about effects through chosen attributes, with a verdict of its own.

It stands beside the direct claim and changes nothing in it. ``PathSteps`` are its effects as
steps that add up, ``ResampledEffects`` say how far both ends of each interval move by chance.
A certificate records the counts of every table that the effects rest on, and for bounds the
potentials that prove them, so that anybody can check it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Described, Summary, percent, points
from evenhand.effects.effects import (
    DIRECTIONS,
    NO_ERROR,
    NORMAL,
    PARTS,
    DirectionEffects,
    Effect,
    GraphEffects,
    with_errors,
)
from evenhand.effects.worlds import Bounds
from evenhand.errors import Problem, words_only
from evenhand.question import Question
from evenhand.question.display_labels import Labels, decision_phrase, group_heading, people_of
from evenhand.record import floats_as_text
from evenhand.verdict import MET, StatisticalVerdict, Verdict


def ways_of(question: Question) -> Mapping[str, str]:
    """Both directions of an effect in words, as "Female to Male"."""
    ends = [group_heading(question, str(value)) for value in (question.group, question.other)]
    return dict(zip(DIRECTIONS, (" to ".join(ends), " to ".join(ends[::-1])), strict=True))


def _name(question: Question) -> str:
    return f"through {', '.join(question.redlining)}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Indirect(Described):
    """How much of the protected attribute's effect goes through the chosen attributes.

    ``graphs`` holds the effects in each graph that the given one may stand for; none if they
    could not be measured, and ``reasons`` says why. ``values`` are those of each node, the
    group and the favorable decision first. ``consistent`` is False if no way to direct
    the open edges fits what was found, so that every one was taken. ``data_gap`` is the
    difference of the groups' favorable rates in the rows. ``resampled`` has for each direction
    the standard errors of both ends, if rows were drawn again; bounds have no others.
    """

    question: Question
    verdict: Verdict
    reasons: tuple[Problem, ...]
    graphs: tuple[GraphEffects, ...] = ()
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    consistent: bool = True
    data_gap: Fraction = Fraction(0)
    resampled: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Which effect is meant, as "through marital_status"."""
        return _name(self.question)

    @property
    def threshold(self) -> Fraction:
        """The threshold of this claim."""
        return self.question.indirect_threshold

    @property
    def witnesses(self) -> tuple[str, ...]:
        """The nodes because of which the effect is not identified, in any graph."""
        return tuple(sorted({name for one in self.graphs for name in one.sides.witnesses}))

    @property
    def identified(self) -> bool:
        """Whether the effect is identified: in every graph, of which there is one at least."""
        return bool(self.graphs) and not self.witnesses

    @property
    def sides(self) -> Mapping[str, str]:
        """Which paths lead on from each child of the protected attribute; "open" if unsure."""
        seen: dict[str, set[str]] = {}
        for one in self.graphs:
            for name, side in one.sides.sides.items():
                seen.setdefault(name, set()).add(side)
        return {
            name: "open" if len(sides) > 1 else next(iter(sides))
            for name, sides in sorted(seen.items())
        }

    @property
    def is_exact(self) -> bool:
        """Whether the effects are exact numbers, not floats."""
        return all(one.tables.exact for one in self.graphs)

    @cached_property
    def effects(self) -> Mapping[str, Mapping[str, Effect]]:
        """For each direction the effects, over all graphs: from the least to the largest."""
        effects = {name: _union(each) for name, each in self._directions.items()}
        for direction, ends in self.resampled.items():
            if self.witnesses and min(ends) > NO_ERROR:
                through = effects[direction]["through"]
                effects[direction]["through"] = replace(through, end_errors=ends)
        return effects

    @property
    def _directions(self) -> Mapping[str, list[DirectionEffects]]:
        """The effects of each direction in all graphs; nothing where none was measured."""
        names = DIRECTIONS if self.graphs else ()
        return {name: [one.directions[name] for one in self.graphs] for name in names}

    @property
    def forward(self) -> Mapping[str, Effect]:
        """The effects from the group's value to the others', on the group's rows."""
        return self.effects.get("forward", {})

    @property
    def backward(self) -> Mapping[str, Effect]:
        """The effects from the others' value to the group's, on the others' rows."""
        return self.effects.get("backward", {})

    @property
    def model_gap(self) -> Bounds:
        """The difference of the groups' rates as the graphs tell it, least and largest."""
        return Bounds.hull(one.forward.gap for one in self.graphs)

    @property
    def unseen_mass(self) -> Fraction:
        """The largest share of people of whom a table that is needed has no row."""
        return max(
            (one.unseen for each in self.graphs for one in each.directions.values()),
            default=Fraction(0),
        )

    def interval(self, direction: str, name: str = "through") -> tuple[float, float] | None:
        """A 95 % interval around both ends of an effect; None of bounds without resampling.

        That the graph may be another one, be it learned from the same rows, is not in it.
        """
        return self.effects[direction][name].interval

    @property
    def population_verdict(self) -> StatisticalVerdict:
        """What the rows show of the effect in the population that they came from.

        It is shown to be beyond the threshold, or within it, if the 95 % intervals of all
        graphs are. What has no interval shows nothing: bounds without resampling, and effects
        that no chance seems to move.
        """
        judged = [
            [with_errors(one)["through"].interval for one in graph.directions.values()]
            for graph in self.graphs
        ]
        if self.witnesses and self.resampled:
            judged = [[of["through"].interval for of in self.effects.values()]]
        verdicts = {_statistical(intervals, self.threshold) for intervals in judged}
        return verdicts.pop() if len(verdicts) == 1 else StatisticalVerdict.INCONCLUSIVE

    @property
    def why_inconclusive(self) -> str:
        """Why an effect has no interval, in words; empty if each direction has one."""
        if not self.graphs or all(self.interval(direction) for direction in DIRECTIONS):
            return ""
        if self.witnesses and not self.resampled:
            return "bounds have no interval unless rows are resampled"
        return "these rows do not tell by how much the effect moves by chance"

    @property
    def has_path(self) -> bool:
        """Whether some path to the decision goes through what is asked about."""
        return any(one.sides.in_use for one in self.graphs)

    @property
    def assumes(self) -> str:
        """What the effects take for granted of the graph, beyond what the direct one needs."""
        return (
            "It assumes that the arrows on these paths are right, and that no two of the "
            "protected attribute, the attributes on them and the decision share a hidden cause."
        )

    @property
    def claim(self) -> str:
        """Whether the criterion is met, in words."""
        return f"{MET[self.verdict]} at τ = {self.threshold}, given this graph"

    def sentence(self, labels: Labels | None = None) -> str:
        """What would be, in words: "If women had men's marital status, all else as it is".

        It is about the others, if only for them the effect may reach the threshold.
        """
        question, words = self.question, labels or Labels()
        if not self.has_path:
            return self.reasons[0].what
        within = {
            at: of["through"].bounds.within(self.threshold) for at, of in self.effects.items()
        }
        direction = "backward" if within["forward"] and not within["backward"] else "forward"
        ends = (question.group, question.other)[:: 1 if direction == "forward" else -1]
        group, other = (people_of(question, str(value), words) for value in ends)
        columns = [words.column(name) for name in question.redlining]
        names = " and ".join(filter(None, [", ".join(columns[:-1]), columns[-1]]))
        possessive = f"{other}'" if other.endswith("s") else f"{other}'s"
        had = f"the {names} of {other}" if " " in other else f"{possessive} {names}"
        told = self._directions[direction]
        # An effect is what is reached minus the own share, each with its own unseen part.
        reached = (
            Bounds(
                one.through.lower + one.reference.upper, one.through.upper + one.reference.lower
            )
            for one in told
        )
        would, instead = _shares_text(
            Bounds.hull(reached), Bounds.hull(one.reference for one in told)
        )
        who = f"all were {group} but had" if question.basis == "all" else f"{group} had"
        return (
            f"If {who} {had}, all else as it is: {would} instead of {instead} "
            f"{decision_phrase(question, words, self.values[question.decision][0])}."
        )

    def to_dict(self, labels: Labels | None = None) -> dict[str, Any]:
        """Plain values."""
        model = map(float, self.model_gap) if self.graphs else (None, None)
        return {
            "through": list(self.question.redlining),
            "explained": list(self.question.explained),
            "threshold": str(self.threshold),
            "basis": self.question.basis,
            "verdict": str(self.verdict),
            "population_verdict": str(self.population_verdict),
            "reasons": [reason.text(words_only) for reason in self.reasons],
            "identified": self.identified,
            "witnesses": list(self.witnesses),
            "sides": dict(self.sides),
            "graphs": len(self.graphs),
            "consistent": self.consistent,
            "effects": {
                direction: {name: effect.to_dict() for name, effect in of.items()}
                for direction, of in self.effects.items()
            },
            "gap": {
                "data": float(self.data_gap) if self.graphs else None,
                "model": dict(zip(("lower", "upper"), model, strict=True)),
            },
            "unseen_mass": float(self.unseen_mass) if self.graphs else None,
            "sentence": self.sentence(labels),
            "assumes": self.assumes,
        }

    def summary(self, labels: Labels | None = None) -> Summary:
        """The verdict, and every effect in both directions."""
        found = {side for one in self.graphs for side in one.sides.sides.values()}
        lines = [
            (self._effect_label(name), *(self._effect_text(of[name]) for of in both))
            for both in [tuple(self.effects.values())]
            for name in self.forward
            if name not in ("explained", "not judged") or name in found
        ]
        notes: list[object] = [] if self.graphs and not self.has_path else [*self.reasons]
        if any("±" in text for line in lines for text in line):
            notes.append("± spans a 95 % interval; that the graph may be wrong is not in it.")
        if "explained" in found:
            notes.append("Whether the explained part is justified is for the reader to judge.")
        if self.has_path:
            notes.append(self.assumes)
        return Summary(
            title=f"{self.verdict}, {self.name}",
            sentence=self.sentence(labels) if self.graphs else "",
            facts=tuple(self._facts()),
            columns=("effect, in points", *ways_of(self.question).values()) if lines else (),
            lines=tuple(lines),
            notes=tuple(notes),
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        """What is claimed, and what the numbers rest on."""
        yield "verdict", f"criterion for this effect {self.claim}"
        if not self.graphs:
            return
        told, why = self.population_verdict, self.why_inconclusive
        is_open = told is StatisticalVerdict.INCONCLUSIVE and why
        yield "in the population", f"{told}: {why}" if is_open else str(told)
        if self.question.basis == "all":
            yield "measured on", "all rows, whichever group they belong to"
        else:
            yield "measured on", "the rows of the group whose value is changed"
        if len(self.graphs) > 1:
            yield "graphs", f"{len(self.graphs):,} ways to direct the open edges, all measured"
        if self.witnesses:
            yield "bounds only", f"not identified because of {', '.join(self.witnesses)}"
        if self.unseen_mass:
            share = percent(float(self.unseen_mass))
            yield "unseen", f"up to {share} of the people: no row tells their rate"
        model = self.model_gap.text(self.threshold)
        data = points(self.data_gap, threshold=self.threshold)
        yield "gap between the groups", f"{data} points in the rows, {model} by the graph"

    def _effect_label(self, name: str) -> str:
        """An effect with the attributes through which it goes."""
        if name == "through":
            return self.name
        if name == "combination":
            past = ", with the witnesses' other paths" if self.witnesses else ""
            return f"interaction{past}"
        between = [child for child, side in self.sides.items() if side == name]
        return name if name == "direct" or not between else f"{name}: {', '.join(between)}"

    def _effect_text(self, effect: Effect) -> str:
        """An effect in percentage points, with half of its interval."""
        text = effect.bounds.text(self.threshold)
        if not any(effect.end_errors or ()):
            return text
        margins = dict.fromkeys(f"{100 * NORMAL * end:.1f}" for end in effect.end_errors or ())
        return f"{text} ± {' and '.join(margins)}"

    @property
    def ends(self) -> Mapping[str, Bounds]:
        """For both directions the least and the largest effect, over all graphs."""
        return {
            name: Bounds.hull(one.through.bounds for one in each)
            for name, each in self._directions.items()
        }

    def to_dict_of_change(self) -> dict[str, Any]:
        """The claim about changed decisions as plain values, without errors of chance."""
        ends = {name: [float(low), float(high)] for name, (low, high) in self.ends.items()}
        return {
            "verdict": str(self.verdict),
            "threshold": str(self.threshold),
            "effects": ends,
        }

    def fact_of_change(self, when: str) -> tuple[str, str]:
        """The same in words, for a summary: before or after a change."""
        people = (self.question.group, self.question.other)
        ways = zip((people, people[::-1]), self.ends.values(), strict=False)
        texts = ", ".join(f"{a} to {b} {ends.text(self.threshold)}" for (a, b), ends in ways)
        return f"{self.name}, {when}", f"{self.verdict} at {self.threshold}: {texts} points"


def _statistical(
    intervals: list[tuple[float, float] | None], threshold: Fraction
) -> StatisticalVerdict:
    known = [Bounds(*map(Fraction, one)) for one in intervals if one is not None]
    if any(one.beyond(threshold) for one in known):
        return StatisticalVerdict.SHOWN
    if len(known) == len(intervals) and all(one.within(threshold) for one in known):
        return StatisticalVerdict.WITHIN
    return StatisticalVerdict.INCONCLUSIVE


def _union(directions: list[DirectionEffects]) -> dict[str, Effect]:
    """Each effect over several graphs: its least and its largest end, the largest error."""
    measured = [with_errors(one) for one in directions]
    union = {}
    for name in measured[0]:
        effects = [one[name] for one in measured]
        errors = [one.standard_error for one in effects if one.standard_error is not None]
        ends = [one.end_errors for one in effects if one.end_errors is not None]
        lower, upper = Bounds.hull(one.bounds for one in effects)
        union[name] = Effect(
            lower=lower,
            upper=upper,
            value=effects[0].value if len(effects) == 1 else None,
            standard_error=max(errors) if len(errors) == len(effects) else None,
            end_errors=(max(low for low, _ in ends), max(high for _, high in ends))
            if len(ends) == len(effects)
            else None,
        )
    return union


def _shares_text(*spans: Bounds) -> list[str]:
    """Shares in percent, with as many digits as tell them apart, two at most."""
    texts: list[str] = []
    for digits in range(3):
        told = [
            [percent(min(max(float(end), 0.0), 1.0), digits=digits) for end in ends]
            for ends in spans
        ]
        texts = [" to ".join(dict.fromkeys(ends)) for ends in told]
        if len({*texts}) == len(texts):
            break
    return texts


@dataclass(frozen=True, kw_only=True)
class PathSteps:
    """Rates and the effects between them; each has a value within its bounds.

    ``start`` is the favorable rate of those on whose rows effects are measured, ``reached``
    the one they would have if everything read the other value. ``own`` and ``others`` are the
    rates of the two groups; on the basis of all rows these are not start and end.
    """

    start: Effect
    reached: Effect
    own: Effect
    others: Effect
    effects: Mapping[str, Effect]

    @classmethod
    def of(cls, indirect: Indirect, direction: str) -> "PathSteps":
        """The steps of one direction; there has to be a graph in which they were measured."""
        # The graph whose effect through the chosen attributes is the median, lower of two.
        ordered = sorted(indirect.graphs, key=lambda one: sum(one.forward.through.bounds))
        typical = ordered[(len(ordered) - 1) // 2].directions[direction]
        every = [graph.directions[direction] for graph in indirect.graphs]
        # A number for each effect: the middle where it has bounds alone.
        values = {name: effect.value for name, effect in typical.effects.items()}
        if values["through"] is None:
            values["through"] = (typical.through.lower + typical.through.upper) / 2
        nothing = Fraction(0)
        parts = (values.get(name) or nothing for name in PARTS)
        values["combination"] = (values["total"] or nothing) - sum(parts, nothing)

        def rate(world: str) -> Effect:
            ends = Bounds.hull(one.shares.share(one.worlds[world]) for one in every)
            value = typical.shares.share(typical.worlds[world]).lower
            return Effect(lower=ends.lower, upper=ends.upper, value=value)

        return cls(
            start=rate("reference"),
            reached=rate("total"),
            own=rate("group"),
            others=rate("others"),
            effects={
                name: replace(effect, value=values[name])
                for name, effect in indirect.effects[direction].items()
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledEffects:
    """How often each verdict on the effect comes out, and the spread of its ends.

    ``ends`` holds for each direction the standard deviations of the lower and the upper end;
    they are nothing that a bound has by itself, so bounds get theirs from here.
    """

    question: Question
    resamples: int
    verdicts: Mapping[Verdict, int]
    ends: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, effects: Sequence[Indirect]) -> "ResampledEffects":
        """Add up what was measured in each resample."""
        measured = [one for one in effects if one.graphs]
        ends = {}
        for direction in DIRECTIONS if len(measured) > 1 else ():
            through = [one.ends[direction] for one in measured]
            lower, upper = np.array(through, float).std(axis=0, ddof=1).tolist()
            ends[direction] = lower, upper
        return cls(
            question=effects[0].question,
            resamples=len(effects),
            verdicts=Counter(one.verdict for one in effects),
            ends=ends,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; verdicts as shares."""
        return {
            "verdicts": {
                str(verdict): many / self.resamples for verdict, many in self.verdicts.items()
            },
            "standard_errors": {
                direction: dict(zip(("lower", "upper"), ends, strict=True))
                for direction, ends in self.ends.items()
            },
        }

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The verdicts, and how far the ends move, in percentage points."""
        ordered = sorted(self.verdicts.items(), key=lambda item: -item[1])
        shares = ", ".join(f"{name} {percent(many / self.resamples)}" for name, many in ordered)
        facts = [(_name(self.question), shares)]
        for direction, ends in self.ends.items():
            errors = " and ".join(dict.fromkeys(f"{100 * end:.1f}" for end in ends))
            what = "standard errors of its ends" if "and" in errors else "standard error"
            facts.append(
                (f"from {ways_of(self.question)[direction]}", f"{what} {errors} points")
            )
        return tuple(facts)


_PLACES = 12


def effects_record(indirect: Indirect, *, is_sample: bool) -> dict[str, Any]:
    """What a certificate says of effects through chosen attributes.

    Rows that are no sample, as they were changed, have no standard errors.
    """
    said = {
        "verdict": str(indirect.verdict),
        "reasons": [reason.text(words_only) for reason in indirect.reasons],
    }
    if not indirect.graphs or not indirect.is_exact:
        return said
    tables: dict[tuple[str, ...], NDArray[np.int64]] = {}
    for one in indirect.graphs:
        tables |= {one.tables.names(node): counts for node, counts in one.tables.counts.items()}
    place = {names: at for at, names in enumerate(tables)}
    nodes = sorted({name for names in tables for name in names})
    errors = {
        at: {name: effect.standard_error for name, effect in of.items()}
        for at, of in indirect.effects.items()
        if is_sample
    }
    return said | {
        "consistent": indirect.consistent,
        "values": {name: list(indirect.values[name]) for name in nodes},
        "tables": [
            # The codes of each cell that has rows, and how many.
            {
                "names": list(names),
                "counts": np.column_stack([np.argwhere(counts), counts[counts > 0]]).tolist(),
            }
            for names, counts in tables.items()
        ],
        "graphs": [
            {
                "tables": [place[one.tables.names(node)] for node in one.tables.counts],
                "sides": dict(one.sides.sides),
                "witnesses": list(one.sides.witnesses),
                "verdict": str(one.verdict(indirect.threshold)),
                "effects": {
                    at: {
                        name: [_outward(effect.lower, floor), _outward(effect.upper, ceil)]
                        for name, effect in of.effects.items()
                    }
                    for at, of in one.directions.items()
                },
            }
            | (_potentials(one) if one.sides.witnesses else {})
            for one in indirect.graphs
        ],
        "gap": str(indirect.data_gap),
        **({"standard_errors": floats_as_text(errors)} if errors else {}),
    }


def _potentials(graph: GraphEffects) -> dict[str, Any]:
    """What proves the bounds."""
    proofs = {
        at: [[[*map(str, one)] for one in proof] for proof in direction.potentials]
        for at, direction in graph.directions.items()
    }
    return {"potentials": proofs}


def _outward(number: Fraction, to_whole: Callable[[Fraction], int]) -> str:
    """A decimal of twelve places on the outer side of a number."""
    return f"{Decimal(to_whole(number * 10**_PLACES)).scaleb(-_PLACES):f}"
