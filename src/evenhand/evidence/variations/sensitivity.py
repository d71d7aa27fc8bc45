"""How strong would an unmeasured cause of the decision have to be to overturn a finding?

Let U be a cause that nobody measured. In a subpopulation, δ is the total variation between its
distributions in the two groups, and γ the largest difference that its values make to the rate
of favorable decisions. Then the difference seen is off the true direct difference, averaged
over U, by at most δ γ. So a difference beyond the threshold stands unless δ γ > |Δ| − τ. With
δ = γ this needs more than the *robustness value* √(|Δ| − τ) of both.

Measured causes show what strengths occur: leave one out as if it had not been measured, and
look at its own δ and γ. For a difference within the threshold the same bound holds, but of the
average over U only: within it, differences of opposite signs may still hide.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Described, Plain, Summary
from evenhand.evidence.partition import Partition

# A rate of fewer rows says too little about what a cause does.
_LEAST_ROWS = 10
_NAMED = 3
# Of more findings the strongest are tried.
_MOST_FINDINGS = 100
_ONLY_AVERAGE = (
    "Only the average over an unmeasured cause is bounded: within this subpopulation, "
    "differences of opposite signs may hide."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark(Plain):
    """What a measured cause does among the people who are alike in all others.

    ``imbalance`` is δ, the part of one group that would have to change its value for the groups
    to be alike; ``effect`` is γ, in the group where it is larger, over values with at least ten
    rows there. ``shift`` is by how much leaving the cause out moves the difference.
    """

    name: str
    imbalance: float
    effect: float
    shift: float

    @property
    def strength(self) -> float:
        """δ γ: how far such a cause could move the difference."""
        return self.imbalance * self.effect


FindBenchmark: TypeAlias = Callable[[Partition, int, str], Benchmark | None]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Sensitivity(Plain, Described):
    """What it takes to overturn the finding in one subpopulation.

    ``benchmarks`` are the measured causes, those that could move most first.
    """

    keys = (
        "where risk_difference is_finding needed robustness e_value survives "
        "benchmarks=_benchmarks"
    )

    where: Mapping[str, str]
    risk_difference: Fraction
    threshold: Fraction
    rate_ratio: float | None
    benchmarks: tuple[Benchmark, ...]

    @property
    def is_finding(self) -> bool:
        """Whether the difference reaches the threshold."""
        return abs(self.risk_difference) >= self.threshold

    @property
    def needed(self) -> float:
        """The least δ γ that could bring the difference to the other side of the threshold."""
        return float(abs(abs(self.risk_difference) - self.threshold))

    @property
    def robustness(self) -> float:
        """The δ = γ that does it: near 0 a whiff is enough, near 1 nothing is."""
        return sqrt(self.needed)

    @property
    def e_value(self) -> float | None:
        """VanderWeele and Ding's E-value of the ratio of rates; None if one of them is 0."""
        if self.rate_ratio is None:
            return None
        return self.rate_ratio + sqrt(self.rate_ratio * (self.rate_ratio - 1))

    def times(self, benchmark: Benchmark) -> float | None:
        """How many times as strong as a measured cause it would have to be."""
        return self.needed / benchmark.strength if benchmark.strength else None

    @property
    def survives(self) -> bool | None:
        """Whether the finding outlasts a cause as strong as any measured one here.

        None where no measured cause differs between the groups: nothing to compare with.
        """
        strongest = max((one.strength for one in self.benchmarks), default=0.0)
        return self.needed > strongest if strongest else None

    @property
    def _benchmarks(self) -> list[dict[str, Any]]:
        # Where nothing moves, rounding errors of about 1e-17 are left.
        return [
            one.to_dict() | {"shift": round(one.shift, 12), "times": self.times(one)}
            for one in self.benchmarks
        ]

    @property
    def _sentences(self) -> tuple[str, ...]:
        strength = (
            f"with δ · γ of more than {self.needed:.3g}, for example one that is distributed "
            f"{100 * self.robustness:.0f} points differently in the two groups and changes the "
            f"rate by {100 * self.robustness:.0f} points"
        )
        if not self.is_finding:
            reach = (
                f"That average could reach the threshold with an unmeasured cause {strength}."
            )
            return (_ONLY_AVERAGE, reach)
        compared = [
            f"{times:.1f} times {one.name}"
            for one in self.benchmarks[:_NAMED]
            if (times := self.times(one)) is not None
        ]
        return (
            f"The finding stands unless there is an unmeasured cause {strength}.",
            f"It would have to matter more than {', '.join(compared)}."
            if compared
            else "No measured cause differs between the groups here to compare it with.",
        )

    def summary(self) -> Summary:
        """The strength needed, beside the strengths of the measured causes."""
        return Summary(
            title=", ".join(f"{name} = {value}" for name, value in self.where.items())
            or "everybody",
            facts=(
                ("δ γ needed", f"{self.needed:.3g}"),
                ("robustness value", f"{self.robustness:.3g}"),
                ("E-value", "" if self.e_value is None else f"{self.e_value:.3g}"),
            ),
            columns=("measured cause", "δ", "γ", "shift", "times"),
            lines=tuple(
                (
                    one.name,
                    f"{one.imbalance:.3f}",
                    f"{one.effect:.3f}",
                    f"{one.shift:.3f}",
                    "" if (times := self.times(one)) is None else f"{times:.1f}",
                )
                for one in self.benchmarks
            ),
            notes=self._sentences,
        )


def sensitivity(
    partition: Partition, line: int, *, find: FindBenchmark | None = None
) -> Sensitivity | None:
    """What it takes to overturn the finding in one line; None where nothing is measured."""
    difference = partition.risk_difference(line)
    if difference is None:
        return None
    rates = sorted(
        Fraction(int(yes[line]), int(total[line]))
        for yes, total in (
            (partition.group_yes, partition.group),
            (partition.other_yes, partition.other),
        )
    )
    find = find or benchmark
    benchmarks = [b for name in partition.names if (b := find(partition, line, name))]
    return Sensitivity(
        where=partition.where(line),
        risk_difference=difference,
        threshold=partition.question.threshold,
        rate_ratio=float(rates[1] / rates[0]) if rates[0] else None,
        benchmarks=tuple(sorted(benchmarks, key=lambda one: (-one.strength, one.name))),
    )


def sensitivity_of_findings(partition: Partition) -> tuple[Sensitivity, ...]:
    """The same for the violating subpopulations, strongest first, at most a hundred."""
    strongest = partition.by_strength[:_MOST_FINDINGS].tolist()
    known: dict[tuple[object, ...], Benchmark | None] = {}

    def find(partition: Partition, line: int, name: str) -> Benchmark | None:
        # It is the same for all who are alike in the other causes: of one cause, for everybody.
        columns = zip(partition.names, partition.assignments.codes, strict=True)
        alike = name, *(int(codes[line]) for other, codes in columns if other != name)
        if alike not in known:
            known[alike] = benchmark(partition, line, name)
        return known[alike]

    return tuple(one for line in strongest if (one := sensitivity(partition, line, find=find)))


def benchmark(partition: Partition, line: int, name: str) -> Benchmark | None:
    """What one cause does among people alike in all others; None where rows are too few."""
    codes = dict(zip(partition.names, partition.assignments.codes, strict=True))
    alike = np.ones(len(partition), bool)
    for other, column in codes.items():
        if other != name:
            alike &= column == column[line]
    a, n, b, m = (
        counts[alike].astype(float)
        for counts in (
            partition.group_yes,
            partition.group,
            partition.other_yes,
            partition.other,
        )
    )
    effects = [effect for yes, total in ((a, n), (b, m)) if (effect := _effect(yes, total))]
    if not effects:
        return None
    both = (n > 0) & (m > 0)
    kept = b[both] / m[both] - a[both] / n[both]
    weight = (n + m)[both]
    pooled = b.sum() / m.sum() - a.sum() / n.sum()
    return Benchmark(
        name=name,
        imbalance=float(np.abs(n / n.sum() - m / m.sum()).sum() / 2),
        effect=max(effects),
        shift=float(abs(pooled - np.average(kept, weights=weight))),
    )


def _effect(yes: NDArray[np.float64], total: NDArray[np.float64]) -> float:
    """The largest difference of rates between values with enough rows, or 0."""
    enough = total >= _LEAST_ROWS
    return float(np.ptp(yes[enough] / total[enough])) if enough.sum() > 1 else 0.0
