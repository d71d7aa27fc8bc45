"""What takes long is worked out as a job before a page shows it."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.people_table import people_session
from tests.web_sessions import adult_session, finish

from evenhand.display import Progress
from evenhand.rows.inspect import inspection
from evenhand.web import session as judging
from evenhand.web import table_cache
from evenhand.web.app import _page
from evenhand.web.graph_edits import previews
from evenhand.web.graph_screen import learn, view
from evenhand.web.pages import masthead, render
from evenhand.web.question_screen import CHANGES
from evenhand.web.session import Session, is_due, judge, work_out

THROUGH = {"question": {"redlining": ["marital_status"], "explained": ["education"]}}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(judging, "_MANY_LINES", 0)
    return adult_session(tmp_path)


def test_learning_a_large_table_ends_with_all_that_its_pages_need(session: Session) -> None:
    assert session.audit is not None
    assert session.audit.known_doubt is not None
    assert not is_due(session)
    assert judge(session) is None
    assert learn(session, {}) is None


def test_of_many_causes_few_lines_are_judged_in_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = adult_session(tmp_path)
    assert not is_due(session)
    monkeypatch.setattr(judging, "_MANY_CAUSES", 1)  # as if it had ten times as many
    assert is_due(session)
    finish(judge(session))
    assert not is_due(session)


def test_another_threshold_needs_no_new_tests(session: Session) -> None:
    session.patch({"question": {"threshold": "0.1"}})
    assert session.audit is not None
    assert session.audit.known_doubt is not None
    finish(judge(session))
    assert not is_due(session)


def test_effects_through_others_are_measured_in_a_job(session: Session) -> None:
    session.patch(THROUGH)
    assert is_due(session)
    assert masthead(session) is None
    app = SimpleNamespace(state=SimpleNamespace(session=session))
    page = _page("evidence")(SimpleNamespace(app=app, query_params={})).body.decode()  # type: ignore[arg-type]
    assert 'data-start data-method="POST" data-path="api/learn"' in page
    assert session.known_audit is None  # nothing was measured to show a page
    finish(learn(session, {}))
    assert session.known_audit is not None
    assert not is_due(session)
    assert session.audit is not None
    assert session.audit.indirect is not None
    assert masthead(session) is not None


def test_previews_judge_the_direct_claim_alone_and_say_so(session: Session) -> None:
    session.patch(THROUGH)
    ends = ("marital_status", "income")
    seen = [one.audit for one in previews(session, ends) if one.audit]
    assert len(seen) > 1
    assert {one.indirect for one in seen} == {None}
    plain = [one.certificate.partition.violating for one in seen]
    session.patch({"question": {"redlining": None, "explained": None}})
    again = [one.audit for one in previews(session, ends) if one.audit]
    assert [one.certificate.partition.violating for one in again] == plain
    session.patch(THROUGH)
    page = render(session, "graph", view(session, {"a": ends[0], "b": ends[1]}))
    assert "direct claim alone" in page


def test_a_small_table_is_judged_with_its_page(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    heard: list[Progress] = []
    work_out(session, heard.append)
    assert heard == []
    assert session.known_audit is None
    assert not is_due(session)
    assert masthead(session) is not None


def test_work_that_is_stopped_is_due_still(session: Session) -> None:
    assert session.audit is not None
    session.audit.doubts.clear()
    del vars(session.audit)["answer"]

    def stop(progress: Progress) -> None:
        if progress.step == "judging":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work_out(session, stop)
    assert is_due(session)


def test_a_large_table_is_looked_at_in_a_job_that_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = people_session(tmp_path)
    monkeypatch.setattr(table_cache, "_MANY_FIELDS", 0)
    monkeypatch.setattr(inspection, "_STEP", 1)
    handlers = {path: handler for _, path, handler in CHANGES}

    def page() -> str:
        app = SimpleNamespace(state=SimpleNamespace(session=session))
        return _page("question")(SimpleNamespace(app=app, query_params={})).body.decode()  # type: ignore[arg-type]

    asked = {"change": {"question": {"protected": "origin", "decision": "hired"}}}
    finish(handlers["question"](session, asked))
    assert 'id="protected-0"' in page()
    heard: list[Progress] = []
    session.patch({"question": {"protected": "gender"}})
    assert 'data-path="api/look"' in page()  # as after undoing
    replace(session.reading, progress=heard.append).look()
    assert {(one.step, one.total) for one in heard} == {
        ("looking at columns", 6),
        ("looking at columns", 7),
    }
    assert handlers["look"](session, {}) is None
    # What does not fit the table is told by the page, and not looked at again and again.
    finish(handlers["question"](session, {"change": {"data": {"columns": ["hired"]}}}))
    assert 'data-path="api/look"' not in page()


def test_a_cancelled_look_keeps_what_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = people_session(tmp_path)
    monkeypatch.setattr(table_cache, "_MANY_FIELDS", 0)
    monkeypatch.setattr(inspection, "_STEP", 1)
    session.patch({"question": {"protected": "origin", "decision": "hired"}})

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(session.reading, progress=stop).look()
    assert session.reading.is_due
    assert session.tables["question"]["protected"] == "origin"
    session.reading.look()
    assert not session.reading.is_due
