"""Results by what they were made from: the graph that is learned, the verdicts on it."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from evenhand.graph import PartialGraph
from evenhand.question import QuestionFile
from evenhand.web.question_store import Tables

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

    @property
    def newest(self) -> _T | None:
        """The result that was kept or asked for last."""
        with self._lock:
            return next(reversed(self.values()), None)

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


# Parts of [question] that are judged anew without learning the graph again.
_JUDGED = frozenset(
    {"threshold", "judge", "min_rows", "redlining", "explained", "redlining_threshold", "basis"}
)


def learning_key(stamp: str, tables: Tables) -> str:
    """What the learned graph depends on; the stamp is that of the table as it was read."""
    asked = {k: v for k, v in tables.get("question", {}).items() if k not in _JUDGED}
    return stamp + key_of(
        [asked, *(tables.get(name, {}) for name in ("knowledge", "learning", "data", "run"))]
    )


def audit_key(stamp: str, tables: Tables, file: QuestionFile, *, direct: bool = False) -> str:
    """What the verdict depends on; ``direct`` leaves out effects through other attributes."""
    asked = {**tables.get("question", {})}
    if direct:
        asked["redlining"] = None
    key = learning_key(stamp, tables) + key_of([asked, tables.get("labels")])
    return key + key_of([edit.to_dict() for edit in file.edits])


class JudgedGraphs:
    """Counts graphs whose verdict was worked out, so that a certificate can state how many.

    The question file keeps a short digest of each, so that one that is looked at again counts
    once; a file may say a number instead. Undoing a change does not undo that it was judged.
    """

    def __init__(self, tables: Tables | None = None) -> None:
        judged = (tables or {}).get("graph", {}).get("judged", 0)
        self._before = judged if isinstance(judged, int) else 0
        digests = judged if isinstance(judged, list) else ()
        self._seen: dict[str, bool] = dict.fromkeys(digests, False)

    def add(self, graph: PartialGraph, *, is_known: bool) -> None:
        """Count a graph once; one that the file came with is among those of its number."""
        links = [sorted(graph.arrows), sorted(graph.undirected)]
        digest = sha256(key_of(links).encode()).hexdigest()[:12]
        self._seen.setdefault(digest, is_known and self._before > 0)

    @property
    def number(self) -> int:
        """How many different graphs there were; 0 if no other one was judged."""
        seen = self._seen.copy()  # other threads add graphs meanwhile
        number = self._before + sum(not known for known in seen.values())
        return number if number > 1 else 0

    def stated(self, tables: Tables) -> Tables:
        """The tables of a question file with those graphs, if more than one was judged."""
        if not (number := self.number):
            return tables
        judged = number if self._before else [*self._seen.copy()]
        return {**tables, "graph": {**tables.get("graph", {}), "judged": judged}}


def without_number(tables: Tables) -> Tables:
    """The tables without the graphs that were judged: no choice, and not to be undone."""
    graph = {name: value for name, value in tables.get("graph", {}).items() if name != "judged"}
    rest = {name: value for name, value in tables.items() if name != "graph"}
    return {**rest, "graph": graph} if graph else rest
