"""Tables that are no files: Arrow objects, frames, relations."""

import pyarrow as pa
import pytest
from tests.reading import EXPECTED, the_problem

from evenhand.errors import ColumnError, InputError
from evenhand.rows import read


@pytest.mark.parametrize(
    "make",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: table.to_reader(),
        lambda table: table.to_pandas(),
        lambda table: table.to_pandas().astype("category").set_index([[9, 8, 7, 6]]),
        lambda table: pa.table([c.dictionary_encode() for c in table], table.column_names),
        lambda table: pa.table([c.cast(pa.large_string()) for c in table], table.column_names),
        lambda table: pa.table([c.cast(pa.string_view()) for c in table], table.column_names),
    ],
)
def test_tables_in_memory_are_read(table, make):
    assert read(make(table)).count() == EXPECTED


def test_polars_frames_are_read_eager_and_lazy(table, polars):
    frame = polars.from_arrow(table)
    for each in (frame, frame.lazy(), frame.cast(polars.Categorical)):
        assert read(each).count() == EXPECTED


def test_relations_are_read_again_when_asked_again(table, duckdb):
    relation = duckdb.from_arrow(table)
    for _ in range(2):
        assert read(relation).count() == EXPECTED


def test_whatever_speaks_arrow_is_read(table):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert read(Stream()).count() == EXPECTED


def test_a_relation_tells_names_apart_that_differ_by_case(duckdb):
    relation = duckdb.sql("""select 'x' as a, 'y' as "A", 'z' as "a b""c" """)
    assert list(read(relation, columns=['a b"c', "A"]).count()) == [(("z", "y"), 1)]


def test_a_relation_that_counts_can_be_read(duckdb):
    relation = duckdb.sql(
        "select i % 3 as a, count(*) as n, sum(1) as s from range(10) t(i) group by 1"
    )
    for frequency in ("n", "s"):
        counts = read(relation, columns=["a"], frequency=frequency).count()
        assert counts.values("a") == {"0": 4, "1": 3, "2": 3}


@pytest.mark.parametrize("kind", ["relation", "pandas", "table", "reader", "batch"])
def test_repeated_names_get_a_number(pandas, duckdb, kind):
    arrow = pa.table([["x", "y"], ["u", "u"]], names=["a", "a"])
    frame = pandas.DataFrame([["x", "u"], ["y", "u"]], columns=["a", "a"])
    sources = {
        "relation": duckdb.sql("select unnest(['x', 'y']) as a, 'u' as a"),
        "pandas": frame,
        "table": arrow,
        "reader": arrow.to_reader(),
        "batch": arrow.to_batches()[0],
    }
    rows = read(sources[kind])
    assert rows.columns == ("a", "a.1")
    assert rows.count().values("a.1") == {"u": 2}
    (note,) = rows.notes
    assert "2 columns are called 'a'; the later one is read as 'a.1'" in note.what
    assert [*frame.columns] == ["a", "a"]


def test_names_that_are_no_texts_are_refused(pandas):
    problem = the_problem(ColumnError, pandas.DataFrame([[1, 2]]))
    assert "'0', '1'" in problem.what


def test_what_is_no_table_is_refused():
    assert "dict" in the_problem(InputError, {"a": [1]}).what


def test_a_failing_relation_is_refused(duckdb):
    relation = duckdb.sql("select error('no such thing') as a, 1 as b")
    assert "no such thing" in the_problem(InputError, relation).found


def test_a_relation_that_fails_late_is_refused(duckdb):
    relation = duckdb.sql(
        "select case when i > 250000 then error('too far') else i % 3 end as a "
        "from range(300000) t(i)"
    )
    assert "too far" in the_problem(InputError, relation).found


def test_mixed_types_in_a_frame_are_refused_by_column(pandas):
    problem = the_problem(InputError, pandas.DataFrame({"a": [1, "x"], "b": [1, 2]}))
    assert "several types" in problem.what
    assert "column a" in problem.found


def test_a_reader_is_read_once():
    reader = pa.table({"a": [1, 2, 3, 4]}).to_reader()
    problem = the_problem(InputError, reader, bins={"a": 2})
    assert "only once" in problem.what
    assert "read_all" in problem.remedy_text()


HALF = "b\udc80"
OBJECTS = {"dtype": object}


@pytest.mark.parametrize("at", ["value", "category", "name"])
@pytest.mark.parametrize("act", [lambda rows: rows.count(), lambda rows: rows.inspect()])
def test_half_a_character_is_refused_in_words(at, act):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "1"], ["b", "0"]], **OBJECTS)
    frame.columns = pandas.Index([HALF if at == "name" else "s", "d"], **OBJECTS)
    if at == "category":
        categories = pandas.Index(["a", HALF], **OBJECTS)
        frame["s"] = pandas.Categorical.from_codes([0, 1], categories=categories)
    elif at == "value":
        frame.loc[1, "s"] = HALF
    with pytest.raises(InputError, match="half a character"):
        act(read(frame))
