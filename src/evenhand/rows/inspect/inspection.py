"""``inspect``: a look at a table before it is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.counts import CountTable
from evenhand.counts.examined import Comparability, compare_alike, question_groups
from evenhand.display import (
    LOOKING,
    Described,
    ProgressCallback,
    ProgressReporter,
    Summary,
    percent,
)
from evenhand.errors import ColumnError, Problem, Spelling, python_argument
from evenhand.question import Question
from evenhand.question.codings import MISSING
from evenhand.question.question import MOST_GROUPS
from evenhand.rows.inspect.column_profile import (
    ColumnKind,
    ColumnProfile,
    ParsedNumbers,
    parse_numbers,
    profile_column,
)
from evenhand.rows.inspect.findings import CHANGES_ANSWER, MATTERS, Findings, TableFinding

_STEP = 1_000_000  # fields after which progress is reported
_FIRST = 3  # findings that come before all others
_SHOWN = 28  # characters of the most frequent values in a line


@dataclass(frozen=True, repr=False, kw_only=True)
class Inspection(Described):
    """The columns of a table, and what is worth knowing before it is judged.

    ``comparison`` is there if a question was given: of people alike in all columns that may
    explain the decision, numbers in the suggested classes; in an audit, alike in the causes.
    ``notes`` tell how the table was read: columns renamed, numbers of several spellings.
    """

    where: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    findings: tuple[TableFinding, ...]
    comparison: Comparability | None = None
    notes: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was found, as problems with remedies."""
        return tuple(finding.problem for finding in self.findings)

    def column(self, name: str) -> ColumnProfile:
        """The profile of a column."""
        profiles = {profile.name: profile for profile in self.columns}
        if name not in profiles:
            raise ColumnError.unknown([name], profiles, where=self.where)
        return profiles[name]

    @property
    def matters(self) -> tuple[TableFinding, ...]:
        """The findings that can change the answer to a question and that no verdict tells."""
        return tuple(finding for finding in self.findings if finding.kind in MATTERS)

    def same_decisions(self) -> tuple[Problem, ...]:
        """A note if half of the rows lie where everybody got the same decision."""
        of = self.comparison
        if of is None or not of.rows or 2 * of.same_decision < of.rows:
            return ()
        who = "both groups all" if of.groups == 2 else "everybody"
        share = percent(of.same_decision / of.rows)
        return (Problem(f"{share} of the rows lie where {who} got the same decision."),)

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, Any]:
        """Plain values; remedies spelled as arguments, or in another way."""
        return {
            "rows": self.rows,
            "findings": [finding.to_dict(spelling) for finding in self.findings],
            "notes": [note.to_dict(spelling) for note in self.notes],
            "columns": [profile.to_dict() for profile in self.columns],
            **({"comparison": self.comparison.to_dict()} if self.comparison else {}),
        }

    def summary(self) -> Summary:
        """The findings: three that would change the answer in a line each, then the others."""
        first = [one.problem for one in self.findings if one.kind in CHANGES_ANSWER][:_FIRST]
        rest = [one for one in self.problems if one not in first]
        many = len(self.findings)
        things = {0: "nothing", 1: "1 thing"}.get(many, f"{many} things")
        return Summary(
            title=f"{self.where}: {self.rows:,} rows, {len(self.columns):,} columns, "
            f"{things} to look at",
            facts=(("compared", str(self.comparison)),) if self.comparison else (),
            notes=(
                *(replace(one, found="") for one in first),
                *(["Also:"] if first and rest else []),
                *rest,
                *self.notes,
            ),
        )

    def columns_summary(self) -> Summary:
        """A line for each column."""
        return Summary(
            title="Columns",
            columns=("column", "kind", "values", "missing", "most frequent"),
            lines=tuple(
                (
                    one.name,
                    str(one.kind),
                    f"{one.distinct:,}",
                    f"{one.missing:,}",
                    _frequent(one),
                )
                for one in self.columns
            ),
        )


def inspect(
    table: CountTable,
    question: Question | None = None,
    *,
    decision: str | None = None,
    protected: Sequence[str] = (),
    alike: Sequence[str] | None = None,
    missing: str = "error",
    declared_counts: bool = False,
    where: str = "table",
    notes: Sequence[Problem] = (),
    progress: ProgressCallback | None = None,
) -> Inspection:
    """Look at a table of counts, or of rows read as they stand.

    Without a question the decision and the protected attributes may be named alone. ``alike``
    names the columns in which people who are compared are alike; by default all that may be.
    ``missing`` is what is done with missing values: it is said, and other ways are remedies.
    Of ``declared_counts`` nobody asks whether rows repeat.
    """
    names = tuple(protected)
    if question:
        decision, names = question.decision, question.protected_names
    unknown = [name for name in (*names, decision) if name and name not in table.names]
    if unknown:
        raise ColumnError.unknown(unknown, table.names, where=where)
    sides = question_groups(table, question) if question else None
    parsed = {one.name: parse_numbers(one.values) for one in table.attributes}
    profiles, reporter = {}, ProgressReporter(progress)
    step = max(_STEP // max(len(table), 1), 1)
    groups = sides if sides is not None or not names else table.groups(names)[0]
    for name in table.names:
        profiles[name] = profile_column(
            table,
            name,
            protected=name in names,
            groups=groups,
            parsed=parsed[name],
        )
        if len(profiles) % step == 0:
            reporter.report(LOOKING, len(profiles), len(table.names))
    findings = Findings(table, profiles, decision, names, question, missing, declared_counts)
    comparison = None
    if sides is not None and decision and sides.max(initial=0) < MOST_GROUPS:
        compared = _in_classes(table, profiles, parsed) if alike is None else table
        names_alike = findings.alike if alike is None else alike
        comparison = compare_alike(compared, names_alike, decision, sides)
    return Inspection(
        where=where,
        rows=table.row_count,
        columns=tuple(profiles.values()),
        findings=tuple(findings.all()),
        comparison=comparison,
        notes=tuple(notes),
    )


def _in_classes(
    table: CountTable,
    profiles: Mapping[str, ColumnProfile],
    parsed: Mapping[str, ParsedNumbers],
) -> CountTable:
    """The lines with numbers of many values in their suggested classes."""
    for name, profile in profiles.items():
        if profile.needs_classes:
            bins, (numbers, _) = profile.suggested.bins, parsed[name]
            classes = np.searchsorted([float(cut) for cut in bins.cuts], numbers)
            classes[np.isnan(numbers)] = len(bins.labels)  # what is missing, or looks so
            codes = classes.astype(np.uint8)[table.column(name)]
            table = table.with_column(name, (*bins.labels, MISSING), codes)
    return table


def _frequent(profile: ColumnProfile) -> str:
    """The most frequent values, as many as fit."""
    if profile.kind in (ColumnKind.IDENTIFIER, ColumnKind.FREE_TEXT):
        return ""
    text = ""
    for number, (value, rows) in enumerate(profile.frequent):
        more = f"{', ' if number else ''}{value} {rows:,}"
        if len(text) + len(more) > _SHOWN:
            return f"{text} …" if text else f"{value[: _SHOWN - 8]}… {rows:,}"
        text += more
    return text
