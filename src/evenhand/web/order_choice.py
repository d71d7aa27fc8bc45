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
        last = len(self.order) - 1
        return tuple(
            (
                self.words(value),
                _request("earlier", value) if at else "",
                _request("later", value) if at < last else "",
            )
            for at, value in enumerate(self.order)
        )

    @property
    def rest(self) -> tuple[tuple[str, str], ...]:
        """Each value that the order lacks, and the request that puts it next, as worse.

        The last but one brings the last with it.
        """
        rest = [value for value in self.values if value not in self.order]

        def following(value: str) -> str:
            last = [one for one in rest if one != value] if len(rest) == 2 else []
            return _request("add", value, *last)

        return tuple((self.words(value), following(value)) for value in rest)


def _request(way: str, *values: str) -> str:
    return json.dumps({way: {"question": {"order": [*values]}}})
