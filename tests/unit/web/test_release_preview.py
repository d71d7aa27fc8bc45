"""What was worked out for an audit is not worked out again."""

from pathlib import Path

import pytest
from tests.web_sessions import settled_session, worked_out

from evenhand.display import Progress
from evenhand.web.pages import render
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.release_screen import compare_methods, previews_of, view, work_out
from evenhand.web.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


def test_the_comparison_is_asked_for_once(session: Session) -> None:
    content = view(session, {})
    assert content["state"] == "compare"
    assert 'data-path="api/compare"' in render(session, "release", content)
    worked_out(session)
    assert session.audit is not None
    first = previews_of(session, session.audit).comparison
    assert compare_methods(session, {"choice": {}}) is None
    # Another threshold is another audit; back at the first one nothing is repeated.
    session.patch({"question": {"threshold": "1/10"}})
    assert view(session, {})["state"] == "compare"
    session.step(-1)
    assert view(session, {})["state"] == "ready"
    assert previews_of(session, session.audit).comparison is first


def test_a_choice_that_was_tried_long_ago_is_forgotten_first(session: Session) -> None:
    for points in range(9):
        worked_out(session, margin=f"0.{points}1")
    assert session.audit is not None
    margins = [choice.margin for choice in previews_of(session, session.audit).facts]
    assert margins == [f"0.{points}1" for points in range(1, 9)]


def test_a_stopped_comparison_can_be_taken_up_again(session: Session) -> None:
    class Stopped(BaseException):
        pass

    def stop(progress: Progress) -> None:
        if progress.step not in ("comparing methods", "ranking people"):
            raise Stopped

    assert session.audit is not None
    with pytest.raises(Stopped):
        work_out(session, session.audit, ReleaseChoice(), stop)
    assert view(session, {})["ways"] is not None
    assert view(session, {})["state"] == "compare"
    worked_out(session)
    assert view(session, {})["state"] == "ready"
