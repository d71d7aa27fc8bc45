"""Equal numbers, truth values, dates and times are one label, however they are spelled."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.people_in_engines import in_duckdb, quiet

import evenhand as eh
from evenhand import checker
from evenhand.checker.people_in_csv import spelling
from evenhand.question import as_label
from evenhand.question.parse_values import RESPELLED
from evenhand.recheck import RecordedCertificate
from evenhand.rows import read
from evenhand.rows.value_labels import to_labels

pytestmark = quiet

TEXTS = st.from_regex(r"[-+]?[0-9]{0,4}(\.[0-9]{0,4})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
TIMES = st.from_regex(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ]?)?(00:00:00|[0-9]{2}:[0-9]{2}(:[0-9]{2})?)(\.[05]{0,9})?"
    r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)?",
    fullmatch=True,
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    TEXTS
    | TIMES
    | st.sampled_from(["True", "TRUE", "true", "False", "FALSE", "tRUE", " 1.0", "1.0 "])
)
def test_the_checker_the_reader_and_the_question_spell_alike(text):
    label = as_label(text)
    assert spelling(text) == label
    assert to_labels(pa.array([text]))[0].as_py() == (label or None)
    assert as_label(label) == label
    if ":" not in text and (text[:1].isdigit() or text[:1] == "-"):
        assert label == text or Decimal(label) == Decimal(text)
    assert label == text or pa.compute.match_substring_regex(pa.array([text]), RESPELLED)[0]


@given(FLOATS)
def test_a_float_has_the_label_of_every_way_to_write_it(number):
    label = as_label(number)
    assert float(label) == number
    assert "e" not in label
    written = {repr(number), f"{number:.17g}" if float(f"{number:.17g}") == number else ""}
    arrow = pa.array([number]).cast(pa.string())[0].as_py()
    assert as_label(arrow) == label
    assert {as_label(text) for text in written if Decimal(text or 0) == Decimal(label)} <= {
        label
    }


@pytest.mark.parametrize(
    "code",
    ["01", "+1", "1,5", "1e3", "1.", ".5", " 1", "1 ", "0x1", "1_0", "00", "٣", "-", "1e+9999"],
)
def test_a_code_stays_as_it_is(code):
    assert as_label(code) == spelling(code) == code
    assert to_labels(pa.array([code]))[0].as_py() == code


DAYS = [dt.datetime(2020, 1, 31), dt.datetime(2021, 12, 1)] * 60  # noqa: DTZ001
HOURS = [dt.datetime(2020, 1, 31), dt.datetime(2020, 1, 31, 9, 30, 0, 500_000)] * 60  # noqa: DTZ001
TABLE = pa.table(
    {
        "sex": [1.0, 0.0] * 60,
        "hired": [True, False, False] * 40,
        "score": [0.5, 1.5, 2.0, 1e-7] * 30,
        "town": ["01", "1", "10", "x"] * 30,
        "day": DAYS,
        "hour": pa.array(HOURS, pa.timestamp("ms")),
        "zoned": pa.array(
            [hour.replace(tzinfo=dt.UTC) for hour in HOURS], pa.timestamp("us", "UTC")
        ),
        "date": [day.date() for day in DAYS],
        "time": [dt.time(9, 30), dt.time(9, 30, 0, 500_000), dt.time(0)] * 40,
    }
)
QUESTION = eh.Question(protected="sex", group=1, decision="hired", favorable="TRUE")
GRAPH = eh.CausalGraph.parse(
    "sex -> hired; score -> hired; sex -> score; town -> score; day -> hired; hour -> day; "
    "date; time -> date; zoned"
)


def holders(folder):
    """The same table in everything that can hold it."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb, ibis = pytest.importorskip("duckdb"), pytest.importorskip("ibis")
    paths = {f"{name}.csv": folder / f"{name}.csv" for name in ("arrow", "pandas", "polars")}
    arrow_csv.write_csv(TABLE, paths["arrow.csv"])
    TABLE.to_pandas().to_csv(paths["pandas.csv"], index=False)
    polars.from_arrow(TABLE).write_csv(paths["polars.csv"])
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    relation = connection.from_arrow(TABLE)
    relation.write_csv(str(folder / "duckdb.csv"))
    exact = TABLE.set_column(0, "sex", TABLE["sex"].cast(pa.decimal128(5, 2)))
    pq.write_table(exact, folder / "a.parquet")
    typed = pandas.read_csv(paths["pandas.csv"], dtype={"town": str})
    texts = {"town": polars.String}
    return {
        **paths,
        "duckdb.csv": folder / "duckdb.csv",
        "arrow": TABLE,
        "integers": TABLE.set_column(0, "sex", TABLE["sex"].cast(pa.int8())),
        "parquet": folder / "a.parquet",
        "pandas": TABLE.to_pandas(),
        "read by pandas": typed,
        "texts": typed.astype(str),
        "polars": polars.from_arrow(TABLE),
        "read by polars": polars.read_csv(paths["polars.csv"], schema_overrides=texts),
        "relation": relation,
        "ibis": in_duckdb(ibis, TABLE),
    }


def test_every_holder_gives_the_same_certificate_and_verifies_that_of_another(tmp_path):
    sources = holders(tmp_path)
    audits = {name: eh.audit(source, QUESTION, graph=GRAPH) for name, source in sources.items()}
    certificates = {name: audit.certificate.to_json() for name, audit in audits.items()}
    first, counts = json.loads(certificates["arrow"]), audits["arrow"].counts
    assert [json.loads(text) for text in certificates.values()] == [first] * len(audits)
    assert {audit.counts.digest for audit in audits.values()} == {counts.digest}
    assert set(counts.values("town")) == {"01", "1", "10", "x"}
    assert set(counts.values("day")) == {"2020-01-31", "2021-12-01"}
    assert set(counts.values("hour")) == {"2020-01-31", "2020-01-31 09:30:00.5"}
    assert "2020-01-31 00:00:00+00:00" in counts.values("zoned")
    assert set(counts.values("time")) == {"09:30:00", "09:30:00.5", "00:00:00"}
    recorded = RecordedCertificate.parse(certificates["pandas"])
    for name, audit in audits.items():
        assert recorded.differences(audit.rows.count()) == ()
        if name.endswith(".csv"):
            assert checker.verify(certificates["ibis"], str(sources[name]))[0] == 0


@pytest.mark.parametrize("spelled", ["1", "1.0", "1.00", 1, 1.0])
def test_a_question_finds_a_number_however_it_is_spelled(write, spelled):
    path = write("sex,hired,job\n" + "1.0,yes,7.50\n0.0,no,2\n1.00,no,2\n0.0,yes,7.5\n" * 30)
    asked = eh.Question(protected="sex", group=spelled, decision="hired", favorable="yes")
    labels = eh.QuestionFile.parse(
        '[question]\nprotected = "sex"\ngroup = "1"\ndecision = "hired"\nfavorable = "yes"\n'
        f'[labels.values.sex]\n"{spelled}" = "women"\n'
    ).labels
    assert labels.value("sex", "1") == "women"
    codings = eh.Codings.of(merge={"job": {"low": ["2.0"], "7.0": ["7.5"]}})
    audit = eh.audit(
        path, asked, codings=codings, graph=eh.CausalGraph.parse("sex -> hired; job")
    )
    assert audit.question.group == "1"
    assert audit.counts.values("job") == {"7": 60, "low": 60}
    missing = read(path, na=["7.500"], missing="drop")
    assert missing.dropped == 60


def test_two_spellings_in_one_column_are_one_value_and_a_note_says_so(write):
    path = write("a,b\n" + "1,x\n1.0,x\n01,x\n1.10,y\n1.1,y\n2.0,y\n")
    rows = read(path)
    assert rows.count().values("a") == {"01": 1, "1": 2, "1.1": 2, "2": 1}
    (note,) = rows.notes
    assert "'1', '1.0'" in note.what
    assert "1 more" in note.what
    assert read(write("a,b\n1.0,x\n2.0,y\n")).notes == ()


def test_what_was_spelled_in_an_earlier_file_is_remembered(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("a,b\n1.0,x\n")
    for merge in ({}, {"a": {"one": ["1"]}}):
        assert len(read(tmp_path, merge=merge).notes) == 1
    assert read(tmp_path, bins={"a": [1]}).notes == ()


def test_a_release_keeps_the_spelling_of_the_file(write, tmp_path):
    lines = ["0.50,1.0,1.0\n", "0.50,1.0,0.0\n", "0.5,0.0,1.0\n", "0.50,0.0,1.0\n"] * 30
    path = write("score,sex,hired\n" + "".join(lines))
    asked = eh.Question(protected="sex", group="1", decision="hired", favorable="1")
    graph = eh.CausalGraph.parse("sex -> hired; score -> hired")
    audit = eh.audit(path, asked, graph=graph)
    assert audit.verdict is eh.Verdict.NOT_CERTIFIED
    audit.release(seed=7).write(tmp_path / "out.csv")
    released = (tmp_path / "out.csv").read_text().splitlines(keepends=True)[1:]
    assert len(released) == len(lines)
    changed = 0
    for before, after in zip(lines, released, strict=True):
        assert before[: before.rindex(",")] == after[: after.rindex(",")]
        assert after.endswith((",1.0\n", ",0.0\n"))
        changed += before != after
    assert changed > 0


def test_an_engine_drops_every_spelling_of_a_missing_number():
    ibis = pytest.importorskip("ibis")
    table = pa.table(
        {
            "id": range(240),
            "sex": ["f", "m"] * 120,
            "hired": ["yes", "no", "no", "yes", "no", "yes"] * 40,
            "job": ["9", "9.0", "cook", "cook", "09", "9.00"] * 40,
        }
    )
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    codings = eh.Codings.of(columns=["sex", "hired", "job"], na=["9"], missing="drop")
    graph = eh.CausalGraph.parse("sex -> hired; job -> hired")
    audit = eh.audit(in_duckdb(ibis, table), asked, codings=codings, graph=graph)
    assert audit.rows.dropped == 120
    release = audit.release(seed=7, key="id", uncertified=True)
    assert release.rows.to_pyarrow().num_rows == 120


def written(time):
    """Ways in which programs write a time."""
    whole = not time.microsecond
    return {
        str(time),
        time.isoformat(),
        time.isoformat(timespec="microseconds"),
        f"{time.isoformat(timespec='microseconds')}000",
        *([time.date().isoformat()] if whole and time.time() == dt.time(0) else []),
        *([time.isoformat(timespec="seconds")] if whole else []),
    }


MIDNIGHTS = st.dates().map(lambda day: dt.datetime.combine(day, dt.time(0)))


@given(st.datetimes() | MIDNIGHTS)
def test_a_time_has_the_label_of_every_way_to_write_it(time):
    label = as_label(time)
    assert dt.datetime.fromisoformat(label) == time
    assert {as_label(text) for text in written(time)} == {label}
    assert {spelling(text) for text in written(time)} == {label}
    assert [*read(pa.table({"a": [time]})).count().values("a")] == [label]


def test_a_question_finds_a_date_however_it_is_spelled():
    table = pa.table({"since": ["2020-01-01", "2021-01-01"] * 3, "hired": ["y", "n", "n"] * 2})
    asked = eh.Question(
        protected="since", group="2020-01-01T00:00:00", decision="hired", favorable="y"
    )
    assert asked.group == "2020-01-01"
    assert (
        json.loads(json.dumps(read(table).inspect(asked).to_dict()))["comparison"]["rows"] == 6
    )


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "data.csv"
        path.write_text(text)
        return path

    return written
