"""What the parts of a question say of themselves: its groups, decisions, guesses and labels."""

from fractions import Fraction

import pytest

from evenhand import Codings, Question, QuestionFile
from evenhand.errors import ColumnError, KnowledgeError, QuestionError
from evenhand.question import GraphEdit, Guess, Labels
from evenhand.question.fields import TABLES
from evenhand.question.knowledge import NO_REASON
from evenhand.question.question import check_values

JUDGED = """\
question = {protected = "sex", decision = "pay", favorable = "raise"}
graph.judged = """
DECISIONS = ("lower", "same", "raise")


def ask(**changes):
    given = {"protected": "sex", "decision": "pay", "favorable": "raise", "group": "f"}
    return Question(**({**given, "other": "m"} | changes))


@pytest.mark.parametrize(
    ("changes", "kinds", "names", "cuts"),
    [
        ({}, [1, 1, 0], ("raise", "not raise"), [[True, False]]),
        ({"favorable": ("same", "raise")}, [1, 0, 0], None, [[True, False]]),
        (
            {"criterion": "every", "favorable": None},
            [0, 1, 2],
            DECISIONS,
            [[True, False, False], [False, True, False], [False, False, True]],
        ),
        (
            {"criterion": "cumulative", "favorable": None, "order": DECISIONS[::-1]},
            [2, 1, 0],
            DECISIONS[::-1],
            [[True, False, False], [True, True, False]],
        ),
    ],
)
def test_each_criterion_counts_its_own_kinds_of_decision(changes, kinds, names, cuts):
    question = ask(**changes)
    assert question.decision_kinds(DECISIONS) == kinds
    assert names is None or question.compared_decisions(DECISIONS) == names
    assert [*map(list, question.cuts(len({*kinds})))] == cuts


def test_two_values_of_every_kind_give_one_comparison():
    assert ask(criterion="every", favorable=None).cuts(2) == ((True, False),)


def test_the_other_decision_is_named_where_there_is_one():
    assert ask().compared_decisions(("raise", "none")) == ("raise", "none")


def values_of(**decision):
    return {"sex": {"f": 3, "m": 4}, "pay": decision}


def test_predictions_may_lack_some_favorable_values_and_not_all():
    predicted = ask(predicts="paid", favorable=("raise", "bonus"))
    check_values(predicted, values_of(**{"raise": 3}, lower=4))
    for question, found in ((ask(favorable=("raise", "bonus")), "raise"), (predicted, "same")):
        with pytest.raises(QuestionError, match="has no value 'bonus'"):
            check_values(question, values_of(**{found: 3}, lower=4))


@pytest.mark.parametrize(
    ("changes", "groups", "values", "words"),
    [
        ({}, 3, 2, ""),
        ({"group": None, "other": None}, 50, 2, ""),
        ({"group": None, "other": None}, 51, 2, "At most 50 groups"),
        ({"other": None}, 51, 2, "Name the other group"),
        ({"other": None}, 3, 2, "Name the other group"),
        ({"other": None}, 2, 2, ""),
        ({"group": None, "other": None}, 1, 2, "nobody to compare with"),
        ({"criterion": "every", "favorable": None}, 2, 100, ""),
        ({"criterion": "every", "favorable": None}, 2, 101, "At most 100 values"),
        ({}, 2, 101, ""),
        ({}, 2, 1, "are always|is always"),
    ],
)
def test_how_many_groups_and_values_fit_a_question(changes, groups, values, words):
    question = ask(**changes)
    people = ["f", "m", *map(str, range(groups))][:groups]
    decisions = ["raise", *map(str, range(values))][:values]
    found = {"sex": dict.fromkeys(people, 1), "pay": dict.fromkeys(decisions, 1)}
    if not words:
        check_values(question, found)
        return
    with pytest.raises(QuestionError, match=words):
        check_values(question, found)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "f against m"),
        ({"group": None, "other": None}, "in pairs of 3 groups"),
        ({"group": None}, "against m: 2 groups"),
    ],
)
def test_who_is_compared_is_one_phrase(changes, words):
    assert ask(**changes).pairs_text(("f", "m", "x")) == words


@pytest.mark.parametrize(
    ("table", "name", "default"),
    [
        ("question", "min_rows", 1),
        ("data", "columns", []),
        ("data", "delimiter", "detected"),
        ("learning", "significance", 0.01),
        ("learning", "local", False),
        ("learning", "max_depth", None),
    ],
)
def test_a_setting_that_nobody_gives_has_its_default(table, name, default):
    assert TABLES[table][name].usual == default


def test_codings_are_given_once():
    codings = Codings(na=["?"])
    assert Codings.either(codings, {}) is codings
    assert Codings.either(None, {}) is None
    assert Codings.either(None, {"na": ["?"]}) == codings
    with pytest.raises(QuestionError, match="twice"):
        Codings.either(codings, {"missing": "level"})


def test_an_edit_waits_for_its_reason():
    edits = [
        GraphEdit(kind="add", arrow="a -> b", reason="the law says so"),
        GraphEdit(kind="remove", arrow="c -> d", reason=NO_REASON),
    ]
    GraphEdit.check_reasons(edits[:1])
    with pytest.raises(KnowledgeError, match=r"changed: remove c -> d\."):
        GraphEdit.check_reasons(edits)


@pytest.mark.parametrize("labels", [{"columns": {"sx": "sex"}}, {"values": {"sx": {"f": "w"}}}])
def test_labels_of_columns_that_are_not_there_are_refused(labels):
    with pytest.raises(ColumnError, match="sx"):
        Labels(**labels).check(["sex", "pay"], where="t.csv")
    Labels(columns={"sex": "gender"}).check(["sex", "pay"], where="t.csv")


@pytest.mark.parametrize(("typed", "read"), [("true", True), ("false", False)])
def test_a_truth_value_is_typed_as_in_a_file(typed, read):
    field = TABLES["learning"]["local"]
    assert field.parse(typed) is read
    assert field.texts(read) == [typed]
    with pytest.raises(QuestionError, match="truth value"):
        field.parse("yes")


def test_guesses_say_what_was_taken_and_what_to_ask():
    guesses = (
        Guess(argument="favorable", value="raise", why="its word is good", instead="lower"),
        Guess(argument="bins", value={c: ["1"] for c in "abcd"}, why="numbers", sure=False),
        Guess(argument="tiers", value=[["sex"], ["pay"]], why="people are born first"),
    )
    file = QuestionFile(question=ask(threshold=Fraction(1, 20)), guesses=guesses)
    assert file.guessed == {
        "favorable": ["raise"],
        "bins": ["a=1", "b=1", "c=1", "d=1"],
        "unsure": ["bins"],
    }
    favorable, bins, tiers = file.told_guesses()
    assert [one["argument"] for one in (favorable, bins, tiers)] == [
        "favorable",
        "bins",
        "tiers",
    ]
    assert "raise" in favorable["what"]
    assert "please check" not in favorable["found"]
    assert "lower" in str(favorable["remedy"])
    assert "a, b, c and 1 more" in bins["what"]
    assert "please check" in bins["found"]
    assert guesses[1].table == "data"
    assert guesses[2].table == "knowledge"


@pytest.mark.parametrize(("written", "judged"), [("3", 3), ('["x", "y", "x"]', 2), ("[]", 0)])
def test_graphs_judged_are_a_number_or_a_text_for_each(written, judged):
    assert QuestionFile.parse(JUDGED + written).graphs_judged == judged


@pytest.mark.parametrize("written", ["-1", '["x", 1]', "true", '"3"', "1.5"])
def test_other_numbers_of_graphs_are_refused(written):
    with pytest.raises(QuestionError, match="judged"):
        QuestionFile.parse(JUDGED + written)
