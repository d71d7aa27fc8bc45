"""Random tables of decisions, and the files that hold them."""

import gzip
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

_PLAIN = ("sex", "race", "school", "town", "age", "grade", "hired", "pay")
_ODD = ("Größe", "a b", "x,y", 'say "so"', "1", "né=2", "the -> arrow", "🙂")
_VALUES = (
    ("f", "m", "x", "d", "z"),
    ("yes", "no", "maybe", "later", "never"),
    ("0", "1", "2", "3", "4"),
    (">50K", "<=50K", "50K", "n.a.", "?"),
    ("é", "ü", "ß", "日本", "🙂"),
    ('a "b"', "c,d", "e;f", "g'h", "i|j"),
    ("01", "1.0", "-1.5", "1e3", "+2"),
    ("none", "some", "most", "all", "other"),
    (" lead", "trail ", "in side", "UP", "up"),
)
Codes = np.ndarray[Any, Any]
FORMATS = ("csv", "csv.gz", "tsv", "parquet", "arrow")


@dataclass
class Table:
    """Columns of text, each known by the role that it plays."""

    columns: dict[str, list[str]]
    protected: list[str]
    attributes: list[str]
    decision: str
    effect: str | None = None
    numbers: dict[str, str] = field(default_factory=dict)  # name: "whole" or "decimal"
    weights: bool = False
    missing: str | None = None
    determined: bool = False

    @property
    def plain(self) -> bool:
        """Whether every name can stand in an option or an edge list."""
        return all(name.isascii() and name.isidentifier() for name in self.columns)

    def values(self, name: str) -> list[str]:
        """The values of a column that is not missing there, the most frequent first."""
        often = Counter(self.columns[name])
        return [value for value, _ in often.most_common() if value not in {"", "?"}]

    def markers(self) -> set[str]:
        """Texts that often mean that there is no value."""
        return {"?", "n.a."}.intersection(chain(*self.columns.values()))


def random_table(rng: np.random.Generator) -> Table:
    """Draw a table: mostly small, now and then of thousands of rows."""
    rows = int(rng.integers(1000, 3000) if rng.random() < 0.03 else 20 * 20 ** rng.random())
    names = [*(_PLAIN if rng.random() < 0.75 else _ODD)]
    count = int(rng.integers(1, 4))
    protected, attributes = names[0], names[1 : count + 1]
    decision = names[-2]
    groups = int(rng.choice([2, 2, 2, 3, 4]))
    group = rng.choice(groups, rows, p=rng.dirichlet([4.0] * groups))
    table = Table({}, [protected], attributes, decision)
    table.columns[protected] = _labels(rng, group, groups)
    chance = np.full(rows, rng.uniform(0.2, 0.6))
    for name in attributes:
        level = _attribute(rng, table, name, group)
        chance += rng.choice([0.0, 0.2, 0.4]) * (level - 0.5)
    chance += float(rng.choice([0.0, 0.0, 0.05, 0.15, 0.4])) * (group == 0)
    kinds = int(rng.choice([2, 2, 2, 3, 4]))
    decided = np.clip(((chance - rng.random(rows)) * 2 + 1) * kinds / 2, 0, kinds - 1).astype(
        int
    )
    decided[:kinds] = range(kinds)  # each value occurs
    if rng.random() < 0.1 and name not in table.numbers:  # the base found no pass marks
        table.determined, decided = True, (level * kinds).clip(0, kinds - 1).astype(int)
    table.columns[decision] = _labels(rng, decided, kinds)
    if rng.random() < 0.25:
        table.effect = names[-1]
        paid = np.where(rng.random(rows) < 0.8, decided, rng.integers(0, kinds, rows))
        table.columns[names[-1]] = _labels(rng, paid, kinds)
    if rng.random() < 0.12 and attributes:
        table.protected.append(table.attributes.pop())
    if rng.random() < 0.15 and table.attributes:
        table.missing = str(rng.choice(["", "?"]))
        column = table.columns[table.attributes[0]]
        for row in rng.choice(rows, max(1, rows // 20), replace=False):
            column[row] = table.missing
    said = np.where(rng.random(rows) < 0.7, decided, np.roll(decided, 1))
    kept = table.columns[decision]
    word = {int(code): kept[row] for row, code in enumerate(decided)}
    table.columns["said"] = [word[int(code)] for code in said]
    table.columns["score"] = [f"{chance:.3f}" for chance in rng.random(rows) + said]
    return table


def _labels(rng: np.random.Generator, codes: Codes, most: int) -> list[str]:
    """A text for each code."""
    words = [*_VALUES[rng.integers(len(_VALUES))]][:most]
    order = rng.permutation(most)
    return [words[order[code]] for code in codes]


def _attribute(rng: np.random.Generator, table: Table, name: str, group: Codes) -> Codes:
    """Add a column, of values or of numbers; return how high each row stands, from 0 to 1."""
    rows, shift = len(group), rng.choice([0.0, 0.0, 0.8]) * (group == 0)
    kind = rng.choice(["values", "values", "values", "whole", "decimal"])
    level: Codes = np.clip(rng.random(rows) + shift * 0.5, 0, 0.999)
    if kind == "values":
        many = int(rng.choice([2, 2, 3, 4]))
        codes = (level * many).astype(int)
        table.columns[name] = _labels(rng, codes, many)
        level = np.divide(codes, many)
    elif kind == "whole":
        table.columns[name] = [str(int(18 + 40 * one)) for one in level]
    else:
        digits = int(rng.integers(1, 3))
        table.columns[name] = [f"{6 * one - 3:.{digits}f}" for one in level]
    if kind != "values":
        table.numbers[name] = str(kind)
    return level


def count_rows(table: Table) -> None:
    """Make lines of equal rows, with a column that says how many they are."""
    del table.columns["score"]
    lines = Counter(zip(*table.columns.values(), strict=True))
    columns = zip(*lines, strict=True)
    table.columns = dict(zip(table.columns, map(list, columns), strict=True))
    table.columns["people"] = [str(many) for many in lines.values()]
    table.weights = True


def arrow_table(table: Table, *, typed: bool) -> pa.Table:
    """The columns as Arrow holds them; numbers as numbers if they are to be typed."""
    columns: dict[str, pa.Array] = {}
    for name, texts in table.columns.items():
        known = [None if text == "" else text for text in texts]
        column = pa.array(known, pa.string())
        whole = table.numbers.get(name) == "whole" or name == "people"
        if typed and (whole or name in table.numbers or name == "score") and "?" not in texts:
            column = column.cast(pa.int64() if whole else pa.float64())
        elif typed and len({*texts}) < 4:
            column = column.dictionary_encode()
        columns[name] = column
    return pa.table(columns)


def write_table(rng: np.random.Generator, table: Table, folder: Path, ending: str) -> str:
    """Write the table in one format, in one of its many spellings; return the file's name."""
    path = folder / f"table.{ending}"
    if ending == "parquet":
        pq.write_table(arrow_table(table, typed=bool(rng.random() < 0.7)), path)
    elif ending == "arrow":
        feather.write_feather(arrow_table(table, typed=bool(rng.random() < 0.7)), path)
    else:
        delimiter = "\t" if ending == "tsv" else str(rng.choice([",", ",", ";"]))
        newline = str(rng.choice(["\n", "\n", "\r\n"]))
        always = bool(rng.random() < 0.2)
        lines = [[*table.columns], *zip(*table.columns.values(), strict=True)]
        text = "".join(
            delimiter.join(_field(cell, delimiter, always=always) for cell in line) + newline
            for line in lines
        )
        data = ("\ufeff" * bool(rng.random() < 0.1) + text).encode()
        path.write_bytes(gzip.compress(data, mtime=0) if ending == "csv.gz" else data)
    return path.name


def _field(cell: str, delimiter: str, *, always: bool) -> str:
    if always or delimiter in cell or '"' in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell
