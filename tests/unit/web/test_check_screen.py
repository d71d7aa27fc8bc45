"""A certificate is checked in the app with the words of the command line."""

import json
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest
from tests.hiring import csv_text, people, released
from tests.web_sessions import finish
from typer.testing import CliRunner

from evenhand.cli.application import app as command_line
from evenhand.errors import EvenhandError, QuestionError, ResourceError
from evenhand.web.check_screen import CHANGES, view
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job
from evenhand.web.pages import render
from evenhand.web.session import Session

((_, _, check),) = CHANGES


@pytest.fixture
def session(tmp_path: Path) -> Session:
    source = tmp_path / "people.csv"
    source.write_text(csv_text(people()), newline="")
    released(source).write(tmp_path / "out.csv", share=True)
    (tmp_path / "other.csv").write_text(csv_text(people(seed=1)), newline="")
    record = json.loads((tmp_path / "out.certificate.json").read_text())
    record["rows"]["examined"] += 1
    (tmp_path / "altered.certificate.json").write_text(json.dumps(record))
    (tmp_path / "no.certificate.json").write_text("a,b\n1,2\n")
    return Session(Folder(tmp_path))


def _checked(session: Session, **body: Any) -> Job:
    job = check(session, body)
    assert job is not None
    while job.state == "running":
        sleep(0.005)
    return job


def _printed(session: Session, *names: str) -> tuple[int, str]:
    paths = [str(session.folder.root / name) for name in names]
    result = CliRunner().invoke(command_line, ["verify", *paths])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("certificate", "data", "mark"),
    [
        ("out.certificate.json", "", "certified"),
        ("out.certificate.json", "out.csv", "certified"),
        ("altered.certificate.json", "", "not-certified"),
        ("out.certificate.json", "other.csv", "not-certified"),
        ("out.shared.certificate.json", "", "cannot-decide"),
        ("out.shared.certificate.json", "out.csv", "certified"),
        ("out.shared.certificate.json", "other.csv", "not-certified"),
    ],
)
def test_it_says_what_the_command_line_says(
    session: Session, certificate: str, data: str, mark: str
) -> None:
    job = _checked(session, certificate=certificate, data=data)
    assert job.state == "done", job.problems
    shown = view(session, {})
    outcome = shown["outcome"]
    assert shown["mark"] == mark
    status, printed = _printed(session, *filter(None, (certificate, data)))
    assert {"certified": 0, "not-certified": 1, "cannot-decide": 3}[mark] == status
    words = " ".join(printed.split())
    assert words.startswith(outcome.sentence)
    for program, notes in outcome.objections:
        for note in notes[:8]:
            assert f"{program} {' '.join(note.split())}" in words
    named = [name for name in (certificate, data) if name]
    assert shown["commands"] == (f"evenhand verify {' '.join(named)}",)
    page = render(session, "check", shown)
    assert f"v-{mark}" in page
    assert outcome.checks or mark != "certified"


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        ("no.certificate.json", "This is no certificate, which is one JSON object."),
        ("out.manifest.json", "This is the manifest of a release, not its certificate."),
    ],
)
def test_what_cannot_be_checked_is_a_problem(
    session: Session, certificate: str, said: str
) -> None:
    job = _checked(session, certificate=certificate)
    assert job.state == "failed"
    assert said in str(job.problems[0])
    assert view(session, {})["outcome"] is None


def test_data_may_come_first_and_a_new_certificate_forgets_them(session: Session) -> None:
    root = session.folder.root
    assert check(session, {"use": "data", "path": str(root / "out.csv")}) is None
    assert view(session, {})["data"] == "out.csv"
    _checked(session, certificate="out.certificate.json")
    assert view(session, {})["outcome"].against == "out.csv"
    _checked(session, use="certificate", path=str(root / "out.shared.certificate.json"))
    shown = view(session, {})
    assert (shown["data"], shown["mark"]) == ("", "cannot-decide")
    _checked(session, use="data", path=str(root / "out.csv"))
    assert view(session, {})["mark"] == "certified"
    _checked(session, data="")
    assert view(session, {})["outcome"].against == "its own numbers"


def test_a_check_that_is_refused_while_something_runs_forgets_nothing(session: Session) -> None:
    _checked(session, certificate="out.certificate.json")
    before, go_on = view(session, {}), Event()
    job = session.jobs.start("waiting", lambda _: go_on.wait(20))
    with pytest.raises(ResourceError, match="waiting"):
        check(session, {"certificate": "altered.certificate.json"})
    go_on.set()
    assert view(session, {}) == before
    finish(job)


def test_only_files_of_the_folder_are_read(session: Session) -> None:
    for name in ("/etc/passwd", "../x.json", "absent.json"):
        with pytest.raises(EvenhandError):
            check(session, {"certificate": name})
    with pytest.raises(QuestionError, match="No file is named"):
        check(session, {})


def test_records_and_tables_of_the_folder_can_be_chosen(session: Session) -> None:
    shown = view(session, {})
    names = ("altered.certificate", "no.certificate", "out.certificate", "out.manifest")
    assert shown["records"] == [f"{one}.json" for one in (*names, "out.shared.certificate")]
    assert shown["tables"] == ["other.csv", "out.csv", "people.csv"]
    assert shown["outcome"] is None
    assert "on the command line" not in render(session, "check", shown)


def test_an_upload_is_called_by_its_own_name(session: Session) -> None:
    uploads = session.folder.uploads / "x1"
    uploads.mkdir()
    (uploads / "table.csv").write_text("a,b\n1,2\n")
    job = _checked(session, use="certificate", path=str(uploads / "table.csv"))
    assert job.state == "failed"
    assert job.problems[0].where == "table.csv"
    _checked(session, certificate="out.certificate.json")
    job = _checked(session, use="data", path=str(uploads / "table.csv"))
    said = render(session, "check", view(session, {})) + str(job.problems)
    assert "table.csv" in said
    assert str(session.folder.uploads) not in said


def test_what_is_false_is_said_without_contradiction(session: Session) -> None:
    _checked(session, certificate="out.certificate.json", data="other.csv")
    shown = view(session, {})
    assert shown["outcome"].sentence == (
        "Certificate refuted: it says certified, and does not agree with the data"
    )
    page = render(session, "check", shown)
    assert page.index('<details id="objections">') < page.index('<ul class="objections">')
