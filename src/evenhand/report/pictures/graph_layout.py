"""Layers of boxes and lanes, put in an order with few crossings and then in their places.

Positions here go across the layers: downwards if layers are columns. Everything is
deterministic: the same graph always gives the same picture. (Hence ``fsum``: the rounding of
``sum`` depends on the version of Python.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf

_SWEEPS = 5
_PASSES = 25
_ROUNDS = 16
# How much a link between two boxes of one layer wants them to be neighbours.
_CLOSENESS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A box or a lane: how much room it takes across, and what it keeps free on either side.

    ``pinned`` items stay first in their layer.
    """

    layer: int
    size: float
    margin: float
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A tie between items of neighbouring layers, or of the same one."""

    source: int
    target: int
    strength: float


def arrange(items: Sequence[Item], links: Sequence[Link]) -> list[float]:
    """The centre of each item; the first one stands at half its size."""
    layers: list[list[int]] = [[] for _ in range(max(item.layer for item in items) + 1)]
    for number, item in enumerate(items):
        layers[item.layer].append(number)
    for layer in layers:
        layer.sort(key=lambda number: not items[number].pinned)
    ordered = _Order(items, links, layers)
    ordered.sweep()
    ordered.swap()
    return _place(items, ordered.across, ordered.layers)


def place_lanes(
    items: Sequence[Item], boxes: Sequence[float], routes: Sequence[Sequence[int]]
) -> list[float]:
    """The centres of boxes, which come first and stay, and of lanes: in gaps between boxes.

    A lane takes the gap that is nearest to the straight line between the ends of its route.
    """
    centre = [*boxes, *[0.0] * (len(items) - len(boxes))]
    gaps: dict[tuple[int, float, float], list[int]] = {}
    for stops in routes:
        first, last = centre[stops[0]], centre[stops[-1]]
        for step, lane in enumerate(stops[1:-1], 1):
            wanted = first + (last - first) * step / (len(stops) - 1)
            low, high = _nearest_gap(items, boxes, items[lane].layer, wanted)
            gaps.setdefault((items[lane].layer, low, high), []).append(lane)
            centre[lane] = wanted
    for (_, low, high), lanes in gaps.items():
        lanes.sort(key=lambda lane: (centre[lane], lane))
        each = min(7.0, (high - low) / (len(lanes) + 1))
        starts = [centre[lane] - each * (at + 1) for at, lane in enumerate(lanes)]
        for at, (lane, value) in enumerate(zip(lanes, _in_order(starts), strict=True)):
            start = min(max(value, low), max(low, high - each * (len(lanes) + 1)))
            centre[lane] = start + each * (at + 1)
    return centre


def _in_order(wanted: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """The increasing values that are nearest to those wanted."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  # slow to import

    return list(isotonic_regression(wanted, weights=weights).x.tolist())


def _nearest_gap(
    items: Sequence[Item], boxes: Sequence[float], layer: int, wanted: float
) -> tuple[float, float]:
    """The room between two boxes of a layer, or beyond them, that is nearest to a place."""
    sides = sorted(
        (centre - items[box].size / 2, centre + items[box].size / 2)
        for box, centre in enumerate(boxes)
        if items[box].layer == layer
    )
    ends = [-inf, *(side for pair in sides for side in pair), inf]
    gaps = [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if high > low]
    return min(gaps, key=lambda gap: max(gap[0] - wanted, wanted - gap[1], 0.0))


class _Order:
    """The order within layers, improved step by step."""

    def __init__(
        self, items: Sequence[Item], links: Sequence[Link], layers: list[list[int]]
    ) -> None:
        self.items, self.layers = items, layers
        self.beside: list[list[tuple[int, float]]] = [[] for _ in items]
        self.across: list[list[tuple[int, float]]] = [[] for _ in items]
        for link in links:
            same = items[link.source].layer == items[link.target].layer
            near = self.beside if same else self.across
            near[link.source].append((link.target, link.strength))
            near[link.target].append((link.source, link.strength))
        self.place = [0] * len(items)
        self.number()

    def number(self) -> None:
        for layer in self.layers:
            for place, item in enumerate(layer):
                self.place[item] = place

    def apart(self, item: int) -> float:
        return fsum(
            _CLOSENESS * weight * abs(self.place[item] - self.place[other])
            for other, weight in self.beside[item]
        )

    def crossings(self, above: int, below: int) -> tuple[float, float]:
        """Crossings between the links of two items as they stand, and with places changed."""
        now = swapped = 0.0
        for a, weight_a in self.across[above]:
            for b, weight_b in self.across[below]:
                if self.items[a].layer == self.items[b].layer:
                    now += weight_a * weight_b * (self.place[a] > self.place[b])
                    swapped += weight_a * weight_b * (self.place[a] < self.place[b])
        return now, swapped

    def sweep(self) -> None:
        """Put items at the mean place of those they are linked to, over and over."""
        for layer in (*self.layers, *reversed(self.layers)) * _SWEEPS:
            middle = {item: self.middle(item, len(layer)) for item in layer}
            layer.sort(key=lambda item: (not self.items[item].pinned, middle[item]))
            self.number()

    def middle(self, item: int, size: int) -> float:
        """Where the linked items stand on average, as a share of their layers."""
        near = self.across[item]
        weight = fsum(w for _, w in near)
        if not weight:
            return self.place[item] / size
        places = (
            w * (self.place[other] + 0.5) / len(self.layers[self.items[other].layer])
            for other, w in near
        )
        return fsum(places) / weight

    def swap(self) -> None:
        """Change neighbours' places as long as that helps."""
        for _ in range(_PASSES):
            places = [(layer, at) for layer in self.layers for at in range(len(layer) - 1)]
            if not sum(self.try_swap(layer, at) for layer, at in places):
                return

    def try_swap(self, layer: list[int], at: int) -> bool:
        above, below = layer[at], layer[at + 1]
        if self.items[above].pinned:
            return False
        now, swapped = self.crossings(above, below)
        before = self.apart(above) + self.apart(below)
        self.place[above], self.place[below] = at + 1, at
        after = self.apart(above) + self.apart(below)
        if swapped + after < now + before - 1e-9:
            layer[at], layer[at + 1] = below, above
            return True
        self.place[above], self.place[below] = at, at + 1
        return False


def _place(
    items: Sequence[Item], near: Sequence[Sequence[tuple[int, float]]], layers: list[list[int]]
) -> list[float]:
    """Centres: each item as near to those it is linked to as order and sizes allow."""
    centre = [0.0] * len(items)
    offsets = [_offsets([items[item] for item in layer]) for layer in layers]
    for layer, offset in zip(layers, offsets, strict=True):
        for item, at in zip(layer, offset, strict=True):
            centre[item] = at - offset[-1] / 2
    for round_ in range(_ROUNDS):
        for number in range(len(layers)) if round_ % 2 else reversed(range(len(layers))):
            layer, offset = layers[number], offsets[number]
            weights = [1 + fsum(w for _, w in near[item]) for item in layer]
            wanted = [
                (centre[item] + fsum(w * centre[o] for o, w in near[item])) / weight - at
                for item, weight, at in zip(layer, weights, offset, strict=True)
            ]
            for item, value, at in zip(layer, _in_order(wanted, weights), offset, strict=True):
                centre[item] = value + at
    top = min(c - item.size / 2 for c, item in zip(centre, items, strict=True))
    return [value - top for value in centre]


def _offsets(layer: Sequence[Item]) -> list[float]:
    """Centres of a layer's items when they are packed."""
    centres = [0.0]
    for above, below in pairwise(layer):
        free = max(above.margin, below.margin)
        centres.append(centres[-1] + above.size / 2 + free + below.size / 2)
    return centres
