"""``JudgedGraphs``: how many graphs were judged on the way to the one that is chosen."""

from typing import TypeAlias

from evenhand.evidence.judgement import Graph
from evenhand.question.knowledge import Arrow
from evenhand.web.store import Tables

_Links: TypeAlias = tuple[frozenset[Arrow], frozenset[Arrow]]


class JudgedGraphs:
    """Counts graphs whose verdict was worked out, so that a certificate can state how many.

    The number is kept in the question file. Undoing a change does not undo that it was judged.
    """

    def __init__(self, tables: Tables | None = None) -> None:
        number = (tables or {}).get("graph", {}).get("judged", 0)
        self._before = number if isinstance(number, int) else 0
        self._seen: dict[_Links, bool] = {}

    def add(self, graph: Graph, *, is_known: bool) -> None:
        """Count a graph once; one that the file came with was counted before."""
        links = graph.arrows, graph.undirected
        self._seen.setdefault(links, is_known and self._before > 0)

    @property
    def number(self) -> int:
        """How many different graphs there were; 0 if no other one was judged."""
        seen = self._seen.copy()  # other threads add graphs meanwhile
        number = self._before + sum(not known for known in seen.values())
        return number if number > 1 else 0

    def stated(self, tables: Tables) -> Tables:
        """The tables of a question file with the number, if more than one was judged."""
        if not self.number:
            return tables
        return {**tables, "graph": {**tables.get("graph", {}), "judged": self.number}}


def without_number(tables: Tables) -> Tables:
    """The tables without the number of graphs: it is no choice, and cannot be undone."""
    graph = {name: value for name, value in tables.get("graph", {}).items() if name != "judged"}
    rest = {name: value for name, value in tables.items() if name != "graph"}
    return {**rest, "graph": graph} if graph else rest
