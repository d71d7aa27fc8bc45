"""Cells that a spreadsheet program may run: counted, told, and released as they are."""

import csv

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hiring import audited, table

import evenhand as eh
from evenhand.releasing.formula_cells import count_formula_cells, is_formula

TEXTS = ["=1+1", "@sum(a)", "-2+3", "+1 555", "\t=1", "\r=1", "\n=1"]
TEXTS += ["-2", "+2.5e3", "-", "5%", "a=1", ""]
RUN = 7


def test_what_a_spreadsheet_may_run_is_told_from_numbers():
    assert [text for text in TEXTS if is_formula(text)] == TEXTS[:RUN]


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_no_number_is_a_formula(number):
    assert not is_formula(str(number))


@pytest.mark.parametrize("ending", ["csv", "parquet", "frame", "dictionary"])
def test_cells_and_names_are_counted_by_column(tmp_path, ending):
    found = pa.table({"a": TEXTS * 3, "=b": ["x"] * len(TEXTS) * 3, "n": [-1] * len(TEXTS) * 3})
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([found.schema.names, *zip(*found.to_pydict().values())])  # noqa: B905
    elif ending == "parquet":
        pyarrow.parquet.write_table(found, path)
    elif ending == "dictionary":
        found = found.set_column(0, "a", found["a"].dictionary_encode())
    rows = eh.read(path if path.exists() else found)
    assert count_formula_cells(rows) == {"a": 3 * RUN, "=b": 1}
    assert count_formula_cells(rows, drop=["a"]) == {"=b": 1}


def test_lines_of_counts_are_cells():
    rows = eh.read(pa.table({"a": ["=1", "=1", "x"], "b": ["u", "v", "v"]}))
    assert count_formula_cells(rows.count()) == {"a": 2}


def test_a_release_warns_and_changes_nothing():
    people = pa.table(table())
    formulas = people["note"].to_pylist().count("=1+1")
    released = audited_release(people)
    (problem,) = [one for one in released.warnings if "formula" in one.what]
    assert problem.what.startswith(f"{formulas:,} cells begin")
    assert [remedy.argument for remedy in problem.remedies] == ["", "drop"]
    assert released.to_dict()["formula_cells"] == {"note": formulas}
    assert released.rows["note"].to_pylist() == people["note"].to_pylist()
    assert not audited_release(people, drop=["note"]).formula_cells


def audited_release(people, **options):
    rows, certificate = audited(people)
    return eh.release(rows, eh.ModifyData().plan(certificate), seed=1, **options)
