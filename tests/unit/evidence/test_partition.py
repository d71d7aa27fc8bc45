"""Partitions: counts by subpopulation, coverage, what is measured."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from evenhand import CountTable, Question, examined_counts
from evenhand.errors import ColumnError
from evenhand.evidence import Partition

QUESTION = Question(protected="sex", group="f", decision="hired", favorable="yes")


def counted(lines):
    columns = {
        name: [line[at] for line in lines] for at, name in enumerate(("sex", "job", "hired"))
    }
    return CountTable.of(columns, [line[3] for line in lines])


COUNTS = counted(
    [
        ("f", "cook", "yes", 3), ("f", "cook", "no", 1), ("m", "cook", "yes", 1),
        ("m", "cook", "no", 1), ("m", "guard", "yes", 4), ("f", "maid", "no", 5),
        ("f", "maid", "waiting", 2),
    ]
)  # fmt: skip


def test_each_subpopulation_has_its_four_counts():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    cells = np.stack(partition.cells).T.tolist()
    assert [(partition.where(at), cells[at]) for at in range(3)] == [
        ({"job": "cook"}, [3, 1, 1, 1]),
        ({"job": "guard"}, [0, 0, 4, 0]),
        ({"job": "maid"}, [0, 7, 0, 0]),
    ]


@pytest.mark.paper("sec:md")
def test_unmeasured_subpopulations_have_no_difference():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    assert [partition.risk_difference(at) for at in range(3)] == [Fraction(-1, 4), None, None]
    assert partition.measured.tolist() == [True, False, False]


def test_coverage_is_of_all_rows_and_of_each_group():
    coverage = Partition.of(examined_counts(COUNTS, QUESTION), ["job"]).coverage
    assert coverage.overall == Fraction(6, 17)
    assert coverage.group == Fraction(4, 11)
    assert coverage.other == Fraction(2, 6)


def test_nobody_apart_is_one_subpopulation():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), [])
    assert len(partition) == 1
    assert partition.where(0) == {}
    assert partition.risk_difference(0) == Fraction(5, 6) - Fraction(3, 11)


def test_many_valued_decisions_are_favorable_or_not():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    assert partition.group_no.tolist() == [1, 0, 7]


def test_an_unknown_attribute_is_refused():
    with pytest.raises(ColumnError, match="'jobs'"):
        Partition.of(examined_counts(COUNTS, QUESTION), ["jobs"])


def test_counts_cannot_be_changed():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    with pytest.raises(ValueError, match="read-only"):
        partition.group_yes[0] = 9


def test_the_least_likely_comes_first_and_of_equals_the_one_with_more_rows():
    """Four jobs differ; p and rows decide, the order of the names only between equals."""
    jobs = {"a": 20, "b": 40, "c": 30, "d": 40, "e": 10}
    lines = [
        (sex, job, decision, rows)
        for job, rows in jobs.items()
        for sex, decision in (("f", "no"), ("m", "no" if job == "e" else "yes"))
    ]
    partition = Partition.of(examined_counts(counted(lines), QUESTION), ["job"])
    p = np.array([0.5, 0.5, 0.1, 0.5, 0.0])
    vars(partition)["statistics"] = SimpleNamespace(p_threshold=p)
    order = [partition.where(line)["job"] for line in partition.by_strength]
    assert order == sorted("abcd", key=lambda job: (p["abcde".index(job)], -jobs[job], job))
    assert order == ["c", "b", "d", "a"]
