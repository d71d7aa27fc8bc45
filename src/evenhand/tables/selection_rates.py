"""Rates of selection and impact ratios by category, in all categories and intersections.

Beside each ratio stands what remains of it among comparable people: those alike in the causes
of the decision. Whose rule a table follows is said in its notes; none of them is legal advice.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import looks_missing
from evenhand.display import Described, Plain, Summary
from evenhand.errors import QuestionError, Remedy, listed
from evenhand.evidence import Certificate
from evenhand.files import write_file
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import one_of
from evenhand.rows import Rows
from evenhand.tables.ratio_intervals import Interval, ratio_among_alike, ratio_interval

_SMALL = Fraction(2, 100)  # of the people whose category is known
_FOUR_FIFTHS = Fraction(4, 5)
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)
_ENDINGS = (".csv", ".md", ".html", ".txt")
# By the layout: whose rules it follows, as of when, and what it does not say.
_NOTES: dict[str, str] = {
    "evenhand": """\
Impact ratio: the rate of selection of a category over that of the most selected one that is \
not small. Its 95 % interval does not account for the choice of that one by these rows.
Under 4/5: the rule of thumb of 29 CFR 1607.4(D) (Uniform Guidelines on Employee Selection \
Procedures, 1978). It is no test, and says nothing about a reason.
Small: under 2 % of the people whose category is known.
Among comparable people: the Mantel–Haenszel ratio among {alike}, by the graph \
of this audit.
None of this is legal advice.""",
    "nyc-144": """\
The layout follows the examples of 6 RCNY § 5-301 (New York City, Local Law 144 of 2021; rules \
as adopted on April 6, 2023, enforced since July 5, 2023).
§ 5-301 lets an independent auditor leave out a category of under 2 % of the data and asks for \
a justification: such a category has no impact ratio here; the justification is yours to give.
This is no bias audit by an independent auditor. It does not say whether the law applies, \
whether these are the categories that it asks for, or whether a tool may be used. It is no \
legal advice.""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRate(Plain):
    """One category: its people, how many were selected, and its rate beside the highest.

    The ratio is None for a small category in New York's layout, and where nobody was selected.
    ``alike`` is the ratio among comparable people, and its interval; ``compared`` is how many
    people of the category have somebody to be compared with.
    """

    category: tuple[str, ...]
    people: int
    selected: int
    share: float
    is_small: bool
    is_highest: bool
    ratio: float | None
    interval: Interval | None
    alike: tuple[float, Interval] | None
    compared: int

    @property
    def rate(self) -> float:
        """The share of its people who were selected."""
        return self.selected / self.people

    @property
    def is_under(self) -> bool:
        """Whether the ratio is under four fifths."""
        return self.ratio is not None and self.ratio < _FOUR_FIFTHS


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionTable(Plain):
    """The categories of one attribute, or the intersections of several; ``unknown`` people."""

    names: tuple[str, ...]
    lines: tuple[SelectionRate, ...]
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectionTables(Described, Plain):
    """One table for each protected attribute, and one for their intersections."""

    keys = "decision favorable alike_in layout tables notes"
    decision: str
    favorable: str
    alike_in: tuple[str, ...]
    tables: tuple[SelectionTable, ...]
    layout: str = "evenhand"

    @property
    def notes(self) -> tuple[str, ...]:
        """Whose rules the tables follow, as of when, and what they do not say."""
        alike = "all people, as no other column is known to be a cause"
        if self.alike_in:
            alike = f"people alike in {', '.join(self.alike_in)}"
        return tuple(_NOTES[self.layout].format(alike=alike).split("\n"))

    def unknown_note(self, table: SelectionTable) -> str:
        """How many people are in no category, and where they were left."""
        if not table.unknown:
            return ""
        return (
            f"{table.unknown:,} people of an unknown {' or '.join(table.names)} category are "
            "not included in the calculations above."
        )

    def summaries(self) -> tuple[Summary, ...]:
        """Each table, and at the end the notes."""
        title = f"{self.decision} = {self.favorable}"
        shown = (
            Summary(
                title=f"{title} by {' and '.join(table.names)}",
                columns=self._head(table),
                lines=tuple(self._cells(line) for line in table.lines),
                notes=tuple(filter(None, [self.unknown_note(table)])),
            )
            for table in self.tables
        )
        return (*shown, Summary(title="Whose rules these are", notes=self.notes))

    def summary(self) -> Summary:
        """The first table, with the notes."""
        first = self.summaries()[0]
        return replace(first, notes=(*first.notes, *self.notes))

    def _head(self, table: SelectionTable) -> tuple[str, ...]:
        if self.layout == "nyc-144":
            return (
                *table.names,
                "# of applicants",
                "# selected",
                "selection rate",
                "impact ratio",
            )
        return (
            *(*table.names, "people", "selected", "rate", "impact ratio", "95 % interval"),
            *("note", "among comparable people", "95 % interval", "compared"),
        )

    def _cells(self, line: SelectionRate) -> tuple[str, ...]:
        if self.layout == "nyc-144":
            ratio = "N/A" if line.ratio is None else f"{line.ratio:.2f}"
            rate = f"{100 * line.rate:.0f} %"
            return (*line.category, f"{line.people:,}", f"{line.selected:,}", rate, ratio)
        marks = {"highest": line.is_highest, "under 4/5": line.is_under, "small": line.is_small}
        alike, ends = line.alike or (None, None)
        return (
            *(*line.category, f"{line.people:,}", f"{line.selected:,}"),
            *(f"{100 * line.rate:.1f} %", _ratio(line.ratio), _ends(line.interval)),
            *(", ".join(mark for mark, holds in marks.items() if holds),),
            *(_ratio(alike), _ends(ends), f"{line.compared:,}"),
        )

    def text(self, ending: str = ".txt") -> str:
        """All tables as plain text, CSV, Markdown or an HTML page."""
        one_of(*_ENDINGS)(ending, "`output`")
        if ending == ".csv":
            return "\r\n".join(self._csv_lines()) + "\r\n"
        if ending == ".md":
            return "\n\n".join(one.markdown() for one in self.summaries()) + "\n"
        if ending == ".html":
            body = "".join(one.html() for one in self.summaries())
            title = escape(f"Rates of {self.decision}")
            return (
                f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
                f"<body>{body}</body></html>\n"
            )
        return "\n\n".join(map(str, self.summaries())) + "\n"

    def _csv_lines(self) -> Iterator[str]:
        """One line for each category of each table; attributes that a table lacks are "all"."""
        names = list(dict.fromkeys(name for table in self.tables for name in table.names))
        head = "people selected rate impact_ratio low high small under_four_fifths"
        yield csv_line(
            [*names, *head.split(), *["alike", "alike_low", "alike_high", "compared"]]
        )
        for table in self.tables:
            for line in table.lines:
                values = dict(zip(table.names, line.category, strict=True))
                alike, ends = line.alike or (None, None)
                numbers = (line.rate, line.ratio, *(line.interval or (None, None)))
                marks = (line.is_small, line.is_under, alike, *(ends or (None, None)))
                said = (line.people, line.selected, *numbers, *marks, line.compared)
                yield csv_line([*(values.get(name, "all") for name in names), *said])
            if table.unknown:
                unknown = ["unknown" if name in table.names else "all" for name in names]
                yield csv_line([*unknown, table.unknown])

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write all tables; the ending of the file says how."""
        path = Path(path)
        if path.suffix.lower() not in _ENDINGS:
            raise QuestionError.of(
                f"Tables are not written to files that end in {path.suffix or 'nothing'!r}.",
                remedy=f"Name a file that ends in one of {listed(_ENDINGS)}.",
                where=str(path),
            )
        text = self.text(path.suffix.lower())
        write_file(path, text, mode=0o644, overwrite=overwrite)
        return path


def selection_tables(
    source: Rows | CountTable, certificate: Certificate, *, layout: str = "evenhand"
) -> SelectionTables:
    """The rates of selection of everybody whose category and decision are known.

    Groups that the question does not compare are in the tables, too, and so are people who lack
    a value of another column. Comparable people are alike in the causes of the decision.
    """
    one_of(*_NOTES)(layout, "`layout`")
    question = certificate.question
    if not question.favorable_values:
        raise QuestionError.of(
            "A rate of selection needs to know which decision is favorable.",
            remedy=Remedy("Name one value or several", "favorable"),
        )
    causes = tuple(n for n in certificate.decision_causes if n not in question.protected_names)
    counts = _counts(source, (*question.columns, *causes))
    decisions = counts.values(question.decision)
    is_known = [not _is_unknown(value) for value in decisions]
    counts = counts.without(
        question.decision,
        [v for v, known in zip(decisions, is_known, strict=True) if not known],
    )
    names = question.protected_names
    sets = [(name,) for name in names] + ([names] if len(names) > 1 else [])
    return SelectionTables(
        decision=question.decision,
        favorable=question.favorable_label,
        alike_in=causes,
        tables=tuple(
            _table(
                counts, attributes, question.decision, question.favorable_values, causes, layout
            )
            for attributes in sets
        ),
        layout=layout,
    )


def audited_rates(counts: CountTable, certificate: Certificate) -> tuple[Summary, ...]:
    """The tables of the audited rows alone, which are counted already, for report and app.

    There are none where no decision is favorable.
    """
    if not certificate.question.favorable_values:
        return ()
    return selection_tables(counts, certificate).summaries()


def _counts(source: Rows | CountTable, names: Sequence[str]) -> CountTable:
    """Everybody by these columns; what is missing is a value of its own."""
    if isinstance(source, CountTable):
        return source.marginal(names)
    codings = replace(source.codings, columns=tuple(names), missing="level")
    return replace(source, requested=codings, base=None).count()


def _is_unknown(value: str) -> bool:
    return value == MISSING or looks_missing(value)


def _table(  # noqa: PLR0917  # of one question
    counts: CountTable,
    names: tuple[str, ...],
    decision: str,
    favorable: Sequence[str],
    causes: tuple[str, ...],
    layout: str,
) -> SelectionTable:
    """The categories of these attributes, the most selected first."""
    lines = counts.marginal((*names, decision, *causes))
    weights = np.asarray(lines.counts, dtype=np.int64)
    parts = [_labels(lines, name)[lines.column(name)] for name in names]
    categories = [*zip(*parts, strict=True)]
    selected = np.isin(_labels(lines, decision), favorable)
    is_selected = selected[lines.column(decision)]
    stratum = np.zeros(len(weights), np.int64)
    for name in causes:
        stratum = stratum * len(lines.attribute(name).values) + lines.column(name)
        stratum = np.unique(stratum, return_inverse=True)[1]
    known = sorted({one for one in categories if not any(map(_is_unknown, one))})
    place = {one: at for at, one in enumerate(known)}
    at = np.array([place.get(one, -1) for one in categories], np.int64)
    shape = (len(known), int(stratum.max(initial=0)) + 1)
    total, yes = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    inside = at >= 0
    np.add.at(total, (at[inside], stratum[inside]), weights[inside])
    inside &= is_selected
    np.add.at(yes, (at[inside], stratum[inside]), weights[inside])
    people, chosen = total.sum(1), yes.sum(1)
    everybody = max(int(people.sum()), 1)
    small = [Fraction(int(n), everybody) < _SMALL for n in people]
    rates = [
        Fraction(int(y), int(n)) if not tiny else Fraction(-1)
        for y, n, tiny in zip(chosen, people, small, strict=True)
    ]
    top = max(range(len(known)), key=rates.__getitem__, default=0)
    made = []
    for one in range(len(known)):
        of = (int(chosen[one]), int(people[one]), int(chosen[top]), int(people[top]))
        has_ratio = of[2] > 0 and not (small[one] and layout == "nyc-144")
        alike = ratio_among_alike(yes[one], total[one], yes[top], total[top])
        both = (total[one] > 0) & (total[top] > 0)
        made.append(
            SelectionRate(
                category=known[one],
                people=of[1],
                selected=of[0],
                share=of[1] / everybody,
                is_small=small[one],
                is_highest=one == top,
                ratio=of[0] * of[3] / (of[1] * of[2]) if has_ratio else None,
                interval=ratio_interval(*of) if has_ratio and one != top else None,
                alike=alike if one != top else None,
                compared=int(total[one][both].sum()) if one != top else 0,
            )
        )
    made.sort(key=lambda line: (-line.rate, line.category))
    return SelectionTable(names=names, lines=(*made,), unknown=int(weights[at < 0].sum()))


def _labels(counts: CountTable, name: str) -> NDArray[np.object_]:
    return np.asarray([*counts.attribute(name).values], dtype=object)


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.3f}"


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    low, high = interval
    return f"{low:.3f} or more" if high is None else f"{low:.3f} to {high:.3f}"


def csv_line(cells: Iterable[object]) -> str:
    """A line of CSV; no text in it is taken for a formula by a spreadsheet."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(map(_inert, cells))
    return line.getvalue()


def _inert(cell: object) -> object:
    if cell is None or isinstance(cell, bool):
        return "" if cell is None else str(cell).lower()
    is_formula = isinstance(cell, str) and cell[:1] in {*"=+-@\t\r"}
    return f"'{cell}" if is_formula and not _NUMBER.fullmatch(str(cell)) else cell
