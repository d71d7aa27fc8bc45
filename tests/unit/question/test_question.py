"""A question is checked when it is asked, and its threshold is exact."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Question
from evenhand.errors import QuestionError
from evenhand.question.question import spelling_variants


def ask(**changes):
    fields = {
        "protected": "sex",
        "group": "f",
        "decision": "hired",
        "favorable": "yes",
        "threshold": "0.05",
    }
    return Question(**(fields | changes))


@pytest.mark.parametrize(
    "written",
    ["0.05", "1/20", " .05 ", Decimal("0.05"), 0.05, Fraction(1, 20), "0.05" + "0" * 68],
)
def test_a_threshold_is_the_number_that_was_written(written):
    assert ask(threshold=written).threshold == Fraction(1, 20)


def test_values_may_be_given_as_python_values():
    assert ask(group=1, favorable=True, other=2.0).to_dict() == {
        "protected": "sex",
        "group": "1",
        "other": "2",
        "decision": "hired",
        "favorable": "true",
        "threshold": "1/20",
    }


@pytest.mark.parametrize("written", ["1e-300", "1e-20", "200%", "7,5", "100%", "0%"])
def test_a_threshold_is_not_guessed_to_be_what_cannot_be_used(written):
    with pytest.raises(QuestionError) as refused:
        ask(threshold=written)
    assert "Did you mean" not in str(refused.value)


def several(**changes):
    return Question(
        **({"protected": "race", "decision": "score", "favorable": "Low"} | changes)
    )


ORDER = ("Low", "Medium", "High")
CUMULATIVE = {"favorable": None, "criterion": "cumulative", "order": ORDER}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"other": "White"},
        {"protected": ("sex", "race")},
        {"protected": ["sex", "race"], "group": ("f", "White"), "other": ("m", "White")},
        {"protected": ("sex", "race"), "group": ["f", 2.0], "other": "rest"},
        {"favorable": ["Low", "Medium"], "order": ORDER},
        {"favorable": {2, "Low", 1.0}},
        {"favorable": None, "criterion": "every", "min_rows": 5},
        CUMULATIVE | {"rule": ("priors",), "threshold": "1/7"},
        {"redlining": ["town"], "explained": ("priors",)},
        {"redlining": ["town"], "redlining_threshold": 0.1, "basis": "all"},
    ],
)
def test_a_question_is_asked_again_from_its_plain_values(changes):
    question = several(**changes)
    plain = question.to_dict()
    assert Question(**json.loads(json.dumps(plain))) == question
    assert hash(Question(**plain)) == hash(question)


def test_plain_values_have_only_what_is_asked():
    assert several(min_rows=3).to_dict() == {
        "protected": "race",
        "decision": "score",
        "favorable": "Low",
        "threshold": "1/20",
        "min_rows": 3,
    }
    through = {"redlining": ["town"]}
    assert several(**through).to_dict() == several().to_dict() | through
    assert several(protected=("sex", "race"), **CUMULATIVE).to_dict() == {
        "protected": ["sex", "race"],
        "decision": "score",
        "threshold": "1/20",
        "criterion": "cumulative",
        "order": [*ORDER],
    }


def test_one_attribute_and_one_value_of_a_list_are_as_without_it():
    assert several(protected=["race"], favorable=["Low"]) == several()
    assert several(protected=("race", "race"), favorable=("Low", "Low")) == several()


NAMED = {"redlining": ["town", "major", "town"], "explained": ("priors",)}
REFUSED = {
    "thresholds": [
        *(({"threshold": t}, "not between 0 and 1") for t in (0, 1, -0.05, "2", "5")),
        ({"threshold": 0}, "nothing could ever be certified"),
        *(
            ({"threshold": t}, "Write a number")
            for t in (float("nan"), float("inf"), "abc", "", "1/0", "0.05" + "0" * 69)
        ),
        *(({"threshold": t}, "Did you mean '0.05'?") for t in ("5%", "5 %", "0,05")),
        ({"threshold": 5}, "Did you mean 1/20?"),
    ],
    "columns": [
        ({"decision": "race"}, "two different columns"),
        ({"protected": 5}, "which is no text"),
        ({"decision": 5}, "which is no text"),
        ({"protected": ()}, "No protected attribute is named"),
        ({"protected": []}, "No protected attribute is named"),
    ],
    "groups and values": [
        ({"group": "f", "other": "f"}, "compared with itself"),
        ({"protected": ("sex", 5)}, "no list of texts"),
        ({"other": "rest"}, "which group is compared with the rest"),
        ({"group": ("f", "a"), "other": ["f", "a"]}, "'f & a' would be compared with itself"),
        ({"favorable": None}, "not said which decision is favorable"),
        ({"favorable": ()}, "not said which decision is favorable"),
        (
            {"criterion": "any"},
            "`criterion` is 'any', which is none of 'favorable', 'every', 'cumulative'",
        ),
        ({"criterion": "every"}, "no value is the favorable one"),
        (CUMULATIVE | {"favorable": ("Low", "Medium")}, "'Low or Medium' is named"),
        (CUMULATIVE | {"order": ()}, "needs the order"),
        (CUMULATIVE | {"order": ("Low", "Mid", "Low")}, "names 'Low' more than once"),
        ({"order": "Low"}, "`order` is 'Low', which is no list of values"),
        ({"order": {"Low", "High"}}, "which is no list of values"),
        ({"order": 5}, "which is no list of values"),
        ({"protected": ("race", "score")}, "two different columns"),
        ({"protected": ("sex", "race"), "rule": ("sex",)}, "names the protected attribute"),
        *(
            ({"min_rows": many}, "no whole number of at least 1")
            for many in (0, -1, 1.0, "5", True, None, 2**63)
        ),
    ],
    "paths": [
        ({"redlining": "town"}, "`redlining` is 'town', which is no list of texts"),
        ({"redlining": [5]}, "no list of texts"),
        (NAMED | {"explained": "priors"}, "`explained` is 'priors', which is no list"),
        ({"redlining": ["race"]}, "The protected attribute 'race' is named in `redlining`"),
        ({"redlining": ["score"]}, "The decision 'score' is named in `redlining`"),
        (NAMED | {"explained": ["score"]}, "The decision 'score' is named in `explained`"),
        (
            {"redlining": ["town", "priors"], "explained": ["priors", "town"]},
            "`redlining` and `explained` both name 'priors', 'town'",
        ),
        (NAMED | {"basis": "people"}, "`basis` is 'people', which is none of 'group', 'all'"),
        (NAMED | {"basis": None}, "`basis` is None, which is none of"),
        (NAMED | {"redlining_threshold": 0}, "The redlining threshold 0 is not between"),
        (NAMED | {"redlining_threshold": "5%"}, "redlining threshold '5%' cannot be used"),
        ({"explained": ["priors"]}, "`explained` would have no effect"),
        ({"redlining_threshold": "0.1"}, "`redlining_threshold` would have no effect"),
        ({"basis": "all"}, "`basis` would have no effect"),
    ],
}


@pytest.mark.parametrize(
    ("changes", "words"), [case for cases in REFUSED.values() for case in cases]
)
def test_what_cannot_be_asked_is_refused_with_a_remedy(changes, words):
    with pytest.raises(QuestionError) as refused:
        several(**changes)
    assert words in str(refused.value)
    assert all(problem.remedy for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("changes", "many"),
    [
        (
            {
                "protected": ("sex", "score"),
                "group": "f & a",
                "other": "f & a",
                "rule": ["sex"],
            },
            3,
        ),
        ({"protected": 5, "min_rows": 0, "criterion": "most", "rule": "a", "threshold": 7}, 5),
    ],
)
def test_what_cannot_be_and_then_what_does_not_fit_comes_together(changes, many):
    with pytest.raises(QuestionError) as refused:
        several(**changes)
    assert len(refused.value.problems) == many


def test_values_of_several_attributes_define_a_group():
    question = several(protected=("sex", "race"), group=("f", True), other=("m", 1.0))
    assert (question.group, question.other) == ("f & true", "m & 1")
    assert question.group_values("f & true") == {"sex": "f", "race": "true"}
    assert question.group_values("not f & true & x") == dict.fromkeys(
        ("sex", "race"), "not f & true & x"
    )
    assert several().group_values("a & b") == {"race": "a & b"}
    assert (question.groups_column, several().groups_column) == ("sex & race", "race")
    assert question.columns == ("sex", "race", "score")


@pytest.mark.parametrize("many", [2, 3, 6])
def test_pairs_are_all_or_all_with_a_reference(many):
    groups = tuple("abcdef"[:many])
    assert several().pairs(groups) == tuple(
        (a, b) for a in range(many) for b in range(many) if a < b
    )
    for at, label in enumerate(groups):
        pairs = several(other=label).pairs(groups)
        assert pairs == tuple((a, at) for a in range(many) if a != at)


@pytest.mark.parametrize("many", [2, 3, 5])
def test_cuts_count_one_value_each_or_all_up_to_one(many):
    every = several(favorable=None, criterion="every").cuts(many)
    assert [[kind for kind in range(many) if cut[kind]] for cut in every] == (
        [[kind] for kind in range(many)] if many > 2 else [[0]]
    )
    up_to = several(**CUMULATIVE).cuts(many)
    assert [[kind for kind in range(many) if cut[kind]] for cut in up_to] == [
        [*range(last + 1)] for last in range(many - 1)
    ]
    assert several().cuts(2) == ((True, False),)


PATHS = {"redlining": ["town", "major", "town"], "explained": ("score",)}


def test_attributes_on_the_way_are_named_with_a_threshold_of_their_own():
    question = ask(**PATHS, redlining_threshold="0.1", basis="all")
    assert (question.redlining, question.explained) == (("town", "major"), ("score",))
    assert question.indirect_threshold == question.redlining_threshold == Fraction(1, 10)
    assert (ask(**PATHS).basis, ask().redlining) == ("group", ())
    assert ask(**PATHS).redlining_threshold is None
    assert ask(**PATHS, threshold="1/7").indirect_threshold == Fraction(1, 7)


def test_the_direct_question_leaves_the_paths_out():
    assert ask(**PATHS, redlining_threshold="0.1", basis="all", min_rows=3).direct == ask(
        min_rows=3
    )
    assert ask().direct == ask()


def test_all_columns_that_are_named_have_to_be_counted():
    question = ask(protected=("sex", "race"), group=None, **PATHS, rule=["score"])
    assert {*question.named_columns} == {"sex", "race", "hired", "town", "major", "score"}
    assert ask().named_columns == ask().columns == ("sex", "hired")


def test_each_end_that_is_named_is_refused_by_name():
    with pytest.raises(QuestionError) as refused:
        ask(redlining=["hired", "sex"], explained=["sex"])
    assert [problem.what for problem in refused.value.problems] == [
        "The decision 'hired' is named in `redlining`.",
        "The protected attribute 'sex' is named in `redlining`.",
        "The protected attribute 'sex' is named in `explained`.",
        "`redlining` and `explained` both name 'sex'.",
    ]


def test_a_prediction_names_the_recorded_decision_and_asks_about_no_paths():
    asked = ask(decision="said", predicts="hired")
    assert asked.to_dict()["predicts"] == "hired"
    assert "predicts" not in ask().to_dict()
    assert "hired" not in asked.named_columns
    with pytest.raises(QuestionError, match="cannot be what 'hired' predicts"):
        ask(predicts="hired")
    with pytest.raises(QuestionError, match="not how a model predicts"):
        ask(decision="said", predicts="hired", redlining=["zip"])


VALUES = st.lists(st.text(st.sampled_from("aAbß1 .:ﬁé\u0301\u00a0"), max_size=3), unique=True)


@given(VALUES)
def test_two_values_are_variants_if_only_their_spelling_differs(values):
    found = spelling_variants(values)
    alike = {frozenset(pair) for group in found for pair in combinations(group, 2)}
    assert alike == {
        frozenset(pair) for pair in combinations(values, 2) if plain(pair[0]) == plain(pair[1])
    }
    assert all(len(group) > 1 and {*group} <= {*values} for group in found)


def plain(value: str) -> str:
    spaced = " ".join(normalize("NFKC", value).split())
    while spaced[-1:] in (".", ",", ";", ":", " ") and spaced:
        spaced = spaced[:-1]
    return spaced.casefold()
