"""Files and tables of a release appear together, certified, or not at all."""

import json
import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import people_in_engines
from tests.hiring import COLUMNS, GRAPH, NAMES, QUESTION, csv_text, people, released
from tests.people_in_engines import (
    CODINGS,
    audit,
    changed,
    in_duckdb,
    quiet,
    run_sql,
    table_names,
)

import evenhand as eh
from evenhand import Verdict, checker
from evenhand.errors import (
    InputError,
    QuestionError,
    ResourceError,
    UnconfirmedError,
)
from evenhand.files import Transaction
from evenhand.files.file_locks import lock
from evenhand.releasing.apply import FileRows
from evenhand.releasing.release_targets import ReleaseFiles
from evenhand.removal import ModifyData, ModifyGraph
from evenhand.rows import read


def test_files_appear_for_their_owner_alone_but_a_shared_certificate(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", share=True)
    files = (written.data, written.certificate, written.manifest, written.shared)
    assert {*tmp_path.iterdir()} == {source, *files}
    assert [path.name.partition(".")[2] for path in files] == [
        "csv", "certificate.json", "manifest.json", "shared.certificate.json"
    ]  # fmt: skip
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * 3 + [0o644]
    assert json.loads(written.shared.read_text())["copy"] == "shared"
    status, said, *_ = checker.verify(written.certificate.read_text(), str(written.data))
    assert status == 0, said


def test_the_certificates_keep_to_their_schema(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", share=True)
    place = Path(__file__).parents[3] / "docs" / "certificate.schema.json"
    schema = json.loads(place.read_text())
    for path in (written.certificate, written.shared):
        jsonschema.validate(json.loads(path.read_text()), schema)


def test_what_was_written_is_what_the_release_says_of_itself(source, tmp_path):
    counted, written = released(source), released(source)
    counted = replace(counted, nonce=written.nonce)
    path = written.write(tmp_path / "out.csv").certificate
    assert path.read_text() == counted.certificate.to_json() == written.certificate.to_json()


@pytest.mark.parametrize("named", ["", "*.csv"])
@pytest.mark.parametrize("by", [ModifyData(), ModifyGraph(generate=True)])
def test_a_folder_or_pattern_of_one_file_is_not_written_into_either(tmp_path, named, by):
    (tmp_path / "a.csv").write_text(csv_text(people()), newline="")
    with pytest.raises(QuestionError, match="files of this folder"):
        released(tmp_path / named, method=by).write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_no_folder_of_a_pattern_is_written_into(tmp_path):
    for seed, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.csv").write_text(csv_text(people(seed=seed)), newline="")
    made = released(tmp_path / "*" / "x.csv")
    with pytest.raises(QuestionError, match="files of this folder"):
        made.write(tmp_path / "b" / "out.csv")
    assert made.write(tmp_path / "out.csv").data.exists()


def test_the_names_of_uncertified_files_say_so():
    files = ReleaseFiles.of(Path("a/out.csv.gz"), uncertified=True)
    assert list(files.names.values()) == [
        "out.uncertified.certificate.json",
        "out.uncertified.shared.certificate.json",
        "out.uncertified.manifest.json",
        "out.uncertified.croissant.json",
        "out.uncertified.statement.json",
        "out.uncertified.csv.gz",
    ]
    again = ReleaseFiles.of(Path("a/out.uncertified.csv.gz"), uncertified=True)
    assert again == files


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("out.csv", "out"),
        ("out.v2.csv", "out.v2"),
        ("2024.v2.csv.gz", "2024.v2"),
        ("a.b.c.CSV.ZST", "a.b.c"),
    ],
)
def test_only_the_format_is_cut_from_a_name(name, stem):
    files = ReleaseFiles.of(Path(name), uncertified=False)
    assert files.names["manifest"] == f"{stem}.manifest.json"
    assert files.path("data") == Path(name)


@pytest.mark.parametrize("drop", [(), ("note",)])
def test_the_manifest_describes_what_was_written(source, tmp_path, drop):
    made = replace(released(source), drop=drop)
    written = made.write(tmp_path / "out.csv")
    document = json.loads(written.manifest.read_text())
    digests = [
        sha256(path.read_bytes()).hexdigest() for path in (written.data, written.certificate)
    ]
    counts = read(written.data, columns=COLUMNS).count()
    assert document["output"] == {
        "name": "out.csv",
        "bytes": written.data.stat().st_size,
        "sha256": digests[0],
        "certificate_sha256": digests[1],
        "rows": 400,
        "counts_sha256": counts.marginal(made.plan.names).digest,
    } | ({"dropped_columns": ["note"]} if drop else {})
    (described,) = document["input"]["files"]
    assert (described["name"], described["bytes"]) == ("people.csv", source.stat().st_size)


@pytest.mark.parametrize(
    ("delimiter", "name", "asked"),
    [
        (",", "out.csv", ","),
        (";", "out.csv", ";"),
        (";", "out.tsv", "\t"),
        (";", "out.parquet", None),
    ],
)
def test_written_text_is_read_back_with_the_delimiter_that_it_has(
    tmp_path, monkeypatch, delimiter, name, asked
):
    (tmp_path / "people.csv").write_text(csv_text(people(), delimiter=delimiter), newline="")
    made = released(tmp_path / "people.csv")
    delimiters = []

    def reading(*arguments, delimiter, **options):
        delimiters.append(delimiter)
        return read(*arguments, delimiter=delimiter, **options)

    monkeypatch.setattr("evenhand.releasing.release_targets.read", reading)
    made.write(tmp_path / name)
    assert delimiters == [asked]


def test_a_delimiter_that_was_named_is_named_in_the_certificate(tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people(), delimiter=";"), newline="")
    for name, delimiter in (("found", None), ("named", ";")):
        made = released(tmp_path / "people.csv", delimiter=delimiter)
        written = made.write(tmp_path / f"{name}.csv")
        document = json.loads(written.certificate.read_text())
        assert document["codings"].get("delimiter") == delimiter


@pytest.mark.parametrize("name", ["out.csv", "out.certificate.json", "out.manifest.json"])
def test_an_existing_file_is_overwritten_only_when_asked(source, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(QuestionError, match="exists"):
        released(source).write(tmp_path / "out.csv")
    assert (tmp_path / name).read_text() == "mine"
    written = released(source).write(tmp_path / "out.csv", overwrite=True)
    assert json.loads(written.manifest.read_text())["output"]["rows"] == 400


def test_names_are_refused_before_any_work_and_after_what_a_killed_run_left(tmp_path):
    files = ReleaseFiles.of(tmp_path / "out.csv", uncertified=False)
    (tmp_path / ".evenhand-1-x" / "new").mkdir(parents=True)
    assert files.prepare((), overwrite=False) == (".evenhand-1-x",)
    (tmp_path / "out.statement.json").write_text("mine")
    with pytest.raises(QuestionError, match=r"out\.statement\.json: This file exists"):
        files.prepare((), overwrite=False)
    assert files.prepare((), overwrite=True) == ()


@pytest.mark.parametrize("name", ["out.parquet", "out.csv.gz", "out.csv"])
def test_rows_do_not_stay_beside_the_certificate_of_others(source, tmp_path, name):
    """Of one stem there is one certificate: it would be taken from rows in another format."""
    out = tmp_path / "out"
    out.mkdir()
    released(source).write(out / "out.csv", share=True)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    made = released(source, seed=8)
    if name == "out.csv":
        made.write(out / name, overwrite=True)
    else:
        with pytest.raises(QuestionError, match="certificate here is that of 'out.csv'"):
            made.write(out / name, overwrite=True)
        assert {path.name: path.read_bytes() for path in out.iterdir()} == before
        (out / "out.csv").unlink()
        written = made.write(out / name, overwrite=True)
        assert written.superseded == ("out.shared.certificate.json",)
    names = {path.name for path in out.iterdir()}
    assert names == {name, "out.certificate.json", "out.manifest.json"}


@pytest.mark.parametrize("name", ["people.csv", "link.csv"])
def test_neither_an_input_nor_a_link_is_written_over(source, tmp_path, name):
    before = source.read_bytes()
    (tmp_path / "other.csv").write_text("other")
    (tmp_path / "link.csv").symlink_to(tmp_path / "other.csv")
    with pytest.raises(QuestionError, match="input" if name == "people.csv" else "link"):
        released(source).write(tmp_path / name, overwrite=True)
    assert source.read_bytes() == before
    assert (tmp_path / "other.csv").read_text() == "other"


def test_an_input_that_is_gone_is_said_to_be_gone(source, tmp_path):
    made = released(source)
    source.unlink()
    with pytest.raises(InputError, match="not there any more"):
        made.write(tmp_path / "out.csv")
    assert [*tmp_path.glob("*out*")] == []


def test_a_missing_folder_and_a_folder_are_refused_before_any_work(source, tmp_path):
    made = released(source)
    source.unlink()  # nothing can be read any more, so nothing was
    with pytest.raises(QuestionError, match="no such folder"):
        made.write(tmp_path / "absent" / "out.csv")
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(QuestionError, match="folder"):
        made.write(tmp_path / "out.csv", overwrite=True)


def test_a_file_that_changed_since_it_was_counted_is_refused(source, tmp_path):
    made = released(source)
    source.write_text(csv_text(people(seed=1)), newline="")
    with pytest.raises(InputError, match="not those that were counted"):
        made.write(tmp_path / "out.csv")
    source.write_text(csv_text(people()[:-1]), newline="")
    with pytest.raises(InputError, match="not those that were counted"):
        made.write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_file_that_changes_while_it_is_read_is_refused(source, tmp_path, monkeypatch):
    made = released(source)
    write = FileRows.write

    def slow(*arguments):
        write(*arguments)
        source.write_bytes(source.read_bytes() + b"\n")

    monkeypatch.setattr(FileRows, "write", slow)
    with pytest.raises(InputError, match="meanwhile"):
        made.write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@quiet
def test_a_new_table_is_certified_and_differs_in_the_decisions_that_the_plan_changes(
    persons, tmp_path
):
    before = persons.to_pyarrow()
    release = audit(persons).release(seed=7, key="id")
    written = release.write(tmp_path / "released")
    assert persons.to_pyarrow().equals(before)
    after = persons.get_backend().table("released")
    assert release.certificate.verdict is Verdict.CERTIFIED
    assert audit(after).verdict is Verdict.CERTIFIED
    assert 0 < len(changed(persons, after)) == release.changed_rows == release.plan.changed_rows
    assert after.schema() == persons.schema()
    others = [name for name in persons.columns if name != "hired"]
    old, new = (x.select(*others).order_by("id").to_pyarrow() for x in (persons, after))
    assert old.equals(new)
    assert table_names(persons) == {"people", "released"}
    assert {path.name for path in tmp_path.iterdir()} == {
        "released.certificate.json",
        "released.manifest.json",
    }
    assert written.certificate.stat().st_mode & 0o777 == 0o600
    assert written.data == Path("released")


@quiet
def test_a_name_with_an_ending_is_a_file(persons, tmp_path):
    release = audit(persons, codings=CODINGS).release(seed=7, key="id")
    written = release.write(tmp_path / "released.parquet")
    assert release.certificate.codings == CODINGS
    after = pq.read_table(written.data)
    assert after.column_names == list(persons.columns)
    assert after["hired"].equals(release.rows.to_pyarrow()["hired"])
    assert table_names(persons) == {"people"}


@quiet
def test_names_that_look_like_sql_are_names(tmp_path):
    odd = '"; DROP TABLE people; --'
    rows = people_in_engines.people(800).rename_columns({"degree": odd})
    graph = eh.CausalGraph(
        ("sex", odd, "hired"), frozenset({("sex", "hired"), (odd, "hired"), ("sex", odd)})
    )
    persons = in_duckdb(pytest.importorskip("ibis"), rows)
    found = audit(persons, codings=eh.Codings.of(columns=["sex", odd, "hired"]), graph=graph)
    found.release(seed=7, key="id").write(tmp_path / 'a "new" one')
    assert table_names(persons) == {"people", 'a "new" one'}


@pytest.mark.parametrize(
    "change",
    [
        "delete from people where id < 1000",
        "insert into people select * replace (id + 100000 as id) from people limit 5",
        "update people set hired = 'yes' where id < 1000",
        "update people set pay = 'low' where pay = 'high' and id < 1000",
    ],
)
@pytest.mark.parametrize("planned", [False, True])
@quiet
def test_a_table_that_changed_after_the_count_is_refused(persons, tmp_path, change, planned):
    found = audit(persons)
    release = found.release(seed=7, key="id") if planned else None
    run_sql(persons, change)
    with pytest.raises(InputError, match="not those that were counted"):
        (release or found.release(seed=7, key="id")).write(tmp_path / "released")
    assert table_names(persons) == {"people"}
    assert list(tmp_path.iterdir()) == []


@quiet
def test_a_table_is_never_written_over(persons, tmp_path):
    release = audit(persons).release(seed=7, key="id")
    with pytest.raises(QuestionError, match="already"):
        release.write(tmp_path / "people", overwrite=True)


@quiet
def test_papers_that_are_there_are_seen_before_the_engine_works(persons, tmp_path, monkeypatch):
    (tmp_path / "released.certificate.json").write_text("mine")
    release = audit(persons).release(seed=7, key="id")
    monkeypatch.setattr(persons.get_backend(), "create_table", lambda *_: 1 / 0)
    with pytest.raises(QuestionError, match="exists"):
        release.write(tmp_path / "released")


FULL = (OSError(28, "No space left on device"), "no room")
RESET = (OSError("the connection was reset"), "the connection was reset")


@pytest.mark.parametrize(
    ("moment", "failure"),
    [
        ("after create_table", RESET),
        ("before raw_sql ALTER", RESET),  # the certificate has its name by then
        ("before commit", FULL),
        ("after commit", (OSError(5, "Input/output error"), "Input/output error")),
    ],
)
@quiet
def test_whatever_fails_leaves_neither_table_nor_file(
    persons, tmp_path, monkeypatch, moment, failure
):
    when, name, *statements = moment.split()
    statement, published = "".join(statements), moment == "after commit"
    release, (error, said) = audit(persons).release(seed=7, key="id"), failure
    of = Transaction if name == "commit" else persons.get_backend()
    works, seen = getattr(of, name), []

    def fails(first, *more, **options):
        if statement not in str(first):
            return works(first, *more, **options)
        if when == "after":
            works(first, *more, **options)
        certified = (tmp_path / "released.certificate.json").exists()
        seen.append(("released" in table_names(persons), certified))
        raise error

    monkeypatch.setattr(of, name, fails)
    with pytest.raises(ResourceError, match=said):
        release.write(tmp_path / "released")
    assert seen == [(published, published or statement == "ALTER")]
    assert table_names(persons) == {"people"}
    assert published or list(tmp_path.iterdir()) == []


@quiet
def test_a_table_that_cannot_be_cleared_away_is_named(persons, tmp_path, monkeypatch):
    release = audit(persons).release(seed=7, key="id")
    monkeypatch.setattr(persons.get_backend(), "raw_sql", lambda _: 1 / 0)
    with pytest.raises(ResourceError, match="drop it: it was not certified"):
        release.write(tmp_path / "released")
    assert list(tmp_path.iterdir()) == []


@quiet
def test_statements_are_committed_where_the_engine_has_transactions(
    persons, tmp_path, monkeypatch
):
    engine, committed = persons.get_backend(), []
    run = engine.raw_sql

    def in_transaction(statement, *more):
        cursor = run(statement, *more)
        if not str(statement).startswith("ALTER"):
            return cursor
        connection = SimpleNamespace(commit=lambda: committed.append(statement))
        return SimpleNamespace(connection=connection)

    monkeypatch.setattr(engine, "raw_sql", in_transaction)
    audit(persons).release(seed=7, key="id").write(tmp_path / "released")
    assert len(committed) == 1


LEFT = "evenhand_0123456789abcdef"


@pytest.fixture
def abandoned(persons, tmp_path):
    """What a killed run left: a table, and a temporary folder that nobody has locked."""
    run_sql(persons, f"create table {LEFT} (id int)")
    place = tmp_path / LEFT.replace("evenhand_", ".evenhand-1-")
    place.mkdir()
    (place / "names").write_text('["released.certificate.json"]')
    (place / "lock").touch()
    return place


@pytest.mark.parametrize("state", ["killed", "alive", "in another database"])
@quiet
def test_a_table_is_dropped_if_a_killed_run_left_it_here(persons, tmp_path, abandoned, state):
    if state == "in another database":
        run_sql(persons, f"drop table {LEFT}")
    with (abandoned / "lock").open("r+b") as held:
        if state == "alive":
            lock(held.fileno())
        written = audit(persons).release(seed=7, key="id").write(tmp_path / "other")
    removed = {"killed": (abandoned.name, LEFT), "alive": ()}
    assert written.removed == removed.get(state, (abandoned.name,))
    assert table_names(persons) - {"people", "other"} == ({LEFT} if state == "alive" else set())


@pytest.mark.parametrize("name", [LEFT, "evenhand_customers"])
@quiet
def test_a_table_of_no_killed_run_is_not_dropped(persons, tmp_path, name):
    """A folder may have any name: it takes one that we give to drop a table."""
    run_sql(persons, f"create table {name} (id int)")
    (tmp_path / ".evenhand-1-customers").mkdir()
    written = audit(persons).release(seed=7, key="id").write(tmp_path / "released")
    assert table_names(persons) == {"people", "released", name}
    assert written.removed == (".evenhand-1-customers",)


class _StopError(BaseException):
    """What a callback raises to end the work; no handler of errors takes it for one."""


class _Reports:
    """A callback that keeps what is reported, and stops the work at one report."""

    def __init__(self, stop_at=None):
        self.seen, self._stop_at = [], stop_at

    def __call__(self, progress):
        if len(self.seen) == self._stop_at:
            raise _StopError
        self.seen.append(progress)

    @property
    def steps(self):
        return [*dict.fromkeys(one.step for one in self.seen)]


def _table(_source):
    return pa.table(dict(zip(NAMES, map(list, zip(*people(), strict=True)), strict=True)))


def _of_counts(counts):
    found = eh.certify(counts, GRAPH, QUESTION)
    return eh.releasing.release.release(counts, ModifyData().plan(found), seed=7)


def _in_parquet(source):
    pq.write_table(_table(source), source.with_suffix(".parquet"))
    source.unlink()
    return source.with_suffix(".parquet")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda source: source, "out.csv"),
        (lambda source: source, "out.csv.gz"),
        (lambda source: source, "out.parquet"),
        (lambda source: source, "out.arrow"),
        (_in_parquet, "out.parquet"),
        (_in_parquet, "out.csv"),
        (_table, "out.csv"),
        (_table, "out.parquet"),
        (lambda source: read(source, columns=COLUMNS).count(), "out.csv"),
    ],
)
def test_a_release_tells_how_far_it_is_and_can_be_stopped_at_each_report(
    source, tmp_path, make, name
):
    given = make(source)
    before = {path.name for path in tmp_path.iterdir()}
    whole = _Reports()
    made = _of_counts(given) if isinstance(given, eh.CountTable) else released(given)
    made.write(tmp_path / name, progress=whole)
    assert whole.steps == ["releasing rows", "counting rows", "certifying"]
    written = [one for one in whole.seen if one.step == "releasing rows"]
    lines = len(given) if isinstance(given, eh.CountTable) else len(people())
    assert (written[-1].done, written[-1].total) == (lines, lines)
    for path in tmp_path.iterdir():
        if path.name not in before:
            path.unlink()
    for moment in range(len(whole.seen)):
        with pytest.raises(_StopError):
            made.write(tmp_path / name, progress=_Reports(stop_at=moment))
        assert {path.name for path in tmp_path.iterdir()} == before
    made.write(tmp_path / name)  # it can be written after all


def test_a_stopped_release_leaves_the_earlier_one_as_it_was(source, tmp_path):
    earlier = released(source).write(tmp_path / "out.csv")
    kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
    whole = _Reports()
    released(source, seed=8).write(tmp_path / "other.csv", progress=whole)
    for path in tmp_path.glob("other.*"):
        path.unlink()
    for moment in range(len(whole.seen)):
        with pytest.raises(_StopError):
            released(source, seed=8).write(
                earlier.data, overwrite=True, progress=_Reports(stop_at=moment)
            )
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_rows_of_many_batches_are_reported_one_after_the_other(tmp_path):
    rows = people(9000)
    source = tmp_path / "people.parquet"
    table = pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    pq.write_table(table, source, row_group_size=1000)
    seen = _Reports()
    released(source).write(tmp_path / "out.parquet", progress=seen)
    done = [one.done for one in seen.seen if one.step == "releasing rows"]
    assert done == [*range(1000, 9001, 1000)]
    certifying = [(one.done, one.total) for one in seen.seen if one.step == "certifying"]
    assert certifying == [(0, 2), (1, 2), (2, 2)]
    last = {one.step: one for one in seen.seen}
    assert {step: (one.done, one.total) for step, one in last.items()} == {
        "releasing rows": (9000, 9000),
        "counting rows": (9000, 9000),
        "certifying": (2, 2),
    }
    with pytest.raises(_StopError):
        released(source).write(tmp_path / "late.parquet", progress=_Reports(stop_at=4))
    assert not [*tmp_path.glob("late*")]
    assert not [*tmp_path.glob(".evenhand-*")]


@quiet
@pytest.mark.parametrize("name", ["out.csv", "hired"])
def test_a_release_from_an_engine_is_stopped_without_a_table_or_a_file(persons, tmp_path, name):
    made = audit(persons).release(seed=7, key="id")
    tables, whole = table_names(persons), _Reports()
    made.write(tmp_path / name, progress=whole)
    assert whole.steps[-2:] == ["counting rows", "certifying"]
    for path in tmp_path.iterdir():
        path.unlink()
    for left in {*table_names(persons)} - {*tables}:
        run_sql(persons, f"drop table {left}")
    for moment in range(len(whole.seen)):
        with pytest.raises(_StopError):
            made.write(tmp_path / name, progress=_Reports(stop_at=moment))
        assert not [*tmp_path.iterdir()]
        assert {*table_names(persons)} == {*tables}


def test_an_error_of_the_callback_is_not_taken_for_one_of_the_disk(source, tmp_path):
    def broken(_progress):
        raise LookupError("of the callback")

    with pytest.raises(LookupError, match="of the callback"):
        released(source).write(tmp_path / "out.csv", progress=broken)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("copy", ["to_json", "to_shared_json"])
def test_what_the_checker_does_not_confirm_is_not_published(
    source, tmp_path, monkeypatch, kind, copy
):
    """An error of ours: the document says another verdict than its counts."""
    folder = tmp_path / "out"
    folder.mkdir()
    honest = getattr(eh.Certificate, copy)

    def false(certificate, **settings):
        return honest(certificate, **settings).replace('"verdict":"certified"', '"verdict":"x"')

    monkeypatch.setattr(eh.Certificate, copy, false)
    with pytest.raises(UnconfirmedError, match="does not confirm this certificate") as caught:
        released(source).write(folder / f"out.{kind}", share=True)
    assert caught.value.exit_status == 5
    assert not [*folder.iterdir()]


def test_a_checker_that_cannot_run_is_no_error_of_writing(source, tmp_path, monkeypatch):
    def lacks_memory(*_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("evenhand.record.checker_process.ask_checker", lacks_memory)
    with pytest.raises(ResourceError, match="checker could not be run: nothing was written"):
        released(source).write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
