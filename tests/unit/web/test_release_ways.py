"""All methods as they are compared: the numbers of the library, the certified ones first."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.web_sessions import learn_now, settled_session, worked_out

from evenhand import datasets
from evenhand.errors import QuestionError
from evenhand.evidence import Verdict
from evenhand.releasing.compare import compare
from evenhand.web.pages import render
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.release_screen import compare_methods, compared_ways
from evenhand.web.session import Session
from evenhand.wording import Words


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


def test_every_method_has_the_numbers_of_the_library(session: Session) -> None:
    ways = worked_out(session)["ways"]
    assert session.audit is not None
    compared = compare(session.audit.certificate).outcomes
    shown = {(way.changed, way.left) for way in (*ways.sure, *ways.others)}
    told = {
        (
            f"{one.changed_rows:,}",
            f"{one.violating} of {one.measured}" if one.violating else "none",
        )
        for one in compared
    }
    assert shown == told
    assert len(ways.sure) == sum(one.guaranteed for one in compared)
    assert all(way.certified and way.left == "none" for way in ways.sure)
    assert ways.title.startswith("Four ways end certified; the smallest changes 242 of 48,842")
    changed = [int(way.changed.replace(",", "")) for way in ways.sure]
    assert changed == sorted(changed)
    assert [way.at for way in ways.sure] == sorted(way.at for way in ways.sure)
    assert all(0 <= way.at <= 100 for way in (*ways.sure, *ways.others))
    assert [way.chosen for way in ways.sure] == [True, False, False, False]


def test_no_way_is_marked_certified_while_another_claim_is_not(session: Session) -> None:
    content = worked_out(session)
    assert session.audit is not None
    comparison = compare(session.audit.certificate)
    through: Any = SimpleNamespace(verdict=Verdict.NOT_CERTIFIED)
    outcomes = tuple(replace(one, indirect=through) for one in comparison.outcomes)
    words = Words.of(session.audit.certificate, None, session.audit.counts.names)
    ways = compared_ways(replace(comparison, outcomes=outcomes), ReleaseChoice(), words)
    assert ways is not None
    assert ways.sure == ()
    assert not any(way.certified for way in ways.others)
    page = render(session, "release", content | {"ways": ways})
    assert 'class="v-certified"' not in page


def test_only_what_ends_certified_can_be_chosen(session: Session) -> None:
    page = render(session, "release", worked_out(session))
    assert page.count('<a class="mrow') == 4
    assert page.count('<div class="mrow rest">') == 8
    with pytest.raises(QuestionError, match="no guarantee"):
        compare_methods(session, {"choice": {"way": "modify-data:paper"}})


def test_methods_that_know_only_two_groups_are_left_out_and_named(tmp_path: Path) -> None:
    session = settled_session(tmp_path, datasets.adult(race="five"))
    session.patch({"question": {"protected": "race", "group": None, "other": None}})
    learn_now(session)
    content = worked_out(session)
    assert [way.title for way in content["ways"].sure][:1] == ["Fewest changes"]
    assert any("modify-data (paper) was left out" in note for note in content["ways"].notes)
    (_, flows), _ = content["chosen"].flows
    assert [flow.kind for flow in flows] == ["ink"] * 5
    assert content["chosen"].gap == ""
    assert len(content["form"].only) == 5
    assert "Methods that were left out" in render(session, "release", content)
