"""Which side each child of the protected attribute is on, and who witnesses."""

import pytest
from tests.certificate_records import compared
from tests.loans import APART, INCOME_FIRST, QUESTION, ZIP_FIRST, asking
from tests.recorded_paths import asked, worlds_of

from evenhand import CausalGraph
from evenhand.checker.path_effects import PathQuestion, RecordedPaths


@pytest.mark.parametrize(
    ("graph", "income", "witnesses"),
    [
        (ZIP_FIRST, "explained", []),
        (APART, "explained", []),
        (INCOME_FIRST, "witness", ["income"]),
    ],
)
def test_sides_of_the_loan_graphs(graph, income, witnesses):
    paths = worlds_of(graph)[0].paths
    assert paths.sides == {"income": income, "loan": "direct", "zip": "through"}
    assert paths.witnesses == witnesses


def paths(text, **fields):
    graph = CausalGraph.parse(text)
    order = graph.topological_order()
    return RecordedPaths(
        [(*sorted(graph.parents(node)), node) for node in order], asked(asking(**fields))
    )


def test_a_child_that_only_makes_what_is_chosen_is_on_its_side():
    sides = paths("race -> school -> zip -> loan; race -> income -> loan").sides
    assert sides == {"school": "through", "income": "explained"}


@pytest.mark.parametrize(
    ("explained", "income", "work"),
    [((), "explained", "explained"), (["income"], "explained", "not judged")],
)
def test_of_named_explanations_others_are_not_judged(explained, income, work):
    text = "race -> zip -> loan; race -> income -> loan; race -> work -> loan; work -> income"
    sides = paths(text, explained=explained).sides
    assert (sides["income"], sides["work"]) == (income, work)
    text = "race -> zip -> loan; race -> income -> loan; race -> work -> income"
    assert paths(text, explained=explained).sides["work"] == "explained"


def test_what_is_chosen_and_on_no_path_is_not_in_use():
    whole = paths("zip -> loan; race -> income -> loan")
    assert (whole.in_use, whole.witnesses) == (frozenset(), [])
    assert whole.sides == {"income": "explained"}


@pytest.mark.parametrize(
    "tables",
    [
        [("race",), ("race", "zip", "loan"), ("race", "zip")],  # loan before its cause
        [("race",), ("race", "zip"), ("zip", "race", "loan")],  # causes not in order
        [("race",), ("race", "race", "loan")],
        [("race",), ("loan",), ("loan",)],
        [("race",)],
    ],
)
def test_tables_of_no_graph_are_refused(tables):
    with pytest.raises(ValueError, match=r"indirect\.graphs"):
        RecordedPaths(tables, asked())


@pytest.mark.parametrize(
    "fields",
    [
        {"redlining": []},
        {"redlining": ["zip", "zip"]},
        {"redlining": ["race"]},
        {"redlining": ["zip", "loan"]},
        {"explained": ["zip"]},
        {"redlining_threshold": "1/1"},
        {"redlining_threshold": "0"},
        {"redlining_threshold": "1"},
        {"redlining_threshold": "3/2"},
        {"redlining_threshold": "2/40"},
    ],
)
def test_questions_that_nobody_can_ask_are_refused(fields):
    question = {**QUESTION.to_dict(), "other": "w", "groups": ["b", "w"]}
    question |= {"decisions": ["yes", "no"], "min_coverage": "9/10"}
    with pytest.raises(ValueError, match="question|written"):
        PathQuestion.of({**question, **fields}, compared(**question))
