"""The command at the foot of each screen gives what the screen shows."""

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.web_sessions import finish, learn_now, open_session, settled_session, worked_out
from typer.testing import CliRunner

from evenhand.cli.application import app as command_line
from evenhand.web import (
    check_screen,
    evidence_screen,
    graph_screen,
    question_screen,
    release_screen,
    table_screen,
)
from evenhand.web.pages import command_lines, render
from evenhand.web.release_screen import release_rows
from evenhand.web.session import Session

_VIEWS = {
    "table": table_screen.view,
    "question": question_screen.view,
    "graph": graph_screen.view,
    "evidence": evidence_screen.view,
    "release": release_screen.view,
    "check": check_screen.view,
}


def _page(session: Session, screen: str) -> str:
    if session.history.difference(-1):
        session.save()
    return render(session, screen, _VIEWS[screen](session, {}))


def _text(page: str) -> str:
    main = page.split('<main id="main"')[1].split("</main>", maxsplit=1)[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split()).replace(" .", ".")


def _commands(page: str) -> list[list[str]]:
    foot = page.split('id="foot"')[1]
    codes = re.findall(r"<code>(evenhand .*?)</code>", foot)
    return [shlex.split(unescape(code))[1:] for code in codes]


def _run(
    session: Session, command: list[str], *further: str, monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.chdir(session.folder.root)
    result = CliRunner().invoke(command_line, [*command, *further])
    assert result.exit_code in (0, 1, 3), result.output
    return result.stdout


@pytest.fixture
def staff(tmp_path: Path) -> Session:
    """A table with an identifier, a date, numbers and missing values; nothing is chosen."""
    draw = np.random.default_rng(1)
    lines = []
    for number in range(600):
        age, day = draw.integers(18, 70), draw.integers(1, 28)
        sex, hired = draw.choice(["f", "m"]), draw.choice(["yes", "no"])
        town = draw.choice(["A", "B", "", "C"])
        lines.append(f"p{number},{sex},{age},{day:02}.03.2024,{town},{hired}\n")
    (tmp_path / "staff.csv").write_text("id,sex,age,date,town,hired\n" + "".join(lines))
    return open_session(tmp_path, "staff.csv")


def _numbers(session: Session, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str]:
    """Rows, columns and things to look at: as the screen says, which the command repeats."""
    page = _page(session, "table")
    (command,) = _commands(page)
    printed = _run(session, command, monkeypatch=monkeypatch).splitlines()[0]
    found = re.search(r": ([\d,]+) rows, ([\d,]+) columns, (\w+)", printed)
    assert found is not None
    rows, columns, things = found.groups()
    lead = _text(page).split("Ask a question")[0]
    assert f"{rows} rows" in lead
    assert f"{columns} column" in lead or f"of which {columns} are counted" in lead
    word = "Nothing" if things == "nothing" else things
    assert f"{word} thing" in lead or f"{word} to look at" in lead
    return rows, columns, things


def test_the_table_and_its_command_count_the_same(
    staff: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _numbers(staff, monkeypatch) == ("600", "4", "1")
    assert not (staff.folder.root / "staff.toml").exists()
    staff.patch({"data": {"exclude": ["id"]}})
    assert _numbers(staff, monkeypatch)[1] == "5"
    assert (staff.folder.root / "staff.toml").exists()
    staff.patch({"data": {"exclude": ["id", "date"]}})
    staff.patch({"question": {"protected": "sex"}})
    assert _numbers(staff, monkeypatch) == ("600", "4", "1")
    staff.patch({"question": {"protected": "sex", "decision": "hired"}})
    assert _numbers(staff, monkeypatch) == ("600", "4", "1")
    staff.patch({"data": {"missing": "drop"}})
    _numbers(staff, monkeypatch)
    command = _commands(_page(staff, "question"))[0]
    printed = _run(staff, command, monkeypatch=monkeypatch)
    compared = re.search(r"compared\s+(people alike.*)", printed)
    assert compared is not None
    assert f"Compared are {compared.group(1)}" in _text(_page(staff, "question"))


def test_weighted_rows_are_counted_as_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = settled_session(tmp_path)
    assert _numbers(session, monkeypatch) == ("48,842", "11", "nothing")


def test_graph_evidence_and_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = settled_session(tmp_path)

    def answer(screen: str, number: int = 0) -> tuple[str, dict[str, Any]]:
        page = _page(session, screen)
        printed = _run(session, _commands(page)[number], "--json", monkeypatch=monkeypatch)
        return _text(page), json.loads(printed)

    shown, said = answer("graph")
    for statement in said["answer"]["statements"][:2]:
        assert statement in shown
    shown, said = answer("evidence")
    assert said["answer"]["statements"][0] in shown
    worked_out(session)
    shown, said = answer("release")
    for outcome in said["outcomes"]:
        assert f"{outcome['changed_rows']:,}" in shown
    release = _commands(_page(session, "release"))[1]
    printed = _run(session, release, "--seed", "7", monkeypatch=monkeypatch)
    root = session.folder.root
    assert (root / "adult-released.report.html").exists()  # as the form has it ticked
    finish(release_rows(session, {"file": "mine.csv", "report": True, "seed": "7"}))
    assert (root / "mine.csv").read_bytes() == (root / "adult-released.csv").read_bytes()
    assert f"{session.results['made'].release.changed_rows:,}" in printed
    finish(check_screen.check(session, {"certificate": "mine.certificate.json"}))
    page = _page(session, "check")
    printed = _run(session, _commands(page)[0], monkeypatch=monkeypatch)
    assert " ".join(printed.split("\n")[0].split()) in _text(page)


def test_several_protected_attributes_are_called_the_same(
    staff: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    staff.patch({"question": {"protected": ["sex", "town"], "decision": "hired"}})
    staff.patch({"data": {"missing": "drop"}})
    learn_now(staff)
    page = _page(staff, "evidence")
    printed = _run(staff, _commands(page)[0], "--json", monkeypatch=monkeypatch)
    assert json.loads(printed)["answer"]["statements"][0] in _text(page)


def test_a_dropped_table_must_be_saved_first(tmp_path: Path) -> None:
    session = open_session(settled_session(tmp_path).folder.root, "adult.csv")
    upload = session.folder.uploads / "x" / "more.csv"
    upload.parent.mkdir()
    upload.write_bytes((tmp_path / "adult.csv").read_bytes())
    assert "saved in the folder" not in _page(session, "table")
    session.open_table(upload, lambda _: None)
    assert "command line, once more.csv is saved in the folder: <code>" in _page(
        session, "table"
    )


@pytest.mark.parametrize("screen", ["table", "question", "graph", "evidence", "release"])
def test_commands_without_a_whole_question_use_options_that_their_verbs_have(tmp_path, screen):
    rows = ["sex,age,hired", *(f"{s},{a},{h}" for s in "fm" for a in (1, 2, 3) for h in "yn")]
    (tmp_path / "people.csv").write_text("\n".join(rows))
    session = open_session(tmp_path, "people.csv")
    changes = {"data": {"bins": {"age": [1]}, "missing": "level", "na": ["?"]}}
    session.patch({**changes, "question": {"protected": "sex", "favorable": None}})
    for command in command_lines(session, screen):
        help_page = CliRunner().invoke(command_line, [command[1], "--help"]).output
        for option in (word for word in command if word.startswith("--")):
            assert option in help_page, command
