"""One file is written whole or not at all, and only where it may be."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evenhand.errors import QuestionError, ResourceError
from evenhand.files import after_writing, check_folder, check_targets, sha256, write_file


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.json"


def write(path, text="new", *, overwrite=False):
    return write_file(path, text, mode=0o600, overwrite=overwrite)


@pytest.mark.parametrize("mode", [0o600, 0o644])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_has_the_bytes_and_the_mode_that_were_asked_for(path, mode, overwrite):
    assert write_file(str(path), "é\r\n", mode=mode, overwrite=overwrite) == path
    assert path.read_bytes() == "é\r\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("before", [None, "before"])
def test_a_file_that_cannot_be_written_leaves_what_was_there(path, monkeypatch, before):
    if before:
        path.write_text(before)

    def full_disk(_):
        raise OSError(28, "no space")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(ResourceError, match="no space"):
        write(path, overwrite=True)
    assert [p.read_text() for p in path.parent.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize("linkless", [False, True])
@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_file_that_is_there_is_replaced_only_if_that_is_allowed(
    path, monkeypatch, linkless, kind
):
    path.write_text("evidence") if kind == "file" else path.symlink_to(path.parent / "absent")
    if linkless:

        def no_links(*_):
            raise PermissionError(1, "no links here")

        monkeypatch.setattr("os.link", no_links)
    with pytest.raises(QuestionError, match=r"This file exists.*overwrite=True"):
        write(path)
    assert [*path.parent.iterdir()] == [path]
    assert path.is_symlink() or path.read_text() == "evidence"
    write(path, overwrite=True)
    assert path.read_text() == "new"
    write(path.with_name("b.json"))
    assert {p.name: p.read_text() for p in path.parent.iterdir()} == {
        "a.json": "new",
        "b.json": "new",
    }


def test_a_folder_is_not_replaced(path):
    path.mkdir()
    with pytest.raises(ResourceError, match="cannot be written"):
        write(path)
    assert [*path.parent.iterdir()] == [path]


def test_of_two_writers_to_one_name_one_succeeds(path):
    def attempt(number):
        try:
            return write(path, str(number))
        except QuestionError:
            return None

    with ThreadPoolExecutor(8) as pool:
        written = [number for number, done in enumerate(pool.map(attempt, range(8))) if done]
    assert path.read_text() == str(*written)
    assert [*path.parent.iterdir()] == [path]


def test_the_digest_is_that_of_the_bytes(path):
    path.write_bytes(b"abc")
    assert sha256(path).startswith("ba7816bf")


def test_a_folder_must_exist_and_be_open_to_us(tmp_path, monkeypatch):
    check_folder(tmp_path)
    with pytest.raises(QuestionError, match=r"no such folder.*Make it first"):
        check_folder(tmp_path / "absent")
    for right in (os.W_OK, os.X_OK):
        monkeypatch.setattr("os.access", lambda _, asked, lacks=right: not asked & lacks)
        with pytest.raises(QuestionError, match=r"cannot be written to.*ask for the right"):
            check_folder(tmp_path)


@pytest.mark.parametrize("how", ["itself", "hard link", "symbolic link", "by another way"])
def test_an_input_is_known_by_its_file_not_by_its_name(path, how):
    path.write_text("input")
    target = path.with_name("link.json")
    if how == "itself":
        target = path
    elif how == "hard link":
        os.link(path, target)
    elif how == "symbolic link":
        target.symlink_to(path)
    else:
        target = path.parent / ".." / path.parent.name / path.name
    with pytest.raises(QuestionError, match="input"):
        check_targets([target], [str(path)], overwrite=True)


def test_every_problem_with_a_name_is_told_at_once(path):
    path.mkdir()
    other = path.with_name("b.json")
    other.write_text("evidence")
    with pytest.raises(QuestionError) as refusal:
        check_targets([path, other, Path(f"{other.parent}/./b.json")], [], overwrite=False)
    said = [problem.what for problem in refusal.value.problems]
    assert said == [
        "This is a folder, a link or a device.",
        "This file exists.",
        "This file exists.",
        "Two files would be written to this name.",
    ]
    check_targets([other], [], overwrite=True)


def test_names_of_files_that_are_not_there_yet_are_compared(path):
    again, other = path.parent / ".." / path.parent.name / path.name, path.with_name("b.json")
    with pytest.raises(QuestionError, match="Two files would be written to this name"):
        check_targets([path, again], [], overwrite=False)
    check_targets([path, other], [str(path.with_name("c.json"))], overwrite=False)


def test_an_error_names_the_files_that_were_written_before_it(path):
    with pytest.raises(QuestionError, match="No") as caught, after_writing(path, None):
        raise QuestionError.of("No.")
    _, stays = caught.value.problems
    assert (stays.what, stays.where) == ("This file was written and stays.", str(path))
