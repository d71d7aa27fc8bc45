"""Comparators: people alike in the causes of the decision who got it, beside those who did not.

For each refused person of a finding the favored people of the other group who are alike in the
adjustment set, those nearest in the remaining columns first. This is about single people: the
file is for the owner of the data alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import looks_missing
from evenhand.display import Described, ProgressCallback, Summary
from evenhand.errors import ColumnError, InputError, QuestionError, Remedy, listed
from evenhand.evidence import Certificate, Subpopulation
from evenhand.files import write_file
from evenhand.question import Codings, Question
from evenhand.question.codings import MISSING
from evenhand.rows import Rows
from evenhand.rows.coded_rows import stored_blocks
from evenhand.rows.value_labels import LabelArray, as_texts
from evenhand.tables.selection_rates import csv_line

_Mask: TypeAlias = NDArray[np.bool_]
_Numbers: TypeAlias = NDArray[np.float64]
_ENDINGS = (".csv", ".xlsx")
_SHEET_ROWS = 1 << 20  # of Excel
_CHUNK = 250_000  # distances that are compared at once: they fit into a core's cache
_BLOCK_BYTES = 1 << 27  # of rows, read at once


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


class _Side:
    """The people of a finding on one side, in Arrow's memory: who they are, what else is known.

    Beyond ``most`` people, if there is such a limit, they are only counted.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most, self.people = most, 0
        self._parts: list[pa.Table] = []

    @property
    def room(self) -> int | None:
        """How many more are taken."""
        return None if self.most is None else max(self.most - self.people, 0)

    def add(self, part: pa.Table, *, of: int) -> None:
        """Take these of so many people."""
        self._parts.append(part)
        self.people += of

    @property
    def table(self) -> pa.Table:
        """One line for each person that was taken."""
        return pa.concat_tables(self._parts)


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
        findings = f"{len(self.findings):,} finding{'s' * (len(self.findings) != 1)}"
        notes = [f"{self.left_out:,} more refused people are left out."] * (self.left_out > 0)
        return Summary(
            title="Comparators",
            sentence=f"{refused:,} refused people of {findings} with "
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
        """Write all lines as CSV or, with the extra ``excel``, as a workbook.

        Only the owner may read the file.
        """
        path = Path(path)
        if path.suffix.lower() not in _ENDINGS:
            ending = path.suffix or "nothing"
            raise QuestionError.of(
                f"Comparators are not written to files that end in {ending!r}.",
                remedy=f"Name a file that ends in one of {listed(_ENDINGS)}.",
                where=str(path),
            )
        if path.suffix.lower() == ".xlsx":
            content = _workbook(self.head, [*self.lines()], where=str(path))
        else:
            text = "".join(f"{csv_line(line)}\r\n" for line in (self.head, *self.lines()))
            content = text.encode()
        return write_file(path, content, mode=0o600, overwrite=overwrite)


def _workbook(head: Sequence[str], lines: Sequence[Sequence[str]], *, where: str) -> bytes:
    """An Excel file with one sheet; texts in it are neither formulas nor links."""
    try:
        import xlsxwriter  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise InputError.of(
            "This is a workbook, and what writes it is not installed.",
            f"{error}.",
            "Install it: pip install xlsxwriter. Or name a file that ends in .csv.",
            where,
        ) from error
    if len(lines) >= _SHEET_ROWS:
        raise QuestionError.of(
            f"A sheet holds {_SHEET_ROWS:,} rows, and these are {len(lines):,}.",
            remedy="Ask for fewer findings, people or comparators, or write them as CSV.",
            where=where,
        )
    content = BytesIO()
    plain = dict.fromkeys(("strings_to_formulas", "strings_to_urls"), False)
    with xlsxwriter.Workbook(content, {"constant_memory": True, **plain}) as book:
        sheet = book.add_worksheet("comparators")
        sheet.freeze_panes(1, 0)
        for at, name in enumerate(head):
            sheet.set_column(at, at, len(name) + 2)
        sheet.write_row(0, 0, head, book.add_format({"bold": True}))
        for at, line in enumerate(lines, 1):
            sheet.write_row(at, 0, map(_cell, line))
    return content.getvalue()


def _cell(text: str) -> str | float:
    """A number where it is spelled as Excel shows it; a code such as 007 stays text."""
    number = _number(text)
    is_number = text in {f"{number:.15g}", f"{number:.4f}"} and not np.isnan(number)
    return number if is_number else text


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
    skipped = {*causes, *question.columns, *rows.excluded, question.predicts, key}
    sides = [(_Side(people), _Side()) for _ in chosen]
    columns = _read(
        rows, question, chosen, sides, names=names, skipped=skipped, key=key, progress=progress
    )
    matches: list[Match] = []
    unmatched = left_out = 0
    for at, (refused, favored) in enumerate(sides):
        taken = min(refused.people, people)
        left_out += refused.people - taken
        unmatched += 0 if favored.people else taken
        if taken and favored.people:
            matches += _nearest(at, refused.table, favored.table, nearest)
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
    rest = tuple(name for name in names if name not in skipped)
    compared = {*question.columns}.union(*(found.where for found in findings))
    first, wanted = 0, [name for name in names if name in {*compared, *rest, key}]
    memory = min(rows.memory // 3, _BLOCK_BYTES)
    for block in stored_blocks(rows.sources, wanted, memory=memory, progress=progress):
        rest = tuple(name for name in rest if name in block.columns)
        coded = block.coded(compared, rows.codings, where=rows.where).table
        stored = block.coded(
            (*rest, *([key] if key else [])), Codings(), where=rows.where
        ).table
        decided = _is_any(coded, question.decision, question.favorable_values)
        # Rows whose decision nobody knows are neither refused nor favored.
        known = ~_is_any(coded, question.decision, [MISSING])
        for found, both in zip(findings, sides, strict=True):
            alike = known.copy()
            for name, value in found.where.items():
                alike &= _is_any(coded, name, [value])
            for side, label, is_favored in zip(both, found.labels, (False, True), strict=True):
                of_group = _of_group(coded, question, label, found.labels)
                places = np.flatnonzero(alike & of_group & (decided == is_favored))
                taken = places[: side.room]
                who = (
                    _texts(stored, key, taken)
                    if key
                    else pa.array(first + taken + 1).cast(pa.string())
                )
                columns = [who, *(_texts(stored, name, taken) for name in rest)]
                side.add(
                    pa.table(columns, names=[*map(str, range(len(columns)))]), of=len(places)
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


def _texts(table: CountTable, name: str, places: NDArray[np.intp]) -> pa.Array:
    """The values of a column at some places."""
    values = table.attribute(name).values
    texts = values.array if isinstance(values, LabelArray) else as_texts(values)
    return texts.take(pa.array(table.column(name)[places]))


def _nearest(
    finding: int, refused: pa.Table, favored: pa.Table, nearest: int
) -> Iterator[Match]:
    """The nearest favored people of each refused one, by Gower's distance."""
    features = [*map(_feature, refused.columns[1:], favored.columns[1:])]
    step = max(_CHUNK // len(favored), 1)
    found: list[tuple[int, int, int, float]] = []
    for begin in range(0, len(refused), step):
        part = slice(begin, begin + step)
        far = np.zeros((len(refused[0][part]), len(favored)))
        for one, other, is_number in features:
            apart = one[part, None] - other[None, :]
            far += np.nan_to_num(np.abs(apart), nan=1.0) if is_number else apart != 0
        far /= max(len(features), 1)
        last = min(nearest, len(favored)) - 1
        limits = np.partition(far, last, axis=1)[:, last]
        for row, (distances, limit) in enumerate(zip(far, limits, strict=True), begin):
            near = np.flatnonzero(distances <= limit)
            near = near[np.argsort(distances[near], kind="stable")][:nearest]
            found.extend(
                (row, int(at), rank, float(distances[at])) for rank, at in enumerate(near, 1)
            )
    persons = [*zip(*refused.to_pydict().values(), strict=True)]
    others = favored.take(pa.array([at for _, at, _, _ in found]))
    pairs = zip(found, zip(*others.to_pydict().values(), strict=True), strict=True)
    for (row, _, rank, distance), (name, *values) in pairs:
        who, *own = persons[row]
        yield Match(finding, who, name, rank, distance, (*own, *values))


def _feature(
    refused: pa.ChunkedArray, favored: pa.ChunkedArray
) -> tuple[_Numbers, _Numbers, bool]:
    """A column as numbers between 0 and 1, or as codes of its values."""
    both = pa.chunked_array([*refused.chunks, *favored.chunks], pa.string())
    encoded = both.dictionary_encode().unify_dictionaries()
    texts = encoded.chunk(0).dictionary.to_pylist()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    numbers = np.array([_number(text) for text in texts])
    is_known = np.array([not (text == MISSING or looks_missing(text)) for text in texts])
    is_number = bool(is_known.any()) and not np.isnan(numbers[is_known]).any()
    if is_number:
        low, high = np.nanmin(numbers), np.nanmax(numbers)
        numbers = (numbers - low) / (high - low or 1.0)
    else:
        numbers = np.arange(len(texts), dtype=float)
    features = numbers[codes]
    return features[: len(refused)], features[len(refused) :], is_number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
