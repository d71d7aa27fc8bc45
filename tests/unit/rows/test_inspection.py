"""An inspection: columns, findings, what can be compared, as text and as plain data."""

import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from tests.people_in_engines import in_duckdb
from tests.staff import staff_csv

from evenhand import CountTable, Question, read
from evenhand.errors import ColumnError, InputError
from evenhand.rows import FindingKind
from evenhand.rows.inspect.inspection import inspect

ASKED = Question(
    protected="sex", group="female", other="male", decision="promoted", favorable="yes"
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("staff") / "staff.csv"
    path.write_text(staff_csv())
    return read(path)


def test_all_that_is_odd_in_a_personnel_table_is_told_in_few_lines(rows):
    inspection = rows.inspect(ASKED)
    assert [str(one.kind) for one in inspection.findings] == [
        "determines the decision",
        "tied to the protected attribute",
        "spelling variants",
        "looks missing",
        "missing values",
        "equivalent columns",
        "forms no groups",
        "numbers of many values",
    ]
    kinds = {one.name: str(one.kind) for one in inspection.columns}
    assert kinds == {
        "employee_id": "identifier",
        "name": "identifier",
        "hired_on": "date",
        "sex": "category",
        "gender_code": "category",
        "department": "category",
        "dept_code": "category",
        "age": "number",
        "age_group": "category",
        "salary": "number",
        "rating": "number",
        "comment": "free text",
        "country": "constant",
        "promoted": "category",
        "promotion_letter": "category",
    }


def test_only_what_matters_to_a_question_is_picked_out(rows):
    matters = [str(one.kind) for one in rows.inspect(ASKED).matters]
    assert matters[:2] == ["tied to the protected attribute", "spelling variants"]
    assert "forms no groups" not in matters


def test_people_are_compared_alike_in_all_columns_that_may_explain(rows):
    comparison = rows.inspect(ASKED).comparison
    assert comparison.columns == ("department", "age", "age_group", "salary", "rating")
    # The same, counted: numbers in the suggested classes, what is missing as a value.
    inspection = rows.inspect(ASKED)
    bins = {name: inspection.column(name).suggested.cuts for name in ("age", "salary")}
    names = [*comparison.columns, "sex", "promoted"]
    counts = read(rows.origin, columns=names, bins=bins, na=["n/a"], missing="level").count()
    kinds = {}
    for labels, many in counts:
        line = dict(zip(counts.names, labels, strict=True))
        if line["sex"] in ("female", "male"):
            kind = kinds.setdefault(tuple(line[n] for n in comparison.columns), [])
            kind.append((line["sex"], line["promoted"], many))
    both = [kind for kind in kinds.values() if len({sex for sex, _, _ in kind}) == 2]
    same = [kind for kind in both if len({yes for _, yes, _ in kind}) == 1]
    assert (comparison.occupied, comparison.measured) == (len(kinds), len(both))
    assert comparison.same_decision == sum(many for kind in same for _, _, many in kind)


def test_an_inspection_is_plain_data(rows):
    content = json.loads(json.dumps(rows.inspect(ASKED).to_dict()))
    assert content["rows"] == 600
    assert content["findings"][0]["remedies"] == [
        {
            "words": "If made from or after the decision, leave it out",
            "argument": "exclude",
            "value": ["promotion_letter"],
        },
        {
            "words": "declare the rule of the decision",
            "argument": "rule",
            "value": ["promotion_letter"],
        },
    ]
    assert content["comparison"]["columns"][0] == "department"


def test_the_text_fits_a_terminal(rows):
    inspection = rows.inspect(ASKED)
    for summary in (inspection.summary(), inspection.columns_summary()):
        assert max(map(len, "\n".join(summary.parts(80)).split("\n"))) <= 80
    assert "600 rows, 15 columns, 8 things to look at" in str(inspection)
    assert "column            kind" in "\n".join(inspection.columns_summary().parts(80))


def test_three_findings_that_would_change_the_answer_come_first_in_a_line_each(rows):
    first, second, third, heading, *rest = rows.inspect(ASKED).summary().notes
    assert first.what.startswith("'promotion_letter' alone determines 'promoted'")
    assert second.what.startswith("'gender_code' is tied to 'sex'")
    assert third.what == "One value is written in several ways: 'sex' 'male', 'Male'."
    assert not any(one.found for one in (first, second, third))
    assert heading == "Also:"
    assert len(rest) == 5


def test_spellings_of_names_of_people_are_not_told():
    people = [f"{'Ann' if at % 3 else 'ANN'} S{at // 2 % 70}" for at in range(420)]
    table = {"name": people, "town": ["Bonn", "bonn", "Ulm"] * 140}
    found = read(pa.table(table)).inspect().findings
    assert [one.columns for one in found if one.kind is FindingKind.SPELLING] == [("town",)]


def test_a_column_is_found_by_name(rows):
    inspection = rows.inspect()
    assert inspection.column("age").missing == 12
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        inspection.column("Age")
    with pytest.raises(ColumnError, match="There is no column 'promotion'"):
        rows.inspect(decision="promotion")


def test_counts_are_looked_at_like_rows(rows):
    names = ["sex", "gender_code", "department", "promoted", "promotion_letter"]
    counts = read(rows.origin, columns=names).count()
    of_rows = read(rows.origin, columns=names).inspect(ASKED).to_dict()
    of_counts = inspect(counts, ASKED).to_dict()
    assert of_counts["findings"] == of_rows["findings"]
    assert of_counts["comparison"] == of_rows["comparison"]


@pytest.mark.parametrize("many", [3, 1500])
def test_how_the_table_was_read_is_told_as_counting_tells_it(tmp_path, many):
    path = tmp_path / "a.csv"
    lines = "".join(
        f"{at}{'.0' if at == 2 else ''},x,{at}\n{at},y,{at}\n" for at in range(many)
    )
    path.write_text(f"pay,sex,pay\n{lines}")
    rows = read(path)
    inspection = rows.inspect()
    assert inspection.notes == rows.notes
    renamed, respelled = inspection.notes
    assert "the later one is read as 'pay.1'" in renamed.what
    assert "pay spells one value in several ways: '2', '2.0'" in respelled.what
    assert all(note.what in str(inspection) for note in inspection.notes)
    told = [note["what"] for note in inspection.to_dict()["notes"]]
    assert told == [note.what for note in inspection.notes]


def test_typed_missing_and_binned_values_have_no_spelling():
    table = pa.table({"a": ["1", "2.0", "NA", "", "2"], "b": [1.0, 2.0, 2.0, 1.0, 0.0]})
    assert not read(table, na=["NA"], bins={"a": [1]}).inspect().notes
    (note,) = read(table, na=["NA"]).inspect().notes
    assert "'2', '2.0'" in note.what


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("asked", [None, ASKED])
@pytest.mark.parametrize("holder", ["ibis", "duckdb", "pandas", "polars", "parquet"])
def test_every_holder_of_a_table_gives_the_findings_of_its_csv(
    rows, tmp_path, typed, asked, holder
):
    table = arrow_csv.read_csv(
        rows.where,
        convert_options=arrow_csv.ConvertOptions(
            column_types={} if typed else dict.fromkeys(rows.columns, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    assert (table.schema.field("age").type == pa.int64()) == typed
    if holder == "parquet":
        source = tmp_path / "a.parquet"
        pq.write_table(table, source)
    elif holder == "pandas":
        pytest.importorskip("pandas")
        source = table.to_pandas()
    else:
        module = pytest.importorskip(holder)
        source = {
            "ibis": lambda: in_duckdb(module, table),
            "duckdb": lambda: module.connect().from_arrow(table),
            "polars": lambda: module.from_arrow(table),
        }[holder]()
    assert read(source).inspect(asked).to_dict() == rows.inspect(asked).to_dict()
    bins = {"age": [30, 50]}
    binned = read(rows.where, bins=bins).inspect(asked)
    assert read(source, bins=bins).inspect(asked).to_dict() == binned.to_dict()


def test_reading_the_rows_is_reported():
    reports = []
    read(pa.table({"a": ["x"] * 300_000}), progress=reports.append).inspect()
    assert [(one.step, one.done) for one in reports][-1] == ("reading rows", 300_000)
    assert len(reports) == 3


def test_no_protected_attribute_is_among_the_columns_in_which_people_are_alike():
    """Of two of them the groups are combinations: alike in the second nobody would differ."""
    lines = [(s, r, t, d) for s in "fm" for r in "ab" for t in "xy" for d in ("yes", "no")] * 40
    columns = zip(*lines, strict=True)
    table = CountTable.of(dict(zip(("sex", "race", "town", "hired"), columns, strict=True)))
    question = Question(protected=("sex", "race"), decision="hired", favorable="yes")
    comparison = inspect(table, question).comparison
    assert comparison.columns == ("town",)
    assert (comparison.occupied, comparison.measured, comparison.groups) == (2, 2, 4)
    assert "2 with two groups or more" in str(comparison)
    assert "groups" not in comparison.to_dict()


def test_groups_that_nobody_is_of_leave_nothing_to_tell():
    table = CountTable.of({"sex": ["f", "m"], "hired": ["yes", "no"]}, [3, 4])
    asked = Question(protected="sex", group="x", other="y", decision="hired", favorable="yes")
    inspection = inspect(table, asked)
    assert inspection.comparison.rows == 0
    assert inspection.same_decisions() == ()


def test_a_table_without_rows_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("sex,hired\n")
    with pytest.raises(InputError, match="There are no rows"):
        read(tmp_path / "a.csv").inspect()


@pytest.mark.parametrize(
    "asked",
    [
        {"decision": "salary", "protected": "sex"},
        {"decision": "hired", "protected": "salary"},
        {"question": Question(protected="salary", decision="hired", favorable="yes")},
    ],
    ids=["decision", "protected", "question"],
)
def test_a_column_of_unique_numbers_that_is_asked_about_takes_no_memory_of_its_square(asked):
    """A person who names the wrong column gets an answer, not a process that was killed."""
    random, rows = np.random.default_rng(0), 10_000
    table = pa.table(
        {
            "sex": random.choice(["f", "m"], rows),
            "pay": random.permutation(rows) * 1.5,
            "town": random.integers(0, rows // 5, rows).astype(str),
            "hired": random.choice(["yes", "no"], rows),
            "salary": random.permutation(rows),
        }
    )
    tracemalloc.start()
    try:
        read(table).inspect(**asked)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 100e6
