"""Groups sorted and filtered equal plain Python over all of them, and none is read for it."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit, score_audit
from tests.towns import ASKED, table
from tests.towns import GRAPH as TOWNS_GRAPH

import evenhand as eh
from evenhand.errors import QuestionError
from evenhand.evidence import Subpopulations, certify
from evenhand.evidence.group_selection import (
    KINDS,
    ORDERS,
    filter_groups,
    sort_groups,
    tied_lines,
)
from evenhand.question.question_file import Labels

# Women and men, yes and no, by town; in the last two towns one side is absent.
CELLS = {
    "A": (150, 350, 250, 250),
    "B": (1, 29, 29, 1),
    "C": (500, 500, 510, 490),
    "D": (40, 60, 45, 55),
    "E": (4, 6, 5, 5),
    "F": (0, 0, 7, 3),
    "G": (2, 1, 0, 0),
}


def _towns():
    return eh.certify(table(CELLS), TOWNS_GRAPH, ASKED).subpopulations


ALL = {
    "towns": _towns(),
    "admissions": certify(eh.datasets.admissions(2), GRAPH, QUESTION).subpopulations,
    "races": hiring_audit().subpopulations,
    "scores": score_audit(criterion="every").subpopulations,
}
every_table = pytest.mark.parametrize("groups", ALL.values(), ids=ALL)


def _size(people):
    return abs(people.risk_difference or Fraction(0))


def _rows(groups, people):
    """All rows of a group, also of those who are not compared in it."""
    partition = groups.partition
    (line,) = (at for at in range(len(groups)) if partition.where(at) == people.where)
    return int(partition.row_counts[line])


@every_table
def test_strength_is_p_then_rows_of_what_reaches_the_threshold_then_size(groups):
    threshold = groups.partition.question.threshold

    def strength(people):
        absent, size = people.risk_difference is None, _size(people)
        reaches = not absent and size >= threshold
        key = people.p_threshold if reaches else -float(size)
        return absent, not reaches, key, -_rows(groups, people)

    assert [*sort_groups(groups)] == sorted(groups, key=strength)
    evidence = Subpopulations(groups.partition, groups.partition.by_strength)
    assert sort_groups(groups)[: len(evidence)] == evidence


@every_table
def test_difference_size_and_name_are_what_they_say_both_ways(groups):
    by_difference = [one for one in sort_groups(groups, "difference") if one.interval]
    assert all(_size(a) >= _size(b) for a, b in pairwise(by_difference))
    backwards = [one for one in sort_groups(groups, "-difference") if one.interval]
    assert all(_size(a) <= _size(b) for a, b in pairwise(backwards))
    sizes = [_rows(groups, one) for one in sort_groups(groups, "size")]
    assert sizes == sorted(sizes, reverse=True)
    names = [tuple(one.where.values()) for one in sort_groups(groups, "name")]
    assert names == sorted(names)
    assert [tuple(one.where.values()) for one in sort_groups(groups, "-name")] == names[::-1]


@every_table
def test_unmeasured_groups_come_last_by_strength_and_difference(groups):
    for order in ("strength", "-strength", "difference", "-difference"):
        absent = [one.risk_difference is None for one in sort_groups(groups, order)]
        assert absent == sorted(absent)


@every_table
def test_kinds_are_what_they_say(groups):
    threshold = groups.partition.question.threshold
    means = {
        "violating": lambda one: one.interval and _size(one) >= threshold,
        "shown": lambda one: one.shown,
        "measured": lambda one: one.risk_difference is not None,
        "unmeasured": lambda one: one.risk_difference is None,
    }
    for kind, holds in means.items():
        assert [*filter_groups(groups, [kind])] == [one for one in groups if holds(one)]
    assert {*means, "tied"} == {*KINDS}


def test_an_exact_tie_is_one_though_floats_miss_it():
    groups = ALL["admissions"]
    tied = [one for one in groups if _size(one) == Fraction(1, 20)]
    assert [*filter_groups(groups, ["tied"])] == tied
    assert [one.where for one in tied] == [{"major": "EE", "test_score": "L"}]
    assert 0.45 - 0.40 < 0.05
    near = eh.Question(**_asked(threshold="0.0500000000001"))
    moved = certify(eh.datasets.admissions(2), GRAPH, near).partition
    assert not tied_lines(moved).any()


def _asked(**changes):
    return {
        "protected": "gender",
        "group": "female",
        "decision": "admission",
        "favorable": "admitted",
        **changes,
    }


def test_a_value_and_words_select_by_any_attribute():
    groups = ALL["admissions"]
    chosen = filter_groups(groups, ["major=EE"])
    assert {one.where["major"] for one in chosen} == {"EE"}
    assert len(chosen) == 2
    labels = Labels(values={"major": {"EE": "Electrical Engineering"}})
    assert filter_groups(groups, ["ELECTRIC"], labels) == chosen
    assert len(filter_groups(groups, ["electric"])) == 0
    assert len(filter_groups(groups, ["major=EE", "test_score=L"])) == 1
    assert len(filter_groups(groups, ["major=none"])) == 0
    assert filter_groups(groups, ["ee l", " "], labels) == filter_groups(groups, ["ee"], labels)


def test_an_unknown_order_is_refused_by_name():
    with pytest.raises(QuestionError, match="no order 'age'"):
        sort_groups(ALL["towns"], "age")


def test_no_group_is_read_to_sort_filter_and_take_a_page(monkeypatch):
    """A million groups: what is asked for is found in arrays."""
    read = []
    original = Subpopulations._read
    monkeypatch.setattr(
        Subpopulations, "_read", lambda self, line: read.append(line) or original(self, line)
    )
    groups = ALL["towns"]
    for order in ORDERS:
        page = sort_groups(filter_groups(groups, ["measured", "town"]), f"-{order}")[:3]
        assert not read, order
    assert isinstance(page.lines, np.ndarray)
    assert len([*page]) == len(read) == 3
