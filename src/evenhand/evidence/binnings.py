"""How much hangs on the classes: the same causes, judged in many ways to class their numbers.

Numbers are counted once between all cut points of all ways. Each way is a marginal of these
counts: neighbouring classes become one, and nothing is read again.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, examined_counts
from evenhand.counts.class_choices import ClassChoices
from evenhand.display import ProgressCallback, ProgressReporter, Summary, percent
from evenhand.errors import QuestionError, listed
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.class_recodings import Recoding, recode, recodings_of
from evenhand.evidence.judged_variants import JudgedVariant, JudgedVariants
from evenhand.evidence.partition import Partition, share_statistics
from evenhand.evidence.population import StatisticalVerdict
from evenhand.evidence.subpopulations import points
from evenhand.evidence.verdict import Verdict
from evenhand.question import Bins
from evenhand.question.question import REST

_UNCORRECTED = "No p-value here is corrected for trying several classes."
# Ways judged together: faster than one by one, and who listens can stop in between.
_BATCH = 50
_SUPERVISED = (
    "Some cuts were chosen by looking at the decision, none by looking at the protected "
    "attribute."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binning(JudgedVariant):
    """What one way to class the numbers gives."""

    bins: Mapping[str, Bins]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        bins = {name: bins.notation for name, bins in self.bins.items()}
        return {"bins": bins, **JudgedVariant.to_dict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingCut:
    """The cut on which most hangs: how often an outcome is met with it, and without it."""

    column: str
    label: str  # of the class that begins there
    outcome: str
    with_cut: float
    without_cut: float

    @property
    def change(self) -> float:
        """By how much the share differs, without what rounding adds."""
        return round(abs(self.with_cut - self.without_cut), 9)

    def __str__(self) -> str:
        return (
            f"where a class of {self.column} begins at {self.label!r}: {self.outcome} in "
            f"{percent(self.with_cut)}, elsewhere in {percent(self.without_cut)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "column": self.column,
            "class_begins": self.label,
            "outcome": self.outcome,
            "with": self.with_cut,
            "without": self.without_cut,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Binnings(JudgedVariants[Binning]):
    """Verdicts in many classes of the same columns, with the same causes.

    ``possible`` is the number of all combinations; where that is beyond the limit, ``ways``
    are a random sample of them, by a seed from the counts.
    """

    kind = "classes"
    columns: tuple[str, ...]
    possible: int
    supervised: bool

    @cached_property
    def verdicts(self) -> dict[Verdict, int]:
        """How many ways give each verdict."""
        return dict(Counter(way.verdict for way in self.ways).most_common())

    @cached_property
    def statistical(self) -> dict[StatisticalVerdict, int]:
        """How many ways give each verdict on the population."""
        return dict(Counter(way.statistical for way in self.ways).most_common())

    @property
    def shown(self) -> int:
        """In how many ways a difference beyond the threshold is shown."""
        return self.statistical.get(StatisticalVerdict.SHOWN, 0)

    def share(self, ways: int) -> float:
        """A number of ways as a share of all."""
        return ways / len(self.ways)

    @property
    def common_range(self) -> tuple[float, float] | None:
        """The smallest and the largest common difference."""
        differences = [way.common for way in self.ways if way.common is not None]
        return (min(differences), max(differences)) if differences else None

    @property
    def coverage_range(self) -> tuple[Fraction, Fraction]:
        """The smallest and the largest share of the rows that can be compared."""
        shares = [way.coverage for way in self.ways]
        return min(shares), max(shares)

    @property
    def sentence(self) -> str:
        """The shares of verdicts, and of shown differences, in one sentence."""
        verdicts = ", ".join(
            f"{one} in {self._of_all(many)}" for one, many in self.verdicts.items()
        )
        return f"{verdicts}; a difference shown in {self._of_all(self.shown)}"

    def _of_all(self, ways: int) -> str:
        if ways == len(self.ways):
            return "all"
        return f"{ways:,} ({percent(self.share(ways))})" if ways else "none"

    @property
    def ranges(self) -> tuple[tuple[str, str], ...]:
        """The range of the common difference, and of what could be compared."""
        common, (least, most) = self.common_range, self.coverage_range
        low, high = (points(x, threshold=self.threshold) for x in common or (None, None))
        return (
            ("common difference", f"{low} to {high} points" if common else "unmeasured"),
            ("rows compared", f"{percent(float(least))} to {percent(float(most))}"),
        )

    @cached_property
    def deciding_cut(self) -> DecidingCut | None:
        """The cut that changes most how often an outcome is met; None if all give the same."""
        found = []
        for name in self.columns:
            begins = [{*_begins(way.bins[name])} for way in self.ways]
            for label in sorted(set().union(*begins)):
                here = np.array([label in labels for labels in begins])
                found += [
                    DecidingCut(
                        column=name,
                        label=label,
                        outcome=outcome,
                        with_cut=float(met[here].mean()),
                        without_cut=float(met[~here].mean()),
                    )
                    for outcome, met in self._outcomes
                    if here.any() and not here.all()
                ]
        best = max(found, key=lambda cut: cut.change, default=None)
        return best if best and best.change else None

    @cached_property
    def _outcomes(self) -> list[tuple[str, NDArray[np.bool_]]]:
        """Which ways meet each outcome, shown differences first."""
        statistical = sorted(self.statistical, key=[*StatisticalVerdict].index)
        return [
            *(
                (str(one), np.array([way.statistical is one for way in self.ways]))
                for one in statistical
            ),
            *(
                (str(one), np.array([way.verdict is one for way in self.ways]))
                for one in self.verdicts
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values; shares of all ways that were judged."""
        common = self.common_range
        return {
            "ways": len(self.ways),
            "verdicts": {str(one): self.share(many) for one, many in self.verdicts.items()},
            "population": {
                str(one): self.share(many) for one, many in self.statistical.items()
            },
            "shown": self.share(self.shown),
            "common_difference": list(common) if common else None,
            "coverage": [float(share) for share in self.coverage_range],
            "possible_ways": self.possible,
            "columns": {
                name: [
                    list(notation)
                    for notation in dict.fromkeys(
                        tuple(way.bins[name].notation) for way in self.ways
                    )
                ]
                for name in self.columns
            },
            "deciding_cut": self.deciding_cut.to_dict() if self.deciding_cut else None,
            "as_audited": self.audited.to_dict(),
            "notes": list(self.notes),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not say."""
        sample = f"A random sample of {self.possible:,} combinations."
        return (
            *((sample,) if self.possible > len(self.ways) else ()),
            *((_SUPERVISED,) if self.supervised else ()),
            _UNCORRECTED,
        )

    def summary(self) -> Summary:
        """The sentence, the ranges, and the cut on which most hangs."""
        cut = self.deciding_cut
        return Summary(
            title=f"{len(self.ways):,} ways to class {', '.join(self.columns)}",
            sentence=self.sentence,
            facts=(
                *self.ranges,
                ("hangs most on", str(cut) if cut else "no cut: all give the same"),
                ("classes of this audit", str(self.audited)),
            ),
            notes=self.notes,
        )


def judge_binnings(
    certificate: Certificate,
    columns: Sequence[str] | None,
    find: Callable[..., ClassChoices],
    *,
    limit: int,
    progress: ProgressCallback | None = None,
) -> Binnings:
    """Judge the causes of a certificate in every combination of classes that are found.

    Each possible set of decision causes is examined, and all must agree. ``find`` is called
    with the columns, the causes and the question, and counts the rows.
    """
    causes, least = certificate.possible_decision_causes, certificate.min_coverage
    alike = tuple(dict.fromkeys(name for names in causes for name in names))
    _check(columns, alike, certificate.question.rule, limit)
    question = certificate.question.direct
    choices = find(columns, alike=alike, question=question)
    question = replace(question, other=REST) if certificate.pools_others else question
    examined = examined_counts(choices.counts, question)
    names = tuple(choices.ways)
    recodings = [
        recodings_of(examined.counts.attribute(name), ways)
        for name, ways in choices.ways.items()
    ]
    possible = prod(map(len, recodings))
    combinations = (
        [*product(*recodings)]
        if possible <= limit
        else [_combination(recodings, at) for at in _sample(examined.counts, possible, limit)]
    )
    settled = {*certificate.determined_by} - {*names}
    determining = {id(one) for ways in recodings for one in ways if one.determines(examined)}
    ways: list[Binning] = []
    reporter = ProgressReporter(progress)
    for first in range(0, len(combinations), _BATCH):
        judged = []
        for recoding in combinations[first : first + _BATCH]:
            chosen = dict(zip(names, recoding, strict=True))
            coarse = replace(examined, counts=recode(examined.counts, chosen))
            partitions = [Partition.of(coarse, one) for one in causes]
            determined = bool(settled) or any(id(one) in determining for one in recoding)
            classes = {name: one.bins for name, one in chosen.items()}
            judged.append((classes, partitions, determined))
            reporter.report("ways to class", first, len(combinations))
        share_statistics([one for _, partitions, _ in judged for one in partitions])
        ways += [
            Binning.of(partitions, min_coverage=least, determined=determined, bins=classes)
            for classes, partitions, determined in judged
        ]
    reporter.report("ways to class", len(ways), len(combinations))
    bins = {
        name: bins
        for name, bins in certificate.codings.bins.items()
        if name in names and isinstance(bins, Bins)
    }
    is_determined = certificate.is_determined
    return Binnings(
        columns=names,
        ways=tuple(ways),
        audited=Binning.of(
            certificate.causes, min_coverage=least, determined=is_determined, bins=bins
        ),
        possible=possible,
        supervised=choices.supervised,
        threshold=question.threshold,
    )


def _check(
    columns: Sequence[str] | None, causes: Sequence[str], rule: Sequence[str], limit: int
) -> None:
    """Refuse columns that are no causes, and what leaves nothing to judge."""
    others = [name for name in columns or () if name not in causes]
    if others:
        raise QuestionError.of(
            f"{listed(others)} cannot be put into other classes: no cause of the decision.",
            f"The causes are {listed(causes)}.",
            "Name some of these.",
        )
    if rule:
        raise QuestionError.of(
            f"Under the rule {listed(rule)} nothing is measured, in no classes.",
            remedy="Ask without the rule.",
        )
    if limit < 1:
        raise QuestionError.of(f"At most {limit} ways are none.", remedy="Ask for one or more.")


def _combination(recodings: Sequence[Sequence[Recoding]], at: int) -> tuple[Recoding, ...]:
    """The combination of this number, if all were written down."""
    chosen = []
    for ways in reversed(recodings):
        at, rest = divmod(at, len(ways))
        chosen.append(ways[rest])
    return tuple(reversed(chosen))


def _sample(counts: CountTable, possible: int, limit: int) -> list[int]:
    """Numbers of some of all combinations, the same for the same counts."""
    chosen = np.random.default_rng(counts.seed).choice(possible, limit, replace=False)
    return sorted(chosen.tolist())


def _begins(bins: Bins) -> tuple[str, ...]:
    """Where each class but the first begins, in words."""
    return tuple(
        label.partition(" to ")[0].removesuffix(" or more") for label in bins.labels[1:]
    )
