"""Rows: columns chosen and checked, counted once, described without being read."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.reading import EXPECTED, refusal, the_problem

import evenhand as eh
from evenhand.errors import ColumnError, MissingValueError, QuestionError, ResourceError
from evenhand.question import Codings, Question
from evenhand.rows import read
from evenhand.rows.rows import coded_as, read_without

MERGED = {"hired": {"yes": ["yes", "trial"], "no": ["no", "never"]}}
REST = {"hired": {"hi": ["yes"], "lo": ["*"]}}

FITTING = {
    "one old value": (MERGED, ["trial", "no"], {"yes": 1, "no": 1}),
    "merged already": (MERGED, ["yes", "no"], None),
    "other words": (MERGED, ["y", "n"], None),
    "the rest": (REST, ["yes", "maybe"], {"hi": 1, "lo": 1}),
    "the rest, merged already": (REST, ["hi", "lo"], None),
    "gaps": (MERGED, ["trial", None], {"yes": 1, "(missing)": 1}),
}


def test_columns_come_in_the_order_asked_for(table):
    assert read(table, columns=["hired", "sex"]).count() == EXPECTED.marginal(["hired", "sex"])


def test_all_batches_come_back_in_order_and_in_their_own_types(tmp_path):
    table = pa.table(
        {"n": range(300_000), "text": ["a", "b", "c"] * 100_000, "x": [0.5, None, 1] * 100_000}
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=70_000)
    rows = read(tmp_path / "a.parquet", columns=["text"])
    assert pa.Table.from_batches(rows.batches()).equals(table)


def test_counting_reads_the_rows_once(table):
    rows = read(table.to_reader())
    assert rows.count() is rows.count()


def test_rows_describe_themselves_without_being_read(table):
    rows = read(table.to_reader())
    assert "sex, hired" in str(rows)
    assert rows.where == "Arrow reader"


def test_columns_are_looked_at_that_counting_would_refuse():
    table = pa.table({"a": ["x", None] * 60, "id": range(120)})
    kinds = {one.name: str(one.kind) for one in read(table).inspect().columns}
    assert kinds == {"a": "category", "id": "identifier"}


def test_texts_that_do_not_fit_into_the_memory_are_looked_at_in_part(essays):
    inspection = eh.read(essays, memory="256MB").inspect()
    assert [one.name for one in inspection.columns] == ["sex", "essay"]
    assert inspection.rows <= 120


def test_a_column_to_leave_out_may_be_absent():
    table = pa.table({"sex": ["f", "m"], "hired": ["yes", "no"]})
    rows = read(table, exclude=["letter", "sexx"], bins={"letter": 4})
    assert rows.columns == ("sex", "hired")
    told = [
        "'letter' is to be left out, and is not in the table.",
        "'sexx' is to be left out, and is not in the table. Did you mean 'sex'?",
    ]
    assert [*map(str, rows.notes)] == [*map(str, rows.inspect().notes)] == told


@pytest.mark.parametrize(
    ("options", "found", "remedy"),
    [
        ({"exclude": ["hired"]}, "It is excluded.", "Do not exclude it."),
        (
            {"columns": ["sex"]},
            "It is not among the chosen columns: 'sex'.",
            "Choose it, too (columns=['sex', 'hired']).",
        ),
    ],
)
def test_a_column_that_is_left_out_is_not_said_to_be_absent(options, found, remedy):
    table = pa.table({"sex": ["f", "m"], "hired": ["yes", "no"], "age": ["1", "2"]})
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    codings = Codings.of(**options)
    for look in (
        lambda: eh.audit(table, asked, codings=codings),
        lambda: read(table, codings=codings).inspect(decision="hired"),
    ):
        with pytest.raises(ColumnError) as error:
            look()
        (problem,) = error.value.problems
        assert problem.what == "The column 'hired' is in the table, but left out."
        assert (problem.found, problem.remedy_text()) == (found, remedy)


def test_excluded_columns_are_recorded_as_those_that_are_left():
    table = pa.table({"a": ["x"], "b": ["y"], "c": ["z"]})
    rows = read(table, exclude=["b"])
    assert rows.columns == rows.requested.columns == ("a", "c")
    assert rows.requested.exclude == ()
    assert read(table, columns=["a", "b"], exclude=["b"]).columns == ("a",)
    assert read(table, exclude=["c"], frequency=None).count().names == ("a", "b")
    with pytest.raises(eh.EvenhandError, match="No column is chosen"):
        read(table, exclude=["a", "b", "c"])


def test_codings_from_a_question_file_are_taken_whole():
    codings = Codings.of(bins={"a": [2]}, columns=["a"])
    rows = read(pa.table({"a": [1, 2, 3], "b": [[], [], []]}), codings=codings)
    assert rows.requested == codings
    settled = Codings.of(bins={"a": ["up to 2", "3 or more"]}, columns=["a"])
    assert rows.codings == settled
    assert rows.count().values("a") == {"up to 2": 2, "3 or more": 1}


def test_an_unknown_column_is_named_with_what_looks_like_it(write_file):
    path = write_file("sex,age\nf,1\n")
    problem = the_problem(ColumnError, path, columns=["sex", "Agee"])
    assert problem.where == str(path)
    assert "'Agee'" in problem.what
    assert "Did you mean 'age'?" in problem.found


def test_all_unknown_columns_are_named_together(write_file):
    problems = refusal(
        ColumnError, write_file("a,b\n1,2\n"), columns=["x"], bins={"y": [1]}, frequency="z"
    )
    assert [problem.what.split()[-1] for problem in problems] == ["'x'.", "'y'.", "'z'."]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": ["a", "a"]}, "'a'"),
        ({"columns": []}, "No column"),
        ({"columns": ["a", "b"], "frequency": "b"}, "'b'"),
        ({"codings": Codings(), "na": ["x"]}, "twice"),
    ],
)
def test_a_choice_that_contradicts_itself_is_refused(write_file, options, said):
    assert said in the_problem(QuestionError, write_file("a,b\n1,2\n"), **options).what


PEOPLE = pa.table(
    {
        "a": ["x", "y", "z", "x"] * 50,
        "b": [1, 12, 40, 7] * 50,
        "c": ["u", None, "v", "v"] * 50,
        "n": [1, 2, 0, 3] * 50,
    }
)
READ = {"bins": {"b": [10, 30]}, "merge": {"a": {"xy": ["x", "y"]}}, "columns": ["a", "b", "c"]}


@pytest.mark.parametrize("frequency", [None, "n"])
@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("names", [["a"], ["b", "a"], ["c", "b"], ["a", "b", "c"]])
def test_a_few_columns_are_counted_as_if_there_were_no_others(names, missing, frequency):
    rows = read(PEOPLE, missing=missing, frequency=frequency, **READ)
    alone = rows.only(names).count()
    few = rows.marginal(names)
    assert {*few.marginal(alone.names)} == {*alone}
    assert rows.only(names).columns == tuple(sorted(names))


def test_columns_are_read_once_for_all_marginals():
    reports = []
    rows = read(PEOPLE, missing="level", progress=reports.append)
    for name in "abcn":
        rows.marginal([name])
    assert len(reports) == 1


def test_missing_values_of_the_columns_of_a_marginal_are_refused():
    rows = read(PEOPLE)
    assert rows.marginal(["a"]).row_count == 200
    with pytest.raises(MissingValueError, match="missing: 'c'"):
        rows.marginal(["a", "c"])


def test_columns_without_labels_are_refused_with_the_reason():
    rows = read(pa.table({"a": ["x", "y"], "b": [[1], [2]]}))
    with pytest.raises(ColumnError, match="'b'"):
        rows.marginal(["a"])


def test_a_search_on_the_first_rows_alone_is_refused():
    rows = replace(read(pa.table({"a": ["x", "yy"] * 300_000})), memory=10**6)
    with pytest.raises(ResourceError, match="rows fill it"):
        rows.marginal(["a"])


_PEOPLE = [
    "age,sex,hired,id,score",
    *(f"{20 + at % 40},{'fm?'[at % 3]},{at % 2},x{at},1.{at % 2}0" for at in range(60)),
]


@pytest.mark.parametrize(
    "codings",
    [
        {},
        {"exclude": ["id"], "bins": {"age": [30, ">=45"]}, "na": ["?"], "missing": "level"},
        {"columns": ["hired", "sex"], "merge": {"sex": {"known": ["f", "m"]}}},
    ],
)
def test_recoded_rows_look_as_if_read_with_these_codings(tmp_path, codings):
    """A reader of the file under the same codings is the oracle; the file is read once."""
    path = tmp_path / "people.csv"
    path.write_text("\n".join(_PEOPLE) + "\n")
    expected = read(path, **codings).inspect(protected="sex").to_dict()
    stored = read(path)
    assert stored.lines.complete
    path.unlink()
    recoded = stored.recoded(Codings.of(**codings))
    assert recoded.inspect(protected="sex").to_dict() == expected
    assert recoded.recoded(Codings()).lines.table == stored.lines.table


def test_classes_that_come_back_are_those_that_were(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(_PEOPLE) + "\n")
    stored = read(path)
    for bins in ({"age": [30]}, {"age": [40]}, {"age": [30], "score": ["1.05"]}, {"age": [30]}):
        for na in ((), ("?",)):
            codings = Codings.of(bins=bins, na=na)
            found = stored.recoded(codings).lines.table
            assert found == read(path, codings=codings).lines.table


def test_recoded_rows_are_counted_as_their_codings_say(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(_PEOPLE) + "\n")
    codings = Codings.of(exclude=["id"], bins={"age": 3}, missing="drop", na=["?"])
    recoded = read(path).recoded(codings)
    assert recoded.count() == read(path, codings=codings).count()
    assert recoded.dropped == 20


def said(values, codings):
    table = pa.table({"said": values, "hired": ["yes"] * len(values)})
    rows = coded_as(read(table, missing="level"), "hired", codings, ["said", "none"])
    return rows.requested, rows.only(["said"])


@pytest.mark.parametrize("case", FITTING)
def test_merges_go_for_values_that_they_change(case):
    merge, values, right = FITTING[case]
    requested, rows = said(values, Codings.of(merge=merge))
    assert requested.is_coded("said") is (right is not None)
    if right is not None:
        assert rows.count().values("said") == right


CLASSED = {
    "numbers": (["3", "3.5"], True),
    "classes": (["up to 3", "over 3"], False),
    "classes of whole numbers": (["up to 3", "4 or more"], False),
    "a word": (["3", "none"], True),
    "words": (["yes", "no"], False),
    "gaps alone": ([None, None], False),
}


@pytest.mark.parametrize("case", CLASSED)
def test_classes_go_for_numbers(case):
    values, right = CLASSED[case]
    requested, _ = said(pa.array(values, pa.string()), Codings.of(bins={"hired": [3]}))
    assert requested.is_coded("said") is right


def test_a_number_that_names_a_class_is_a_number():
    requested, rows = said(["2", "3", "4"], Codings.of(bins={"hired": [2, 3]}))
    assert requested.is_coded("said")
    assert rows.count().values("said") == {"up to 2": 1, "3": 1, "4 or more": 1}


def test_quantiles_of_an_absent_model_are_nobodys_classes():
    table = pa.table({"said": [1, 2, 3]})
    rows = read(table)
    coded = coded_as(rows, "hired", Codings.of(bins={"hired": 2}), ["said"])
    assert not coded.requested.is_coded("said")


def test_codings_of_columns_that_may_be_absent_go_with_them():
    table = pa.table({"sex": ["f"], "job": ["a"]})
    codings = Codings.of(columns=["sex", "hired"], merge=MERGED, missing="level")
    rows = read_without(table, codings, ["hired", "pay"], memory="1GB")
    assert (rows.columns, rows.requested.merge) == (("sex",), {})
    assert (rows.requested.missing, rows.memory) == ("level", 10**9)
    table = table.append_column("hired", pa.array(["trial"]))
    assert read_without(table, codings, ["hired"]).requested == codings
