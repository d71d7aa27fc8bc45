"""The order of the decision's values, best first: given value by value, and changed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChoice:
    """The order so far, and all values; ``words`` gives those of a value."""

    order: Sequence[str]
    values: Sequence[str]
    words: Callable[[str], str]

    @property
    def moves(self) -> tuple[tuple[str, str, str], ...]:
        """Each value of the order, and the requests that move it up and down; "" for none."""
        order = [*self.order]

        def swapped(a: int, b: int) -> str:
            if not 0 <= b < len(order):
                return ""
            new = [*order]
            new[a], new[b] = new[b], new[a]
            return _request(new)

        return tuple(
            (self.words(value), swapped(at, at - 1), swapped(at, at + 1))
            for at, value in enumerate(order)
        )

    @property
    def rest(self) -> tuple[tuple[str, str], ...]:
        """Each value that the order lacks, and the request that puts it next, as worse.

        The last but one brings the last with it.
        """
        rest = [value for value in self.values if value not in self.order]

        def following(value: str) -> str:
            last = [one for one in rest if one != value] if len(rest) == 2 else []
            return _request([*self.order, value, *last])

        return tuple((self.words(value), following(value)) for value in rest)


def _request(order: Sequence[str]) -> str:
    return json.dumps({"change": {"question": {"order": [*order]}}})
