"""Files of a release from the app: those of the command line, whole or not at all."""

import errno
import json
import os
from fractions import Fraction
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web_sessions import finish, settled_session

import evenhand as eh
from evenhand import checker
from evenhand.errors import EvenhandError, QuestionError
from evenhand.files import Transaction
from evenhand.question.fields import parse_names
from evenhand.removal import ModifyData, ModifyGraph
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job
from evenhand.web.pages import render, render_problems
from evenhand.web.question_store import StaleError
from evenhand.web.release_screen import (
    ReleaseChoice,
    free_name,
    release_rows,
    report_name,
    view,
)
from evenhand.web.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


def _ended(job: Job) -> Job:
    while job.state == "running":
        sleep(0.005)
    return job


def _names(session: Session) -> set[str]:
    session.save()
    return {path.name for path in session.folder.root.iterdir()}


def _refused(session: Session, body: dict[str, Any]) -> str:
    """What is said, and that nothing was written."""
    before = _names(session)
    try:
        job = _ended(release_rows(session, body))
    except EvenhandError as error:
        said = str(error)
    else:
        assert job.state == "failed"
        said = " ".join(str(problem) for problem in job.problems)
    assert _names(session) == before
    return said


def test_the_bytes_are_those_of_the_library_at_one_seed(session: Session) -> None:
    finish(
        release_rows(
            session,
            {
                "file": "out.csv",
                "seed": "7",
                "share": True,
                "least_count": "25",
                "report": True,
            },
        )
    )
    folder = session.folder.root
    asked = eh.QuestionFile.load(folder / "adult.toml")
    alone = folder / "alone"
    alone.mkdir()
    files = (
        eh.audit(str(folder / "adult.csv"), asked)
        .release(seed=7)
        .write(alone / "out.csv", share=True, least_count=25)
    )
    assert (folder / "out.csv").read_bytes() == files.data.read_bytes()
    assert files.shared is not None
    shared = (folder / "out.shared.certificate.json").read_text()
    # The commitment to the seed has a nonce of its own.
    cut = [text.split('"seed_commitment"')[0] for text in (shared, files.shared.read_text())]
    assert cut[0] == cut[1]
    assert (folder / "out.report.html").is_file()


def test_certificate_and_report_state_what_was_judged_besides(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    session.results["bootstrap"] = (audit, audit.bootstrap(2))
    finish(release_rows(session, {"file": "out.csv", "report": True}))
    record = (session.folder.root / "out.certificate.json").read_text()
    arrows = len(audit.arrows().ways)
    assert json.loads(record)["variants"]["arrows"] == arrows > 5
    assert checker.verify(record).status == 0
    page = (session.folder.root / "out.report.html").read_text()
    assert f"{arrows} other arrows" in page
    assert "2 resamples" in page


def test_what_was_made_is_listed_with_addresses(session: Session) -> None:
    finish(release_rows(session, {"file": "out.csv", "report": True}))
    made = session.results["made"]
    assert str(made.release.certificate.verdict) == "certified"
    page = render(session, "release", view(session, {}))
    for name in ("out.csv", "out.certificate.json", "out.manifest.json", "out.report.html"):
        size = (session.folder.root / name).stat().st_size
        assert f'files/{name}" download>{name}</a> <small>{size:,} bytes</small>' in page
    assert "<code>evenhand verify out.certificate.json out.csv</code>" in page
    assert checker.verify(made.files.certificate.read_text()).status == 0


def test_a_name_that_is_taken_is_refused_and_can_be_allowed(session: Session) -> None:
    finish(release_rows(session, {"file": "out.csv", "seed": "1", "report": True}))
    first = (session.folder.root / "out.csv").read_bytes()
    for body in ({"file": "out.csv", "seed": "2"}, {"file": "out.csv", "report": True}):
        said = _refused(session, body)
        assert "This file exists." in said
        assert "overwrite" in said
    assert (session.folder.root / "out.csv").read_bytes() == first
    job = _ended(release_rows(session, {"file": "out.csv", "seed": "2"}))
    page = render_problems(job.problems, job.again)
    sent = '{"file": "out.csv", "overwrite": true, "seed": "2"}'.replace('"', "&#34;")
    assert f"data-path=\"api/release\" data-body='{sent}'>Allow to overwrite it" in page
    finish(
        release_rows(
            session, {"file": "out.csv", "seed": "2", "report": True, "overwrite": True}
        )
    )
    assert (session.folder.root / "out.csv").read_bytes() != first
    # Each file is offered once, however often it was written.
    names = sorted(session.made_files)
    assert names == [
        "out.certificate.json",
        "out.csv",
        "out.manifest.json",
        "out.report.html",
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"file": ""}, "plain name"),
        ({"file": "../out.csv"}, "plain name"),
        ({"file": "out.xlsx"}, "Spreadsheets are read, but not written"),
        ({"file": "adult.csv", "overwrite": True}, "Inputs are never written over"),
        ({"file": "adult.toml", "overwrite": True}, "adult.toml"),
        ({"file": "out.csv", "seed": "seven"}, "The seed 'seven' is no whole number"),
        ({"file": "out.csv", "seed": "-1"}, "seed"),
        ({"file": "out.csv", "least_count": "", "share": True}, "least count"),
        ({"file": "out.csv", "way": "modify-data:paper"}, "no guarantee"),
        ({"file": "out.csv", "margin": "5"}, "margin"),
        ({"file": "out.csv", "only": ["nobody"]}, "nobody"),
        ({"file": "out.csv", "drop": ["sex"]}, "sex"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    session: Session, body: dict[str, Any], said: str
) -> None:
    assert said in _refused(session, body)


def test_a_page_that_is_not_the_newest_releases_nothing(session: Session) -> None:
    with pytest.raises(StaleError, match="not the newest"):
        release_rows(session, {"file": "out.csv", "revision": session.revision - 1})


def test_without_a_graph_there_is_nothing_to_release(session: Session) -> None:
    session.patch({"knowledge": {"tiers": [["sex"], ["*"], ["income"]]}})
    with pytest.raises(QuestionError, match="No graph is learned"):
        release_rows(session, {"file": "out.csv"})


def test_a_folder_without_the_right_to_write_is_said(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "This folder cannot be written to." in _refused(session, {"file": "out.csv"})


def test_a_full_disk_loses_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Transaction.open

    def full(self: Transaction, name: str, **options: Any) -> Any:
        if name.endswith(".manifest.json"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return opened(self, name, **options)

    monkeypatch.setattr(Transaction, "open", full)
    assert "There is no room to write this." in _refused(session, {"file": "out.csv"})
    monkeypatch.undo()
    finish(release_rows(session, {"file": "out.csv"}))


def test_a_cancelled_release_leaves_no_file_and_the_next_one_runs(session: Session) -> None:
    before = _names(session)
    job = release_rows(session, {"file": "out.csv", "report": True})
    job.cancel()
    assert _ended(job).state == "cancelled"
    assert _names(session) == before
    finish(release_rows(session, {"file": "out.csv"}))


def test_a_proposed_name_is_free_and_has_the_format_of_the_table(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    table = folder.root / "adult.csv"
    assert free_name(folder, table) == "adult-released.csv"
    (tmp_path / "adult-released.manifest.json").touch()
    assert free_name(folder, table) == "adult-released-2.csv"
    (tmp_path / "adult-released-2.report.html").touch()
    assert free_name(folder, table) == "adult-released-3.csv"
    for name, expected in (
        ("people.parquet", "people-released.parquet"),
        ("people.xlsx", "people-released.csv"),
        ("people.csv.gz", "people-released.csv"),
    ):
        assert free_name(folder, folder.root / name) == expected
    assert free_name(folder, None) == ""


def test_the_report_is_named_after_the_rows() -> None:
    assert report_name("a.b.csv.gz") == "a.b.report.html"


CHOICES = [
    ReleaseChoice(),
    ReleaseChoice(way="modify-graph:quotas"),
    ReleaseChoice(way="modify-data:raise", margin="1.5", only=("a,b", "ü&=")),
    ReleaseChoice(drop=("x", 'say "y"', " z ")),
    ReleaseChoice(drop=("x",)),
]


@pytest.mark.parametrize("choice", CHOICES)
def test_the_address_says_it_all(choice: ReleaseChoice) -> None:
    query = parse_qs(urlsplit(choice.address()).query)
    plain = {name: query[name] if name in ("only", "drop") else query[name][0]
             for name in query}  # fmt: skip
    assert ReleaseChoice.of(plain) == choice


@pytest.mark.parametrize("choice", CHOICES)
def test_the_body_of_a_form_says_it_all(choice: ReleaseChoice) -> None:
    assert ReleaseChoice.of(choice.query) == choice


def test_the_first_choice_needs_no_query() -> None:
    assert ReleaseChoice().address() == "release"
    assert ReleaseChoice.of({}) == ReleaseChoice.of({"way": "", "margin": " "})


def test_groups_are_dropped_with_a_method_that_takes_none() -> None:
    choice = ReleaseChoice(only=("Female",))
    assert choice.takes_groups
    assert "only" in choice.address(way="modify-data:raise")
    assert "only" not in choice.address(way="modify-graph:generate")


def test_methods_have_their_settings() -> None:
    method = ReleaseChoice(way="modify-data:raise", margin="1", only=("f",)).method
    assert method == ModifyData(policy="raise", margin=Fraction(1, 100), only=("f",))
    generated = ReleaseChoice(way="modify-graph:generate", margin="0.5").method
    assert generated == ModifyGraph(generate=True, margin=Fraction(1, 200))


@pytest.mark.parametrize(
    "way", ["modify-data:paper", "modify-graph:sample", "shuffle-protected:all rows", "x", ":"]
)
def test_what_gives_no_guarantee_is_never_a_choice(way: str) -> None:
    with pytest.raises(QuestionError, match="gives no guarantee"):
        _ = ReleaseChoice(way=way).method


@pytest.mark.parametrize("margin", ["much", "-1", "1/0", "nan"])
def test_a_margin_that_is_none_is_refused(margin: str) -> None:
    with pytest.raises(QuestionError, match="margin"):
        _ = ReleaseChoice(margin=margin).method


def test_the_options_are_those_of_the_command_line() -> None:
    names = ("plain", "a,b", 'say "y"', " z ")
    options = ReleaseChoice(
        way="modify-data:raise", margin="1", only=("f",), drop=names
    ).options
    assert options[:6] == ["--policy", "raise", "--set", "margin=1/100", "--set", "only=f"]
    assert parse_names(options[7].removeprefix("drop=")) == [*names]
    assert ReleaseChoice().options == []
    assert ReleaseChoice(way="modify-graph:quotas").options == [
        "--method", "modify-graph", "--policy", "quotas"
    ]  # fmt: skip
