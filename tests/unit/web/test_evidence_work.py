"""What the evidence screen starts: jobs whose results are shown, and files."""

import json
import stat
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.web_sessions import adult_session, finish

from evenhand.checker.verification import verify
from evenhand.errors import EvenhandError, QuestionError, ResourceError
from evenhand.report.html_report import View
from evenhand.web import graph_screen
from evenhand.web.evidence_screen import CHANGES, view
from evenhand.web.evidence_work import offer_file, resamples_of
from evenhand.web.graph_links import choose_link, give_reason
from evenhand.web.pages import render
from evenhand.web.session import Session

_HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return adult_session(tmp_path)


def _start(session: Session, path: str, **body: Any) -> None:
    finish(_HANDLERS[path](session, body))


def _shown(session: Session) -> View:
    shown = view(session, {})["view"]
    assert isinstance(shown, View)
    return shown


def test_resamples_are_those_of_the_library_and_stay_until_the_question_changes(
    session: Session,
) -> None:
    _start(session, "bootstrap", resamples="3")
    audit = session.audit
    assert audit is not None
    result = resamples_of(session, audit)
    assert result is not None
    assert result.to_dict() == audit.bootstrap(3).to_dict()
    assert _shown(session).bootstrap == result.summary()
    session.patch({"labels": {"columns": {"age": "years"}}})
    assert _shown(session).bootstrap is not None  # other words change no number
    session.patch({"question": {"threshold": "0.1"}})
    assert _shown(session).bootstrap is None
    session.step(-1)
    assert _shown(session).bootstrap is not None


@pytest.mark.parametrize("many", ["0", "-3", "many", "", "1.5", "99999999999"])
def test_a_number_of_resamples_that_is_none_is_refused(session: Session, many: str) -> None:
    if many == "":
        many = " "
    with pytest.raises(QuestionError, match="no number of resamples"):
        _HANDLERS["bootstrap"](session, {"resamples": many})


def test_resamples_can_be_cancelled_within_a_second(session: Session) -> None:
    # Fewer than 50 do not load numba, which compiles once on a machine and cannot be stopped.
    job = _HANDLERS["bootstrap"](session, {"resamples": "49"})
    with pytest.raises(ResourceError, match="under way"):
        _HANDLERS["report"](session, {})
    while job.progress is None:
        sleep(0.01)
    job.cancel()
    start = monotonic()
    while job.state == "running":
        sleep(0.01)
    assert monotonic() - start < 1
    assert job.state == "cancelled"
    audit = session.audit
    assert audit is not None
    assert resamples_of(session, audit) is None
    _start(session, "bootstrap", resamples="1")  # the next job runs


def test_the_certificate_is_true_and_the_owners_alone(session: Session) -> None:
    choose_link(session, ("marital_status", "income"), "to", None, "marriage came before")
    _start(session, "certificate")
    path = session.folder.root / "adult.certificate.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text("utf-8")
    audit = session.audit
    assert audit is not None
    record = audit.certificate.stating(arrows=len(audit.arrows().ways))
    assert json.loads(text) == json.loads(record.to_json())
    assert verify(text).status == 0
    assert [*session.made_files.values()] == [path]
    assert [name for _, name in _shown(session).documents.made] == ["adult.certificate.json"]


def test_the_report_is_that_of_the_library_with_what_was_tried(session: Session) -> None:
    _start(session, "bootstrap", resamples="2")
    _start(session, "certificate", name="c.json")
    _start(session, "report", name="r.html")
    audit = session.audit
    assert audit is not None
    arrows = audit.arrows()
    expected = audit.report(
        resampled=resamples_of(session, audit), arrows=arrows, certificate_file="c.json"
    ).html
    written = (session.folder.root / "r.html").read_text("utf-8")
    assert written == expected
    assert "2 resamples" in written
    assert f"{len(arrows.ways)} other arrows" in written
    assert len(arrows.ways) > 5


def test_other_arrows_whose_verdicts_the_graph_screen_shows_are_stated(
    session: Session,
) -> None:
    shown = graph_screen.view(session, {})["view"].hangs
    _start(session, "certificate", name="c.json")
    written = json.loads((session.folder.root / "c.json").read_text("utf-8"))
    assert written["variants"]["arrows"] == len(shown) > 5


def test_copies_for_others_withhold_small_counts(session: Session) -> None:
    _start(session, "report", name="r.html", share=True)
    _start(session, "certificate", name="c.json", share=True)
    root = session.folder.root
    assert "counts under 10 withheld" in (root / "r.html").read_text("utf-8")
    assert stat.S_IMODE((root / "c.json").stat().st_mode) == 0o644
    audit = session.audit
    assert audit is not None
    record = audit.certificate.stating(arrows=len(audit.arrows().ways))
    expected = json.loads(record.to_shared_json())
    assert json.loads((root / "c.json").read_text("utf-8")) == expected


def test_no_file_is_replaced_unasked_or_written_elsewhere(session: Session) -> None:
    root = session.folder.root
    (root / "adult-report.html").write_text("mine")
    for path in ("report", "certificate"):
        with pytest.raises(QuestionError):
            _HANDLERS[path](session, {"name": "../out.html"})
    with pytest.raises(QuestionError):
        _HANDLERS["report"](session, {})
    assert (root / "adult-report.html").read_text() == "mine"
    _start(session, "report", overwrite=True)
    assert (root / "adult-report.html").read_text("utf-8").startswith("<!doctype html>")


def test_an_edit_without_a_reason_gives_no_certificate_and_no_report(session: Session) -> None:
    choose_link(session, ("race", "income"), "to", None)
    for path in ("report", "certificate"):
        with pytest.raises(EvenhandError, match="No reason is given"):
            _HANDLERS[path](session, {})
    root = session.folder.root
    assert not [*root.glob("adult-*"), *root.glob("*.json")]
    shown = _shown(session)
    (one,) = shown.documents.open_ends
    assert one.address == "graph?a=race&b=income"
    page = render(session, "evidence", {"view": shown})
    assert 'href="graph?a=race&amp;b=income">Write the reason' in page
    give_reason(session, ("race", "income"), "pay was set with it in view", None)
    _start(session, "certificate")
    text = (session.folder.root / "adult.certificate.json").read_text("utf-8")
    assert "pay was set with it in view" in text


def test_a_file_has_one_id_however_often_it_is_written(session: Session) -> None:
    path = session.folder.root / "x.html"
    assert offer_file(session, path) == offer_file(session, path)
    assert offer_file(session, path.with_name("y.html")) != offer_file(session, path)
