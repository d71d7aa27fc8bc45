"""Tables of partitions come back as the counts that were compared."""

import json
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import sealed
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

from evenhand import CountTable, datasets
from evenhand.counts import Attribute
from evenhand.evidence import RecordedCertificate, certify
from evenhand.evidence.recorded_partitions import value_orders
from evenhand.graph import CausalGraph

COUNTS = datasets.admissions(2)


def changed(certificate, change):
    content = json.loads(certificate.to_json())
    change(content)
    return RecordedCertificate.parse(sealed(content))


def test_values_may_stand_in_any_order_that_the_lines_keep():
    columns = {
        "gender": ["female", "male"] * 6,
        "age": ["up to 9", "up to 9", "10", "10", "11 or more", "11 or more"] * 2,
        "admission": ["admitted"] * 6 + ["rejected"] * 6,
    }
    counts = CountTable.of(columns, range(20, 32))
    order = ("up to 9", "10", "11 or more")
    attributes = [
        Attribute(a.name, order if a.name == "age" else a.values) for a in counts.attributes
    ]
    codes = [
        [attribute.values.index(labels[at]) for labels, _ in counts]
        for at, attribute in enumerate(attributes)
    ]
    sorted_by_age = CountTable.build(attributes, map(np.array, codes), counts.counts)
    graph = CausalGraph.parse("gender -> admission; age -> admission")
    certificate = certify(sorted_by_age, graph, QUESTION)
    assert [
        line[0] for line in json.loads(certificate.to_json())["partitions"][0]["table"]
    ] == [*order]
    assert RecordedCertificate.parse(certificate.to_json()).own_differences() == ()


@given(
    st.integers(0, 2).flatmap(
        lambda columns: st.lists(st.tuples(*[st.integers(0, 2)] * columns), max_size=5)
    )
)
def test_an_order_of_values_is_found_if_there_is_one(lines):
    columns = len(lines[0]) if lines else 0
    orders = permutations(range(3))
    possible = [
        keys
        for keys in product([*orders], repeat=columns)
        if all(a < b for a, b in pairwise(placed(lines, keys)))
    ]
    codes = [np.array([line[at] for line in lines], np.int64) for at in range(columns)]
    if not possible:
        with pytest.raises(ValueError, match=r"alike|cycle"):
            value_orders(codes, [3] * columns, len(lines))
        return
    found = value_orders(codes, [3] * columns, len(lines))
    orders = [found.get(at, [0, 1, 2]) for at in range(columns)]
    keys = [[order.index(code) for code in range(3)] for order in orders]
    assert all(a < b for a, b in pairwise(placed(lines, keys)))


def placed(lines, keys):
    """Lines by the places of their values."""
    return [[key[code] for key, code in zip(keys, line, strict=True)] for line in lines]


@pytest.mark.parametrize("name", ["group", "other", "favorable"])
def test_a_table_in_which_nobody_has_a_value_is_false(name):
    def change(content):
        for line in content["partitions"][0]["table"]:
            a, b, c, d = line[-5:-1]
            line[-5:-1] = {
                "group": [0, 0, a + c, b + d],
                "other": [a + c, b + d, 0, 0],
                "favorable": [0, a + b, 0, c + d],
            }[name]

    record = changed(certify(COUNTS, GRAPH, QUESTION), change)
    (place,) = record.own_differences()
    assert place.startswith(f"question.{name}: nobody has")


@pytest.mark.parametrize(
    ("name", "question", "place"),
    [
        ("pairs", {"groups": ["a", "b"]}, "question.groups"),
        ("pairs", {"groups": ["a", "b", "c", "d"]}, "The table"),
        ("pairs", {"group": "a", "other": "b"}, "question.groups"),
        ("pairs", {"decisions": ["High", "not Low"]}, "question.decisions"),
        ("pairs", {"decisions": ["Low", "not Low", "x"]}, "question.decisions"),
        ("pairs", {"min_rows": 40}, "partitions[0]"),
        ("reference", {"other": "d"}, "question.groups"),
        ("reference", {"order": ["Low", "High"]}, "question.decisions"),
        ("crossed", {"protected": "race"}, "partitions"),
        ("crossed", {"groups": ["f", "g", "h", "i", "j", "k"]}, "question.groups"),
        ("crossed", {"favorable": "Low"}, "question.decisions"),
        ("every", {"groups": ["m", "f"]}, "question.groups"),
        ("every", {"criterion": "cumulative"}, "The criterion"),
        ("cumulative", {"order": ["Low", "High", "Medium"]}, "question.decisions"),
    ],
)
def test_labels_that_the_question_cannot_be_about_are_named(name, question, place):
    certificate = certify(counted(), GROUPS, QUESTIONS[name])
    record = changed(certificate, lambda content: content["question"].update(question))
    assert any(found.startswith(place) for found in record.own_differences())


def test_a_group_that_nobody_has_is_named():
    def nobody(content):
        for entry in content["partitions"]:
            for line in entry["table"]:
                line[-10:-7] = [0, 0, 0]

    record = changed(certify(counted(), GROUPS, QUESTIONS["reference"]), nobody)
    assert record.own_differences()[0] == "question.groups: nobody has 'a'."
