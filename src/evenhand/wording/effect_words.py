"""The words of effects along paths: who, by which way, and by how many points."""

from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.display import points
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.worlds import Bounds
from evenhand.wording.sentence_parts import capital
from evenhand.wording.vocabulary import Words


def claim_words(indirect: Indirect, words: Words) -> Words:
    """The words, with the threshold of this claim."""
    return replace(words, question=replace(words.question, threshold=indirect.threshold))


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWords:
    """How the people and the ways of one direction are called.

    ``own`` are those on whose rows effects are measured, ``others`` those whose value they
    would have; ``sides`` are the shapes by which they are drawn.
    """

    indirect: Indirect
    words: Words
    own: str
    others: str
    sides: tuple[str, str]

    @classmethod
    def of(cls, indirect: Indirect, direction: str, words: Words) -> "PathWords":
        """The words for a direction; ``words`` have the threshold of this claim."""
        people, sides = (words.group, words.other), ("group", "other")
        if direction != "forward":
            people, sides = people[::-1], sides[::-1]
        own, others = people
        return cls(indirect=indirect, words=words, own=own, others=others, sides=sides)

    @property
    def on_all_rows(self) -> bool:
        """Whether effects are measured on everybody's rows."""
        return self.indirect.question.basis == "all"

    @property
    def start(self) -> str:
        """Those with whom the steps begin."""
        return f"Everybody as {self.own}" if self.on_all_rows else capital(self.own)

    @property
    def reached(self) -> str:
        """Those same, had they been the others."""
        if self.on_all_rows:
            return f"Everybody as {self.others}"
        return f"{capital(self.own)}, had they been {self.others}"

    def way(self, name: str) -> tuple[str, str]:
        """What an effect is called, and what it is made of."""
        words, question = self.words, self.indirect.question
        on = {side: self._children(side) for side in ("explained", "not judged")}
        explained = f"Through {words.columns(question.explained)}"
        return {
            "direct": ("Direct", f"{words.protected} itself"),
            "through": (f"Through {words.columns(question.redlining)}", "asked about"),
            "explained": (
                explained if question.explained else "On other paths",
                f"explained: {on['explained']}",
            ),
            "not judged": ("Not judged", on["not judged"]),
            "combination": ("Interaction", self._together),
            "spurious": (
                "Spurious",
                "by common causes" if self._has_causes else "no common causes",
            ),
        }[name]

    @property
    def _together(self) -> str:
        """What is left of the total: with witnesses also what they do in other ways."""
        past = ", and the witnesses on other paths" if self.indirect.witnesses else ""
        return f"what these do only together{past}"

    @property
    def _has_causes(self) -> bool:
        protected = self.indirect.question.groups_column
        return any(one.tables.parents[protected] for one in self.indirect.graphs)

    def _children(self, side: str) -> str:
        sides = self.indirect.sides
        names = [name for name, its in sides.items() if its == side]
        if names:
            more = [f"{len(names) - 2} more"] if names[3:] else names[2:]
            return f"through {self.words.columns([*names[:2], *more])}"
        return "depends on the open links" if "open" in sides.values() else "no such path"


def span_text(bounds: Bounds, words: Words) -> str:
    """A difference in points with its sign; both ends where it is not one number."""
    return " to ".join(dict.fromkeys(signed(end, words) for end in bounds))


def signed(difference: Fraction, words: Words) -> str:
    """A difference in points with its sign, never rounded across the threshold."""
    text = points(difference, threshold=words.question.threshold)
    return f"+{text}" if difference > 0 and float(text) else text
