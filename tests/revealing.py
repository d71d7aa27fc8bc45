"""The people of ``tests.hiring`` with columns that tell the decision, in several forms."""

import csv
import io
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from tests.hiring import QUESTION, table

import evenhand as eh

GRAPH = eh.CausalGraph.parse("sex -> hired; degree -> hired")
CODINGS = eh.Codings.of(columns=["sex", "degree", "hired"])
REVEALING = ("band", "score", "copy", "reason")
FORMS = ("csv", "parquet", "feather", "pandas", "polars", "arrow")


def people(rows=400, *, seed=0):
    """By column; bands go with one decision each, scores with one band, reasons with a no."""
    generator = np.random.default_rng(seed)
    columns = table(rows, seed=seed)
    bands = {"yes": "AB", "no": "CDE"}
    band = [str(generator.choice([*bands[hired]])) for hired in columns["hired"]]
    return {
        "copy": ["1" if hired == "yes" else "0" for hired in columns["hired"]],
        "band": band,
        **{name: columns[name] for name in ("note", "sex", "degree", "hired")},
        "score": [f"{90 - 10 * 'ABCDE'.index(b) + int(generator.integers(5))}" for b in band],
        "reason": ["" if b in "AB" else f'late, or "{generator.integers(3)}"' for b in band],
        "person": [f"person {number}" for number in range(rows)],
    }


def in_form(columns, form, folder):
    """The columns as a file or a frame."""
    found = pa.table(columns)
    path = folder / f"people.{form}"
    if form == "csv":
        path.write_text(as_csv(columns), newline="")
        return path
    if form == "parquet":
        pq.write_table(found, path)
        return path
    if form == "feather":
        pa.feather.write_feather(found, path)
        return path
    if form == "arrow":
        return found
    return pd.DataFrame(columns) if form == "pandas" else pl.DataFrame(columns)


def as_csv(columns):
    """The columns as text, in which only what must be is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def columns_of(released):
    """Released rows as lists of texts by column."""
    found = released.rows
    if isinstance(found, eh.rows.Rows):
        found = pa.Table.from_batches(found.batches())
    if isinstance(found, pd.DataFrame):
        return {name: found[name].tolist() for name in found.columns}
    found = found.to_dict() if isinstance(found, pl.DataFrame) else found.to_pydict()
    return {
        name: ["" if x is None else str(x) for x in values] for name, values in found.items()
    }


def audit(source, **options):
    """The people audited, with sex, degree and decision alone in the question."""
    return eh.audit(source, QUESTION, **({"graph": GRAPH, "codings": CODINGS} | options))


def changed_rows(before, after):
    """Where the decision was changed."""
    pairs = zip(before["hired"], after["hired"], strict=True)
    return [row for row, (old, new) in enumerate(pairs) if old != new]


def revealed(before, after, column):
    """The changed rows whose decision never went with their value before."""
    decisions = defaultdict(set)
    for value, decision in zip(before[column], before["hired"], strict=True):
        decisions[value].add(decision)
    return [
        row
        for row in changed_rows(before, after)
        if after["hired"][row] not in decisions[after[column][row]]
    ]
