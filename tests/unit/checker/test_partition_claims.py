"""Partitions: differences, coverage, verdicts, chance and digests."""

import hashlib
import json
from fractions import Fraction
from math import comb
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.certificate_records import CERTIFICATE, compared, forged, verify

from evenhand import checker
from evenhand.checker import partition_claims
from evenhand.checker.graph_claims import RecordedGraph
from evenhand.checker.partition_claims import (
    chance_numbers,
    digest,
    judge,
    reach_probability,
    read_table,
)
from evenhand.checker.verification import overall_verdict, shared_verdict
from evenhand.evidence.statistics.expected_by_chance import reach_probabilities


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


def test_a_truth_value_is_no_count_though_it_equals_that_of_another_line():
    lines = [["x", 1, 2, 3, 4, "0"], ["y", True, 2, 3, 4, "0"]]
    with pytest.raises(ValueError, match="'y', True, 2, 3, 4, '0'] is no subpopulation"):
        read_table({"names": ["x"], "table": lines}, compared())


YES, OPEN, NO = "certified", "cannot decide", "not certified"
CLOSED = RecordedGraph(["c", "e"], {("c", "e")}, [], ["c"], "e")
UNDIRECTED = RecordedGraph(["c", "e", "x"], {("c", "e")}, [["e", "x"]], ["c"], "e")


def verdict(graph, verdicts, *, causes=1, complete=True, asked="causes", written=NO):
    record = {"scope": {"asked": asked}, "verdict": written}
    entries = [{"verdict": one} for one in verdicts]
    return overall_verdict(record, graph, entries, causes=causes, complete=complete)


@pytest.mark.parametrize(
    ("graph", "verdicts", "settings", "right"),
    [
        (CLOSED, [YES], {}, YES),
        (CLOSED, [OPEN], {}, OPEN),
        (CLOSED, [NO], {}, NO),
        (CLOSED, [YES, OPEN], {}, OPEN),
        (CLOSED, [OPEN, NO, YES], {}, NO),
        # where sets are missing nothing is certified
        (CLOSED, [YES], {"complete": False}, OPEN),
        (CLOSED, [NO], {"complete": False}, NO),
        (UNDIRECTED, [NO, YES], {"causes": 2}, OPEN),
        (UNDIRECTED, [NO, NO], {"causes": 2}, NO),
        # with open edges a block set need not be one in every graph: both can be true
        (UNDIRECTED, [YES, NO], {"asked": "all", "written": OPEN}, OPEN),
        (UNDIRECTED, [YES, NO], {"asked": "all", "written": NO}, NO),
    ],
)
def test_the_worst_verdict_counts_unless_graphs_differ(graph, verdicts, settings, right):
    assert verdict(graph, verdicts, **settings) == right


@pytest.mark.parametrize(
    ("lines", "sets", "rule", "release", "right"),
    [
        (NO, [["a"]], [], False, NO),
        (NO, [["a"], ["b"]], [], False, "withheld"),
        (NO, [["a"]], ["a"], False, "withheld"),
        (YES, [["a"]], [], False, "withheld"),
        (YES, [["a"], ["b"]], [], True, OPEN),
        (YES, [["a"]], ["a"], True, OPEN),
    ],
)
def test_a_shared_copy_says_what_its_lines_show_where_the_causes_are_known(
    lines, sets, rule, release, right
):
    record = {"rules": {"declared": rule}} | ({"release": {}} if release else {})
    assert shared_verdict(record, {"verdict": lines}, sets, OPEN) == right


SIZES = st.integers(1, 40)
THRESHOLDS = st.fractions(Fraction(1, 1000), Fraction(99, 100), max_denominator=1000)


@given(SIZES, SIZES, st.data(), THRESHOLDS)
def test_the_probability_is_that_of_all_tables_with_these_totals(group, other, data, threshold):
    favorable = data.draw(st.integers(0, group + other))
    ways = {
        yes: comb(group, yes) * comb(other, favorable - yes)
        for yes in range(max(0, favorable - other), min(group, favorable) + 1)
    }
    reaching = sum(
        number
        for yes, number in ways.items()
        if abs(Fraction(favorable - yes, other) - Fraction(yes, group)) >= threshold
    )
    right = float(Fraction(reaching, comb(group + other, favorable)))
    assert reach_probability(group, other, favorable, threshold) == pytest.approx(
        right, rel=1e-13, abs=0
    )


@pytest.mark.parametrize("rows", [(40_000, 60_000, 5_000), (300, 9_000_000, 4_000_000)])
def test_of_many_rows_it_is_what_the_engine_says(rows):
    group, other, favorable = rows
    threshold = Fraction(1, 150)
    engine = reach_probabilities(*map(np.array, ([favorable], [group], [other])), threshold)
    found = reach_probability(group, other, favorable, threshold)
    assert found == pytest.approx(engine[0], rel=1e-9)
    assert found > 0


ONE = ((1, 1), (1, 1))
NONE = {"y": ((2, 3), (0, 0)), "z": ((0, 0), (1, 0))}


@pytest.mark.parametrize(
    ("table", "least", "expected", "rows"),
    [
        *(({"x": ONE, **NONE}, least, 1 / 3, 4 / 3) for least in (1, 2)),
        ({"x": ONE, **NONE}, 3, 0, 0),
        ({"x": ONE, "y": ONE, "z": ((2, 0), (0, 2))}, 1, 1, 4),
        *(({"x": ((1, 0), (0, 1))}, least, 2 - least, 4 - 2 * least) for least in (1, 2)),
    ],
)
def test_what_chance_makes_is_added_up_over_lines_with_enough_rows(
    table, least, expected, rows
):
    found = chance_numbers({(one,): n for one, n in table.items()}, Fraction(1, 20), least)
    assert found == {"expected": expected, "rows": rows}


def test_a_chance_too_small_to_be_written_is_not_false():
    written = {"expected": "0", "rows": "0", "p": "1"}
    written |= {"lower": 0, "upper": 0}
    table = {("x",): ((50_000, 50_000), (50_000, 50_000))}
    numbers = chance_numbers(table, Fraction(1, 20))
    assert 0 < numbers["expected"] < numbers["rows"] < 1e-15
    assert partition_claims.right_chance(written, table, compared()) == written


@pytest.mark.parametrize(("people", "is_written"), [(27, True), (28, False)])
def test_a_chance_is_too_small_to_be_written_under_a_thousand_million_millionth(
    people, is_written
):
    """All women are hired and no man, or the reverse: two of C(2n, n) ways."""
    written = {"expected": "0", "rows": "0", "p": "1"}
    written |= {"lower": 0, "upper": 0}
    right = partition_claims.right_chance(
        written, {("x",): ((people, 0), (0, people))}, compared(threshold="99/100")
    )
    chance = 2 / comb(2 * people, people)
    assert (chance > 1.01e-15) == is_written
    expected = {"expected": f"{chance:.12g}", "rows": f"{2 * people * chance:.12g}"}
    assert right == written | (expected if is_written else {})


def test_ten_million_rows_are_worked_out_and_not_one_more():
    assert not partition_claims.has_too_many_rows({("x",): ((10**7 - 1, 0), (0, 1))})
    assert partition_claims.has_too_many_rows({("x",): ((10**7, 0), (0, 1))})


def test_with_too_many_rows_the_numbers_are_taken_as_they_are(monkeypatch):
    monkeypatch.setattr(partition_claims, "MOST_ROWS", 400)
    expected = json.loads(CERTIFICATE.to_json())["partitions"][0]["subpopulations"]["by_chance"]

    def change(document):
        assert document["partitions"][0]["subpopulations"]["by_chance"] == expected
        document["partitions"][0]["subpopulations"]["by_chance"]["expected"] = "1"

    assert forged(change) == (0, [])
    assert checker.verify(CERTIFICATE.to_json()).stated["by_chance"].startswith("all of it")


def test_groups_with_few_rows_take_no_part_in_what_chance_makes():
    """Two of a kind in each group: one third of all ways puts a difference there."""
    written = {"expected": "0", "rows": "0", "p": "1"}
    written |= {"lower": 0, "upper": 0}
    table = {("x",): ((1, 1), (1, 1)), ("y",): ((1, 0), (4, 4))}
    right = partition_claims.right_chance(written, table, compared(min_rows=2))
    assert right == written | {"expected": "0.333333333333", "rows": "1.33333333333"}


def test_any_change_breaks_the_seal():
    document = json.loads(CERTIFICATE.to_json())
    document["assumptions"][0] = "None."
    status, notes = verify(json.dumps(document))
    assert (status, len(notes)) == (1, 1)
    assert notes[0].startswith("seal: ")


labels = st.text(st.sampled_from('ab"\\/ ,]%\t\x01éﬀ😀'), max_size=3)
PERCENT = {"group": "50%s", "groups": ["50%s", "m"], "favorable": "%d"}


@pytest.mark.parametrize("block", [1, 2**16])
@given(
    st.dictionaries(st.tuples(labels, labels), st.lists(st.integers(0, 11), min_size=4)),
    st.permutations(["a", "sex", "x"]),
)
def test_the_lines_are_sorted_as_text_wherever_the_groups_stand(block, table, columns):
    first, decision, second = columns[0], "h", columns[1]
    asked = compared(protected=columns[2], decisions=["%d", "%%"], **PERCENT)
    table = {people: ((*n[:2],), (*n[2:4],)) for people, n in table.items()}
    lines = [
        [dict(zip(columns, (*people, group), strict=True)) | {decision: kind}, n[at][to]]
        for people, n in table.items()
        for at, group in enumerate(asked.groups)
        for to, kind in enumerate(asked.kinds)
    ]
    texts = [
        json.dumps([*(values[name] for name in sorted(values)), many], ensure_ascii=False)
        for values, many in lines
        if many
    ]
    text = "\n".join([json.dumps(sorted([*columns, decision])), *sorted(texts)])
    right = hashlib.sha256(text.encode()).hexdigest()
    with patch("evenhand.checker.partition_claims.BLOCK", block):
        assert digest(asked, decision, [first, second], table) == right
