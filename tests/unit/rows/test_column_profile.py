"""What a column holds: its kind, its values, what is missing, classes of its numbers."""

from collections import Counter

import numpy as np
import pytest

from evenhand import CountTable
from evenhand.counts.count_table import Attribute, code_type
from evenhand.rows.inspect.column_profile import (
    ColumnKind,
    are_comma_numbers,
    profile_column,
    suggest_classes,
)

MANY = 400


def as_rows(**columns):
    """A table with one line for each row, in their order."""
    attributes, codes = [], []
    for name, labels in columns.items():
        values = tuple(dict.fromkeys(labels))
        attributes.append(Attribute(name, values))
        codes.append(np.array([values.index(v) for v in labels], code_type(len(values))))
    counts = np.ones(len(codes[0]), np.int64)
    return CountTable(tuple(attributes), tuple(codes), counts)


def profile(labels, *, name="x", **asked):
    return profile_column(as_rows(**{name: [str(label) for label in labels]}), name, **asked)


RANDOM = np.random.default_rng(3)
SHUFFLED = RANDOM.permutation(np.arange(100_000, 100_000 + 97 * MANY, 97))
KINDS = [
    (["a", "b"] * MANY, "category"),
    (["0", "1"] * MANY, "category"),
    (["yes", "(missing)"] * MANY, "category"),
    (["x"] * MANY, "constant"),
    (["(missing)"] * MANY, "constant"),
    (range(MANY), "identifier"),
    (range(MANY, 0, -1), "identifier"),
    (np.cumsum(RANDOM.integers(1, 900, MANY)), "identifier"),
    (SHUFFLED, "identifier"),  # nearly unique whole numbers
    (SHUFFLED * 10, "number"),  # rounded
    (RANDOM.normal(0, 10**6, MANY).astype(int), "number"),  # shaped like a measurement
    ([*RANDOM.normal(0, 1, MANY), "?", "NULL", "unknown"], "number"),
    (RANDOM.normal(0, 1, MANY), "number"),
    ([1, 2, 3] * MANY, "number"),
    ([*range(20), "?", "(missing)"] * 30, "number"),
    ([*range(20), "n/a", "nan"] * 30, "number"),
    ([*range(20), "unknown"] * 30, "number"),
    ([*range(20), "some"] * 30, "category"),
    ([f"{number:03}" for number in range(20)] * 30, "category"),
    (["1_000", "2_000", "3_000"] * 30, "category"),
    (["inf", "1", "2"] * 30, "category"),
    ([f"p{number}" for number in range(MANY)], "identifier"),
    ([f"Ann Smith {number}" for number in range(MANY)], "free text"),
    ([f"2020-01-{1 + at % 28:02}" for at in range(MANY)], "date"),
    ([f"{1 + at % 28}/{1 + at % 12}/2021" for at in range(MANY)], "date"),
    ([f"2020-01-{1 + at % 28:02} 10:00:00" for at in range(MANY)], "date"),
    ([*(f"{1 + at % 28}.12.99" for at in range(MANY)), "NA"], "date"),
    (["10-19", "20-29", "30-39"] * 30, "category"),
    (["a", "b", "c"], "category"),
]


@pytest.mark.parametrize(("labels", "kind"), KINDS)
def test_the_kind_of_a_column(labels, kind):
    assert profile(labels).kind == kind


@pytest.mark.parametrize("name", ["case_id", "CaseID", "personNr", "id", "case number"])
def test_a_name_tells_an_identifier_from_a_measurement(name):
    assert profile(SHUFFLED, name=name).kind is ColumnKind.IDENTIFIER
    assert profile(RANDOM.normal(0, 1, MANY), name=name).kind is ColumnKind.NUMBER
    assert profile([1, 2, 3] * MANY, name=name).kind is ColumnKind.NUMBER


@pytest.mark.parametrize("name", ["salary", "loanAmount", "total_debt"])
def test_a_name_tells_a_measurement_from_an_identifier(name):
    assert profile(SHUFFLED, name=name).kind is ColumnKind.NUMBER


def test_names_that_repeat_are_identifiers_where_the_column_says_so():
    names = [f"Ann S{at}" for at in RANDOM.integers(0, 90, MANY)]
    assert profile(names, name="last_name").kind is ColumnKind.IDENTIFIER
    assert profile(names, name="town").kind is ColumnKind.CATEGORY
    assert profile(["a", "b"] * 30, name="name").kind is ColumnKind.CATEGORY


@pytest.mark.parametrize("values", [3, 13, 40, 400])
def test_the_most_frequent_values_are_those_of_a_counter(values):
    labels = [str(v) for v in np.random.default_rng(values).integers(0, values, 2000) ** 2]
    result = profile(labels)
    often = Counter(labels)
    assert [rows for _, rows in result.frequent] == sorted(often.values(), reverse=True)[:12]
    assert dict(result.frequent).items() <= often.items()
    assert result.distinct == len(often)


def test_what_is_missing_and_what_looks_so_is_counted_apart():
    result = profile([*range(15)] * 4 + ["(missing)"] * 7 + ["?"] * 2 + [" N/A "] * 3)
    assert result.missing == 7
    assert dict(result.markers) == {"?": 2, " N/A ": 3}
    assert result.distinct == 17
    assert result.needs_classes
    assert sum(result.suggested.rows) == 60


def test_few_numbers_need_no_classes():
    assert not profile([*range(12)] * 30).needs_classes
    assert profile([*range(13)] * 30).needs_classes


AGES = RANDOM.permutation(np.repeat(np.arange(300), 3))


def test_five_quantile_classes_are_suggested_first():
    result = profile(AGES)
    assert len(result.suggested.rows) == 5
    assert [len(one.rows) for one in result.classes] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("second", "classes"), [(AGES % 2, 5), (AGES >= 150, 2), (AGES == 0, 2), (AGES < 180, 2)]
)
def test_classes_are_fewer_where_they_would_part_the_groups(second, classes):
    result = profile(AGES, groups=np.asarray(second, np.intp))
    assert len(result.suggested.rows) == classes


@pytest.mark.parametrize(
    ("labels", "perhaps"),
    [
        ([*range(20), 999] * 4, {"999": 4}),
        ([*range(20), -1] * 4, {"-1": 4}),
        ([*range(20), -1, -2] * 4, {}),  # a scale that goes on
        ([*range(80), 99] * 4, {}),  # an age
        (["a", "b", "Unknown"] * 30, {"Unknown": 30}),
        ([*range(20), "unknown"] * 4, {}),  # among numbers it is missing
    ],
)
def test_what_may_stand_for_a_missing_value_is_counted_and_never_classed(labels, perhaps):
    result = profile(labels)
    assert dict(result.perhaps_missing) == perhaps
    if result.classes:
        known = [one for one in labels if str(one) not in perhaps and one != "unknown"]
        assert sum(result.suggested.rows) == len(known)


def test_a_profile_is_plain_data():
    content = profile([*range(15)] * 4).to_dict()
    assert content["kind"] == "number"
    assert content["frequent"][0] == {"value": "0", "rows": 4}
    assert content["classes"][0] == {"cuts": [5], "rows": [24, 36]}


def suggested(numbers):
    return [*suggest_classes(np.asarray(numbers, float), np.ones(len(numbers), np.int64))]


@pytest.mark.parametrize("seed", range(8))
def test_quantile_classes_are_of_about_equal_size(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 5000, 4000)
    for suggestion in suggested(numbers):
        classes = len(suggestion.rows)
        assert sum(suggestion.rows) == 4000
        assert all(abs(n - 4000 / classes) <= 0.41 * 4000 / classes for n in suggestion.rows)
        assert {*suggestion.cuts} <= {*numbers.tolist()}
        edges = [float(cut) for cut in suggestion.bins.cuts]
        assert suggestion.rows == tuple(
            np.bincount([sum(n > e for e in edges) for n in numbers], minlength=classes)
        )


def test_a_number_that_most_rows_have_gets_a_class_of_its_own():
    few, many = np.arange(1, 21), np.zeros(980, int)
    assert [s.cuts for s in suggested(np.concatenate([few, many]))] == [[0]]
    assert [s.cuts for s in suggested(np.concatenate([few, many + 21]))] == [[20]]


def test_a_number_of_most_rows_between_others_is_cut_off_on_both_sides():
    months = [180] * 140 + [300] * 116 + [360] * 1695 + [480] * 38  # terms of mortgages
    two, three, *_ = suggested(np.array(months))
    assert (two.cuts, two.rows) == ([300], (256, 1733))
    assert (three.cuts, three.rows) == ([300, 360], (256, 1695, 38))


def test_cuts_are_written_as_a_person_would():
    (two, *_) = suggested(np.arange(0, 100) / 100)
    assert two.cuts == ["0.5"]
    assert two.to_dict()["cuts"] == ["0.5"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("0,5 12 -3,25", True),
        ("1,200 1,200,000", True),
        ("?  0,5", True),
        ("0.5 12", False),
        ("1,a 0,5", False),
        ("a,b", False),
        ("12,", False),
        ("", False),
    ],
)
def test_what_counts_as_a_number_with_a_comma(values, expected):
    assert are_comma_numbers(values.split(" ")) is expected
