"""The documentation tells the truth: commands run, links lead somewhere, nothing is left out.

Doctests of the pages are collected by pytest itself. Here the ``console`` blocks of a page are
run in order, in an empty folder. A block whose first line is ``# NAME`` is that file. A command
must exit with 0 unless ``$ echo $?`` follows and says otherwise; output that is shown must be
that which comes, with ``...`` for anything.
"""

import doctest
import importlib.util
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer

import evenhand
from evenhand import checker, datasets
from evenhand.cli.application import app, main

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs/gallery"
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")],
)
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(path):
    return str(path.relative_to(ROOT))


def text_of(path):
    return path.read_text("utf-8")


def blocks(path):
    return BLOCK.findall(text_of(path))


def commands(path):
    """Each command of a page with its output and stated exit status; files as they come."""
    for language, content in blocks(path):
        if language == "console":
            shown = [part.partition("\n") for part in f"\n{content}".split("\n$ ")[1:]]
            for place, (command, _, output) in enumerate(shown):
                if command == "echo $?":
                    continue
                after = shown[place + 1 : place + 2]
                stated = after[0][2] if after and after[0][0] == "echo $?" else "0"
                yield command.partition("  #")[0], output, int(stated)
        elif language == "yaml":
            for command in re.findall(r"run: (evenhand .*)", content):
                yield command, "", 0
        elif name := re.match(r"# ([\w.-]+\.\w+)\n", content):
            yield Path(name[1]), content, 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a reader stands: with the example, and a table of his own called adult.csv."""
    for table in (ROOT / "docs/how-to").glob("*.csv"):
        shutil.copy(table, tmp_path)
    shutil.copytree(Path(checker.__file__).parent, tmp_path / "checker")
    lines = [",".join(datasets.adult().names)]
    for labels, count in datasets.adult():
        lines += [",".join(labels)] * -(-count // 8)
    (tmp_path / "adult.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "filled-in.toml").write_text(str(datasets.question("adult")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run a command as it is shown; returns its exit status and what it printed."""

    def run_command(command):
        words, _, target = command.partition(" > ")
        arguments = shlex.split(words)
        if arguments[0] == "python":
            arguments[0] = sys.executable
            done = subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603  # ours
            return done.returncode, done.stdout + done.stderr
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        if target:
            (folder / target).write_text(printed.out)
        if arguments[1] == "init":
            fill_in(folder / arguments[2])
        return stopped.value.code or 0, "" if target else printed.out + printed.err

    return run_command


def fill_in(data):
    """What the reader does with the question file of adult.csv where no page shows one."""
    if data.name == "adult.csv":
        shutil.copy("filled-in.toml", data.with_suffix(".toml"))


WITH_COMMANDS = [page for page in PAGES if any(commands(page))]


@pytest.mark.parametrize(
    "page", [p for p in WITH_COMMANDS if p.stem != "command-line"], ids=name_of
)
def test_every_command_on_a_page_does_what_it_says(page, run):
    for command, shown, stated in commands(page):
        if isinstance(command, Path):
            command.write_text(shown)
            continue
        status, printed = run(command)
        assert status == stated, f"{command}\n{printed}"
        if shown:
            assert doctest.OutputChecker().check_output(shown, printed, FLAGS), (
                f"{command}\nexpected\n{shown}\ngot\n{printed}"
            )


def test_every_example_of_the_help_runs(run):
    assert run("evenhand init adult.csv")[0] == 0
    audited = "evenhand audit adult.csv --question adult.toml --certificate adult.json"
    assert run(audited)[0] == 0
    for command, _, _ in commands(ROOT / "docs/command-line.md"):
        status, printed = run(command)
        assert status in (0, 1), f"{command}\n{printed}"


@pytest.mark.parametrize("page", sorted(GALLERY.glob("[!i]*.md")), ids=name_of)
def test_every_case_of_the_gallery_has_a_picture(page):
    (arguments,) = re.findall(r"^```{picture} (.*)$", text_of(page), re.MULTILINE)
    drawn = runpy.run_path(str(ROOT / "scripts/gallery.py"))["picture"](
        page, *arguments.split()
    )
    assert drawn.startswith('<div class="evenhand"><style>')
    assert re.search("<svg|<table", drawn)
    assert len(drawn) < 20_000
    assert not re.search("<script|href|url\\(", drawn)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_command_is_shown_that_is_not_run(page):
    rest = BLOCK.sub(lambda b: "" if b[1] in ("console", "yaml") else b[0], text_of(page))
    verbs = "|".join(verbs_of_the_command_line())
    assert not re.findall(rf"^[ $]*evenhand (?:{verbs})\b.*", rest, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(page):
    prose = FENCE.sub("", text_of(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"\w+:", target):
            continue
        path, _, heading = unquote(target).partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not heading or heading in headings(linked), target


def headings(page):
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def verbs_of_the_command_line():
    return typer.main.get_command(app).commands


def test_every_verb_and_option_is_on_the_page_of_the_command_line():
    spec = importlib.util.spec_from_file_location(
        "document_commands", ROOT / "scripts/document_commands.py"
    )
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    page = text_of(writer.PAGE)
    for name, verb in verbs_of_the_command_line().items():
        assert f"## evenhand {name}\n" in page
        for parameter in verb.params:
            for option in () if parameter.hidden else parameter.opts:
                assert f"`{option}`" in page or f"`{option.upper()}`" in page
    assert page == writer.page(), "run: python scripts/document_commands.py"


def test_every_public_name_is_in_the_reference():
    page = text_of(ROOT / "docs/reference.md")
    listed = set(re.findall(r"^\.\. auto\w+:: evenhand\.(?:\w+\.)*(\w+)$", page, re.MULTILINE))
    assert listed >= set(evenhand.__all__)


def test_every_page_can_be_found_from_the_index():
    index = ROOT / "docs/index.md"
    trees = [text for text in FENCE.findall(text_of(index)) if "{toctree}" in text]
    entries = re.findall(r"^([\w/*-]+)$", "\n".join(trees), re.MULTILINE)
    reached = {path for entry in entries for path in index.parent.glob(f"{entry}.md")}
    assert reached == {p for p in PAGES if index.parent in p.parents} - {index}


def test_every_room_has_a_row_in_the_table_of_contributing():
    rows = re.findall(r"^\| (`.*?) \|", text_of(ROOT / "CONTRIBUTING.md"), re.MULTILINE)
    named = [room for row in rows for room in re.findall(r"`(\w+)`", row)]
    folder = Path(evenhand.__file__).parent
    rooms = {path.stem for path in folder.iterdir() if not path.name.startswith(("_", "py."))}
    assert sorted(named) == sorted(rooms)
