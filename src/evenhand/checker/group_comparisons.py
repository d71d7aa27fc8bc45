"""Who is compared with whom, by which decisions: what a question says of a record's counts."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .record_fields import Record

JOIN, OR = " & ", " or "
TOO_MANY = 2**63  # of rows: no program counts so many
SHARED = 2**16  # values that are looked up, so that equal ones are made and kept once
Counts = tuple[tuple[int, ...], ...]  # by group, and within a group by kind of decision
Table = dict[tuple[str, ...], Counts]


class GroupComparisons:
    """The groups and the kinds of decision of a record, and the pairs that are compared.

    ``cuts`` are the kinds that count as favorable, one after the other: one cut for a favorable
    decision, one for each kind if every one is compared, one for each but the last of an order.
    """

    def __init__(self, question: Record) -> None:
        self.protected = listed(question["protected"])
        self.favorable = listed(question.get("favorable", []))
        self.groups: list[str] = question["groups"]
        self.kinds: list[str] = question["decisions"]
        self.threshold, self.least = (
            read_share(question[name]) for name in ("threshold", "min_coverage")
        )
        self.least_rows = question.get("min_rows", 1)
        self.is_named = "group" in question  # one group against one other
        self.is_cumulative = question.get("criterion") == "cumulative"
        self.check(question)
        places, many = range(len(self.groups)), len(self.kinds)
        self.roles = ["group", "other"] if self.is_named else ["groups"] * len(self.groups)
        self.pairs = [*combinations(places, 2)]
        if "other" in question and not self.is_named:
            reference = self.groups.index(question["other"])
            self.pairs = [(at, reference) for at in places if at != reference]
        self.cuts = [range(last) for last in range(1, many)]
        if question.get("criterion") == "every" and many > 2:
            self.cuts = [range(kind, kind + 1) for kind in range(many)]
        self.is_one = len(self.pairs) == len(self.cuts) == 1

    def check(self, question: Record) -> None:
        """Refuse bounds out of range, and labels that are not those of the question."""
        if not 0 < self.threshold < 1 or not 0 <= self.least <= 1:
            raise ValueError(f"threshold {self.threshold} or least coverage is out of range")
        if "min_rows" in question and (type(self.least_rows) is not int or self.least_rows < 2):
            raise ValueError(f"question.min_rows: {self.least_rows!r} is no number over 1")
        groups, kinds, criterion = self.groups, self.kinds, question.get("criterion")
        order = question.get("order", kinds)
        several = (question.get(name, "") for name in ("protected", "favorable"))
        lists = [labels for labels in several if not isinstance(labels, str)]
        errors = {
            "protected": len(self.protected) > 1
            and not all(len(g.split(JOIN)) == len(self.protected) for g in groups),
            "groups": groups != [question["group"], question["other"]]
            if self.is_named
            else len(groups) < 3,
            "other": question.get("other", groups[0]) not in groups,
            "criterion": criterion not in (None, "every", "cumulative"),
            "favorable": bool(self.favorable) == bool(criterion),
            "decisions": not criterion and kinds != [OR.join(self.favorable), *kinds[1:2]],
            "order": (criterion == "cumulative" and (order != kinds or "order" not in question))
            or (criterion == "every" and not {*kinds} <= {*order}),
            "a list": any(
                type(labels) is not list
                or {*map(type, labels)} != {str}
                or len({*labels}) < max(len(labels), 2)
                for labels in (groups, kinds, order, *lists)
            ),
        }
        if wrong := [name for name, applies in errors.items() if applies]:
            raise ValueError(f"question: {', '.join(wrong)} cannot be what it asks about")

    @property
    def column(self) -> str:
        """The name of the column of groups."""
        return JOIN.join(self.protected)

    def differences(self, counts: Counts) -> list[Fraction | None]:
        """The second group's rate minus the first's, by cut and pair; None if not compared."""
        rows = [sum(kinds) for kinds in counts]
        present = [total >= self.least_rows for total in rows]
        return [
            Fraction(sum(counts[b][k] for k in cut), rows[b])
            - Fraction(sum(counts[a][k] for k in cut), rows[a])
            if present[a] and present[b]
            else None
            for cut in self.cuts
            for a, b in self.pairs
        ]

    def place(self, group: str, *, pooled: bool) -> int | None:
        """The index of a group; None if it is not compared."""
        if group in self.groups[: 1 if pooled else None]:
            return self.groups.index(group)
        return 1 if pooled else None

    def kind(self, decision: str) -> int | None:
        """The index of the kind of a decision; None if its value is not named."""
        if self.favorable:
            return 0 if decision in self.favorable else 1 if decision == self.kinds[1] else None
        return self.kinds.index(decision) if decision in self.kinds else None

    def split(self, counts: Sequence[int]) -> Counts:
        """Counts that stand in one row, by group and kind of decision."""
        kinds = len(self.kinds)
        return tuple(tuple(counts[at : at + kinds]) for at in range(0, len(counts), kinds))


def listed(value: str | list[str]) -> list[str]:
    """One text or several, as a list."""
    return [value] if isinstance(value, str) else value


def read_share(text: str) -> Fraction:
    """A fraction in lowest terms; any other spelling of it is refused.

    >>> read_share("1/20")
    Fraction(1, 20)
    """
    share = Fraction(*map(int, text.split("/")))
    if str(share) != text:
        raise ValueError(f"{text!r} should be written {str(share)!r}")
    return share
