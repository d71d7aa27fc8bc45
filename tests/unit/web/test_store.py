"""The question file on the disk: comments kept, nothing of somebody else overwritten."""

import os
import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import QuestionError, ResourceError
from evenhand.web import question_store as module
from evenhand.web.question_store import QuestionStore, check_tables, cut_to, part_of

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


def test_what_somebody_else_wrote_can_be_taken_over(path):
    store = QuestionStore(path)
    path.write_text(TEXT.replace('"f"', '"m"'))
    assert store.load()["question"]["group"] == "m"
    assert not store.changed_elsewhere


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
        ("a = " + "[" * 1000, "nested deeper"),
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
    with pytest.raises(ResourceError):
        store.save(tables)
    assert path.read_text() == TEXT
    assert [one.name for one in path.parent.iterdir()] == ["people.toml"]
    monkeypatch.undo()
    assert store.save(tables)
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
_TABLES = st.recursive(
    st.dictionaries(_TEXT, _VALUE, max_size=3),
    lambda inner: st.dictionaries(_TEXT, inner | _VALUE, max_size=3),
    max_leaves=6,
)


@given(_TABLES, _TABLES)
def test_any_tables_are_written_so_that_they_are_read_again(before, after):
    """From any tables to any others, by the reader of the standard library."""
    text = module._text("", before)
    assert tomllib.loads(text) == before
    assert tomllib.loads(module._text(text, after)) == after


def test_what_toml_cannot_say_is_refused(path):
    store = QuestionStore(path)
    with pytest.raises(QuestionError, match="cannot be written"):
        store.save({"question": {"protected": object()}})
    assert path.read_text() == TEXT


def test_tables_out_of_order_are_written_without_their_comments():
    """The library that keeps comments fails on these: then what is said counts."""
    before = "# why\n[data.bins]\nx = [1, 2]\n[data]\nna = ['?']\n[data.merge.z]\nx = 'o'\n"
    after = {"data": {"merge": {"z": {"x": "o"}}}}
    assert tomllib.loads(module._text(before, after)) == after


def test_a_text_that_says_something_else_is_never_written(path, monkeypatch):
    store = QuestionStore(path)
    monkeypatch.setattr(module.tomlkit, "dumps", lambda _: "[question]\n")
    with pytest.raises(QuestionError, match="cannot be written"):
        store.save({"question": {"protected": "age"}})
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


def test_tables_are_cut_to_what_a_change_names():
    tables = {"question": {"group": "f", "threshold": 1}, "data": {"na": ["?"]}}
    change = {"question": {"group": "m", "other": None}, "data": None, "labels": {"columns": 1}}
    assert cut_to(tables, change) == {
        "question": {"group": "f", "other": None},
        "data": {"na": ["?"]},
        "labels": {"columns": None},
    }
