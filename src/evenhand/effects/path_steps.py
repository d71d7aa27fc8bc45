"""The effects of one direction as steps that add up, from one group's rate to the other's.

Where an effect is not one number its middle, or that of one graph of several, has to stand for
it in a sum. All numbers of ``PathSteps`` are of one graph, the one whose effect through the
chosen attributes is the median, so that they do add up; the bounds are those of all graphs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.effects.effects import DirectionEffects, Effect, GraphEffects
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.world_shares import Bounds


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
        typical = _typical(indirect.graphs).directions[direction]
        every = [graph.directions[direction] for graph in indirect.graphs]
        values = _values(typical)
        return cls(
            start=_rate(every, typical, "reference"),
            reached=_rate(every, typical, "total"),
            own=_rate(every, typical, "group"),
            others=_rate(every, typical, "others"),
            effects={
                name: replace(effect, value=values[name])
                for name, effect in indirect.effects[direction].items()
            },
        )


def _typical(graphs: tuple[GraphEffects, ...]) -> GraphEffects:
    """The graph whose effect through the chosen attributes is the median, lower of two."""
    ordered = sorted(graphs, key=lambda graph: sum(graph.forward.through.bounds))
    return ordered[(len(ordered) - 1) // 2]


def _values(effects: DirectionEffects) -> Mapping[str, Fraction]:
    """A number for each effect of a graph: the middle where it has bounds alone."""
    through = effects.through
    middle = (through.lower + through.upper) / 2 if through.value is None else through.value
    values = {"through": middle} | {
        name: effect.value
        for name, effect in effects.effects.items()
        if effect.value is not None
    }
    parts = ("direct", "through", "explained", "not judged")
    rest = values["total"] - sum(values.get(name, 0) for name in parts)
    return values | {"combination": rest}


def _rate(every: list[DirectionEffects], typical: DirectionEffects, world: str) -> Effect:
    ends: list[Bounds] = [one.shares.share(one.worlds[world]) for one in every]
    return Effect(
        lower=min(end.lower for end in ends),
        upper=max(end.upper for end in ends),
        value=typical.shares.share(typical.worlds[world]).lower,
    )
