"""Documents are compared exactly, estimates to twelve digits."""

import json

import pytest
from tests.admission import QUESTION

from evenhand import datasets, examined_counts
from evenhand.evidence import Partition
from evenhand.evidence.document_differences import document_differences
from evenhand.evidence.partition_table import PartitionTable
from evenhand.evidence.recorded_table import RecordedTable


def differ(where, written, right):
    for name in reversed(where.split(".")):
        written, right = {name: written}, {name: right}
    return bool([*document_differences(written, right)])


@pytest.mark.parametrize(
    ("where", "written", "right", "is_other"),
    [
        ("population.shown", 10001, 10000, True),
        ("population.p", "1.23456789012e-40", "1.23456789013e-40", False),
        ("population.p", "1.23456789012e-40", "1.23456913580e-40", True),
        ("population.p", "0", "1e-30", True),
        ("population.mean", "0", "1e-16", False),
        ("population.mean", "0.05", "0.0500000001", True),
        ("population.verdict", "inconclusive", "difference shown", True),
        ("population.common_difference", None, "1", True),
        ("population.shown", True, 1, True),
        ("partitions.by_chance.expected", "1.00000000001", "1.00000000002", False),
        ("partitions.by_chance.expected", "1.00000000001", "1.0000001", True),
        ("indirect.standard_errors.forward.total", "0.0200000000001", "0.0200000000002", False),
        ("indirect.standard_errors.forward.total", "0.02", "0.0200000001", True),
        ("indirect.gap", "1.00000000001", "1.00000000002", True),
        ("rows.read", "1.00000000001", "1.00000000002", True),
    ],
)
def test_only_the_last_digit_of_estimates_may_differ(where, written, right, is_other):
    assert differ(where, written, right) is is_other


def test_what_is_null_is_not_what_is_absent():
    assert [*document_differences({"a": None}, {})] == [
        "a: it says None, which has no place there"
    ]
    assert [*document_differences({}, {"a": None})] == [
        "a: it is not there, the counts say None"
    ]


def test_lists_of_other_lengths_differ_as_a_whole():
    (place,) = document_differences({"a": [1]}, {"a": [1, 2]})
    assert place.startswith("a: it says [1]")


def a_count(lines):
    lines[2][3] += 1


def a_type(lines):
    lines[1][2] = str(lines[1][2])


def a_label_and_a_difference(lines):
    lines[0][0], lines[-1][-1] = "Law", "1/7"


def a_line_missing(lines):
    del lines[1]


def two_lines_swapped(lines):
    lines[0], lines[1] = lines[1], lines[0]


def nothing(lines):
    pass


@pytest.mark.parametrize("block", [1, 3, 100])
@pytest.mark.parametrize(
    "forge",
    [nothing, a_count, a_type, a_label_and_a_difference, a_line_missing, two_lines_swapped],
)
def test_tables_differ_where_their_lines_do(monkeypatch, forge, block):
    for where in ("partition_table", "recorded_table"):
        monkeypatch.setattr(f"evenhand.evidence.{where}.BLOCK", block)
    examined = examined_counts(datasets.admissions(2), QUESTION)
    right = PartitionTable(Partition.of(examined, ["major", "test_score"]))
    written = json.loads(json.dumps(right.lines()))
    forge(written)
    by_column = RecordedTable.of(written, 2, 4)
    assert (by_column is None) == (forge is a_type)
    for table in (written, by_column or written):
        found = [*document_differences({"table": table}, {"table": right})]
        assert found == [*document_differences({"table": written}, {"table": right.lines()})]
        assert bool(found) == (forge is not nothing)
