"""The question file is saved as one goes: its tables, its history, what others wrote."""

import os
import stat
import tomllib
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from tests.web_sessions import adult_session, learn_now, open_session

from evenhand.errors import QuestionError
from evenhand.question import QuestionFile
from evenhand.web import question_store as module
from evenhand.web.graph_edits import audit_to_publish, choose_link, give_reason, previews
from evenhand.web.question_store import (
    JudgedGraphs,
    QuestionStore,
    StaleError,
    TableHistory,
    as_list,
    audit_key,
    check_tables,
    cut_to,
    learning_key,
    merged,
    part_of,
    without_number,
)

TEXT = """\
# Who asks, and why.
[question]
protected = "sex"  # as the law names it
group = "f"
decision = "hired"
favorable = "yes"

[data]
missing = "error"
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.toml"
    path.write_text(TEXT)
    return path


def test_comments_and_order_stay(path):
    store = QuestionStore(path)
    tables = store.load()
    assert tables["question"]["group"] == "f"
    tables["question"]["group"] = "m"
    tables["labels"] = {"values": {"sex": {"m": "men"}}}
    del tables["data"]
    assert store.save(tables)
    text = path.read_text()
    assert text.startswith("# Who asks, and why.\n[question]\n")
    assert 'protected = "sex"  # as the law names it\ngroup = "m"\n' in text
    assert tomllib.loads(text) == tables
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_says_the_same_is_not_written(path):
    before = path.stat()
    store = QuestionStore(path)
    assert store.save(store.load())
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_new_file(tmp_path):
    store = QuestionStore(tmp_path / "new.toml")
    assert not store.exists
    assert store.load() == {}
    assert store.save({"question": {"protected": "sex"}})
    assert store.exists
    assert (tmp_path / "new.toml").read_text() == '[question]\nprotected = "sex"\n'
    assert stat.S_IMODE((tmp_path / "new.toml").stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["new.toml"]


@pytest.mark.parametrize("change", ["written", "removed", "appeared"])
def test_nothing_is_written_over_what_somebody_else_did(path, change):
    if change == "appeared":
        path.unlink()
    store = QuestionStore(path)
    assert not store.changed_elsewhere
    if change == "removed":
        path.unlink()
    else:
        path.write_text("# mine\n" + TEXT)
    assert store.changed_elsewhere
    assert not store.save({"question": {"protected": "age"}})
    assert not path.exists() if change == "removed" else path.read_text() == "# mine\n" + TEXT
    assert store.save({"question": {"protected": "age"}}, overwrite=True)
    assert not store.changed_elsewhere
    assert 'protected = "age"' in path.read_text()
    assert path.read_text().startswith("# mine\n") == (change != "removed")


def test_a_file_that_was_broken_by_somebody_else_is_still_a_conflict(path):
    store = QuestionStore(path)
    path.write_text("[question\n")
    with pytest.raises(QuestionError, match="not TOML"):
        store.load()
    assert store.changed_elsewhere
    assert store.save({"question": {"protected": "age"}}, overwrite=True)
    assert path.read_text() == '[question]\nprotected = "age"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[question\n", "not TOML"),
        ("question = 5\n", "not a table"),
        ("[questions]\n", "Nothing is known of"),
        ('[question]\nprotected = "a"\ndecision = "a"\nfavorable = "x"\n', "."),
        ("a = " + "[" * 1000, "so many brackets"),
        ("x = 1\n" * 300_000, "too large"),
    ],
)
def test_a_file_that_is_not_in_order_is_refused(path, text, words):
    path.write_text(text)
    with pytest.raises(QuestionError, match=words):
        QuestionStore(path).load()


def test_a_question_may_still_be_open(path):
    path.write_text('[question]\nprotected = "sex"\n')
    assert QuestionStore(path).load() == {"question": {"protected": "sex"}}
    with pytest.raises(QuestionError, match="Nothing is known") as raised:
        check_tables({"question": {"protected": "sex", "odd": 1}})
    assert len(raised.value.problems) == 1


def test_what_is_no_plain_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    for name in ("pipe", "folder", "binary"):
        with pytest.raises(QuestionError, match="cannot be read"):
            QuestionStore(tmp_path / f"{name}.toml")


def test_a_full_disk_leaves_the_file_as_it_was(path, monkeypatch):
    store = QuestionStore(path)
    tables = store.load()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    tables["question"]["group"] = "m"
    assert not store.save(tables)
    assert "no room" in store.problem.what
    assert path.read_text() == TEXT
    assert [one.name for one in path.parent.iterdir()] == ["people.toml"]
    monkeypatch.undo()
    assert store.save(tables)
    assert store.problem is None
    assert 'group = "m"' in path.read_text()


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_VALUE = st.one_of(
    _TEXT,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.lists(_TEXT, max_size=2), max_size=3),
    st.lists(_TEXT, max_size=3),
)
_NESTED = st.recursive(
    _VALUE, lambda inner: st.dictionaries(_TEXT, inner, max_size=3), max_leaves=6
)
_TABLES = st.dictionaries(_TEXT, _NESTED, max_size=3)


def test_a_long_list_is_written_without_inserting_its_values(path, monkeypatch):
    def insert(*_):
        raise AssertionError("the time of this grows with the square of the number of values")

    monkeypatch.setattr(tomlkit.items.Array, "insert", insert)
    store, long = QuestionStore(path), [f"value {at}" for at in range(3000)]
    tables = merged(store.load(), {"data": {"na": long}})
    assert store.save(tables)
    assert tomllib.loads(path.read_text())["data"]["na"] == long


@given(_TABLES, _TABLES)
def test_any_tables_are_written_so_that_they_are_read_again(before, after):
    """From any tables to any others, by the reader of the standard library."""
    text = module._text("", before)
    assert tomllib.loads(text) == before
    assert tomllib.loads(module._text(text, after)) == after


def test_what_toml_cannot_say_is_refused(path):
    store = QuestionStore(path)
    assert not store.save({"question": {"protected": object()}})
    assert "cannot be written" in store.problem.what
    assert path.read_text() == TEXT


def test_tables_out_of_order_are_written_without_their_comments():
    """The library that keeps comments fails on these: then what is said counts."""
    before = "# why\n[data.bins]\nx = [1, 2]\n[data]\nna = ['?']\n[data.merge.z]\nx = 'o'\n"
    after = {"data": {"merge": {"z": {"x": "o"}}}}
    assert tomllib.loads(module._text(before, after)) == after


def test_a_text_that_says_something_else_is_never_written(path, monkeypatch):
    store = QuestionStore(path)
    monkeypatch.setattr(module.tomlkit, "dumps", lambda _: "[question]\n")
    assert not store.save({"question": {"protected": "age"}})
    assert "cannot be written" in store.problem.what
    assert path.read_text() == TEXT


def test_what_a_page_sends_as_tables_are_tables():
    assert part_of({}, "change") == {}
    assert part_of({"change": {"data": {"na": ["?"]}, "graph": None}}, "change") == {
        "data": {"na": ["?"]},
        "graph": None,
    }
    for wrong in (5, [], "data", {"data": 5}):
        with pytest.raises(QuestionError, match="no change of tables"):
            part_of({"change": wrong}, "change")


def test_one_value_or_several_are_a_list():
    listed = {"a": ["a"], "": [], 0: [0], None: [], ("a", "b"): ["a", "b"]}
    assert {value: as_list(value) for value in listed} == listed
    assert as_list(["a"]) == ["a"]


def test_tables_are_cut_to_what_a_change_names():
    tables = {"question": {"group": "f", "threshold": 1}, "data": {"na": ["?"]}}
    change = {"question": {"group": "m", "other": None}, "data": None, "labels": {"columns": 1}}
    assert cut_to(tables, change) == {
        "question": {"group": "f", "other": None},
        "data": {"na": ["?"]},
        "labels": {"columns": None},
    }


def test_a_new_state_ends_what_could_be_redone() -> None:
    history = TableHistory({"data": {}})
    assert not history.enter({"data": {}})
    assert history.enter({"question": {"group": "f"}})
    history.step(-1)
    assert history.now == {"data": {}}
    assert history.difference(1) == "the question and how columns are read"
    assert history.difference(-1) == ""
    assert history.enter({"labels": {}})
    assert history.difference(1) == ""
    with pytest.raises(QuestionError, match="nothing to redo"):
        history.step(1)


def test_an_amended_state_is_one_step() -> None:
    history = TableHistory({})
    history.enter({"knowledge": {"tiers": []}})
    history.amend({"knowledge": {"tiers": []}, "graph": {"add": []}})
    assert history.difference(-1) == "the order of events and the graph"
    history.step(-1)
    assert history.now == {}


def test_every_change_has_a_revision_but_not_what_belongs_to_it() -> None:
    history = TableHistory({}, 7)
    assert history.revision == 7
    history.enter({"data": {}})
    history.step(-1)
    assert history.revision == 9
    history.amend({"labels": {}})
    assert history.revision == 9
    history.check(9)
    history.renew()
    assert history.revision == 10
    history.check(9)  # a page that is older, and shows the same


def test_what_changed_since_a_page_was_shown_is_refused_with_its_name() -> None:
    history = TableHistory({"data": {"na": ["?"]}})
    history.enter({"data": {"na": ["?"]}, "question": {"group": "f"}})
    history.check(None)
    history.check(0, lambda tables: tables["data"])
    history.check(0, lambda tables: tables.get("question"), {"group": "f"})
    with pytest.raises(StaleError, match="newest: the question changed since"):
        history.check(0, lambda tables: tables.get("question"), {"group": "m"})
    for unknown in (2, -1, "text", [0]):
        with pytest.raises(StaleError, match="a table was opened since"):
            history.check(unknown)


FIRST = {"question": {"protected": "sex"}}
OTHER = {"question": {"protected": "age"}}


@pytest.fixture
def new(tmp_path: Path) -> QuestionStore:
    """The file of a table for which something was suggested."""
    store = QuestionStore(tmp_path / "t.toml")
    store.tables = FIRST
    return store


def test_what_was_only_suggested_is_no_loss(new: QuestionStore) -> None:
    assert new.lacks(FIRST, "t.toml") is None
    assert new.save(OTHER, {**OTHER, "graph": {"judged": 3}})
    assert "judged = 3" in new.path.read_text()
    assert new.lacks(OTHER, "t.toml") is None


def test_what_somebody_else_wrote_is_left_unless_asked(new: QuestionStore) -> None:
    new.path.write_text("# theirs")
    assert new.has_conflict
    assert new.save(FIRST)  # nobody chose these
    assert not new.save(OTHER)
    problem = new.lacks(OTHER, "t.toml")
    assert problem is not None
    assert (problem.found, problem.where) == ("It was changed outside the app.", "t.toml")
    assert new.save(FIRST, overwrite=True)
    assert 'protected = "sex"' in new.path.read_text()


def test_a_file_that_cannot_be_written_is_said_with_the_reason(new: QuestionStore) -> None:
    new.path.mkdir()
    assert not new.save(OTHER)
    problem = new.lacks(OTHER, "t.toml")
    assert problem is not None
    assert "no plain file" in problem.found
    assert not new.has_conflict


WHOLE = {
    "question": {"protected": "sex", "decision": "hired", "favorable": "yes"},
    "data": {"exclude": ["id"]},
}


def test_a_threshold_needs_no_new_graph_and_columns_do() -> None:
    asked = {**WHOLE["question"], "threshold": "1/7"}
    other = {**WHOLE, "question": asked}
    assert learning_key("a", WHOLE) == learning_key("a", other)
    assert learning_key("a", WHOLE) != learning_key("b", WHOLE)
    assert learning_key("a", WHOLE) != learning_key("a", {"question": WHOLE["question"]})
    assert learning_key("a", WHOLE) != learning_key("a", {**WHOLE, "knowledge": {"tiers": []}})


def test_a_verdict_depends_on_threshold_words_and_effects_through_others() -> None:
    asked = {**WHOLE["question"], "redlining": ["town"]}
    tables = {**WHOLE, "question": asked}
    file = QuestionFile.from_tables(tables)
    keys = {
        audit_key("a", tables, file),
        audit_key("a", tables, file, direct=True),
        audit_key("a", {**tables, "question": {**asked, "threshold": "1/7"}}, file),
        audit_key("a", {**tables, "labels": {"columns": {"sex": "gender"}}}, file),
    }
    assert len(keys) == 4


ENDS = ("marital_status", "income")


def test_previews_count_and_undoing_does_not_take_them_back(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    assert session.audit is not None
    assert session.file.graphs_judged == 0
    list(previews(session, ENDS))
    assert session.file.graphs_judged == 4  # as learned, and three other states
    choose_link(session, ENDS, "to", None)
    session.step(-1)
    assert session.file.graphs_judged == 4
    session.step(1)
    give_reason(session, ENDS, "known", None)
    assert audit_to_publish(session).certificate.variants["graphs"] == 4


def test_the_number_is_kept_in_the_file_and_goes_on_there(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    list(previews(session, ENDS))
    choose_link(session, ENDS, "to", None)
    give_reason(session, ENDS, "known", None)
    session.save()
    text = (tmp_path / "adult.toml").read_text("utf-8")
    assert len({*tomllib.loads(text)["graph"]["judged"]}) == 4
    assert QuestionFile.parse(text).graphs_judged == 4
    session.close()
    again = open_session(tmp_path, "adult.csv")
    learn_now(again)
    assert again.audit is not None
    list(previews(again, ENDS))  # looked at once more, and not counted once more
    assert again.file.graphs_judged == 4
    list(previews(again, ("race", "income")))
    assert again.file.graphs_judged > 4
    assert "judged" not in again.tables["graph"]


def test_one_graph_is_not_worth_a_word() -> None:
    assert JudgedGraphs().stated({"question": {}}) == {"question": {}}
    assert without_number({"graph": {"judged": 3}, "data": {}}) == {"data": {}}
    assert JudgedGraphs({"graph": {"judged": 3}}).stated({}) == {"graph": {"judged": 3}}
