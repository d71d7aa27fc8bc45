"""Subpopulations as people meet them: rows, tables, text."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit, score_audit
from tests.towns import ASKED, table
from tests.towns import GRAPH as TOWNS_GRAPH

import evenhand as eh
from evenhand import CausalGraph, CountTable, Question, datasets
from evenhand.display import points
from evenhand.errors import QuestionError
from evenhand.evidence import Subpopulations, certify
from evenhand.evidence.subpopulations import (
    KINDS,
    ORDERS,
    p_value,
)
from evenhand.question.display_labels import Labels, group_heading

CERTIFICATE = certify(datasets.admissions(2), GRAPH, QUESTION)
HALF = Fraction(1, 20)


@pytest.mark.paper("tab:contingencyTable")
def test_a_subpopulation_knows_its_people():
    found = CERTIFICATE.subpopulations[3]
    assert found.where == {"major": "EE", "test_score": "L"}
    assert (found.group_yes, found.group, found.other_yes, found.other) == (240, 600, 90, 200)
    assert found.row_count == 800
    assert found.to_dict()["risk_difference"] == "1/20"
    assert found.to_dict()["group"] == {"favorable": 240, "total": 600}


def test_subpopulations_are_a_sequence():
    assert [found.row_count for found in CERTIFICATE.subpopulations[1:3]] == [600, 400]
    assert CERTIFICATE.subpopulations[-1] == list(CERTIFICATE.subpopulations)[-1]
    assert CERTIFICATE.subpopulations == CERTIFICATE.subpopulations[:]
    assert "4 subpopulations" in repr(CERTIFICATE.subpopulations)


def test_evidence_comes_strongest_first():
    p = [found.p_threshold for found in CERTIFICATE.evidence]
    assert p == sorted(p)


def test_tables_of_every_kind_hold_the_same():
    arrow = CERTIFICATE.subpopulations.to_arrow()
    assert arrow.column("risk_difference").to_pylist() == [-0.1, 0.06, -0.1, 0.05]
    pandas = CERTIFICATE.subpopulations.to_pandas()
    polars = CERTIFICATE.subpopulations.to_polars()
    assert pandas["group_yes"].tolist() == polars["group_yes"].to_list() == [150, 135, 180, 240]
    assert polars.columns == arrow.column_names == list(pandas.columns)
    assert arrow.column("reaches").to_pylist() == [True] * 4


def test_a_table_says_null_where_nothing_is_measured():
    counts = datasets.admissions(2)
    only_men = counts.without("major", ["EE"])
    lines = {
        name: [labels[at] for labels, _ in only_men] for at, name in enumerate(counts.names)
    }
    lines["major"].append("PE")
    for name, value in (("gender", "male"), ("test_score", "L"), ("admission", "admitted")):
        lines[name].append(value)
    more = type(counts).of(lines, [*(count for _, count in only_men), 7])
    certificate = certify(more, GRAPH, QUESTION)
    table = certificate.subpopulations.to_arrow().to_pylist()
    assert table[-1]["major"] == "PE"
    assert table[-1]["risk_difference"] is table[-1]["p_zero"] is table[-1]["shown"] is None
    (alone,) = certificate.unmeasured
    assert alone.risk_difference is alone.interval is alone.p_threshold is None
    assert not alone.shown
    assert "unmeasured" in str(certificate.unmeasured)


def test_the_text_shows_counts_differences_and_intervals():
    text = str(CERTIFICATE.evidence)
    assert "240 of 600" in text
    assert "90 of 200" in text
    assert "−2.8 to 12.9" in text


def test_html_escapes_what_it_shows():
    counts = datasets.admissions(2).recoded("major", {"CS": "<i>&"})
    html = certify(counts, GRAPH, QUESTION)._repr_html_()
    assert "&lt;i&gt;&amp;" in html
    assert "<i>" not in html


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        ("0.0498", "4.98"),
        ("0.049998", "4.99"),
        ("-0.0499999", "−4.99"),
        ("0.05", "5.0"),
        ("0.0502", "5.0"),
        ("0.0449", "4.5"),
        ("0", "0.0"),
        ("-0.0001", "0.0"),
        ("-0.062", "−6.2"),
    ],
)
def test_no_difference_is_rounded_across_the_threshold(difference, text):
    assert points(Fraction(difference), threshold=HALF) == text


def test_a_difference_above_an_odd_threshold_is_not_rounded_below_it():
    assert points(Fraction("0.0504"), threshold=Fraction("0.0503")) == "5.04"
    assert points(Fraction("0.012345"), threshold=HALF, digits=2) == "1.23"
    assert points(Fraction("0.049998"), threshold=Fraction(1, 20), digits=2) == "4.999"
    assert points(Fraction("0.0500002"), threshold=Fraction(1, 20), digits=2) == "5.00"


@pytest.mark.parametrize(
    ("p", "text"), [(1e-9, "< 0.001"), (0.0123, "0.012"), (0.5, "0.50"), (None, "")]
)
def test_p_values_have_the_digits_they_deserve(p, text):
    assert p_value(p) == text


def test_the_table_marks_what_is_shown():
    columns = {
        "place": ["a"] * 4 + ["b"] * 4,
        "sex": ["f", "f", "m", "m"] * 2,
        "hired": ["yes", "no"] * 4,
    }
    counts = CountTable.of(columns, [100, 900, 600, 400, 5, 5, 6, 4])
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = CausalGraph.parse("sex -> hired; place -> hired")
    first, second = certify(counts, graph, question).evidence.summary().lines
    assert first[-1] == "< 0.001, significant"
    assert "shown" not in second[-1]


def test_a_group_that_is_a_number_or_a_letter_stands_after_its_column():
    question = Question(protected="sex", group="1", decision="hired", favorable="yes")
    assert [group_heading(question, value) for value in ("1", "F", "not 1", "women")] == [
        "sex 1",
        "sex F",
        "not 1",
        "women",
    ]


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

    assert [*groups.sorted_by()] == sorted(groups, key=strength)
    evidence = Subpopulations(groups.partition, groups.partition.by_strength)
    assert groups.sorted_by()[: len(evidence)] == evidence


@every_table
def test_difference_size_and_name_are_what_they_say_both_ways(groups):
    by_difference = [one for one in groups.sorted_by("difference") if one.interval]
    assert all(_size(a) >= _size(b) for a, b in pairwise(by_difference))
    backwards = [one for one in groups.sorted_by("-difference") if one.interval]
    assert all(_size(a) <= _size(b) for a, b in pairwise(backwards))
    sizes = [_rows(groups, one) for one in groups.sorted_by("size")]
    assert sizes == sorted(sizes, reverse=True)
    names = [tuple(one.where.values()) for one in groups.sorted_by("name")]
    assert names == sorted(names)
    assert [tuple(one.where.values()) for one in groups.sorted_by("-name")] == names[::-1]


@every_table
def test_unmeasured_groups_come_last_by_strength_and_difference(groups):
    for order in ("strength", "-strength", "difference", "-difference"):
        absent = [one.risk_difference is None for one in groups.sorted_by(order)]
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
        assert [*groups.meeting([kind])] == [one for one in groups if holds(one)]
    assert {*means, "tied"} == {*KINDS}


def test_an_exact_tie_is_one_though_floats_miss_it():
    groups = ALL["admissions"]
    tied = [one for one in groups if _size(one) == Fraction(1, 20)]
    assert [*groups.meeting(["tied"])] == tied
    assert [one.where for one in tied] == [{"major": "EE", "test_score": "L"}]
    assert 0.45 - 0.40 < 0.05
    near = eh.Question(**_asked(threshold="0.0500000000001"))
    moved = certify(eh.datasets.admissions(2), GRAPH, near).partition
    assert not moved.tied.any()


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
    chosen = groups.meeting(["major=EE"])
    assert {one.where["major"] for one in chosen} == {"EE"}
    assert len(chosen) == 2
    labels = Labels(values={"major": {"EE": "Electrical Engineering"}})
    assert groups.meeting(["ELECTRIC"], labels) == chosen
    assert len(groups.meeting(["electric"])) == 0
    assert len(groups.meeting(["major=EE", "test_score=L"])) == 1
    assert len(groups.meeting(["major=none"])) == 0
    assert groups.meeting(["ee l", " "], labels) == groups.meeting(["ee"], labels)


def test_an_unknown_order_is_refused_by_name():
    with pytest.raises(QuestionError, match="no order 'age'"):
        ALL["towns"].sorted_by("age")


def test_no_group_is_read_to_sort_filter_and_take_a_page(monkeypatch):
    """A million groups: what is asked for is found in arrays."""
    read = []
    original = Subpopulations._read
    monkeypatch.setattr(
        Subpopulations, "_read", lambda self, line: read.append(line) or original(self, line)
    )
    groups = ALL["towns"]
    for order in ORDERS:
        page = groups.meeting(["measured", "town"]).sorted_by(f"-{order}")[:3]
        assert not read, order
    assert isinstance(page.lines, np.ndarray)
    assert len([*page]) == len(read) == 3
