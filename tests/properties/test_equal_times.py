"""Equal dates and times are one label, wherever stored and however spelled."""

import datetime as dt
import json

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
from evenhand.recheck import RecordedCertificate
from evenhand.rows import read

pytestmark = quiet

DAYS = [dt.datetime(2020, 1, 31), dt.datetime(2021, 12, 1)] * 60  # noqa: DTZ001
HOURS = [dt.datetime(2020, 1, 31), dt.datetime(2020, 1, 31, 9, 30, 0, 500_000)] * 60  # noqa: DTZ001
ZONED = [day.replace(tzinfo=dt.UTC) for day in HOURS]
CLOCK = [dt.time(9, 30), dt.time(9, 30, 0, 500_000), dt.time(0)] * 40
QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse(
    "sex -> hired; day -> hired; hour -> day; date; time -> date; zoned"
)


def holders(tmp_path):
    """The same table in everything that can hold it."""
    pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    duckdb, ibis = pytest.importorskip("duckdb"), pytest.importorskip("ibis")
    table = pa.table(
        {
            "sex": ["f", "m", "m"] * 40,
            "hired": ["yes", "no", "no", "no", "yes"] * 24,
            "day": DAYS,
            "hour": pa.array(HOURS, pa.timestamp("ms")),
            "zoned": pa.array(ZONED, pa.timestamp("us", "UTC")),
            "date": [day.date() for day in DAYS],
            "time": CLOCK,
        }
    )
    frame = table.to_pandas()
    paths = {name: tmp_path / f"{name}.csv" for name in ("arrow", "pandas", "polars", "duckdb")}
    arrow_csv.write_csv(table, paths["arrow"])
    frame.to_csv(paths["pandas"], index=False)
    polars.from_arrow(table).write_csv(paths["polars"])
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    relation = connection.from_arrow(table)
    relation.write_csv(str(paths["duckdb"]))
    pq.write_table(table, tmp_path / "a.parquet")
    return {
        **{f"{name}.csv": path for name, path in paths.items()},
        "arrow": table,
        "parquet": tmp_path / "a.parquet",
        "pandas": frame,
        "polars": polars.from_arrow(table),
        "relation": relation,
        "ibis": in_duckdb(ibis, table),
    }


def test_every_holder_gives_the_same_certificate_and_verifies_that_of_another(tmp_path):
    sources = holders(tmp_path)
    audits = {name: eh.audit(source, QUESTION, graph=GRAPH) for name, source in sources.items()}
    first = audits["arrow"].counts
    assert set(first.values("day")) == {"2020-01-31", "2021-12-01"}
    assert set(first.values("hour")) == {"2020-01-31", "2020-01-31 09:30:00.5"}
    assert "2020-01-31 00:00:00+00:00" in first.values("zoned")
    assert set(first.values("time")) == {"09:30:00", "09:30:00.5", "00:00:00"}
    assert {name: audit.counts.digest for name, audit in audits.items()} == dict.fromkeys(
        audits, first.digest
    )
    recorded = RecordedCertificate.parse(audits["pandas"].certificate.to_json())
    for name, audit in audits.items():
        assert recorded.differences(audit.rows.count()) == ()
        if name.endswith(".csv"):
            assert (
                checker.verify(audits["ibis"].certificate.to_json(), str(sources[name]))[0] == 0
            )


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
