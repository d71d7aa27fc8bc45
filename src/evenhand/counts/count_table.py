"""``CountTable``: how often each value assignment occurs.

All mathematics of evenhand needs only this. A table holds one line per distinct assignment, as
small integer codes with a label map for each attribute, and an exact 64-bit count. Lines are in
lexicographic order of their codes and no line has count zero, so equal data give equal tables
whatever the order of the rows was.
"""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring
from math import inf
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.label_order import EXAMPLES, in_order, looks_missing, marker_problem
from evenhand.display import Described, Summary
from evenhand.errors import (
    ColumnError,
    InputError,
    Problem,
    ResourceError,
    ValuesError,
    listed,
)
from evenhand.question.parse_values import as_label

# So any sum of counts, and twice such a sum, fits into 64 bits.
MOST_ROWS = 2**62
# Up to here a float64 holds every integer, so bincount's weights stay exact.
_EXACT_FLOAT = 2**53
_LARGEST_KEY = 2**62
_LARGEST_CUBE = 2**27
# Lines that are text at the same time: a million subpopulations would take 300 MB.
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as the mathematics sees it: a name, and its values in their order."""

    name: str
    values: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False, repr=False)
class CountTable(Described):
    """Distinct value assignments and how often each occurs.

    >>> table = CountTable.of({"sex": ["f", "m", "f"], "hired": ["no", "yes", "no"]})
    >>> table.row_count, len(table)
    (3, 2)
    >>> table.count(sex="f", hired="no")
    2
    """

    attributes: tuple[Attribute, ...]
    codes: tuple[NDArray[np.unsignedinteger], ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls, columns: Mapping[str, Sequence[str]], counts: Sequence[int] | None = None
    ) -> Self:
        """Count labels given by column; ``counts`` says how often each line occurs."""
        attributes, codes = [], []
        for name, texts in columns.items():
            labels = {text: as_label(text) for text in set(texts)}
            values = in_order(set(labels.values()))
            position = {value: code for code, value in enumerate(values)}
            code = {text: position[label] for text, label in labels.items()}
            attributes.append(Attribute(name, values))
            codes.append(np.fromiter((code[text] for text in texts), np.int64, len(texts)))
        lengths = {len(column) for column in codes}
        weights = [1] * max(lengths, default=0) if counts is None else list(counts)
        if len(lengths) > 1 or (codes and len(weights) not in lengths):
            raise InputError.of(
                "The columns and counts are not all of one length.",
                remedy="Give one label, and one count, for each line.",
            )
        if not all(0 <= count < inf and count == int(count) for count in weights):
            raise InputError.of(
                "The counts are not all whole numbers of at least 0.",
                remedy="Give how often each line occurs.",
            )
        check_row_count(sum(map(int, weights)))
        return cls.build(attributes, codes, np.array(weights, np.int64)).pruned()

    @classmethod
    def build(
        cls,
        attributes: Iterable[Attribute],
        codes: Iterable[NDArray[np.integer]],
        counts: NDArray[np.int64],
    ) -> Self:
        """Bring encoded lines into canonical form: merged, sorted, no zero counts."""
        attributes = tuple(attributes)
        occurring = counts > 0
        narrow = tuple(
            column[occurring].astype(code_type(len(attribute)))
            for attribute, column in zip(attributes, codes, strict=True)
        )
        unsorted = cls(attributes, narrow, counts[occurring])
        return unsorted.marginal([attribute.name for attribute in attributes])

    def pruned(self) -> Self:
        """The same counts without values that do not occur."""
        used = [np.unique(column) for column in self.codes]
        if all(len(codes) == len(a) for codes, a in zip(used, self.attributes, strict=True)):
            return self
        attributes = tuple(
            Attribute(attribute.name, tuple(attribute.values[code] for code in codes.tolist()))
            for attribute, codes in zip(self.attributes, used, strict=True)
        )
        columns = tuple(
            np.searchsorted(codes, column).astype(code_type(len(codes)))
            for codes, column in zip(used, self.codes, strict=True)
        )
        return type(self)(attributes, columns, self.counts)

    def __post_init__(self) -> None:
        if len(self._positions) < len(self.attributes):
            check_names(attribute.name for attribute in self.attributes)
        check_row_count(self.row_count)
        for column in (*self.codes, self.counts):
            column.flags.writeable = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(self._positions)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {attribute.name: at for at, attribute in enumerate(self.attributes)}

    @property
    def cards(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(len(attribute) for attribute in self.attributes)

    @cached_property
    def row_count(self) -> int:
        """How many rows were counted."""
        if int(self.counts.max(initial=0)) * len(self.counts) <= MOST_ROWS:
            return int(self.counts.sum())
        return sum(self.counts.tolist())

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Every distinct assignment as labels, with its count."""
        columns = [
            np.asarray(attribute.values, object)[column]
            for attribute, column in zip(self.attributes, self.codes, strict=True)
        ]
        lines = zip(*columns, strict=True) if columns else [()] * len(self)
        return zip(lines, self.counts.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountTable):
            return NotImplemented
        return (
            self.attributes == other.attributes
            and np.array_equal(self.counts, other.counts)
            and all(map(np.array_equal, self.codes, other.codes))
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<CountTable of {self.row_count:,} rows: {', '.join(self.names)}>"

    def position(self, name: str) -> int:
        """Where the attribute stands among the attributes."""
        try:
            return self._positions[name]
        except KeyError:
            raise ColumnError.unknown([name], self.names) from None

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return self.attributes[self.position(name)]

    def column(self, name: str) -> NDArray[np.unsignedinteger]:
        """The attribute's code in every line."""
        return self.codes[self.position(name)]

    def values(self, name: str) -> dict[str, int]:
        """How often each value of an attribute occurs; values that do not are left out."""
        totals = self.value_totals(name).tolist()
        paired = zip(self.attribute(name).values, totals, strict=True)
        return {value: count for value, count in paired if count}

    def value_totals(self, name: str) -> NDArray[np.int64]:
        """How often each value of an attribute occurs, in the order of its values."""
        if name not in self._value_totals:
            self._value_totals[name] = self.totals(self.column(name), len(self.attribute(name)))
        return self._value_totals[name]

    @cached_property
    def _value_totals(self) -> dict[str, NDArray[np.int64]]:
        return {}

    def groups(self, names: Iterable[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Number the distinct assignments of some attributes in lexicographic order.

        Returns the number of each line's group, and for each group the first line of it.
        """
        key, span = np.zeros(len(self), np.int64), 1
        for name in names:
            card = len(self.attribute(name))
            if span * card > _LARGEST_KEY:
                # The mixed-radix key would overflow: ranks are as good, and small.
                distinct, key = np.unique(key, return_inverse=True)
                span = len(distinct)
            key, span = key * card + self.column(name), span * card
        if span > max(4 * len(self), 2**16):
            _, first, group = np.unique(key, return_index=True, return_inverse=True)
            return group, first
        present = np.zeros(span, bool)
        present[key] = True
        group = (np.cumsum(present) - 1)[key]
        first = np.empty(np.count_nonzero(present), np.intp)
        first[group[::-1]] = np.arange(len(self))[::-1]
        return group, first

    def totals(self, group: NDArray[np.integer], groups: int) -> NDArray[np.int64]:
        """Add up the counts of the lines in each group, exactly."""
        if self.row_count < _EXACT_FLOAT:
            return np.bincount(group, self.counts, groups).astype(np.int64)
        totals = np.zeros(groups, np.int64)
        np.add.at(totals, group, self.counts)
        return totals

    def marginal(self, names: Iterable[str]) -> Self:
        """The counts of these attributes alone, summed over all others."""
        names = list(names)
        group, first = self.groups(names)
        return type(self)(
            tuple(self.attribute(name) for name in names),
            tuple(self.column(name)[first] for name in names),
            self.totals(group, len(first)),
        )

    def only(self, names: Container[str]) -> Self:
        """The counts of these attributes, in their own order."""
        return self.marginal([name for name in self.names if name in names])

    def given(self, assignment: Mapping[str, str]) -> Self:
        """The rows with these values, without the attributes they fix."""
        keep = np.ones(len(self), bool)
        for name, value in assignment.items():
            keep &= self.column(name) == self.code(name, value)
        chosen = [i for i, name in enumerate(self.names) if name not in assignment]
        return type(self)(
            tuple(self.attributes[i] for i in chosen),
            tuple(self.codes[i][keep] for i in chosen),
            self.counts[keep],
        ).pruned()

    def count(self, **assignment: str) -> int:
        """How many rows have these values."""
        return self.given(assignment).row_count

    def code(self, name: str, value: str) -> int:
        """The code that stands for a value."""
        values = self.attribute(name).values
        if value not in values:
            raise ValuesError.of(
                f"The column {name!r} has no value {value!r}.",
                f"Its values are {listed(values)}.",
                "Name one of these.",
            )
        return values.index(value)

    def cube(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Counts as a dense array with one axis for each attribute."""
        table = self.marginal(names)
        cells = int(np.prod(table.cards, dtype=object))
        if cells > _LARGEST_CUBE:
            raise ResourceError.of(
                f"A dense table of {listed(table.names)} would have {cells:,} cells.",
                f"At most {_LARGEST_CUBE:,} are allowed.",
                "Use fewer attributes, or merge their values.",
            )
        cube = np.zeros(table.cards, np.int64)
        cube[tuple(table.codes)] = table.counts
        return cube

    def recoded(self, name: str, merge: Mapping[str, str]) -> Self:
        """Give values of an attribute new names; values of the same new name become one."""
        old = self.attribute(name)
        values = in_order({merge.get(value, value) for value in old.values})
        place = {value: code for code, value in enumerate(values)}
        new = np.array([place[merge.get(value, value)] for value in old.values])
        recoded = self.with_column(name, values, new[self.column(name)])
        return self.build(recoded.attributes, recoded.codes, self.counts)

    def with_column(self, name: str, values: Sequence[str], codes: NDArray[np.integer]) -> Self:
        """The same lines with another column: a new one, or in the place of that name."""
        columns = dict(zip(self.names, self.codes, strict=True))
        columns[name] = codes.astype(code_type(len(values)))
        attributes = {attribute.name: attribute for attribute in self.attributes}
        attributes[name] = Attribute(name, tuple(values))
        return type(self)(tuple(attributes.values()), tuple(columns.values()), self.counts)

    def without(self, name: str, values: Iterable[str]) -> Self:
        """Leave out the rows in which the attribute has one of these values."""
        excluded = frozenset(values)
        is_kept = np.array([value not in excluded for value in self.attribute(name).values])
        return self.chosen(is_kept[self.column(name)])

    def chosen(self, lines: NDArray[np.bool_]) -> Self:
        """The rows of some lines, without values that no longer occur."""
        counts = np.where(lines, self.counts, 0)
        return self.build(self.attributes, self.codes, counts).pruned()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the lines as sorted JSON, columns by name: anyone can recompute it.

        The first line holds the sorted column names; each further line the labels of one
        distinct assignment in that order and then its count; these lines are sorted as text.
        """
        names = sorted(self.names)
        attributes, codes = [], []
        for name in names:
            texts, column = in_text_order(self.attribute(name).values, self.column(name))
            attributes.append(Attribute(name, texts))
            codes.append(column)
        table = type(self)(tuple(attributes), tuple(codes), self.counts).marginal(names)
        texts_by_name = [attribute.values for attribute in table.attributes]
        return lines_digest(names, texts_by_name, table.codes, table.counts)

    @property
    def seed(self) -> int:
        """A random seed that depends on the counts alone, short enough to be typed.

        Figures made with it can be repeated by anyone who has the counts.
        """
        return int(self.digest[:12], 16)

    @property
    def missing_markers(self) -> dict[str, dict[str, int]]:
        """Values that may mean a missing one but were not declared as such, most rows first.

        Each with the columns that have it, and in how many rows.
        """
        markers: dict[str, dict[str, int]] = {}
        for attribute in self.attributes:
            for value in filter(looks_missing, attribute.values):
                rows = self.values(attribute.name)[value]
                markers.setdefault(value, {})[attribute.name] = rows
        return dict(sorted(markers.items(), key=lambda item: -sum(item[1].values())))

    def summary(self) -> Summary:
        """Describe the table: rows, distinct assignments, and each attribute's values."""
        markers = [*self.missing_markers.items()]
        notes = [marker_problem(*marker) for marker in markers[:EXAMPLES]]
        if rest := [value for value, _ in markers[EXAMPLES:]]:
            notes.append(Problem(f"{len(rest)} more values look missing: {listed(rest)}."))
        return Summary(
            title=f"{self.row_count:,} rows, {len(self):,} distinct assignments",
            columns=("attribute", "values", "how often"),
            lines=tuple(
                (attribute.name, str(len(attribute)), _shares(self.values(attribute.name)))
                for attribute in self.attributes
            ),
            notes=tuple(notes),
        )


def check_names(names: Iterable[str], *, where: str = "") -> None:
    """Refuse names that several columns have, with the positions of these columns."""
    positions: dict[str, list[str]] = {}
    for position, name in enumerate(names, 1):
        positions.setdefault(name, []).append(str(position))
    repeated = [
        Problem(
            f"The column name {name!r} occurs {len(places)} times.",
            f"It names the columns {', '.join(places)}.",
            "Give every column a name of its own.",
            where,
        )
        for name, places in positions.items()
        if len(places) > 1
    ]
    if repeated:
        raise ColumnError(*repeated)


def check_row_count(rows: int, *, counts: str = "counts", where: str = "") -> None:
    """Refuse more rows than can be added up in 64 bits, wherever they were counted."""
    if rows > MOST_ROWS:
        raise ValuesError.of(
            f"The {counts} add up to more than 2⁶².",
            remedy="Check them: these can hardly be numbers of rows.",
            where=where,
        )


def code_type(values: int) -> type[np.unsignedinteger]:
    """The narrowest type that holds the codes of this many values."""
    return np.uint8 if values <= 2**8 else np.uint16 if values <= 2**16 else np.uint32


def _shares(values: Mapping[str, int], *, limit: int = 4) -> str:
    shown = sorted(values.items(), key=lambda item: -item[1])[:limit]
    rest = len(values) - len(shown)
    text = ", ".join(f"{value} {count:,}" for value, count in shown)
    return text + (f", {rest:,} more" if rest else "")


def in_text_order(
    values: Sequence[str], codes: NDArray[np.unsignedinteger]
) -> tuple[tuple[str, ...], NDArray[np.unsignedinteger]]:
    """The values as JSON, each with a comma, sorted, and the codes that stand for them then.

    A JSON string ends at its first bare quote, so none is the beginning of another, and lines
    of them are sorted as text if their codes are: no line of text has to be sorted.
    """
    texts = [f"{encode_basestring(value)}, " for value in values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(order), codes.dtype)
    rank[order] = np.arange(len(order))
    return tuple(map(texts.__getitem__, order)), rank[codes]


def lines_digest(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    codes: Sequence[NDArray[np.unsignedinteger]],
    counts: NDArray[np.int64],
) -> str:
    """SHA-256 of the names, and of lines of texts with their counts, in this order."""
    sha256 = hashlib.sha256(json.dumps(names, ensure_ascii=False).encode())
    columns = [
        (np.array(own, object), column) for own, column in zip(texts, codes, strict=True)
    ]
    for begin in range(0, len(counts), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        numbers, number = np.unique(counts[block], return_inverse=True)
        pieces = np.empty((len(number), len(columns) + 2), object)
        pieces[:, 0] = "\n["
        for at, (own, column) in enumerate(columns, 1):
            pieces[:, at] = own[column[block]]
        pieces[:, -1] = np.array([f"{count}]" for count in numbers.tolist()], object)[number]
        sha256.update("".join(pieces.ravel().tolist()).encode())
    return sha256.hexdigest()
