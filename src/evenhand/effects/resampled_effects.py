"""Effects through chosen attributes in resamples: how far both ends of each interval move."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.display import percent
from evenhand.effects.effects import DIRECTIONS
from evenhand.effects.indirect_claim import Indirect
from evenhand.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledEffects:
    """How often each verdict on the effect comes out, and the spread of its ends.

    ``name`` says which effect is meant, ``ways`` each direction in words.
    ``ends`` holds for each direction the standard deviations of the lower and the upper end;
    they are nothing that a bound has by itself, so bounds get theirs from here.
    """

    name: str
    ways: Mapping[str, str]
    resamples: int
    verdicts: Mapping[Verdict, int]
    ends: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, effects: Sequence[Indirect]) -> "ResampledEffects":
        """Add up what was measured in each resample."""
        measured = [one for one in effects if one.graphs]
        ends = {}
        for direction in DIRECTIONS if len(measured) > 1 else ():
            through = [one.effects[direction]["through"] for one in measured]
            both = np.array([[float(one.lower), float(one.upper)] for one in through])
            lower, upper = both.std(axis=0, ddof=1).tolist()
            ends[direction] = lower, upper
        verdicts = Counter(one.verdict for one in effects)
        return cls(
            name=effects[0].name,
            ways=effects[0].ways,
            resamples=len(effects),
            verdicts=dict(verdicts),
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
        facts = [(self.name, shares)]
        for direction, ends in self.ends.items():
            errors = " and ".join(dict.fromkeys(f"{100 * end:.1f}" for end in ends))
            what = "standard errors of its ends" if "and" in errors else "standard error"
            facts.append((f"from {self.ways[direction]}", f"{what} {errors} points"))
        return tuple(facts)
