"""Nothing outside the folder is read or written, and nothing stays of an upload that failed."""

import asyncio
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError, InputError, Problem, QuestionError
from evenhand.web.folder import Folder


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.csv").write_text("x\n1\n")
    (root / "below").mkdir()
    (root / "below" / "b.csv").write_text("x\n1\n")
    (tmp_path / "secret.csv").write_text("secret\n")
    return root


@pytest.fixture
def folder(root):
    folder = Folder(root)
    yield folder
    folder.close()


def receive(folder, name, *pieces):
    """Send an upload in pieces; an exception among them is raised there."""

    async def chunks():
        for piece in pieces:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(folder.receive(name, chunks()))).result()


def test_files_inside_are_found(folder, root):
    for name in ("a.csv", "./a.csv", "below/b.csv", "below/../a.csv", str(root / "a.csv")):
        assert folder.existing(name).is_relative_to(root)
    (root / "link.csv").symlink_to(root / "below" / "b.csv")
    assert folder.existing("link.csv") == root / "below" / "b.csv"


def test_the_page_for_the_browser_is_private_and_no_file_to_choose(folder):
    old = os.umask(0)
    try:
        page = folder.launch_page("http://127.0.0.1:1/start/word")
    finally:
        os.umask(old)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert 'content="0;url=http://127.0.0.1:1/start/word"' in page.read_text()
    with pytest.raises(InputError, match="outside"):
        folder.existing(str(page))
    folder.close()
    assert not page.exists()


@pytest.mark.parametrize(
    "name", ["../secret.csv", "below/../../secret.csv", "/etc/passwd", "/", "..", "/dev/zero"]
)
def test_what_lies_outside_is_refused(folder, name):
    for way in (folder.existing, folder.inside):
        with pytest.raises(InputError, match="outside the folder"):
            way(name)


def test_links_that_lead_out_are_refused(folder, root, tmp_path):
    (root / "out.csv").symlink_to(tmp_path / "secret.csv")
    (root / "up").symlink_to(tmp_path)
    (root / "new.csv").symlink_to(tmp_path / "new.csv")  # leads to no file yet
    for name in ("out.csv", "up/secret.csv", "up/root/../secret.csv"):
        with pytest.raises(InputError, match="outside"):
            folder.existing(name)
    for name in ("out.csv", "new.csv"):
        with pytest.raises(InputError, match="outside"):
            folder.target(name, overwrite=True)
    (root / "loop").symlink_to(root / "loop")
    with pytest.raises(EvenhandError):
        folder.existing("loop")


def test_a_folder_beside_with_the_same_beginning_is_outside(folder, root):
    beside = root.parent / "root-of-others"
    beside.mkdir()
    (beside / "c.csv").write_text("x\n")
    with pytest.raises(InputError, match="outside"):
        folder.existing("../root-of-others/c.csv")


def test_only_plain_files_are_read(folder, root):
    os.mkfifo(root / "pipe.csv")
    for name in ("pipe.csv", "below", "."):
        with pytest.raises(InputError, match="no plain file"):
            folder.existing(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_no_file(folder, root):
    try:
        os.mknod(root / "zero.csv", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("devices may not be made here")
    with pytest.raises(InputError, match="no plain file"):
        folder.existing("zero.csv")


@pytest.mark.parametrize(
    "name", ["a\0b.csv", "\ud800.csv", "x" * 5000, "a.csv/below", None, 5, ["a.csv"], {}]
)
def test_what_is_no_path_is_refused(folder, name):
    with pytest.raises(InputError):
        folder.existing(name)
    with pytest.raises(EvenhandError):
        folder.target(name)


def test_a_name_that_is_not_there(folder):
    with pytest.raises(InputError, match="no such file"):
        folder.existing("absent.csv")


def test_targets_are_plain_names_in_the_folder(folder, root):
    assert folder.target("new.csv") == root / "new.csv"
    for name in ("", ".", "..", ".hidden", "below/c.csv", "../c.csv", "/c.csv", "a\nb.csv"):
        with pytest.raises(QuestionError, match="plain name"):
            folder.target(name)


def test_a_target_is_not_overwritten_unasked(folder, root):
    with pytest.raises(QuestionError):
        folder.target("a.csv")
    assert folder.target("a.csv", overwrite=True) == root / "a.csv"


def test_an_input_is_never_overwritten(folder, root):
    (root / "same.csv").hardlink_to(root / "a.csv")
    for name in ("a.csv", "same.csv"):
        with pytest.raises(QuestionError, match="Inputs are never written over"):
            folder.target(name, [root / "a.csv"], overwrite=True)


def test_the_list_of_tables(folder, root, monkeypatch):
    (root / "notes.md").write_text("")
    (root / ".hidden.csv").write_text("")
    (root / ".folder").mkdir()
    (root / ".folder" / "c.csv").write_text("")
    (root / "1" / "2" / "3").mkdir(parents=True)
    (root / "1" / "2" / "deep.csv").write_text("")
    (root / "1" / "2" / "3" / "deeper.csv").write_text("")
    (root / "link.csv").symlink_to(root / "a.csv")
    (root / "\u202eodd \u00a0.csv").write_text("")
    Path(os.fsdecode(os.fsencode(root) + b"/broken\xff.csv")).write_text("")
    (root / "two\nlines.csv").write_text("")
    os.mkfifo(root / "pipe.csv")
    names = ["a.csv", "\u202eodd \u00a0.csv", "below/b.csv", "1/2/deep.csv"]
    assert list(map(str, folder.tables())) == names
    monkeypatch.setattr("evenhand.web.folder._MOST_FILES", 2)
    assert list(map(str, folder.tables())) == names[:2]


def test_a_folder_that_cannot_be_listed_offers_nothing(folder, monkeypatch):
    def scandir(path):
        if Path(path).name == "below":
            raise PermissionError
        return real(path)

    real = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    assert list(map(str, folder.tables())) == ["a.csv"]


def test_uploads_lie_in_a_folder_of_their_own_that_nobody_else_reads(folder):
    assert stat.S_IMODE(folder.uploads.stat().st_mode) == 0o700
    path = receive(folder, "people.csv", b"a,b\n", b"1,2\n")
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert path.is_relative_to(folder.uploads)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert folder.existing(str(path)) == path.resolve()
    assert folder.shown(path) == "people.csv"
    assert receive(folder, "people.csv", b"other") != path
    folder.close()
    assert not folder.uploads.exists()
    folder.close()


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\people.csv", "people.csv"),
        ("/x/y.csv", "y.csv"),
        (".hidden.csv", "hidden.csv"),
        ("..", "table"),
        ("", "table"),
        ("a\0b.csv", "table"),
        ("a\nb.csv", "table"),
        ("\ud800.csv", "table"),
        ("é" * 200 + ".csv", "é" * 56 + ".csv"),
        ("\U0001f600" * 200 + ".csv", "\U0001f600" * 56 + ".csv"),
        ("<script>.csv", "<script>.csv"),
    ],
)
def test_names_of_uploads_are_only_names(folder, name, stored):
    path = receive(folder, name, b"x")
    assert path.name == stored
    assert path.parent.parent == folder.uploads


@pytest.mark.parametrize(
    "stop", [OSError(28, "No space left on device"), InputError(), KeyError()]
)
def test_nothing_stays_of_an_upload_that_failed(folder, stop):
    with pytest.raises(type(stop)):
        receive(folder, "people.csv", b"a,b\n", stop)
    assert list(folder.uploads.iterdir()) == []


def test_a_path_is_shown_below_the_folder(folder, root):
    assert folder.shown(root / "below" / "b.csv") == "below/b.csv"
    assert folder.holds(root / "below" / "b.csv")
    assert not folder.holds(folder.uploads / "x" / "b.csv")


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("people.csv", "people.toml"),
        ("people.2024.csv", "people.2024.toml"),
        ("people.2025.csv.gz", "people.2025.toml"),
        ("north/people.xlsx", "north/people.toml"),
        ("notes", "notes.toml"),
    ],
)
def test_a_question_file_stands_beside_its_table_under_its_whole_name(
    tmp_path, table, question
):
    folder = Folder(tmp_path)
    assert folder.question_path(folder.root / table) == folder.root / question


def test_the_question_file_of_an_upload_stands_in_the_root(tmp_path):
    folder = Folder(tmp_path)
    table = folder.uploads / "x" / "people.2024.csv"
    assert folder.question_path(table) == folder.root / "people.2024.toml"


def test_an_upload_called_like_a_table_of_the_folder_has_a_question_file_of_its_own(tmp_path):
    folder = Folder(tmp_path)
    (tmp_path / "people.parquet").touch()
    (tmp_path / "people.toml").touch()
    table = folder.uploads / "x" / "people.csv"
    assert folder.question_path(table) == folder.root / "people-2.toml"
    (tmp_path / "people-2.toml").touch()
    assert folder.question_path(table) == folder.root / "people-3.toml"
    assert folder.question_path(folder.root / "people.parquet") == folder.root / "people.toml"


def test_endings_in_capitals_are_those_of_tables(tmp_path):
    (tmp_path / "DATA.CSV").touch()
    folder = Folder(tmp_path)
    assert list(map(str, folder.tables())) == ["DATA.CSV"]
    assert folder.question_path(folder.root / "DATA.CSV") == folder.root / "DATA.toml"
    assert folder.question_path(folder.root / "a.Csv.GZ") == folder.root / "a.toml"


def test_uploads_of_a_killed_process_are_removed_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    alive, killed = Folder(tmp_path), Folder(tmp_path)
    os.close(killed._handle)  # as the end of its process does
    killed._handle = None
    (killed.uploads / "people.csv").touch()
    (tmp_path / "evenhand-web-other").mkdir()  # which says nothing of its process
    monkeypatch.setattr(os, "geteuid", lambda: -1)
    Folder(tmp_path).close()  # another user's
    assert killed.uploads.exists()
    monkeypatch.undo()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    Folder(tmp_path).close()
    assert not killed._place.exists()
    assert alive.uploads.exists()
    assert (tmp_path / "evenhand-web-other").exists()
    alive.close()


def test_a_made_file_is_itself_and_no_link(tmp_path):
    (tmp_path / "open").mkdir()
    folder = Folder(tmp_path / "open")
    made, secret = folder.root / "made.csv", tmp_path / "secret.csv"
    assert not folder.has_plain("made.csv")
    made.write_text("a", "utf-8")
    assert folder.has_plain("made.csv")
    secret.write_text("b", "utf-8")
    made.unlink()
    made.symlink_to(secret)
    assert not folder.has_plain("made.csv")


def test_a_message_names_files_without_their_places(folder, root):
    stored = folder.uploads / "x7" / "b.csv"
    problem = Problem(f"{stored} is empty.", f"It was {stored}.", where=str(root / "a.csv"))
    named = folder.named(problem)
    assert (named.what, named.found, named.where) == (
        "b.csv is empty.",
        "It was b.csv.",
        "a.csv",
    )
