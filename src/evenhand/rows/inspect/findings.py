"""What is worth knowing of a table before it is judged, each finding with its remedy.

Findings of one kind that have one remedy are one finding, so that the list stays short.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import gcd, log, prod

import numpy as np

from evenhand.counts import (
    CountTable,
    Determination,
    constant_in_a_group,
    dependent_pairs,
    determining_columns,
    equivalent_columns,
    jointly_determining,
)
from evenhand.counts.examined import with_groups
from evenhand.counts.functional_dependencies import ASKED
from evenhand.counts.label_order import EXAMPLES, marker_problem, rows_in, some
from evenhand.errors import Problem, Remedy, Spelling, listed, python_argument
from evenhand.question import Question
from evenhand.question.codings import MISSING
from evenhand.question.question import spelling_variants
from evenhand.rows.inspect.column_profile import (
    FEW,
    FEWEST_REPEATED,
    MANY,
    ColumnKind,
    ColumnProfile,
    are_comma_numbers,
    dated_after,
    is_repeated_identifier,
    whole_numbers,
)
from evenhand.rows.inspect.favorable_value import named_after

NO_GROUPS = frozenset(
    {ColumnKind.IDENTIFIER, ColumnKind.FREE_TEXT, ColumnKind.DATE, ColumnKind.CONSTANT}
)
_CHANCE = 0.01
_MOST_COLUMNS = 40  # of people's rows in more columns hardly any two are alike
_MOST_LINES = 100_000
_NOT_INDEPENDENT = (
    "Counted like independent people, repeated rows make chance look like a difference: a "
    "false one is shown not in 5 % of tables, but in about 25 % if every row is there twice, "
    "and in about 65 % if four times."
)


class FindingKind(StrEnum):
    """What was found, the most important first."""

    DETERMINES_DECISION = "determines the decision"
    TOGETHER_DETERMINE = "together determine the decision"
    NEARLY_DETERMINES_DECISION = "nearly determines the decision"
    WRITTEN_AFTER = "perhaps written after the decision"
    FOLLOWS_FROM_DECISION = "follows from the decision"
    TIED_TO_PROTECTED = "tied to the protected attribute"
    COUNTED = "counts of people"
    REPEATED_ROWS = "rows that repeat"
    REPEATED_IDENTIFIER = "identifier that repeats"
    SPELLING = "spelling variants"
    MARKER = "looks missing"
    MISSING = "missing values"
    EQUIVALENT = "equivalent columns"
    DEPENDENT = "dependent columns"
    NO_GROUPS = "forms no groups"
    NUMBERS = "numbers of many values"
    COMMA_NUMBERS = "numbers with a comma"
    MANY_VALUES = "many values"
    UNREADABLE = "no labels"
    IN_PART = "looked at in part"


# What can change the answer to a question, rather than how well the table can be read. What
# determines the decision is not among them: the verdict itself tells that.
MATTERS = frozenset(
    {
        FindingKind.TOGETHER_DETERMINE,
        FindingKind.WRITTEN_AFTER,
        FindingKind.FOLLOWS_FROM_DECISION,
        FindingKind.TIED_TO_PROTECTED,
        FindingKind.REPEATED_ROWS,
        FindingKind.REPEATED_IDENTIFIER,
        FindingKind.SPELLING,
        FindingKind.MARKER,
        FindingKind.EQUIVALENT,
    }
)


CHANGES_ANSWER = MATTERS - {FindingKind.EQUIVALENT} | {
    FindingKind.DETERMINES_DECISION,
    FindingKind.NEARLY_DETERMINES_DECISION,
    FindingKind.COUNTED,
    FindingKind.MISSING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFinding:
    """One thing to look at: what, in which columns, its numbers, and what to do."""

    kind: FindingKind
    columns: tuple[str, ...]
    problem: Problem
    numbers: Mapping[str, object] = field(default_factory=dict)

    def is_answered_by(self, placed: AbstractSet[str]) -> bool:
        """Whether a person answered it by placing its columns before the decision."""
        asks = (FindingKind.WRITTEN_AFTER, FindingKind.TOGETHER_DETERMINE)
        return self.kind in asks and placed >= {*self.columns}

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, object]:
        """Plain values; the problem's parts beside what was found."""
        return {
            "kind": str(self.kind),
            "columns": list(self.columns),
            "numbers": dict(self.numbers),
            **self.problem.to_dict(spelling),
        }


def tell(
    kind: FindingKind,
    columns: Iterable[str],
    what: str | Problem,
    *remedies: Remedy,
    found: str = "",
    **numbers: object,
) -> Iterator[TableFinding]:
    """One finding of these columns, in words and numbers; none if there are none."""
    if names := tuple(columns):
        problem = what if isinstance(what, Problem) else Problem(what, found, remedies)
        yield TableFinding(kind=kind, columns=names, problem=problem, numbers=numbers)


def leave_out(
    kind: FindingKind, names: Sequence[str], why: str, **numbers: object
) -> Iterator[TableFinding]:
    """Columns that should be left out, and why."""
    what = f"{some_names(names)} {'are' if len(names) > 1 else 'is'} {why}"
    return tell(kind, names, what, leaving_out(names), found="", **numbers)


def leaving_out(names: Collection[str]) -> Remedy:
    """What to do with columns that are of no use."""
    return Remedy(f"Leave {it(names)} out", "exclude", [*names])


def in_part(what: str, remedy: Remedy, **numbers: object) -> TableFinding:
    """Something was too much to be looked at as a whole."""
    problem, kind = Problem(what, remedy=remedy), FindingKind.IN_PART
    return TableFinding(kind=kind, columns=(), problem=problem, numbers=numbers)


def it(names: Sized) -> str:
    """The word for one column, or several."""
    return "them" if len(names) > 1 else "it"


def some_names(names: Sequence[str]) -> str:
    """The first names, quoted, and the number of the others."""
    return listed(names, limit=EXAMPLES)


@dataclass(frozen=True)
class Findings:
    """Makes the findings of a table from its lines and the profiles of its columns."""

    table: CountTable
    profiles: Mapping[str, ColumnProfile]
    decision: str | None
    protected: tuple[str, ...]
    question: Question | None = None
    missing: str = "error"  # what is done with missing values, as ``Codings`` says it
    declared_counts: bool = False  # a column says for how many people each line stands

    def all(self) -> Iterator[TableFinding]:
        """Every finding, the most important first."""
        yield from self._determining()
        yield from self._counted()
        yield from self._repeated()
        yield from self._spelling()
        yield from self._markers()
        yield from self._missing()
        yield from self._equivalent()
        yield from self._dependent()
        yield from self._no_groups()
        yield from self._many_values()

    @cached_property
    def asked(self) -> AbstractSet[str]:
        """The decision and the protected attributes, as far as they are named."""
        return dict.fromkeys(filter(None, (self.decision, *self.protected))).keys()

    @cached_property
    def determining(self) -> tuple[Determination, ...]:
        """Columns that determine the decision, or nearly; a model may read one alone."""
        if self.decision is None or (self.question and self.question.predicts):
            return ()
        table, groups = self.table, next(iter(self.protected), None)
        if self.question:
            table, groups = with_groups(table, self.question), self.question.groups_column
        # A date forms no groups, but may tell the decision; so may a nearly unique number.
        names = self._of_kinds({*ColumnKind} - NO_GROUPS | {ColumnKind.DATE})
        names += [n for n, o in self.profiles.items() if o.is_measurement and n not in names]
        return determining_columns(
            table, self.decision, protected=groups, names=names, least=ASKED
        )

    @cached_property
    def marks(self) -> dict[str, list[str]]:
        """Where numbers that determine the decision are cut by it."""
        found = (one for one in self.determining if one.exact and one.marks)
        return {one.name: [f">={mark}" for mark in one.marks] for one in found}

    @cached_property
    def together(self) -> tuple[tuple[str, str], ...]:
        """Pairs of columns that together determine the decision, neither of them alone."""
        if self.decision is None or (self.question and self.question.predicts):
            return ()
        out = {*self.asked, *self.copies, *self.following, *self.tied}
        out |= {one.name for one in self.determining if one.exact}
        names = [name for name in self.usable if name not in out]
        return jointly_determining(self.table, names, self.decision)

    @cached_property
    def written_after(self) -> list[str]:
        """Columns whose names or dates say that they came after the decision."""
        if self.decision is None:
            return []
        known = {*self.asked, *self.following, *(one.name for one in self.determining)}
        known |= {n for n, o in self.profiles.items() if o.kind is ColumnKind.CONSTANT}
        names = [name for name in self.profiles if name not in known]
        named = named_after(names, self.decision)
        dated = dated_after(self.table, self.profiles, self.decision)
        return [name for name in names if name in named or name in dated]

    def _of_kinds(self, kinds: Collection[ColumnKind]) -> list[str]:
        """The columns of some kinds that are not asked about."""
        columns = self.profiles.items()
        return [name for name, one in columns if one.kind in kinds and name not in self.asked]

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """Columns that are neither constant nor without repeated values."""
        return tuple(name for name, one in self.profiles.items() if one.kind not in NO_GROUPS)

    @cached_property
    def copies(self) -> dict[str, str]:
        """Each column that says the same as another, and the one to keep: asked, or first."""
        usable = {*self.usable} | self.asked
        copies: dict[str, str] = {}
        for names in equivalent_columns(self.table):
            chosen = sorted(usable.intersection(names), key=names.index)
            chosen.sort(key=lambda name: name not in self.asked)
            copies |= {copy: chosen[0] for copy in chosen[1:] if copy not in self.asked}
        return copies

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[str, str], ...], int]:
        """Pairs of which the first column determines the second, and columns looked at."""
        # The decision and the protected attribute first: they are never beyond the bound.
        rest = [name for name in self.usable if name not in {*self.asked, *self.copies}]
        return dependent_pairs(self.table, [*self.asked, *rest])

    @cached_property
    def with_comma(self) -> list[str]:
        """Columns of many numbers that are texts because they are written with a comma."""
        kinds = (ColumnKind.NUMBER, ColumnKind.CONSTANT)
        many = [n for n, o in self.profiles.items() if o.kind not in kinds and o.distinct > FEW]
        return [name for name in many if are_comma_numbers(self.table.attribute(name).values)]

    @cached_property
    def following(self) -> list[str]:
        """Columns that the decision determines, but not the other way round."""
        if self.question and self.question.predicts:  # what was predicted has no consequence
            return []
        return [b for a, b in self.pairs[0] if a == self.decision and b not in self.asked]

    @cached_property
    def tied(self) -> list[str]:
        """Columns that determine a protected attribute, follow from it, or divide a group."""
        tied: list[str] = []
        for protected in self.protected:
            pairs = [pair for pair in self.pairs[0] if protected in pair]
            tied += [b if a == protected else a for a, b in pairs]
            out = {*self.asked, *tied, *self.copies}
            rest = [name for name in self.usable if name not in out]
            tied += constant_in_a_group(self.table, protected, rest)
        return [name for name in dict.fromkeys(tied) if name not in self.asked]

    @cached_property
    def alike(self) -> list[str]:
        """Columns in which people who are compared may be alike."""
        exact = (one.name for one in self.determining if one.exact)
        out = {*self.asked, *self.copies, *exact, *self.following, *self.tied}
        return [name for name in self.usable if name not in out]

    def _determining(self) -> Iterator[TableFinding]:
        exact = [one for one in self.determining if one.exact]
        names, rows = [one.name for one in exact], self.table.row_count
        each = "Each of " * (len(exact) > 1)
        alike = "one of them" if len(exact) > 1 else "it"
        made = f"If made from or after the decision, leave {it(exact)} out"
        yield from tell(
            FindingKind.DETERMINES_DECISION,
            names,
            f"{each}{some([one.rule for one in exact])} alone determines {self.decision!r}, "
            f"without exception in {rows:,} rows.",
            Remedy(made, "exclude", names),
            Remedy("declare the rule of the decision", "rule", names[:1]),
            found=f"Among people alike in {alike} no decision differs, so nothing is left to "
            "measure.",
            rows=rows,
            copies={name: one for name, one in self.copies.items() if name in names},
            **({"marks": self.marks} if self.marks else {}),
        )
        pairs = [f"{one!r} with {other!r}" for one, other in self.together]
        yield from tell(
            FindingKind.TOGETHER_DETERMINE,
            dict.fromkeys(name for pair in self.together for name in pair),
            f"Together these determine {self.decision!r}, without exception: {some(pairs)}.",
            Remedy(
                "If they are the rule of the decision, declare it",
                "rule",
                [*next(iter(self.together), ())],
            ),
            found="Among people alike in both no decision differs.",
            pairs=[list(pair) for pair in self.together],
        )
        for one in self.determining:
            if not one.exact:
                problem = one.near_problem(str(self.decision), rows)
                numbers = {"rows": one.exception_rows, **one.to_dict()}
                kind = FindingKind.NEARLY_DETERMINES_DECISION
                yield from tell(kind, [one.name], problem, found="", **numbers)
        yield from tell(
            FindingKind.WRITTEN_AFTER,
            self.written_after,
            f"Perhaps written after {self.decision!r}: {some_names(self.written_after)}.",
            leaving_out(self.written_after),
            found="What comes after the decision cannot explain it.",
        )
        yield from leave_out(
            FindingKind.FOLLOWS_FROM_DECISION,
            self.following,
            f"determined by {self.decision!r}: a class or a consequence of it.",
        )
        yield from leave_out(
            FindingKind.TIED_TO_PROTECTED,
            self.tied,
            f"tied to {listed(self.protected)} without exception. "
            f"People alike in {it(self.tied)} may have nobody to be compared with.",
            determined=[b for a, b in self.pairs[0] if a in self.protected],
        )

    def _counted(self) -> Iterator[TableFinding]:
        """The column that may say how many people each line stands for, if there is one."""
        if name := counting_column(self.table, self.asked):
            total = int(whole_numbers(self.table, name).sum())
            yield from tell(
                FindingKind.COUNTED,
                [name],
                f"Each line may stand for several people: {name!r} counts up to {total:,}.",
                Remedy(f"Let {name!r} say how many each line stands for", "frequency", name),
                found="No two lines are alike in the other columns, as in a table of counts.",
                rows=self.table.row_count,
            )

    def _repeated(self) -> Iterator[TableFinding]:
        """Rows that are not independent: all of them repeat, or what names people does."""
        names, times = repetitions(self.table, self.profiles)
        if times > 1 and not self.declared_counts:
            rows = self.table.row_count
            yield from tell(
                FindingKind.REPEATED_ROWS,
                names,
                f"Every row occurs {times} times, or a multiple of it: {rows:,} rows may be "
                f"{rows // times:,} people.",
                Remedy("Keep each person once"),
                found=_NOT_INDEPENDENT,
                times=times,
                rows=rows,
            )
        repeated = {
            name: one.distinct
            for name, one in self.profiles.items()
            if name not in self.asked and is_repeated_identifier(self.table, one)
        }
        yield from tell(
            FindingKind.REPEATED_IDENTIFIER,
            repeated,
            f"Most values of {some_names([*repeated])} occur more than once. If {it(repeated)} "
            "names people, their rows are not independent.",
            Remedy("Keep one row of each person"),
            found=_NOT_INDEPENDENT,
            values=repeated,
        )

    def _spelling(self) -> Iterator[TableFinding]:
        merge: dict[str, dict[str, list[str]]] = {}
        for name, one in self.profiles.items():
            is_counted = one.kind is ColumnKind.CATEGORY and one.distinct <= MANY
            if is_counted or name in self.asked:
                rows = self.table.values(name)
                variants = spelling_variants(value for value in rows if value != MISSING)
                # The most frequent spelling stays.
                groups = [sorted(group, key=lambda v: -rows[v]) for group in variants]
                merge |= {name: {group[0]: group for group in groups}} if groups else {}
        examples = [
            f"{name!r} {listed(group)}" for name, of in merge.items() for group in of.values()
        ]
        yield from tell(
            FindingKind.SPELLING,
            merge,
            f"One value is written in several ways: {some(examples)}.",
            Remedy("If they mean the same, merge them", "merge", merge),
            values=merge,
        )

    def _markers(self) -> Iterator[TableFinding]:
        rows: dict[str, dict[str, int]] = {}
        for name, one in self.profiles.items():
            for value, many in (*one.markers, *one.perhaps_missing):
                rows.setdefault(value, {})[name] = many
        for value, by_column in sorted(rows.items(), key=lambda item: -sum(item[1].values())):
            problem = marker_problem(value, by_column)
            yield from tell(FindingKind.MARKER, by_column, problem, value=value, rows=by_column)

    def _missing(self) -> Iterator[TableFinding]:
        by_column = {name: one.missing for name, one in self.profiles.items() if one.missing}
        lacking = np.zeros(len(self.table), bool)
        for name in by_column:
            lacking |= self.table.column(name) == self.table.code(name, MISSING)
        rows, named = int(self.table.counts[lacking].sum()), rows_in(by_column)
        of = f"{rows:,} of {self.table.row_count:,} rows"
        what = {
            "error": f"Values are missing: {named}; {of} lack one.",
            "drop": f"Rows that lack a value are left out, {of}: {named}.",
            "level": f"A missing value counts as a value of its own: {named}; {of} lack one.",
        }
        ways = {"drop": "leave these rows out", "level": "make it a value of its own"}
        ways.pop(self.missing, None)
        first = next(iter(ways))
        unknown = self.missing == "level" and self.decision in by_column
        yield from tell(
            FindingKind.MISSING,
            by_column,
            what[self.missing],
            *(
                Remedy(words.capitalize() if way == first else words, "missing", way)
                for way, words in ways.items()
            ),
            found=f"Without {self.decision!r} a row counts as not favorable."
            if unknown
            else "",
            rows=by_column,
            incomplete_rows=rows,
        )

    def _equivalent(self) -> Iterator[TableFinding]:
        # Copies of the decision determine it: they were told first.
        copies = {copy: one for copy, one in self.copies.items() if one != self.decision}
        said = [f"{first!r} = {copy!r}" for copy, first in copies.items()]
        yield from tell(
            FindingKind.EQUIVALENT,
            dict.fromkeys([*copies.values(), *copies]),
            f"The same column in other words: {some(said)}.",
            Remedy("Keep one of them", "exclude", [*copies]),
            copies=copies,
        )

    def _dependent(self) -> Iterator[TableFinding]:
        pairs, looked_at = self.pairs
        told = [pair for pair in pairs if not self.asked & {*pair}]
        determined = [*dict.fromkeys(b for _, b in told)]
        yield from tell(
            FindingKind.DEPENDENT,
            dict.fromkeys(name for pair in told for name in pair),
            f"Determined by another column: {some([f'{b!r} by {a!r}' for a, b in told])}.",
            Remedy("Keep the finer or the coarser ones", "exclude", determined),
            found="Each adds nothing where the other one is known.",
            pairs=[list(pair) for pair in told],
        )
        wanted = len({*self.usable} | self.asked) - len(self.copies)
        if looked_at < wanted:
            yield in_part(
                f"Whether one column determines another was looked at in {looked_at:,} of "
                f"{wanted:,} columns only.",
                Remedy("Choose fewer columns", "columns"),
                columns=looked_at,
                of=wanted,
            )

    def _no_groups(self) -> Iterator[TableFinding]:
        names = [name for name in self._of_kinds(NO_GROUPS) if name not in self.with_comma]
        kinds = {name: str(self.profiles[name].kind) for name in names}
        told = [f"{name!r} ({kind})" for name, kind in kinds.items()]
        yield from tell(
            FindingKind.NO_GROUPS,
            kinds,
            f"{some(told)} {'forms' if len(told) == 1 else 'form'} no groups of people.",
            leaving_out(kinds),
            kinds=kinds,
        )

    def _many_values(self) -> Iterator[TableFinding]:
        values = {n: o.distinct for n, o in self.profiles.items() if n not in self.copies}
        numbers = {n: many for n, many in values.items() if self.profiles[n].needs_classes}
        cuts = {n: self.marks.get(n) or self.profiles[n].suggested.cuts for n in numbers}
        yield from tell(
            FindingKind.NUMBERS,
            numbers,
            f"Numbers of many values: {_many(numbers)}. Few people are alike in them.",
            Remedy("Count them in classes, for instance", "bins", cuts),
            values=numbers,
        )
        yield from tell(
            FindingKind.COMMA_NUMBERS,
            self.with_comma,
            f"Numbers with a comma are read as texts: {some_names(self.with_comma)}.",
            Remedy("Write them with a decimal point, as 0.5, and no mark for thousands"),
            Remedy("leave them out", "exclude", self.with_comma),
            found="So they get no classes.",
        )
        texts = {*self._of_kinds({ColumnKind.CATEGORY})}.difference(self.with_comma)
        categories = {n: many for n, many in values.items() if n in texts and many > MANY}
        yield from tell(
            FindingKind.MANY_VALUES,
            categories,
            f"Categories of many values: {_many(categories)}.",
            Remedy("Merge rare ones", "merge"),
            Remedy("leave the column out", "exclude", [*categories]),
            values=categories,
        )


def _many(values: Mapping[str, int]) -> str:
    return some([f"{name!r} has {distinct:,}" for name, distinct in values.items()])


def counting_column(table: CountTable, asked: Collection[str]) -> str | None:
    """The column that may say how many people each line stands for; of several the longest.

    Its numbers are whole, and no two lines are alike in the other columns, although rows of
    people would be: lines drawn at random from all combinations of these values would be all
    different with a chance of a hundredth at most.
    """
    lines = len(table)
    if not 2 < len(table.names) <= _MOST_COLUMNS or not lines == table.row_count <= _MOST_LINES:
        return None
    cards = dict(zip(table.names, table.cards, strict=True))
    for name in sorted((n for n in cards if n not in asked), key=lambda n: -cards[n]):
        others = [one for one in cards if one != name]
        if (
            _all_differ_for_a_reason(lines, [cards[one] for one in others])
            and whole_numbers(table, name).max(initial=0) > 1
            and len(table.groups(others)[1]) == lines
        ):
            return name
    return None


def repetitions(
    table: CountTable, profiles: Mapping[str, ColumnProfile]
) -> tuple[list[str], int]:
    """How many times each line of a table occurs at least, and a multiple of; in which columns.

    Numbers of each row are left out. 1 of few lines: those may repeat by chance.
    """
    names = [name for name, one in profiles.items() if one.kind is not ColumnKind.IDENTIFIER]
    times = gcd(*(int(np.gcd.reduce(table.value_totals(name))) for name in names))
    if times == 1 or not names:
        return names, 1
    group, first = table.groups(names)
    rows = table.totals(group, len(first))
    return names, int(np.gcd.reduce(rows)) if len(first) >= FEWEST_REPEATED else 1


def _all_differ_for_a_reason(lines: int, cards: Sequence[int]) -> bool:
    """Whether so many lines, drawn from all combinations of values, are hardly all different.

    False also where they cannot be, because there are fewer combinations than lines, or one
    column tells nearly all apart, as a number of each person.
    """
    places = float(prod(cards))
    if 2 * max(cards) > lines or lines > places:
        return False
    return float(np.log1p(-np.arange(lines) / places).sum()) <= log(_CHANCE)
