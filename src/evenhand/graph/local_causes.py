"""``LocalCauses``: what ``find_causes`` finds around a decision."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evenhand.display import Described, Summary
from evenhand.graph.discovery_record import Separation


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LocalCauses(Described):
    """What is joined to the decision, in which direction, and on what evidence.

    ``parents`` and ``children`` have a direction; ``ambiguous`` says for each other neighbor
    why its edge has none. ``possible_parents`` lists every parent set that remains, none where
    they are too many to list. Effects that knowledge places after the decision are not looked
    for. ``separated`` holds the set that took each other attribute away from the decision;
    those in ``weakly_removed`` went although that set left nothing to test. ``strength`` holds,
    for each neighbor, the set that came nearest to separating it: the larger its p, the weaker
    the edge. ``near`` are the decision and all attributes with an edge that the search found.
    Learning the whole graph (``discover``) makes other tests: with enough rows both find the
    same causes, on few rows they can differ in an edge.
    """

    decision: str
    parents: tuple[str, ...]
    children: tuple[str, ...]
    ambiguous: Mapping[str, str]
    possible_parents: tuple[frozenset[str], ...]
    separated: Mapping[str, Separation]
    weakly_removed: tuple[str, ...]
    strength: Mapping[str, Separation]
    tests: int
    expanded: tuple[str, ...]
    notes: tuple[str, ...]
    near: tuple[str, ...] = ()

    def summary(self) -> Summary:
        """Describe the decision's neighbors, strongest edge first."""
        role = dict.fromkeys(self.parents, "cause") | dict.fromkeys(self.children, "effect")
        role |= dict.fromkeys(self.ambiguous, "cause or effect")
        ranked = sorted(role, key=lambda name: (self.strength[name].p, name))
        return Summary(
            title=f"Causes of {self.decision}: {', '.join(self.parents) or 'none'}",
            facts=(
                ("possible cause sets", "; ".join(map(_braced, self.possible_parents))),
                ("independence tests", f"{self.tests:,}"),
                ("searched from", ", ".join(self.expanded)),
            ),
            columns=("attribute", "role", "largest p", "given"),
            lines=tuple(
                (
                    name,
                    role[name],
                    f"{self.strength[name].p:.3g}",
                    _braced(self.strength[name].given),
                )
                for name in ranked
            ),
            notes=(*(f"{name}: {why}" for name, why in self.ambiguous.items()), *self.notes),
        )

    def to_dict(self) -> dict[str, object]:
        """Plain values: names, lists and numbers."""
        return {
            "decision": self.decision,
            "parents": list(self.parents),
            "children": list(self.children),
            "ambiguous": dict(self.ambiguous),
            "possible_parents": [sorted(parents) for parents in self.possible_parents],
            "separated": _plain(self.separated),
            "weakly_removed": list(self.weakly_removed),
            "strength": _plain(self.strength),
            "tests": self.tests,
            "expanded": list(self.expanded),
            "notes": list(self.notes),
        }


def _braced(names: Iterable[str]) -> str:
    return "{" + ", ".join(sorted(names)) + "}"


def _plain(sets: Mapping[str, Separation]) -> dict[str, dict[str, object]]:
    return {name: {"given": sorted(s.given), "p": s.p} for name, s in sets.items()}
