"""What was chosen: revisions, undo, the file on the disk, a table that changes under it."""

import time
import tomllib

import pytest

from evenhand.errors import EvenhandError, InputError, QuestionError
from evenhand.web import session as module
from evenhand.web.evidence_screen import write_document
from evenhand.web.folder import Folder
from evenhand.web.question_store import QuestionStore, StaleError, merged
from evenhand.web.session import Session
from evenhand.web.table_cache import OpenTable, Reading

TABLE = "sex,age,hired,n\n" + "".join(
    f"{sex},{age},{hired},{count}\n"
    for sex, age, hired, count in [
        ("f", "old", "yes", 20),
        ("f", "old", "no", 80),
        ("f", "young", "yes", 40),
        ("f", "young", "no", 60),
        ("m", "old", "yes", 50),
        ("m", "old", "no", 50),
        ("m", "young", "yes", 60),
        ("m", "young", "no", 40),
    ]
)
QUESTION = """\
# why
[question]
protected = "sex"
group = "f"
decision = "hired"
favorable = "yes"

[data]
frequency = "n"
"""


def quiet(_progress):
    """Nobody watches."""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "people.toml").write_text(QUESTION)
    return tmp_path


@pytest.fixture
def session(root):
    session = Session(Folder(root))
    session.open_table(root / "people.csv", quiet)
    yield session
    session.close()


def saved(root):
    return tomllib.loads((root / "people.toml").read_text())


# Nothing is open


def test_before_a_table_is_open_there_is_nothing(tmp_path):
    session = Session(Folder(tmp_path))
    assert session.table is session.learned is None
    assert session.audit is session.question_path is None
    assert session.store is None
    assert not session.table_has_changed
    session.check_table()
    session.save()
    session.reload()
    for work in (session.learn, session.read_again):
        with pytest.raises(EvenhandError):
            work(quiet)
    session.patch(tomllib.loads(QUESTION))
    with pytest.raises(QuestionError, match="No table is open"):
        session.learn(quiet)
    session.close()
    assert list(tmp_path.iterdir()) == []


# Opening


def test_opening_a_table_writes_nothing(root, session):
    before = (root / "people.toml").stat().st_mtime_ns
    assert session.tables["question"]["group"] == "f"
    assert session.question_path == root / "people.toml"
    time.sleep(module._SAVE_SECONDS + 0.1)
    assert (root / "people.toml").stat().st_mtime_ns == before
    (root / "other.csv").write_text(TABLE)
    session.open_table(root / "other.csv", quiet)
    assert "question" not in session.tables
    assert session.reading.inspection is not None
    time.sleep(module._SAVE_SECONDS + 0.1)
    assert not (root / "other.toml").exists()


def test_opening_another_table_saves_what_was_chosen_for_the_first(root, session):
    (root / "other.csv").write_text(TABLE.replace("20", "30"))
    session.patch({"question": {"threshold": "1/10"}})
    session.open_table(root / "other.csv", quiet)
    assert saved(root)["question"]["threshold"] == "1/10"


def test_rows_of_one_table_never_appear_under_another(root, session):
    (root / "other.csv").write_text(TABLE.replace("f,old,yes,20", "f,old,yes,30"))
    (root / "other.toml").write_text(QUESTION)
    first, opened = session.rows, session._open
    session.open_table(root / "other.csv", quiet)
    assert Reading(opened, session.tables).rows is first  # asked for by a page that was slow
    assert session.rows is not first
    session.learn(quiet)
    assert session.learned.certificate.row_count == 410


def test_a_question_file_that_leads_out_of_the_folder_is_not_followed(root):
    inner = root / "inner"
    inner.mkdir()
    (inner / "people.csv").write_text(TABLE)
    (inner / "people.toml").symlink_to(root / "people.toml")
    session = Session(Folder(inner))
    with pytest.raises(InputError, match="outside the folder"):
        session.open_table(inner / "people.csv", quiet)
    assert session.table is None
    session.close()
    assert (root / "people.toml").read_text() == QUESTION


def test_a_question_file_may_be_named(root):
    (root / "another.toml").write_text(QUESTION.replace('"f"', '"m"'))
    session = Session(Folder(root))
    session.open_table(root / "people.csv", quiet, root / "another.toml")
    assert session.tables["question"]["group"] == "m"
    session.close()


# Changing


def test_a_change_is_saved_after_a_moment_with_comments(root, session):
    session.patch({"question": {"threshold": "1/10"}})
    assert "threshold" not in saved(root)["question"]
    time.sleep(module._SAVE_SECONDS + 0.2)
    assert saved(root)["question"]["threshold"] == "1/10"
    assert (root / "people.toml").read_text().startswith("# why\n")
    assert (root / "people.toml").stat().st_mode & 0o777 == 0o600


def test_a_change_that_makes_no_sense_changes_nothing(session):
    before = session.revision, session.tables
    for change in (
        {"questions": {}} | {"questions": {"x": 1}},
        {"question": {"odd": 1}},
        {"question": 5},
        {"question": "text"},
        {"question": ["list"]},
        {"question": {"threshold": "much"}},
        {"question": {"threshold": [1]}},
        {"data": {"bins": 3}},
        {"data": {"exclude": [[1]]}},
        {"knowledge": {"tiers": "sex"}},
        {"labels": {"columns": {"sex": 5}}},
        {"graph": {"add": 5}},
        [],
        "text",
        5,
        None,
    ):
        with pytest.raises(EvenhandError):
            session.patch(change)
    assert (session.revision, session.tables) == before


def test_the_same_again_is_no_change(session):
    before = session.revision
    session.patch({"question": {"group": "f"}})
    session.replace_tables(dict(session.tables))
    assert session.revision == before


def test_a_change_on_an_old_page_counts_where_nothing_else_was_changed(session):
    old = session.revision
    session.patch({"question": {"threshold": "1/10"}}, old)
    session.patch({"labels": {"columns": {"sex": "gender"}}}, old)
    session.patch({"question": {"threshold": "1/10"}}, old)  # by both the same
    assert session.tables["question"]["threshold"] == "1/10"
    assert session.tables["labels"]["columns"] == {"sex": "gender"}
    session.patch({"question": {"protected": "age"}}, old)
    # A value of a column that is no longer asked about:
    with pytest.raises(StaleError):
        session.patch({"question": {"group": "m"}}, old)


def test_the_group_that_is_suggested_is_not_the_one_to_compare_with(session):
    before = session.tables
    session.patch({"question": {"protected": "age"}})
    suggested = session.tables["question"]["group"]
    session.step(-1)
    session.patch({"question": {"protected": "age", "other": suggested}})
    asked = session.tables["question"]
    assert asked["other"] == suggested != asked.get("group")
    session.step(-1)
    with pytest.raises(QuestionError, match="compared with itself"):
        session.patch({"question": {"protected": "age", "group": "old", "other": "old"}})
    assert session.tables == before


@pytest.mark.parametrize(
    ("tables", "changes", "result"),
    [  # the examples of RFC 7396 that stay within tables
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"a": "foo"}, {"a": {"b": "c"}}, {"a": {"b": "c"}}),
        ({"a": {"b": "c"}}, {"a": {"b": None}}, {}),  # here an empty table is none
    ],
)
def test_merge_patches(tables, changes, result):
    assert merged(tables, changes) == result


# The question file is changed by somebody else


def test_what_was_written_outside_can_be_taken_over_and_undone(root, session):
    (root / "people.toml").write_text(QUESTION.replace('"f"', '"m"'))
    session.reload()
    assert session.tables["question"]["group"] == "m"
    assert not session.store.has_conflict
    session.step(-1)
    assert session.tables["question"]["group"] == "f"
    (root / "people.toml").write_text("[broken")
    with pytest.raises(QuestionError):
        session.reload()
    assert session.store.has_conflict


def test_what_does_not_fit_the_table_is_not_taken_over(root, session):
    before = session.tables
    for wrong in ('frequency = "nn"', 'columns = ["absent"]'):
        (root / "people.toml").write_text(QUESTION.replace('frequency = "n"', wrong))
        with pytest.raises(EvenhandError, match="nn|absent"):
            session.reload()
        assert session.tables is before
        assert session.store.has_conflict  # which can still be settled the other way
    session.save(overwrite=True)
    assert not session.store.has_conflict


def test_an_error_that_nobody_foresaw_is_a_problem_of_saving(session, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(QuestionStore, "_write", broken)
    session.patch({"question": {"threshold": "1/10"}})
    time.sleep(module._SAVE_SECONDS + 0.2)
    assert "should not have happened" in session.store.problem.what
    assert session.unsaved is not None


def while_reading(session, change):
    """A callback of progress that changes something once, as a page does meanwhile."""
    changes = [change]

    def progress(_):
        if changes:
            session.patch(changes.pop())

    return progress


def reporting(monkeypatch):
    """Reading reports at least once, however small the table is."""
    stored = OpenTable.stored

    def slow(self, tables, progress=None):
        if progress is not None:
            progress(None)
        return stored(self, tables, progress)

    monkeypatch.setattr(OpenTable, "stored", slow)


def test_a_choice_made_while_the_table_is_read_again_stays(session, monkeypatch):
    reporting(monkeypatch)
    for number, changes in enumerate((None, {"data": {"frequency": None}}), 7):
        change = {"question": {"threshold": f"1/{number}"}}
        session.read_again(while_reading(session, change), changes)
        assert session.tables["question"]["threshold"] == f"1/{number}"
    assert "frequency" not in session.tables.get("data", {})
    change = {"labels": {"columns": {"sex": "gender"}}}
    session.read_again(while_reading(session, change), {"data": {"delimiter": ","}})
    assert session.tables["labels"]["columns"]["sex"] == "gender"
    assert session.tables["data"]["delimiter"] == ","


def test_a_choice_made_while_a_table_is_opened_is_saved_with_its_own(
    root, session, monkeypatch
):
    reporting(monkeypatch)
    (root / "other.csv").write_text(TABLE)
    change = {"question": {"threshold": "1/7"}}
    session.open_table(root / "other.csv", while_reading(session, change))
    assert saved(root)["question"]["threshold"] == "1/7"
    assert "question" not in session.tables
    session.open_table(root / "people.csv", quiet)
    change = {"question": {"threshold": "1/9"}}
    session.open_table(root / "people.csv", while_reading(session, change))  # once more
    assert session.tables["question"]["threshold"] == "1/9"
    assert not session.store.has_conflict


# The table is changed by somebody else


@pytest.mark.parametrize("change", ["written", "replaced", "removed"])
def test_a_table_that_changes_on_the_disk_is_noticed(root, session, change):
    path = root / "people.csv"
    assert session.reading.inspection is not None
    session.learn(quiet)
    first = session.learned
    if change == "written":
        path.write_text(TABLE.replace("f,old,yes,20", "f,old,yes,90"))
    elif change == "replaced":
        (root / "new.csv").write_text(TABLE)
        (root / "new.csv").replace(path)
    else:
        path.unlink()
    assert session.table_has_changed
    for work in (lambda: session.rows, session.check_table):
        with pytest.raises(InputError, match="changed on the disk"):
            work()
    assert session.learned is first  # what was shown can still be looked at
    assert session.reading.inspection is not None
    if change == "removed":
        with pytest.raises(EvenhandError):
            session.read_again(quiet)
        assert session.table_has_changed
        return
    before = session.tables, session.revision
    session.read_again(quiet)
    assert not session.table_has_changed
    assert (session.tables, session.revision) == (before[0], before[1] + 1)
    assert session.learned is None
    session.learn(quiet)
    assert (session.learned.certificate == first.certificate) == (change == "replaced")


def test_a_table_that_changed_is_not_read_in_another_way(root, session):
    """Else rows of two tables would stand under one name."""
    (root / "people.csv").write_text(TABLE.replace("f,old,yes,20", "f,old,yes,90"))
    with pytest.raises(InputError, match="changed on the disk"):
        session._open.stored({"data": {}})


def test_all_columns_can_be_looked_at_as_they_stand(tmp_path, session):
    assert session.reading.stored.columns == ("sex", "age", "hired")
    assert session.reading.stored_inspection is not None
    empty = Session(Folder(tmp_path))
    for name in ("stored", "stored_inspection", "rows", "inspection"):
        with pytest.raises(QuestionError, match="No table is open"):
            getattr(empty.reading, name)
    assert empty.inputs == []
    empty.close()


def test_the_table_and_its_question_are_never_written_over(root, session):
    assert session.inputs == [root / "people.csv", root / "people.toml"]
    session.learn(quiet)
    for report in (True, False):
        for name in ("people.csv", "people.toml"):
            with pytest.raises(QuestionError, match="Inputs are never written over"):
                write_document(session, {"name": name, "overwrite": True}, report=report)
    assert (root / "people.csv").read_text() == TABLE


def test_a_table_that_changes_while_it_is_learned_from_leaves_no_graph(root, session):
    def progress(_):
        (root / "people.csv").write_text(TABLE + "f,old,yes,1\n")

    with pytest.raises(EvenhandError):
        session.learn(progress)
    assert session.learned is None


# What follows from it


def test_results_are_kept_by_what_they_were_made_from(session):
    session.learn(quiet)
    first = session.audit
    assert session.audit is first
    session.patch({"question": {"threshold": "1/10"}})
    assert session.audit is not first  # judged anew, on the same graph
    assert session.learned is not None
    session.step(-1)
    assert session.audit is first
    session.patch({"data": {"exclude": ["age"]}})
    assert session.learned is None
