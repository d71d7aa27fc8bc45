import tomllib
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evenhand import Codings, Knowledge, Question, QuestionFile, Tiers
from evenhand.errors import QuestionError
from evenhand.question.display_labels import Labels
from evenhand.question.parse_values import as_label
from evenhand.question.question_file import toml_value

names = st.text(min_size=1, max_size=8).filter(lambda text: text.strip())


@given(names, names, names, names)
def test_a_written_question_file_reads_back_the_same(column, value, word, other):
    assume(other != column)
    asked = QuestionFile(
        question=Question(
            protected=column,
            group=value,
            decision=column + "!",
            favorable=word,
            threshold="1/7",
        ),
        knowledge=Knowledge(tiers=Tiers([column], ...), forbidden=[(column + "!", column)]),
        codings=Codings.of(
            columns=[column, other],
            bins={other: ["0.1", 3]},
            merge={column: {word: [value]}},
            missing="level",
            na=[value],
        ),
        labels=Labels(columns={column: word}, values={column: {value: word}}),
        judge="rows",
    )
    assert QuestionFile.parse(str(asked)) == asked


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(QuestionError, match="Name another file, or write one") as caught:
        QuestionFile.load(tmp_path / "absent.toml")
    assert "absent.toml" in caught.value.problems[0].where


def test_what_is_not_toml_is_shown_by_line():
    with pytest.raises(QuestionError, match="line 2"):
        QuestionFile.parse("[question]\nprotected = \n")


def test_all_problems_of_a_file_come_together():
    text = """
    [question]
    protected = "sex"
    favourable = "yes"
    [knowledge]
    tiers = [["a"], ["a"]]
    [data]
    missing = "maybe"
    [lables]
    sex = "x"
    """
    with pytest.raises(QuestionError) as caught:
        QuestionFile.parse(text, where="q.toml")
    whole = str(caught.value)
    assert "'favourable' in [question]. Did you mean 'favorable'?" in whole
    assert "[lables]. Did you mean 'labels'?" in whole
    assert "lacks 'decision'" in whole
    assert "lacks 'favorable'" in whole
    assert "more than one tier" in whole
    assert "`missing` is 'maybe', which is none of 'error', 'level', 'drop'" in whole
    assert {problem.where for problem in caught.value.problems} == {"q.toml"}


ASKED = "[question]\nprotected='a'\ngroup='b'\ndecision='c'\nfavorable='d'\n"


def test_the_answer_decides_unless_the_file_says_otherwise():
    assert QuestionFile.parse(ASKED).judge == "answer"
    assert QuestionFile.parse(ASKED + 'judge = "rows"').judge == "rows"
    assert QuestionFile.parse(ASKED + 'judge = "answer"').judge == "answer"
    assert "judge" not in str(QuestionFile.parse(ASKED))


@pytest.mark.parametrize("value", ['"people"', '""', "3", '["rows"]', "true"])
def test_any_other_judge_is_refused_with_the_two_that_there_are(value):
    with pytest.raises(QuestionError, match="which is none of 'answer', 'rows'") as caught:
        QuestionFile.parse(ASKED + f"judge = {value}", where="q.toml")
    (problem,) = caught.value.problems
    assert problem.where == "q.toml"
    assert [one.argument for one in problem.remedies] == ["judge"]


@pytest.mark.parametrize("text", ["a=" + "[" * 5000, "threshold=" + "9" * 5000])
def test_what_python_cannot_parse_is_refused_in_words(text):
    with pytest.raises(QuestionError, match="does not need"):
        QuestionFile.parse(text)


@given(
    st.lists(names, min_size=1, max_size=3, unique=True),
    st.lists(names, min_size=2, max_size=4, unique_by=as_label),
    st.integers(1, 99),
    st.sampled_from(["favorable", "every", "cumulative"]),
)
def test_a_written_question_of_many_groups_and_values_reads_back_the_same(
    protected, values, min_rows, criterion
):
    asked = QuestionFile(
        question=Question(
            protected=protected,
            decision="".join(protected) + "!",
            favorable=values[:-1] if criterion == "favorable" else None,
            criterion=criterion,
            order=values if criterion != "every" else (),
            min_rows=min_rows,
        )
    )
    assert QuestionFile.parse(str(asked)) == asked


def test_groups_and_values_are_lists_in_a_file():
    text = """
    [question]
    protected = ["sex", "race"]
    group = ["f", "a"]
    other = "m & a"
    decision = "score"
    favorable = ["Low", 2]
    order = ["Low", 2, "High"]
    min_rows = 5
    """
    assert QuestionFile.parse(text).question == Question(
        protected=("sex", "race"),
        group=("f", "a"),
        other=("m", "a"),
        decision="score",
        favorable=("Low", "2"),
        order=("Low", "2", "High"),
        min_rows=5,
    )


@given(
    st.lists(names, min_size=1, max_size=4, unique=True),
    st.integers(0, 3),
    st.sampled_from([None, "1/10", "0.075"]),
    st.sampled_from(["group", "all"]),
)
def test_a_written_question_about_paths_reads_back_the_same(columns, many, threshold, basis):
    question = Question(
        protected="".join(columns) + "?",
        decision="".join(columns) + "!",
        favorable="yes",
        redlining=columns[: many + 1],
        explained=columns[many + 1 :],
        redlining_threshold=threshold,
        basis=basis,
    )
    asked = QuestionFile(question=question)
    assert QuestionFile.parse(str(asked)) == asked


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('criterion = "every"', "no value is the favorable one"),
        ("criterion = 5", "`criterion` is 5, which is none of"),
        ('min_rows = "5"', "`min_rows` is '5', which is no whole number"),
        ("order = 3", "no list of values"),
        ("redlining = [3]", "no list of texts"),
        ('redlinning = ["town"]', "Did you mean 'redlining'"),
        ('basis = "all"', "`basis` would have no effect"),
        ('redlining = ["town"]\nredlining_threshold = 5', "redlining threshold 5 is not"),
        ("[data]\nbins=3", "no table of"),
        ("[labels]\ncolumns=3", "no table of"),
        ('[labels]\ncolumns = "x"', "no table of"),
        ("[labels.columns]\nsex = 3", "no text"),
        ('[knowledge]\ntiers = ["gender", "admission"]', "no list of texts"),
        ('[knowledge]\nrequire = "a->b"', "which is no list"),
        ('[data]\nna = "NA"', "no list of texts"),
    ],
)
def test_what_a_file_cannot_ask_is_refused_with_the_place(lines, words):
    with pytest.raises(QuestionError) as refused:
        QuestionFile.parse(ASKED + lines, where="q.toml")
    assert words in str(refused.value)
    assert {problem.where for problem in refused.value.problems} == {"q.toml"}


def test_a_bare_value_where_a_table_belongs_is_named():
    with pytest.raises(QuestionError, match=r"'question' is not a table. Write \[question\]"):
        QuestionFile.parse("question = 3")


def test_what_is_given_besides_a_file_goes_before_what_it_says():
    file = QuestionFile.parse(
        ASKED + 'judge = "rows"\n[knowledge]\nforbid = ["c -> a"]\n[data]\nna = ["?"]\n'
    )
    assert QuestionFile.of(file) == file
    assert QuestionFile.of(file.question) == QuestionFile(question=file.question)
    tiers = Tiers(["a"], ["c"])
    given = {"judge": "answer", "knowledge": tiers, "codings": Codings(), "edits": []}
    both = QuestionFile.of(file, **given)
    assert both == QuestionFile(question=file.question, knowledge=Knowledge(tiers=tiers))
    with pytest.raises(QuestionError, match="`judge` is 'people', which is none of"):
        QuestionFile.of(file, judge="people")


def test_how_many_graphs_were_judged_is_read_kept_and_written():
    file = QuestionFile.parse(ASKED + '[graph]\nopen = ["a -> c: so"]\njudged = 12\n')
    assert file.graphs_judged == 12
    assert "judged = 12" in str(file)
    assert QuestionFile.parse(str(file)) == file
    assert QuestionFile.of(file, edits=[]).graphs_judged == 12
    assert file.graph_table == {"open": ["a -> c: so"], "judged": 12}
    none = QuestionFile.parse(ASKED + "[graph]\njudged = 0\n")
    assert none == QuestionFile.parse(ASKED)
    assert "judged" not in str(none)


def test_graphs_that_were_judged_may_be_named_one_by_one():
    file = QuestionFile.parse(ASKED + '[graph]\njudged = ["a1", "b2", "a1"]\n')
    assert file.graphs_judged == 2
    assert "judged = 2" in str(file)
    assert QuestionFile.parse(ASKED + "[graph]\njudged = []\n").graphs_judged == 0


@pytest.mark.parametrize("judged", ["-1", '"3"', "true", "1.5", "[1]", '["x", 1]', str(2**63)])
def test_how_many_graphs_were_judged_is_a_whole_number(judged):
    with pytest.raises(QuestionError, match="no whole number from 0 on") as refused:
        QuestionFile.parse(f"{ASKED}[graph]\njudged = {judged}\n", where="q.toml")
    assert [problem.where for problem in refused.value.problems] == ["q.toml"]


DOTTED = ".".join("a" * 100_000)
TOO_MUCH = {
    "dotted key": (f"{DOTTED} = 1", "parts"),
    "spaced key": (f"{' . '.join('a' * 60)} = 1", "parts"),
    "quoted key": ('"a.b".' * 60 + "c = 1", "parts"),
    "table": (f"[{DOTTED}]", "parts"),
    "table of a list": (f"[[{DOTTED}]]", "parts"),
    "inline table": (f"a = {{ {DOTTED} = 1 }}", "parts"),
    "arrays": ("a = " + "[" * 5000 + "]" * 5000, "brackets"),
    "inline tables": ("a = " + "{a = " * 5000 + "1" + "}" * 5000, "brackets"),
    "whole number": ("threshold = " + "9" * 5000, "characters"),
    "with underscores": ("threshold = " + "1_" * 5000 + "1", "characters"),
    "decimals": ("threshold = 0." + "9" * 500_000, "characters"),
    "binary": ("threshold = 0b" + "1" * 500_000, "characters"),
    "quotes that never close": ('a = """' + '\\"""' * 50_000 + "\n" + "[" * 50, None),
}


@pytest.mark.parametrize(("text", "what"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_the_parser_would_choke_on_is_refused_at_once(text, what):
    start = process_time()
    with pytest.raises(QuestionError) as refused:
        QuestionFile.parse("# first\n" + text, where="q.toml")
    assert process_time() - start < 1
    if what:
        (problem,) = refused.value.problems
        assert what in problem.what
        assert problem.where == ("q.toml" if what == "brackets" else "q.toml, line 2")


def test_a_text_that_is_no_file_has_the_same_limit():
    with pytest.raises(QuestionError, match="too large"):
        QuestionFile.parse("#" * 1_000_001)


NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(NAMES, max_size=60), st.lists(st.floats(allow_nan=False), max_size=60))
def test_long_lists_and_odd_texts_are_not_too_much(names, numbers):
    quoted = [toml_value(name) for name in names]
    lines = [f"columns = [{', '.join(quoted)}] # " + "[" * 99, f"cuts = {numbers}"]
    lines += [f"k{at} = {{ a.b = {text} }}" for at, text in enumerate(quoted)]
    lines += [
        "[" * 2 + "t.u" + "]" * 2,
        "a = '''" + "[.]" * 99 + "'''",
        "b = '" + "[" * 99 + "'",
    ]
    text = "\n".join(lines)
    assert QuestionFile.parse_tables(text) == tomllib.loads(text)


@pytest.mark.parametrize("text", ["d = 2020-13-45", "d = 9999-99-99T00:00:00Z"])
def test_a_date_that_no_calendar_has_is_told(text):
    with pytest.raises(QuestionError, match="not TOML"):
        QuestionFile.parse(text)
