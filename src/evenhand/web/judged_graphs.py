"""``JudgedGraphs``: how many graphs were judged on the way to the one that is chosen."""

from hashlib import sha256

from evenhand.evidence.certificate import Graph
from evenhand.web.recent import key_of
from evenhand.web.store import Tables


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

    def add(self, graph: Graph, *, is_known: bool) -> None:
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
