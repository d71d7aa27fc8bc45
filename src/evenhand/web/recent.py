"""``Recent``: the results that were asked for last, by what they were made from."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


class Recent(OrderedDict[str, _T]):
    """A cache that forgets what was not asked for longest; threads may share it."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def find(self, key: str) -> _T | None:
        """The result of this key, if it is there."""
        with self._lock:
            if key not in self:
                return None
            self.move_to_end(key)
            return self[key]

    def put(self, key: str, result: _T) -> None:
        """Keep a result, and forget one if there are too many."""
        with self._lock:
            self[key] = result
            self.move_to_end(key)
            while len(self) > self._most:
                self.popitem(last=False)

    def get(self, key: str, make: Callable[[], _T]) -> _T:  # type: ignore[override]
        """The result of this key, made if it is not there."""
        found = self.find(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found


def key_of(value: Any) -> str:  # noqa: ANN401  # plain values
    """A key that is the same for equal plain values."""
    return json.dumps(value, sort_keys=True, default=str)
