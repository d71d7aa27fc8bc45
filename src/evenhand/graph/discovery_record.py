"""``DiscoveryRecord``: how a graph was learned, and what separates its nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evenhand.counts import CountTable
from evenhand.graph.cached_tests import TestsMade
from evenhand.graph.orientation import Conflict, Edge, Triple
from evenhand.question import Knowledge


@dataclass(frozen=True, slots=True)
class Separation:
    """Why two nodes are not joined: given these others, they were independent with this p."""

    given: frozenset[str]
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryRecord:
    """How a graph was found: enough to say what it rests on and what remains in doubt.

    ``separating`` is keyed by sorted pairs; pairs that knowledge keeps apart have no entry.
    ``tests`` counts the independence tests at each size of the conditioning set.
    ``ambiguous`` lists triples ``(x, centre, y)``, ``x < y``, read neither way. ``stand_ins``
    gives for each column that did not enter the search the one that says the same. ``counts``
    are what the graph was learned from, or their digest if it was read from a file, and
    ``rows`` says which; ``made`` are the tests, for another search of the same counts.
    ``limits`` says in words which limits were set, ``max_depth`` among them, and
    ``ended_early`` what these or the budget of work left untried, which depends on the counts:
    then ``depth`` is the size of the largest sets that were tried. ``knowledge`` is what was
    told before the search.
    """

    algorithm: str
    test: str
    significance: float
    tests: tuple[int, ...] = ()
    separating: Mapping[Edge, Separation] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    ambiguous: tuple[Triple, ...] = ()
    max_depth: int | None = None
    limits: str = ""
    ended_early: str = ""
    depth: int | None = None
    notes: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    rows: Literal["same", "original", "other"] = "same"
    counts: CountTable | str = field(default="", compare=False, repr=False)
    made: TestsMade | None = field(default=None, compare=False, repr=False)
    knowledge: Knowledge = field(default_factory=Knowledge)

    @property
    def settings(self) -> dict[str, Any]:
        """How the search was set, as arguments of ``discover``."""
        names = ("significance", "test", "max_depth")
        return {name: getattr(self, name) for name in names}

    @property
    def digest(self) -> str:
        """The digest of the counts that the graph was learned from; "" if nobody knows."""
        return self.counts if isinstance(self.counts, str) else self.counts.digest
