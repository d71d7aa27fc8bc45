"""Tables in an engine, reached through Ibis: the engine counts, and only counts are fetched.

One GROUP BY gives the distinct lines and how often each occurs. They are read like the lines of
any other source, so that labels, merged and missing values mean the same everywhere. Numbers to
be binned may have millions of values: the engine computes their classes.
"""

import re
import sys
from collections.abc import Collection, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from evenhand.errors import EvenhandError, ResourceError, ValuesError
from evenhand.question import Bins, Codings, as_label
from evenhand.question.codings import unplaced
from evenhand.question.number_classes import Boundary, last_below
from evenhand.question.parse_values import exact_number
from evenhand.rows.batch_source import BATCH_ROWS, Batches, BatchSource

Expression: TypeAlias = Any  # an Ibis table
Backend: TypeAlias = Any  # Ibis's connection

# For one transaction. Compiling a statement of many cases took longer than running it: 1.9 s
# instead of 1.3 s of a release of a million rows. Counting 400,000 lines within the usual 4 MB
# took 1.65 s, in 64 MB 1.3 s. All rows are read, so that no join should go row by row, which
# the server would try where it expects few rows.
_SETTINGS = (
    "SELECT set_config(name, CASE name WHEN 'work_mem' "
    "THEN greatest(setting::bigint, 65536) || 'kB' ELSE 'off' END, true) "
    "FROM pg_settings WHERE name IN ('jit', 'enable_nestloop', 'work_mem')"
)
_CURSOR = "evenhand_lines"


def speaks_directly(expression: Expression) -> bool:
    """Whether an expression can be given to PostgreSQL as a statement of our own.

    Ibis itself prepares tables that lie in this process, and functions written in Python.
    """
    engine = expression.get_backend()
    if engine.name != "postgres":
        return False
    ops: Any = sys.modules["ibis"].expr.operations
    prepared = (ops.InMemoryTable, ops.ScalarUDF, ops.AggUDF)
    return not expression.op().find(prepared) and engine.con.info.encoding == "utf-8"


def has_plain_types(expression: Expression) -> bool:
    """Whether the texts of all columns can be parsed whatever the server's settings are."""
    kinds = expression.schema().values()
    return all(
        kind.is_string() or kind.is_integer() or kind.is_floating() or kind.is_boolean()
        for kind in kinds
    )


def arrow_schema(expression: Expression) -> pa.Schema:
    """The types of an expression's columns; what Ibis says of absent nulls is left out."""
    return pa.schema({field.name: field.type for field in expression.schema().to_pyarrow()})


def stream_lines(expression: Expression) -> Batches:
    """The lines of an expression in batches.

    Measured on 416,000 lines of 13 columns: 0.25 CPU seconds of the client; by COPY, which the
    driver reads line by line, 1.2; by Ibis 1.9.
    """
    engine, schema = expression.get_backend(), arrow_schema(expression)
    query = engine.compile(expression)
    # The whole line, whatever its columns are called.
    statement = f"SELECT CAST((evenhand_line.*) AS text) FROM ({query}) AS evenhand_line"  # noqa: S608
    with _transaction(engine) as connection, connection.cursor(_CURSOR) as cursor:
        cursor.execute(statement)
        while lines := cursor.fetchmany(BATCH_ROWS):
            yield from parse_lines([line for (line,) in lines], schema).to_batches()


def parse_lines(lines: list[str], schema: pa.Schema) -> pa.Table:
    r"""Lines as PostgreSQL writes composite values.

    Like CSV in parentheses: an empty text is in quotes and null is not, quotes are doubled, and
    so are backslashes.

    >>> schema = pa.schema({"name": pa.string(), "age": pa.int64(), "member": pa.bool_()})
    >>> table = parse_lines([r'("a \\ b",3,t)', '("",,f)'], schema)
    >>> table.to_pylist()[0]
    {'name': 'a \\ b', 'age': 3, 'member': True}
    >>> table.to_pylist()[1]
    {'name': '', 'age': None, 'member': False}
    """
    text = "".join([f"{line[1:-1]}\n" for line in lines]).encode()
    return arrow_csv.read_csv(
        BytesIO(text),
        arrow_csv.ReadOptions(column_names=schema.names, block_size=max(len(text), 2**20)),
        arrow_csv.ParseOptions(
            escape_char="\\", newlines_in_values=True, ignore_empty_lines=False
        ),
        arrow_csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    )


def create_table_as(name: str, expression: Expression) -> None:
    """Make a table of an expression; ``name`` is quoted already."""
    engine = expression.get_backend()
    query = engine.compile(expression)
    with _transaction(engine) as connection:
        connection.execute(f"CREATE TABLE {name} AS {query}")
    if not connection.autocommit:
        connection.commit()


@contextmanager
def _transaction(engine: Backend) -> Iterator[Any]:
    """A transaction with settings of its own."""
    connection = engine.con
    with connection.transaction():
        connection.execute(_SETTINGS)
        yield connection


KIND = "engine"
_FETCHES_WHOLE = "pyspark"  # its driver cannot stream
_INFINITE, _BETWEEN = "an infinite number", "a number between two classes"
_NO_LIMIT = 2**62  # rows
_LARGEST_FLOAT = sys.float_info.max
_SECRET = re.compile(r"://[^@\s/]+@|(password|token|secret)\s*=\s*\S+", re.IGNORECASE)


def is_engine_table(source: object) -> bool:
    """Whether this is an Ibis table; one exists only where ibis is already imported."""
    ibis = sys.modules.get("ibis")
    return ibis is not None and isinstance(source, ibis.Table)


def engine_source(table: Expression) -> BatchSource:
    """A table, or any expression that gives one, in whatever engine holds it."""
    where = table_name(table)
    stored: dict[str, pa.Array] = {}  # from the last pass that counted a column

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        yield from stream_batches(table.select(*columns), where)

    def group_by(names: Sequence[str], codings: Codings) -> tuple[BatchSource, Codings]:
        return _group_by(table, names, codings, where, stored)

    def distinct(name: str) -> pa.Array:
        if name not in stored:
            values = fetch(table.select(name).distinct(), where).column(0)
            stored[name] = pa.concat_arrays(values.chunks)
        return stored[name]

    return BatchSource(
        where=where,
        kind=KIND,
        names=table.columns,
        open=batches,
        group_by=group_by,
        distinct=distinct,
        streams=table.get_backend().name != _FETCHES_WHOLE,
    )


def table_name(table: Expression) -> str:
    """The table's name, if it has one: an expression has none."""
    return str(table.get_name()) if hasattr(table.op(), "name") else "Ibis table"


def fetch(expression: Expression, where: str) -> pa.Table:
    """The result of an expression, as a whole."""
    with engine_errors(where):
        if _is_text_from_postgres(expression):
            return pa.Table.from_batches(stream_lines(expression), arrow_schema(expression))
        if expression.get_backend().name == _FETCHES_WHOLE:
            return _fetch_from_spark(expression)
        return expression.to_pyarrow()


def stream_batches(expression: Expression, where: str) -> Batches:
    """The result of an expression in batches, if the engine's driver can stream."""
    with engine_errors(where):
        engine = expression.get_backend()
        if _is_text_from_postgres(expression):
            yield from stream_lines(expression)
            return
        if engine.name == _FETCHES_WHOLE:
            yield from _fetch_from_spark(expression).to_batches(BATCH_ROWS)
            return
        if engine.name == "duckdb":  # ibis 12 asks for a reader by a name that DuckDB 2 dropped
            reader = engine.con.sql(engine.compile(expression)).to_arrow_reader(BATCH_ROWS)
        else:
            reader = expression.to_pyarrow_batches(chunk_size=BATCH_ROWS)
        # An open reader blocks the connection.
        with reader:
            yield from reader


def _is_text_from_postgres(expression: Expression) -> bool:
    return speaks_directly(expression) and has_plain_types(expression)


def _fetch_from_spark(expression: Expression) -> pa.Table:
    """The result of an expression in Spark, which Ibis would fetch through pandas."""
    engine = expression.get_backend()
    table = engine.raw_sql(engine.compile(expression)).toArrow()
    return table.cast(arrow_schema(expression))


def computed_once(table: Expression) -> Expression:
    """The table with the guarantee that its columns are not computed again at each use.

    PostgreSQL would put their expressions into those above: a limit keeps them apart.
    """
    return table.limit(_NO_LIMIT) if table.get_backend().name == "postgres" else table


def create_table(name: str, expression: Expression) -> None:
    """Make a new table of an expression, in the engine that holds its rows."""
    engine = expression.get_backend()
    if speaks_directly(expression):
        create_table_as(quoted_name(engine, name), expression)
    else:
        engine.create_table(name, expression)


def quoted_name(engine: Expression, name: str) -> str:
    """A name as the engine's statements have it."""
    sqlglot: Any = sys.modules["sqlglot"]  # loaded with ibis
    quoted = sqlglot.to_identifier(name, quoted=True)
    return str(quoted.sql(dialect=engine.dialect))


@contextmanager
def engine_errors(where: str) -> Iterator[None]:
    """Turn any error of an engine into ours, with secrets removed from its message.

    Engines share no exception class: a lost connection may raise any.
    """
    try:
        yield
    except EvenhandError:
        raise
    except Exception as error:
        message = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ResourceError.of(
            "The engine could not do its part.",
            f"It says: {_SECRET.sub('…', message).rstrip('.')}.",
            "Nothing was left behind. Check the connection, the table and your rights.",
            where,
        ) from error


def class_conditions(column: Expression, bins: Bins) -> list[Any]:
    """For each cut of a column of numbers the condition that a number is below it."""
    whole = column.type().is_integer()
    return [
        column <= last_below(cut) if whole else _is_below(column, cut)
        for cut in bins.boundaries
    ]


def engine_bins(column: Expression, bins: Bins | int | None) -> Bins | None:
    """The bins of a column, if the engine can compute its classes exactly."""
    kind = column.type()
    exact = kind.is_integer() or kind.is_float64()
    return bins if exact and isinstance(bins, Bins) else None


def missing_numbers(column: Expression, na: Collection[str]) -> Expression:
    """The condition that a number is missing: null, NaN, or declared as such."""
    whole = column.type().is_integer()
    declared = [
        number for text in na if (number := _number_of_label(text, whole=whole)) is not None
    ]
    absent = column.isnull() if whole else column.isnull() | column.isnan()
    return absent | column.isin(declared) if declared else absent


def repeating_columns(table: Expression, names: Sequence[str], share: float) -> list[str]:
    """The columns whose number of different values is at most about this share of the rows.

    An engine that cannot estimate the number of different values gets all of them.
    """
    try:
        with engine_errors(table_name(table)):
            different = {f"n{at}": table[n].approx_nunique() for at, n in enumerate(names)}
            found = table.aggregate(rows=table.count(), **different).to_pyarrow().to_pylist()[0]
    except ResourceError:
        return list(names)
    return [n for at, n in enumerate(names) if found[f"n{at}"] <= share * found["rows"]]


def distinct_lines(
    table: Expression, names: Sequence[str], codings: Codings, number: str
) -> Expression:
    """The one GROUP BY: distinct lines of some columns, and the number of rows of each.

    Numbers that are binned are counted in classes.
    """
    rows = table.count() if codings.frequency is None else table[codings.frequency].sum()
    keys = {
        name: _class_labels(table[name], bins, codings.na) if bins else table[name]
        for name in names
        for bins in [engine_bins(table[name], codings.bins.get(name))]
    }
    return table.group_by(**keys).aggregate(**{number: rows.cast("int64")})


def _group_by(
    table: Expression,
    names: Sequence[str],
    codings: Codings,
    where: str,
    stored: MutableMapping[str, pa.Array],
) -> tuple[BatchSource, Codings]:
    """The distinct lines of some columns as a source with a frequency.

    Who reads them to their end finds the values of each column in ``stored``.
    """
    number = next(n for n in ("rows", *(f"rows_{i}" for i in range(99))) if n not in names)
    if codings.frequency is not None:
        _check_frequency(table, codings.frequency, where)
    binned = [n for n in names if engine_bins(table[n], codings.bins.get(n))]
    settled = {name: _settled(table, name, codings, where) for name in binned}
    codings = replace(codings, bins={**codings.bins, **settled})
    lines = distinct_lines(table, names, codings, number)

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        values: dict[str, pa.Array] = {}
        for batch in stream_batches(lines.select(*columns), where):
            for name in {*names} & {*columns}:
                found = [*filter(None, [values.get(name)]), batch.column(name)]
                values[name] = pc.unique(pa.concat_arrays(found))
            for name in binned:
                for text in {_INFINITE, _BETWEEN}.intersection(values[name].to_pylist()):
                    between, at = text == _BETWEEN, {text: "some row"}
                    raise unplaced(name, at, is_number=between, where=where)
            yield batch
        stored.update({name: array for name, array in values.items() if name not in binned})

    source = BatchSource(
        where=where, kind=KIND, names=lines.columns, open=batches, places=_line_numbers
    )
    unbinned = {name: bins for name, bins in codings.bins.items() if name not in binned}
    return source, replace(codings, frequency=number, bins=unbinned)


def _settled(table: Expression, name: str, codings: Codings, where: str) -> Bins | int:
    """The bins of a column; of floats the engine says whether all are whole numbers."""
    column, bins = table[name], codings.bins[name]
    if isinstance(bins, int) or bins.whole is not None:
        return bins
    if column.type().is_integer():
        return bins.of_whole_numbers(True)
    # From here on floats are whole, and FLOOR may not hold them.
    small = (column.abs() < 2.0**52).ifelse(column, 0.0)
    odd = ~missing_numbers(column, codings.na) & (small != small.floor())
    found = fetch(table.filter(odd).limit(1).select(name), where)
    return bins.of_whole_numbers(not found.num_rows)


def _class_labels(column: Expression, bins: Bins, na: Collection[str]) -> Expression:
    """The class label of each number, null for missing; infinity has its own."""
    ibis: Any = sys.modules["ibis"]
    *inside, beyond = map(ibis.literal, bins.labels)
    branches = [(missing_numbers(column, na), ibis.null("string"))]
    if not column.type().is_integer():
        finite = (column <= _LARGEST_FLOAT) & (column >= -_LARGEST_FLOAT)
        branches.append((~finite, ibis.literal(_INFINITE)))
        for end in bins.ends if bins.whole else ():
            between = (column > float(end)) & (column < float(end + 1))
            branches.append((between, ibis.literal(_BETWEEN)))
    branches += zip(class_conditions(column, bins), inside, strict=True)
    return ibis.cases(*branches, else_=beyond)


def _is_below(column: Expression, cut: Boundary) -> Expression:
    """Whether floats, taken as the decimals of their shortest text, are below a cut.

    Rounding keeps the order, so only the float nearest to the cut must be compared exactly.
    """
    nearest = float(cut[0])
    is_below = (exact_number(as_label(nearest)), 0.5) < cut
    return column <= nearest if is_below else column < nearest


def _number_of_label(text: str, *, whole: bool) -> int | float | None:
    """The number that has this label; None if there is none."""
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        return None
    return number if as_label(number) == text else None


def _check_frequency(table: Expression, name: str, where: str) -> None:
    """Refuse a frequency that is no whole number everywhere."""
    column = table[name]
    whole = column.type().is_integer()
    odd = table.filter(column.isnull() | (column < 0)).count() if whole else None
    if odd is None or fetch(odd.as_table(), where).column(0)[0].as_py():
        raise ValuesError.of(
            f"The frequency {name!r} is not a whole number in every row.",
            f"Its type is {column.type()}." if odd is None else "Some are null or negative.",
            "Frequencies are whole numbers from 0 on. A survey weight is none.",
            where,
        )


def _line_numbers(rows: Collection[int]) -> dict[int, str]:
    """Rows of an engine have no numbers, so places are numbers of the lines that came back."""
    return {row: f"distinct line {row + 1:,}" for row in rows}
