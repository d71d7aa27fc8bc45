"""``evenhand web``: what is checked before the server starts, and what it is started with."""

import subprocess
import sys

import pytest


@pytest.fixture
def served(monkeypatch):
    """Notes what the server would be started with."""
    server = pytest.importorskip("evenhand.web.server", reason="the extra web is not installed")
    started = []
    monkeypatch.setattr(server, "serve", lambda *given, **named: started.append((given, named)))
    return started


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in a folder of the present one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "people.csv").write_text("a,b\n1,2\n")
    (tmp_path / "asked.toml").write_text("")
    return tmp_path / "in" / "people.csv"


def test_the_folder_is_that_of_the_table(run, served, table):
    assert run("web", table, "--port", "0", "--no-browser")[0] == 0
    ((root, data, question), named) = served[0]
    assert (root, data, question) == (table.parent, table, None)
    assert (named["port"], named["open_browser"]) == (0, False)


def test_without_a_table_the_folder_is_the_present_one(run, served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("web")[0] == 0
    ((root, data, question), named) = served[0]
    assert (root.resolve(), data, question) == (tmp_path, None, None)
    assert named["open_browser"]


def test_a_folder_may_hold_both(run, served, table, tmp_path):
    asked = tmp_path / "asked.toml"
    assert run("web", table, "--question", asked, "--folder", tmp_path)[0] == 0
    assert served[0][0] == (tmp_path, table, asked)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent.csv",), "no such file or folder"),
        (("in/people.csv", "--question", "absent.toml"), "no such file or folder"),
        (("in/people.csv", "--folder", "absent"), "no such file or folder"),
        (("in/people.csv", "--folder", "asked.toml"), "no folder"),
        (("in/people.csv", "--question", "asked.toml"), "outside the folder"),
        (("--folder", "in", "asked.toml"), "outside the folder"),
        (("--question", "asked.toml"), "about a table"),
    ],
)
def test_what_cannot_be_opened_is_refused_before_the_start(
    run, served, table, arguments, words
):
    assert table.exists()
    status, _, errors = run("web", *arguments)
    assert status not in (0, 1, 3)
    assert words in errors
    assert served == []


def test_a_link_is_judged_by_where_it_leads(run, served, table, tmp_path):
    (table.parent / "link.csv").symlink_to(tmp_path / "asked.toml")
    status, _, errors = run("web", "--folder", table.parent, table.parent / "link.csv")
    assert (status != 0, "outside the folder" in errors, served) == (True, True, [])


@pytest.mark.parametrize("absent", ["starlette", "uvicorn", "tomlkit"])
def test_without_the_extra_it_says_what_to_install(tmp_path, absent):
    """As after a plain `pip install evenhand`; all other commands go on."""
    code = (
        f"import sys; sys.modules[{absent!r}] = None; sys.argv = sys.argv[1:]; "
        "from evenhand.cli import main; main()"
    )

    def evenhand(*arguments):
        command = [sys.executable, "-c", code, "evenhand", *arguments]
        return subprocess.run(  # noqa: S603  # our own program
            command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    done = evenhand("web", "--no-browser")
    assert done.returncode == 4
    assert 'pip install "evenhand[web]"' in done.stderr
    assert "Traceback" not in done.stderr
    done = evenhand("--version")
    assert (done.returncode, done.stderr) == (0, "")
