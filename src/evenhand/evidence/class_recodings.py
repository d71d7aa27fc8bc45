"""Counts between many cut points, in the coarser classes between some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.evidence.decision_rules import determining_names
from evenhand.question import Bins


@dataclass(frozen=True, slots=True)
class Recoding:
    """The coarser classes of an attribute, and for each of its codes the coarser code."""

    bins: Bins
    attribute: Attribute
    codes: NDArray[np.uint8]

    @classmethod
    def of(cls, attribute: Attribute, finer: Bins, bins: Bins) -> "Recoding":
        """Merge classes that no cut divides; another value, as a missing one, stays alone."""
        bins = bins.of_whole_numbers(bool(finer.whole))
        coarse = bins.coarsened(finer)
        labels = [coarse.get(value, value) for value in attribute.values]
        values = [*dict.fromkeys([*bins.labels, *labels])]
        codes = np.array([values.index(label) for label in labels], np.uint8)
        return cls(bins, Attribute(attribute.name, tuple(values)), codes)

    def determines(self, examined: ExaminedCounts) -> bool:
        """Whether these classes alone determine the decision."""
        counts = recode(examined.counts, {self.attribute.name: self})
        return bool(determining_names(replace(examined, counts=counts), [self.attribute.name]))


def recodings_of(attribute: Attribute, ways: Sequence[Bins]) -> list[Recoding]:
    """Each way to class an attribute that is in the classes between all their cuts."""
    finest = Bins.union(ways).settled(attribute.values)
    return [Recoding.of(attribute, finest, bins) for bins in ways]


def recode(counts: CountTable, recodings: Mapping[str, Recoding]) -> CountTable:
    """The counts in coarser classes; lines that become equal stay apart, and add up later."""
    attributes, codes = list(counts.attributes), list(counts.codes)
    for name, recoding in recodings.items():
        at = counts.position(name)
        attributes[at], codes[at] = recoding.attribute, recoding.codes[codes[at]]
    return CountTable(tuple(attributes), tuple(codes), counts.counts)
