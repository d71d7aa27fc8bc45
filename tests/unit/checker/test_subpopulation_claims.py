"""Differences, coverage and verdicts of a partition."""

import json

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import compared, forged, verify

from evenhand import datasets
from evenhand.checker.partition_claims import judge, read_table
from evenhand.evidence import certify


def test_a_moved_count_is_false_though_all_totals_stay():
    def change(document):
        table = document["partitions"][0]["table"]
        table[0][2], table[0][3] = table[0][2] + 1, table[0][3] - 1

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("partitions[0].table[0][6]: it says '-1/10'") for note in notes)


@pytest.mark.parametrize("text", ["2/40", " 1/20", "1/20 ", "٠1/20", "1/2_0", "0.05", "+1/20"])
@pytest.mark.parametrize("name", ["threshold", "min_coverage"])
def test_a_share_has_one_spelling(name, text):
    status, notes = forged(lambda document: document["question"].update({name: text}))
    assert (status, notes[0].split(":")[0]) == (1, "malformed")


def test_a_row_that_stands_twice_is_false():
    def change(document):
        document["partitions"][0]["table"].append(document["partitions"][0]["table"][0])

    status, notes = forged(change)
    assert status == 1
    assert notes[0].startswith("partitions[0].table")


def false_for_zero(document):
    document["partitions"][0]["subpopulations"]["above"] = False


def an_empty_line(document):
    document["partitions"][0]["table"].append(["ME", "H", 0, 0, 0, 0, None])
    document["partitions"][0]["subpopulations"]["occupied"] += 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("threshold", "1"),
        ("threshold", "0"),
        ("min_coverage", "3/2"),
        ("min_coverage", "-1/2"),
    ],
)
def test_a_threshold_or_coverage_out_of_range_is_malformed(name, text):
    status, notes = forged(lambda document: document["question"].update({name: text}))
    assert status == 1
    assert "out of range" in notes[0]


@pytest.mark.parametrize("place", [2, 3, 4, 5])
@pytest.mark.parametrize("count", [-1, "1", None, True])
def test_a_count_that_is_none_is_malformed(count, place):
    def change(document):
        document["partitions"][0]["table"][0][place] = count

    status, notes = forged(change)
    assert status == 1
    assert "is no subpopulation" in notes[0]


@pytest.mark.parametrize("forgery", [false_for_zero, an_empty_line])
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes


def test_a_line_of_nobody_is_no_subpopulation_whatever_difference_it_claims():
    lines = [["a", 0, 0, 0, 0, "1/2"], ["b", 0, 0, 0, 1, None]]
    entry = {"names": ["x"], "table": lines}
    assert read_table(entry, compared()) == {("b",): ((0, 0), (0, 1))}


def judged(*counts, **asked):
    lines = {(str(at),): ((*four[:2],), (*four[2:],)) for at, four in enumerate(counts)}
    return judge(lines, compared(**asked))


def test_a_difference_of_just_the_threshold_reaches_it():
    assert judged((240, 360, 90, 110))["subpopulations"]["above"] == 1
    assert judged((90, 110, 240, 360))["subpopulations"]["below"] == 1
    assert judged((241, 359, 90, 110))["verdict"] == "certified"


def test_lines_of_the_same_counts_are_judged_each():
    found = judged((3, 1, 1, 1), (1, 0, 0, 0), (3, 1, 1, 1), (1, 1, 1, 0), (1, 0, 0, 0))
    numbers = {"above": 1, "below": 2, "violating": 3, "occupied": 5, "measured": 3}
    assert (found["subpopulations"], found["evidence"]) == (numbers, [0, 2, 3])
    assert found["coverage"] == {"rows": "15/17", "groups": ["5/6", "1"]}
    assert [line[0] for line in found["table"]] == ["0", "1", "2", "3", "4"]


def test_coverage_of_just_the_least_is_enough():
    """Of the group 90 of 100 can be compared, of the others all."""
    even, alone = (45, 45, 50, 50), (5, 5, 0, 0)
    found = judged(even, alone)
    assert (found["verdict"], found["coverage"]["groups"]) == ("certified", ["9/10", "1"])
    assert judged(even, alone, min_coverage="91/100")["verdict"] == "cannot decide"
    others = judged((50, 50, 45, 45), (0, 0, 5, 5))
    assert (others["verdict"], others["coverage"]["groups"]) == ("certified", ["1", "9/10"])


def test_where_nobody_is_compared_no_coverage_is_enough():
    assert judged((5, 5, 0, 0), min_coverage="0")["verdict"] == "cannot decide"
    assert judged((5, 5, 5, 5), min_coverage="0")["verdict"] == "certified"
    assert judged((5, 5, 5, 5), min_coverage="1")["verdict"] == "certified"


@pytest.mark.parametrize("threshold", ["1/1000000", "999999/1000000"])
def test_thresholds_near_the_bounds_are_in_range(threshold):
    assert judged((5, 5, 5, 5), threshold=threshold)["verdict"] == "certified"


def test_several_groups_are_judged_pair_by_pair():
    """Rates of a, b, c: 1/2, 1/2, 1/5 in the first place; c alone in the third."""
    asked = compared(group=None, other=None, groups=["a", "b", "c"], min_rows=2)
    table = {
        ("p",): ((2, 2), (1, 1), (1, 4)),
        ("q",): ((3, 1), (1, 0), (3, 1)),
        ("r",): ((0, 0), (0, 0), (2, 1)),
    }
    found = judge(table, asked)
    assert found["table"] == [
        ["p", 2, 2, 1, 1, 1, 4, "-3/10"],
        ["q", 3, 1, 1, 0, 3, 1, "0"],
        ["r", 0, 0, 0, 0, 2, 1, None],
    ]
    assert found["subpopulations"] == {
        "above": 0, "below": 2, "comparisons": 4, "violating": 1, "occupied": 3, "measured": 2,
    }  # fmt: skip
    assert found["coverage"] == {"rows": "20/23", "groups": ["1", "2/3", "3/4"]}
    assert (found["evidence"], found["verdict"]) == ([0], "not certified")


def test_the_first_of_two_differences_of_the_same_size_is_written():
    asked = compared(group=None, other="b", groups=["a", "b", "c"])
    (line,) = judge({("p",): ((1, 1), (1, 0), (0, 1))}, asked)["table"]
    assert line[-1] == "1"
    (line,) = judge({("p",): ((1, 3), (1, 1), (3, 1))}, asked)["table"]
    assert line[-1] == "1/4"
    (line,) = judge({("p",): ((3, 1), (1, 1), (1, 3))}, asked)["table"]
    assert line[-1] == "-1/4"


def test_a_line_that_is_written_right_is_taken_itself():
    table = {("p",): ((1, 1), (1, 0)), ("q",): ((1, 1), (1, 1)), ("r",): ((1, 0), (0, 0))}
    written = [["p", 1, 1, 1, 0, "1/2"], ["q", 1, 1, 1, 1, "1/2"], ["r", 1, 0, 0, 0, None]]
    first, second, third = judge(table, compared(), written)["table"]
    assert (first is written[0], third is written[2]) == (True, True)
    assert judge(table, compared(), written[:2])["table"][2] == third
    assert (second, third) == (["q", 1, 1, 1, 1, "0"], ["r", 1, 0, 0, 0, None])


def test_lines_in_another_order_are_not_taken():
    table = {("p",): ((1, 1), (1, 0)), ("q",): ((1, 1), (1, 1))}
    right = [["p", 1, 1, 1, 0, "1/2"], ["q", 1, 1, 1, 1, "0"]]
    assert judge(table, compared(), right[::-1])["table"] == right


def test_equal_labels_of_a_table_are_kept_once():
    lines = json.loads('[["north", "x", 1, 1, 1, 1, "0"], ["north", "y", 1, 1, 1, 1, "0"]]')
    entry = {"names": ["place", "kind"], "table": lines}
    first, second = read_table(entry, compared())
    assert first[0] is second[0] is lines[0][0] is lines[1][0]
    assert lines[1] == ["north", "y", 1, 1, 1, 1, "0"]


def test_equal_counts_of_a_table_are_kept_once():
    lines = [["x", 1, 2, 3, 4, "0"], ["y", 1, 2, 3, 4, "0"], ["z", 1, 2, 4, 3, "0"]]
    first, second, third = read_table({"names": ["x"], "table": lines}, compared()).values()
    assert first is second
    assert (first, third) == (((1, 2), (3, 4)), ((1, 2), (4, 3)))


def test_a_truth_value_is_no_count_though_it_equals_that_of_another_line():
    lines = [["x", 1, 2, 3, 4, "0"], ["y", True, 2, 3, 4, "0"]]
    with pytest.raises(ValueError, match="'y', True, 2, 3, 4, '0'] is no subpopulation"):
        read_table({"names": ["x"], "table": lines}, compared())
