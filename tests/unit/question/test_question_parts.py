"""What the parts of a question say of themselves: its groups, decisions, guesses and labels."""

from fractions import Fraction

import pytest

from evenhand import Codings, Question, QuestionFile
from evenhand.errors import ColumnError, KnowledgeError, QuestionError
from evenhand.question import GraphEdit, Guess, Labels
from evenhand.question.fields import TABLES, parse_setting, with_typed
from evenhand.question.knowledge import NO_REASON
from evenhand.question.parse_values import check_seed
from evenhand.question.question import check_values

DECISIONS = ("lower", "same", "raise")
ORDERED = {"criterion": "cumulative", "favorable": None, "order": ("raise", "same")}


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


@pytest.mark.parametrize(
    ("typed", "tables"),
    [
        (["data.bins.age=37,>=50"], {"data": {"bins": {"age": ["37", ">=50"]}}}),
        (["merge.a.x=y", "merge.a.z=w"], {"data": {"merge": {"a": {"x": ["y"], "z": ["w"]}}}}),
        (["exclude=a, b", 'exclude="c,d"'], {"data": {"exclude": ["a", "b", "c,d"]}}),
        (['labels.values.a."b.c"=d=e'], {"labels": {"values": {"a": {"b.c": "d=e"}}}}),
        (["protected=sex"], {"question": {"protected": "sex"}}),
        (["protected=sex", "protected=race"], {"question": {"protected": ["sex", "race"]}}),
        (["favorable=a", "favorable=b"], {"question": {"favorable": ["a", "b"]}}),
        (["add=a -> b: so", "add=b -> c: x"], {"graph": {"add": ["a -> b: so", "b -> c: x"]}}),
        (["min_rows=5", "min_rows=7"], {"question": {"min_rows": 7}}),
        (["local"], {"learning": {"local": True}}),
        (["local=false"], {"learning": {"local": False}}),
        (["significance=.05"], {"learning": {"significance": 0.05}}),
        (["max_depth=2"], {"learning": {"max_depth": 2}}),
    ],
)
def test_what_is_typed_is_what_a_question_file_says(typed, tables):
    given = [parse_setting(text) for text in typed]
    assert with_typed({}, given) == tables
    words = [word for field, value in given for word in field.words(value, "none")]
    again = [parse_setting(text) for text in words if text != "--set"]
    assert with_typed({}, again) == tables


def test_what_is_typed_joins_what_the_file_says_or_takes_its_place():
    file = {
        "data": {"bins": {"a": ["1"], "b": ["2"]}, "na": ["?"], "columns": ["a"]},
        "question": {"min_rows": 5, "protected": "sex"},
        "labels": "none",
    }
    typed = ("bins.a=3", "na=-", "columns=b", "min_rows=7", "labels.columns.a=Age")
    assert with_typed(file, map(parse_setting, typed)) == {
        "data": {"bins": {"a": ["3"], "b": ["2"]}, "na": ["-"], "columns": ["b"]},
        "question": {"min_rows": 7, "protected": "sex"},
        "labels": {"columns": {"a": "Age"}},
    }


@pytest.mark.parametrize("key", ["graph.add", "graph.remove", "graph.reverse", "graph.open"])
def test_typed_edits_follow_those_of_the_file(key):
    table, name = key.split(".")
    typed = map(parse_setting, (f"{key}=b -> c: 2", f"{key}=c -> d: 3"))
    together = with_typed({table: {name: ["a -> b: 1"]}}, typed)
    assert together == {table: {name: ["a -> b: 1", "b -> c: 2", "c -> d: 3"]}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("min_rws=5", "There is no key 'min_rws'"),
        ("data.min_rows=5", "There is no key 'min_rows'"),
        ("min_rows", "gives min_rows no value"),
        ("bins=5", "gives bins no value"),
        ("bins.age", "cannot be read as bins"),
        ("merge.age=5", "cannot be read as merge"),
        ("min_rows=five", "min_rows"),
    ],
)
def test_what_cannot_be_typed_is_refused_with_the_key(text, words):
    with pytest.raises(QuestionError, match=words):
        parse_setting(text)


def test_settings_that_nobody_gave_are_the_defaults_and_those_given_stay():
    file = QuestionFile.of(ask(), significance=0.05, max_depth=None, scope="all")
    said = file.all_settings
    assert (said["significance"], said["scope"]) == (0.05, "all")
    assert (said["max_depth"], said["test"], said["local"]) == (None, "chi-square", False)
    with pytest.raises(QuestionError, match="is no question"):
        QuestionFile.of("sex")
    with pytest.raises(QuestionError, match="is no edit of the graph"):
        QuestionFile.of(ask(), edits=["a -> b"])


def test_values_that_nobody_has_are_left_out_of_the_question():
    asked = ask(criterion="cumulative", favorable=None, order=DECISIONS)
    assert asked.without_absent(["raise", "lower"]).order == ("lower", "raise")
    several = ask(favorable=("raise", "bonus")).without_absent(["raise"])
    assert several.favorable_values == ("raise",)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, " = raise"),
        ({"criterion": "every", "favorable": None}, ", each of 3 values"),
        (
            {"criterion": "cumulative", "favorable": None, "order": DECISIONS},
            ", each cut of 3 values",
        ),
    ],
)
def test_what_is_compared_is_named_after_its_column(changes, words):
    assert ask(**changes).cuts_text(3) == words


@pytest.mark.parametrize(
    ("changes", "decision", "words"),
    [
        (ORDERED, ("raise", "same", "lower"), "It misses 'lower'"),
        (
            ORDERED,
            ("raise", "rise"),
            "It misses 'rise'.*Nobody has 'same'",
        ),
        (
            ORDERED | {"predicts": "paid"},
            ("raise",),
            "predictions in 'pay' are",
        ),
        ({}, ("raise",), "The decision 'pay' is always"),
        ({"favorable": ("raise", "same")}, ("raise", "same"), "Every value"),
    ],
)
def test_decisions_that_do_not_fit_are_refused(changes, decision, words):
    with pytest.raises(QuestionError, match=words):
        check_values(ask(**changes), values_of(**dict.fromkeys(decision, 1)))


def test_an_order_that_names_each_value_once_fits():
    check_values(ask(**ORDERED), values_of(**{"raise": 1, "same": 2}))
    longer = ask(**ORDERED | {"order": DECISIONS[::-1], "predicts": "paid"})
    check_values(longer, values_of(**{"raise": 1, "same": 2}))
    with pytest.raises(QuestionError, match="needs the order"):
        ask(**ORDERED | {"order": ("raise",)})


@pytest.mark.parametrize("seed", [0, 2**128 - 1])
def test_a_seed_is_a_whole_number_of_128_bits(seed):
    assert check_seed(seed) == seed
    for wrong in (-1, 2**128, 1.5, "1", True, None):
        with pytest.raises(QuestionError, match="no whole number"):
            check_seed(wrong)
