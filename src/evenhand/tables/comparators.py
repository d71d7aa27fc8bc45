"""Comparators: people alike in the causes of the decision who got it, beside those who did not.

For each refused person of a finding the favored people of the other group who are alike in the
adjustment set, those nearest in the remaining columns first. This is about single people: the
file is for the owner of the data alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import looks_missing
from evenhand.display import Described, ProgressCallback, Summary
from evenhand.errors import ColumnError, QuestionError, Remedy
from evenhand.evidence import Certificate, Subpopulation
from evenhand.files import write_file
from evenhand.question import Codings, Question
from evenhand.question.codings import MISSING
from evenhand.rows import Rows
from evenhand.rows.coded_rows import stored_blocks
from evenhand.tables.selection_rates import csv_line

_Mask: TypeAlias = NDArray[np.bool_]
_CHUNK = 2_000_000  # distances that are compared at once


_WARNING = (
    "About single people, for the owner of the data alone. That somebody alike was favored is "
    "no proof of a reason: see the finding, and what is expected by chance."
)


class Match(NamedTuple):
    """A refused person and one comparator: the finding, who they are, how far apart."""

    finding: int
    refused: str
    comparator: str
    rank: int
    distance: float
    values: tuple[str, ...]  # of the refused person, then of the comparator


@dataclass(frozen=True, slots=True)
class _Side:
    """The people of a finding on one side: names, and values of the remaining columns."""

    names: list[str] = field(default_factory=list)
    values: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparators(Described):
    """Refused people with their nearest comparators, finding by finding.

    ``alike_in`` are the columns in which they are alike; ``columns`` those by which the nearest
    are chosen: numbers by their difference within the range, others by being equal.
    ``left_out`` counts refused people beyond the limit for each finding.
    """

    alike_in: tuple[str, ...]
    columns: tuple[str, ...]
    key: str | None
    findings: tuple[Subpopulation, ...]
    matches: tuple[Match, ...]
    unmatched: int
    left_out: int

    def summary(self) -> Summary:
        """How many people are beside whom."""
        refused = len({(match.finding, match.refused) for match in self.matches})
        notes = [f"{self.left_out:,} more refused people are left out."] * (self.left_out > 0)
        return Summary(
            title="Comparators",
            sentence=f"{refused:,} refused people of {len(self.findings):,} findings with "
            f"{len(self.matches):,} comparators",
            facts=(
                ("alike in", ", ".join(self.alike_in) or "nothing"),
                ("nearest by", ", ".join(self.columns) or "nothing: all are equally near"),
                ("without a comparator", f"{self.unmatched:,}"),
            ),
            notes=(
                *notes,
                _WARNING,
            ),
        )

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns of ``lines``."""
        name = self.key or "row"
        beside = [
            f"{column} of {who}" for who in ("refused", "comparator") for column in self.columns
        ]
        return (
            *("finding", *self.alike_in, "refused group", f"refused {name}"),
            *("comparator group", f"comparator {name}", "rank", "distance", *beside),
        )

    def lines(self) -> Iterator[tuple[str, ...]]:
        """One line for each pair of a refused person and a comparator."""
        for match in self.matches:
            found = self.findings[match.finding]
            refused, favored = found.labels
            yield (
                *(str(match.finding + 1), *(found.where[name] for name in self.alike_in)),
                *(refused, match.refused, favored, match.comparator),
                *(str(match.rank), f"{match.distance:.4f}", *match.values),
            )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write all lines as CSV that only the owner may read."""
        path = Path(path)
        if path.suffix.lower() != ".csv":
            raise QuestionError.of(
                "Comparators are written as CSV, which spreadsheets open, and not as Excel.",
                remedy="Name a file that ends in .csv.",
                where=str(path),
            )
        text = "".join(f"{csv_line(line)}\r\n" for line in (self.head, *self.lines()))
        write_file(path, text, mode=0o600, overwrite=overwrite)
        return path


def find_comparators(
    source: Rows | CountTable,
    certificate: Certificate,
    *,
    findings: int = 10,
    nearest: int = 3,
    people: int = 1000,
    key: str | None = None,
    progress: ProgressCallback | None = None,
) -> Comparators:
    """For refused people of the strongest findings those alike who were favored.

    Of each finding at most so many ``people`` are taken, in the order of the rows. ``key``
    names the column that says who they are, in place of row numbers from 1. The rows are read
    once more, in blocks; only people of the findings are kept in memory.
    """
    question, rows = certificate.question, source
    if isinstance(rows, CountTable) or rows.requested.frequency:
        raise QuestionError.of(
            "Counts say nothing about single people.", remedy="Give the rows themselves."
        )
    if not question.favorable_values:
        raise QuestionError.of(
            "It is not said which decision is favorable.",
            remedy=Remedy("Name one value or several", "favorable"),
        )
    names = rows.sources[0].names
    if key is not None and key not in names:
        raise ColumnError.unknown([key], names, where=rows.where)
    chosen = tuple(map(_behind_first, certificate.evidence[:findings], [question] * findings))
    causes = certificate.partition.names
    skipped = {*causes, *question.columns, question.predicts, key}
    sides = [(_Side(), _Side()) for _ in chosen]
    columns = _read(
        rows, question, chosen, sides, names=names, skipped=skipped, key=key, progress=progress
    )
    matches: list[Match] = []
    unmatched = left_out = 0
    for at, (refused, favored) in enumerate(sides):
        left_out += max(len(refused.names) - people, 0)
        found = [*_nearest(at, refused, favored, nearest, people)]
        unmatched += 0 if found else min(len(refused.names), people)
        matches += found
    return Comparators(
        alike_in=causes,
        columns=columns,
        key=key,
        findings=chosen,
        matches=tuple(matches),
        unmatched=unmatched,
        left_out=left_out,
    )


def _behind_first(found: Subpopulation, question: Question) -> Subpopulation:
    """The finding with the labels of both groups, the one that is behind first."""
    labels = found.labels or (str(question.group), str(question.other))
    is_behind = found.risk_difference is None or found.risk_difference >= 0
    return replace(found, labels=labels if is_behind else labels[::-1])


def _read(
    rows: Rows,
    question: Question,
    findings: Sequence[Subpopulation],
    sides: Sequence[tuple[_Side, _Side]],
    *,
    names: Sequence[str],
    skipped: set[str | None],
    key: str | None,
    progress: ProgressCallback | None,
) -> tuple[str, ...]:
    """Fill the sides of each finding from the rows; returns the remaining columns."""
    first, rest = 0, tuple(name for name in names if name not in skipped)
    compared = {*question.columns}.union(*(found.where for found in findings))
    blocks = stored_blocks(rows.sources, names, memory=rows.memory // 3, progress=progress)
    for block in blocks:
        rest = tuple(name for name in rest if name in block.columns)
        coded = block.coded(compared, rows.codings, where=rows.where).table
        stored = block.coded(
            (*rest, *([key] if key else [])), Codings(), where=rows.where
        ).table
        decided = _is_any(coded, question.decision, question.favorable_values)
        # Rows whose decision nobody knows are neither refused nor favored.
        known = ~_is_any(coded, question.decision, [MISSING])
        for found, (refused, favored) in zip(findings, sides, strict=True):
            alike = known.copy()
            for name, value in found.where.items():
                alike &= _is_any(coded, name, [value])
            for side, label, is_favored in zip(
                (refused, favored), found.labels, (False, True), strict=True
            ):
                of_group = _of_group(coded, question, label, found.labels)
                places = np.flatnonzero(alike & of_group & (decided == is_favored))
                side.names.extend(
                    _texts(stored, key, places)
                    if key
                    else (str(first + at + 1) for at in places.tolist())
                )
                side.values.extend(
                    zip(*(_texts(stored, name, places) for name in rest), strict=True)
                    if rest
                    else [()] * len(places)
                )
        first += len(block.counts)
    return rest


def _is_any(table: CountTable, name: str, labels: Sequence[str]) -> _Mask:
    """Which lines have one of the labels."""
    wanted = {*labels}
    has = np.array([value in wanted for value in table.attribute(name).values], np.bool_)
    mask: _Mask = has[table.column(name)]
    return mask


def _of_group(table: CountTable, question: Question, label: str, both: Sequence[str]) -> _Mask:
    """Which lines are of a group; a pool is everybody who is not of the other one."""
    values = question.group_values(label)
    if label == question.other and any(value == label for value in values.values()):
        occurring = table.attribute(question.protected_names[0]).values
        if label not in [*occurring]:
            other = both[0] if both[1] == label else both[1]
            return ~_of_group(table, question, other, both)
    mask = np.ones(len(table.counts), bool)
    for name, value in values.items():
        mask &= _is_any(table, name, [value])
    return mask


def _texts(table: CountTable, name: str | None, places: NDArray[np.intp]) -> list[str]:
    values, codes = table.attribute(str(name)).values, table.column(str(name))[places]
    return [values[code] for code in codes.tolist()]


def _nearest(
    finding: int, refused: _Side, favored: _Side, nearest: int, people: int
) -> Iterator[Match]:
    """The nearest favored people of each refused one, by Gower's distance."""
    if not favored.names:
        return
    features = [
        *map(_feature, zip(*refused.values, strict=True), zip(*favored.values, strict=True))
    ]
    step = max(_CHUNK // len(favored.names), 1)
    last = min(len(refused.names), people)
    for begin in range(0, last, step):
        part = slice(begin, min(begin + step, last))
        far = np.zeros((part.stop - begin, len(favored.names)))
        for one, other, is_number in features:
            apart = one[part, None] - other[None, :]
            far += np.nan_to_num(np.abs(apart), nan=1.0) if is_number else apart != 0
        far /= max(len(features), 1)
        order = np.argsort(far, axis=1, kind="stable")[:, :nearest]
        for row, places in enumerate(order.tolist(), begin):
            for rank, at in enumerate(places, 1):
                yield Match(
                    finding,
                    refused.names[row],
                    favored.names[at],
                    rank,
                    float(far[row - begin, at]),
                    (*refused.values[row], *favored.values[at]),
                )


def _feature(
    refused: Sequence[str], favored: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """A column as numbers between 0 and 1, or as codes of its values."""
    both = [*refused, *favored]
    numbers = np.array([_number(text) for text in both])
    known = np.array([not (text == MISSING or looks_missing(text)) for text in both])
    is_number = bool(known.any()) and not np.isnan(numbers[known]).any()
    if is_number:
        low, high = np.nanmin(numbers), np.nanmax(numbers)
        numbers = (numbers - low) / (high - low or 1.0)
    else:
        code: dict[str, int] = {}
        numbers = np.array([code.setdefault(text, len(code)) for text in both], float)
    return numbers[: len(refused)], numbers[len(refused) :], is_number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
