"""Which move, if any, a line or row falls under."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from evenhand.removal import Move, Plan

_LARGEST_KEY = 2**62
_LARGEST_TABLE = 2**20


class Patterns:
    """The patterns of a plan's moves, ready to be looked up for many rows at once.

    Rows come as codes with the labels that the codes stand for, whatever their order. A label
    that no pattern names matches none.
    """

    def __init__(self, plan: Plan) -> None:
        self.names = plan.names
        self.moves: tuple[Move, ...] = tuple(plan.moves)
        self._protected, self._group = plan.question.protected, plan.question.group
        self._pooled = plan.pooled
        self._codes: dict[str, dict[str | None, int]] = {
            name: {label: code for code, label in enumerate(sorted(labels))}
            for name in self.names
            for labels in [{move.where[name] for move in self.moves}]
        }
        # One code more stands for every label that no pattern names.
        self._cards = {name: len(codes) + 1 for name, codes in self._codes.items()}
        patterns = [
            np.array([self._codes[name][move.where[name]] for move in self.moves], np.int64)
            for name in self.names
        ]
        self._ranks: list[NDArray[np.int64]] = []
        keys = self._learn_keys(patterns)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        self._by_key = None
        if (span := prod(self._cards.values())) <= _LARGEST_TABLE:
            self._by_key = np.full(span, -1)
            self._by_key[keys] = np.arange(len(keys))

    def codes_of(self, name: str, labels: Sequence[str | None]) -> NDArray[np.int64]:
        """For each label of a column, the code that ``find`` expects."""
        known, other = self._codes[name], self._cards[name] - 1
        return np.array(
            [known.get(self._seen(name, label), other) for label in labels], np.int64
        )

    def find(self, columns: Mapping[str, NDArray[np.integer]]) -> NDArray[np.int64]:
        """The move of each row, or -1; ``columns`` holds codes from ``codes_of``."""
        keys = self._keys_of([columns[name].astype(np.int64) for name in self.names])
        if self._by_key is not None:
            return self._by_key[keys]
        if not len(self._keys):
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._order[place], -1)

    def _seen(self, name: str, label: str | None) -> str | None:
        pooled = self._pooled is not None and name == self._protected and label is not None
        return self._pooled if pooled and label != self._group else label

    def _learn_keys(self, columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Mixed-radix keys; ranks of the patterns' prefixes stand in where keys overflow."""
        key, span = np.zeros(len(self.moves), np.int64), 1
        for name, column in zip(self.names, columns, strict=True):
            if span * self._cards[name] > _LARGEST_KEY:
                self._ranks.append(np.unique(key))
                key, span = np.searchsorted(self._ranks[-1], key), len(self._ranks[-1]) + 1
            key, span = key * self._cards[name] + column, span * self._cards[name]
        return key

    def _keys_of(self, columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        key, span, ranks = np.zeros(len(columns[0]), np.int64), 1, iter(self._ranks)
        for name, column in zip(self.names, columns, strict=True):
            if span * self._cards[name] > _LARGEST_KEY:
                known = next(ranks)
                place = np.minimum(np.searchsorted(known, key), len(known) - 1)
                key = np.where(known[place] == key, place, len(known))
                span = len(known) + 1
            key, span = key * self._cards[name] + column, span * self._cards[name]
        return key
