"""What is worth knowing of a table before it is judged, each finding with its remedy.

Findings of one kind that have one remedy are one finding, so that the list stays short.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.counts import (
    CountTable,
    Determination,
    constant_in_a_group,
    dependent_pairs,
    determining_columns,
    equivalent_columns,
)
from evenhand.errors import Problem, Remedy, listed
from evenhand.question.codings import MISSING
from evenhand.question.question import spelling_variants
from evenhand.rows.column_profile import FEW, MANY, ColumnKind, ColumnProfile
from evenhand.rows.comma_numbers import are_comma_numbers, comma_numbers
from evenhand.rows.table_finding import (
    FindingKind,
    TableFinding,
    leave_out,
    rows_in,
    some,
    some_names,
)

NO_GROUPS = frozenset(
    {ColumnKind.IDENTIFIER, ColumnKind.FREE_TEXT, ColumnKind.DATE, ColumnKind.CONSTANT}
)


@dataclass(frozen=True)
class Findings:
    """Makes the findings of a table from its lines and the profiles of its columns."""

    table: CountTable
    profiles: Mapping[str, ColumnProfile]
    decision: str | None
    protected: str | None

    def all(self) -> Iterator[TableFinding]:
        """Every finding, the most important first."""
        yield from self._determining()
        yield from self._spelling()
        yield from self._markers()
        yield from self._missing()
        yield from self._equivalent()
        yield from self._dependent()
        yield from self._no_groups()
        yield from self._numbers()
        if self.with_comma:
            yield comma_numbers(self.with_comma)
        yield from self._many_values()

    @cached_property
    def determining(self) -> tuple[Determination, ...]:
        """Columns that determine the decision, or nearly."""
        if self.decision is None:
            return ()
        usable = {*self.usable, self.decision, self.protected}
        found = determining_columns(self.table, self.decision, protected=self.protected)
        return tuple(one for one in found if one.name in usable)

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """Columns that are neither constant nor without repeated values."""
        return tuple(name for name, one in self.profiles.items() if one.kind not in NO_GROUPS)

    @cached_property
    def equivalents(self) -> tuple[tuple[str, ...], ...]:
        """Columns that say the same; the one to keep first: asked about, else the first."""

        def is_asked(name: str) -> bool:
            return name in (self.decision, self.protected)

        groups = [
            [name for name in names if name in self.usable or is_asked(name)]
            for names in equivalent_columns(self.table)
        ]
        return tuple(
            tuple(sorted(names, key=lambda name: not is_asked(name)))
            for names in groups
            if len(names) > 1
        )

    @cached_property
    def copies(self) -> dict[str, str]:
        """Each column that says the same as another, and that other: the one to keep."""
        return {
            copy: first
            for first, *rest in self.equivalents
            for copy in rest
            if copy not in (self.decision, self.protected)
        }

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[str, str], ...], int]:
        """Pairs of which the first column determines the second, and columns looked at."""
        # The decision and the protected attribute first: they are never beyond the bound.
        asked = [name for name in (self.decision, self.protected) if name]
        rest = [name for name in self.usable if name not in {*asked, *self.copies}]
        return dependent_pairs(self.table, [*asked, *rest])

    @cached_property
    def with_comma(self) -> list[str]:
        """Columns of many numbers that are texts because they are written with a comma."""
        return [
            name
            for name, one in self.profiles.items()
            if one.kind not in (ColumnKind.NUMBER, ColumnKind.CONSTANT)
            and one.distinct > FEW
            and are_comma_numbers(self.table.attribute(name).values)
        ]

    @cached_property
    def following(self) -> list[str]:
        """Columns that the decision determines, but not the other way round."""
        return [b for a, b in self.pairs[0] if a == self.decision and b != self.protected]

    @cached_property
    def tied(self) -> list[str]:
        """Columns that determine the protected attribute, follow from it, or divide a group."""
        if self.protected is None:
            return []
        pairs = [pair for pair in self.pairs[0] if self.protected in pair]
        tied = [b if a == self.protected else a for a, b in pairs]
        out = {self.protected, self.decision, *tied, *self.copies}
        rest = [name for name in self.usable if name not in out]
        tied += constant_in_a_group(self.table, self.protected, rest)
        return [name for name in tied if name != self.decision]

    @cached_property
    def alike(self) -> list[str]:
        """Columns in which people who are compared may be alike."""
        exact = (one.name for one in self.determining if one.exact)
        asked = (self.decision, self.protected)
        out = {*asked, *self.copies, *exact, *self.following, *self.tied}
        return [name for name in self.usable if name not in out]

    def _determining(self) -> Iterator[TableFinding]:
        exact = [one.name for one in self.determining if one.exact]
        if exact:
            many = len(exact) > 1
            alone = "each alone determine" if many else "alone determines"
            yield TableFinding(
                kind=FindingKind.DETERMINES_DECISION,
                columns=tuple(exact),
                numbers={
                    "rows": self.table.row_count,
                    "copies": {n: one for n, one in self.copies.items() if n in exact},
                },
                problem=Problem(
                    f"{some_names(exact)} {alone} {self.decision!r}, without exception in "
                    f"{self.table.row_count:,} rows.",
                    f"Among people alike in {'one of them' if many else 'it'} no decision "
                    "differs, so nothing is left to measure.",
                    (
                        Remedy(
                            "If made from the decision, or after it, leave "
                            f"{'them' if many else 'it'} out",
                            "exclude",
                            exact,
                        ),
                        Remedy("declare the rule by which was decided", "rule", exact[:1]),
                    ),
                ),
            )
        for one in self.determining:
            if not one.exact:
                yield self._nearly(one)
        if self.following:
            yield leave_out(
                FindingKind.FOLLOWS_FROM_DECISION,
                self.following,
                f"determined by {self.decision!r}: a class or a consequence of it.",
            )
        if self.tied:
            them = "them" if len(self.tied) > 1 else "it"
            tied = leave_out(
                FindingKind.TIED_TO_PROTECTED,
                self.tied,
                f"tied to {self.protected!r} without exception. People alike in {them} may "
                "have nobody to be compared with.",
            )
            determined = [b for a, b in self.pairs[0] if a == self.protected]
            yield replace(tied, numbers={"determined": determined})

    def _nearly(self, one: Determination) -> TableFinding:
        rows = sum(sum(by.values()) for by in one.exceptions.values())
        by_group = "; ".join(
            f"{group} {', '.join(f'{value} {many:,}' for value, many in by.items())}"
            for group, by in one.exceptions.items()
        )
        return TableFinding(
            kind=FindingKind.NEARLY_DETERMINES_DECISION,
            columns=(one.name,),
            numbers={"rows": rows, **one.to_dict()},
            problem=Problem(
                f"{one.name!r} alone determines {self.decision!r} but for {rows:,} of "
                f"{self.table.row_count:,} rows: {by_group}.",
                "These exceptions may be the finding.",
                Remedy("If made from the decision, leave it out", "exclude", [one.name]),
            ),
        )

    def _spelling(self) -> Iterator[TableFinding]:
        merge: dict[str, dict[str, list[str]]] = {}
        for name, one in self.profiles.items():
            if one.kind is ColumnKind.CATEGORY or name in (self.decision, self.protected):
                rows = self.table.values(name)
                variants = spelling_variants(value for value in rows if value != MISSING)
                # The most frequent spelling stays.
                groups = [sorted(group, key=lambda v: -rows[v]) for group in variants]
                merge |= {name: {group[0]: group for group in groups}} if groups else {}
        if merge:
            examples = [
                f"{name!r} {listed(group)}"
                for name, groups in merge.items()
                for group in groups.values()
            ]
            yield TableFinding(
                kind=FindingKind.SPELLING,
                columns=tuple(merge),
                numbers={"values": merge},
                problem=Problem(
                    f"One value is written in several ways: {some(examples)}.",
                    remedy=Remedy("If they mean the same, merge them", "merge", merge),
                ),
            )

    def _markers(self) -> Iterator[TableFinding]:
        rows: dict[str, dict[str, int]] = {}
        for name, one in self.profiles.items():
            for value, many in one.markers:
                rows.setdefault(value, {})[name] = many
        for value, by_column in sorted(rows.items(), key=lambda item: -sum(item[1].values())):
            yield TableFinding(
                kind=FindingKind.MARKER,
                columns=tuple(by_column),
                numbers={"value": value, "rows": by_column},
                problem=Problem(
                    f"{value!r} is taken as a value: {rows_in(by_column)}.",
                    remedy=Remedy("If it means that there is none, declare it", "na", [value]),
                ),
            )

    def _missing(self) -> Iterator[TableFinding]:
        by_column = {name: one.missing for name, one in self.profiles.items() if one.missing}
        if not by_column:
            return
        rows = self.incomplete_rows([*by_column])
        yield TableFinding(
            kind=FindingKind.MISSING,
            columns=tuple(by_column),
            numbers={"rows": by_column, "incomplete_rows": rows},
            problem=Problem(
                f"Values are missing: {rows_in(by_column)}; {rows:,} of "
                f"{self.table.row_count:,} rows lack one.",
                remedy=(
                    Remedy("Leave these rows out", "missing", "drop"),
                    Remedy("make it a value of its own", "missing", "level"),
                ),
            ),
        )

    def incomplete_rows(self, names: Sequence[str]) -> int:
        """How many rows lack a value in some of these columns."""
        lacking = np.zeros(len(self.table), bool)
        for name in names:
            if self.profiles[name].missing:
                missing = self.table.attribute(name).values.index(MISSING)
                lacking |= self.table.column(name) == missing
        return int(self.table.counts[lacking].sum())

    def _equivalent(self) -> Iterator[TableFinding]:
        # Copies of the decision determine it: they were told first.
        copies = {copy: one for copy, one in self.copies.items() if one != self.decision}
        if copies:
            said = [f"{first!r} = {copy!r}" for copy, first in copies.items()]
            yield TableFinding(
                kind=FindingKind.EQUIVALENT,
                columns=tuple(dict.fromkeys([*copies.values(), *copies])),
                numbers={"copies": copies},
                problem=Problem(
                    f"The same column in other words: {some(said)}.",
                    remedy=Remedy("Keep one of them", "exclude", [*copies]),
                ),
            )

    def _dependent(self) -> Iterator[TableFinding]:
        pairs, looked_at = self.pairs
        told = [
            (a, b)
            for a, b in pairs
            if self.decision not in (a, b) and self.protected not in (a, b)
        ]
        if told:
            yield TableFinding(
                kind=FindingKind.DEPENDENT,
                columns=tuple(dict.fromkeys(name for pair in told for name in pair)),
                numbers={"pairs": [list(pair) for pair in told]},
                problem=Problem(
                    f"Determined by another column: "
                    f"{some([f'{b!r} by {a!r}' for a, b in told])}.",
                    "Each adds nothing where the other one is known.",
                    Remedy(
                        "Keep the finer or the coarser ones",
                        "exclude",
                        [*dict.fromkeys(b for _, b in told)],
                    ),
                ),
            )
        wanted = len({*self.usable, *filter(None, (self.decision, self.protected))}) - len(
            self.copies
        )
        if looked_at < wanted:
            yield TableFinding(
                kind=FindingKind.IN_PART,
                columns=(),
                numbers={"columns": looked_at, "of": wanted},
                problem=Problem(
                    f"Whether one column determines another was looked at in {looked_at:,} of "
                    f"{wanted:,} columns only.",
                    remedy=Remedy("Choose fewer columns", "columns"),
                ),
            )

    def _no_groups(self) -> Iterator[TableFinding]:
        kinds = {
            name: str(one.kind)
            for name, one in self.profiles.items()
            if one.kind in NO_GROUPS
            and name not in {self.decision, self.protected, *self.with_comma}
        }
        if kinds:
            told = [f"{name!r} ({kind})" for name, kind in kinds.items()]
            yield TableFinding(
                kind=FindingKind.NO_GROUPS,
                columns=tuple(kinds),
                numbers={"kinds": kinds},
                problem=Problem(
                    f"No groups of people are formed by {some(told)}.",
                    remedy=Remedy(
                        f"Leave {'them' if len(kinds) > 1 else 'it'} out", "exclude", [*kinds]
                    ),
                ),
            )

    def _numbers(self) -> Iterator[TableFinding]:
        many = {
            name: one
            for name, one in self.profiles.items()
            if one.needs_classes and name not in self.copies
        }
        if many:
            values = [f"{name!r} has {one.distinct:,}" for name, one in many.items()]
            yield TableFinding(
                kind=FindingKind.NUMBERS,
                columns=tuple(many),
                numbers={"values": {name: one.distinct for name, one in many.items()}},
                problem=Problem(
                    f"Numbers of many values: {some(values)}. Few people are alike in them.",
                    remedy=Remedy(
                        "Count them in classes, for instance",
                        "bins",
                        {name: one.suggested.cuts for name, one in many.items()},
                    ),
                ),
            )

    def _many_values(self) -> Iterator[TableFinding]:
        many = {
            name: one.distinct
            for name, one in self.profiles.items()
            if one.kind is ColumnKind.CATEGORY
            and one.distinct > MANY
            and name not in {self.decision, self.protected, *self.copies, *self.with_comma}
        }
        if many:
            values = [f"{name!r} has {distinct:,}" for name, distinct in many.items()]
            yield TableFinding(
                kind=FindingKind.MANY_VALUES,
                columns=tuple(many),
                numbers={"values": many},
                problem=Problem(
                    f"Categories of many values: {some(values)}.",
                    remedy=(
                        Remedy("Merge rare ones", "merge"),
                        Remedy("leave the column out", "exclude", [*many]),
                    ),
                ),
            )
