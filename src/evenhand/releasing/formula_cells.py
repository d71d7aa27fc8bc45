"""Counts released cells that a spreadsheet program may run as formulas.

A release keeps the text of every field, so a cell that begins with = + - or @ is written as it
was. Spreadsheet programs take such text for a formula, which can fetch or send data.
"""

import re
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.counts import CountTable
from evenhand.display import ProgressReporter
from evenhand.errors import Problem, Remedy, listed
from evenhand.rows import Rows
from evenhand.rows.arrow_numpy import value_type
from evenhand.rows.batch_source import BatchSource, reading

_SUSPECT = r"^[=+\-@\t\r\n]"
# Numbers, and signs that stand alone or repeat, as for a missing value.
_HARMLESS = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?\s*%?|[+-]+")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet program may take a text for a formula.

    >>> [is_formula(text) for text in ("=1+1", "@sum", "-2+3", "-2.5", "-", "+49 30 1")]
    [True, True, True, False, False, True]
    """
    return bool(re.match(_SUSPECT, text)) and not _HARMLESS.fullmatch(text)


def count_formula_cells(
    rows: Rows | CountTable, *, drop: Collection[str] = ()
) -> dict[str, int]:
    """For each released column that has them the number of such cells, its name included.

    Rows in an engine are not looked at: they become a table, not a file.
    """
    if isinstance(rows, CountTable):
        counted = {name: _in_counts(rows, name) for name in rows.names}
    elif rows.sources[0].group_by:
        return {}
    else:
        counted = dict.fromkeys((n for n in rows.sources[0].names if n not in drop), 0)
        reporter = ProgressReporter(rows.progress)
        for source in rows.sources:
            for name, cells in _in_source(source, list(counted), reporter):
                counted[name] += cells
    named = {name: cells + is_formula(name) for name, cells in counted.items()}
    return {name: cells for name, cells in named.items() if cells}


def formula_problems(cells: Mapping[str, int], nodes: Collection[str]) -> Iterator[Problem]:
    """A warning of the cells; only columns outside the graph, the ``nodes``, can be dropped."""
    others = [name for name in cells if name not in nodes]
    drop = (Remedy("leave these columns out", "drop", others),) if others else ()
    if cells:
        total = sum(cells.values())
        begin = "cells begin" if total > 1 else "cell begins"
        yield Problem(
            f"{total:,} {begin} like a formula, with = + - @ or a tab or line break.",
            f"They are in {listed(cells)}; a spreadsheet program may run them.",
            (Remedy("Open the file as text there"), *drop),
        )


def _in_counts(counts: CountTable, name: str) -> int:
    """Cells of the lines that a file of these counts has."""
    suspect = np.array([is_formula(value) for value in counts.attribute(name).values], bool)
    return int(suspect[counts.column(name)].sum()) if suspect.any() else 0


def _in_source(
    source: BatchSource, names: list[str], reporter: ProgressReporter
) -> Iterator[tuple[str, int]]:
    with reading(source.where):
        for batch in source.open(names, coded=True):
            reporter.advance("looking for formulas", batch.num_rows)
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                kind = value_type(column.type)
                if pa.types.is_string(kind) or pa.types.is_large_string(kind):
                    yield name, _in_column(column)


def _in_column(column: pa.Array) -> int:
    if not isinstance(column, pa.DictionaryArray):
        suspect = column.filter(pc.match_substring_regex(column, _SUSPECT))
        return sum(map(is_formula, suspect.to_pylist()))
    values = column.dictionary.to_pylist()
    suspect = np.array([value is not None and is_formula(value) for value in values], bool)
    if not suspect.any():
        return 0
    codes = column.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(suspect[codes].sum())
