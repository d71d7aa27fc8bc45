"""Links of the graph: four states, each with what it would give, kept as edits."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from tests.running_app import write_adult
from tests.web_sessions import adult_session, finish, open_session

import evenhand as eh
from evenhand.errors import EvenhandError, GraphError, KnowledgeError, QuestionError
from evenhand.graph.edits import edited
from evenhand.question import GraphEdit, QuestionFile
from evenhand.question.knowledge import NO_REASON
from evenhand.web.graph_edits import (
    STATES,
    audit_to_publish,
    choose_link,
    edits_with,
    give_reason,
    link_state,
    previews,
    refit_edits,
)
from evenhand.web.graph_screen import CHANGES
from evenhand.web.question_store import StaleError, Tables
from evenhand.web.session import Session

ENDS = ("marital_status", "income")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return adult_session(tmp_path)


@pytest.mark.parametrize("before", ["a -> b", "b -> a", "a - b", "a; b"])
@pytest.mark.parametrize("state", STATES)
def test_one_edit_makes_any_state_from_any_other(before: str, state: str) -> None:
    graph = eh.PartialGraph.parse(before + "; c")
    for ends in permutations("ab"):
        edits = edits_with(graph, (), ends, state)  # type: ignore[arg-type]
        made = edited(graph, edits)
        assert link_state(made, *ends) == state
        assert len(edits) == (link_state(graph, *ends) != state)


def test_an_edit_of_the_same_link_replaces_the_one_before() -> None:
    graph = eh.PartialGraph.parse("a -> b; c")
    other = GraphEdit(kind="add", arrow=("a", "c"), reason="known")
    edits = edits_with(graph, [other], ("a", "b"), "none")
    edits = edits_with(graph, edits, ("b", "a"), "to")
    assert [(one.kind, one.arrow) for one in edits] == [
        ("reverse", ("a", "b")),
        ("add", ("a", "c")),
    ]
    assert edits_with(graph, edits, ("a", "b"), "to") == (other,)


@pytest.mark.parametrize("ends", [ENDS, ("sex", "income"), ("race", "income"), ("age", "race")])
def test_every_preview_is_what_choosing_it_gives(
    session: Session, ends: tuple[str, str]
) -> None:
    assert session.learned is not None
    start = session.tables
    for one in list(previews(session, ends)):
        session.replace_tables(start)
        if one.audit is None:
            with pytest.raises(EvenhandError):
                choose_link(session, ends, one.state, None)
            continue
        choose_link(session, ends, one.state, None)
        chosen = session.audit
        assert chosen is not None
        assert chosen.verdict is one.audit.verdict
        assert (
            chosen.certificate.partition.violating == one.audit.certificate.partition.violating
        )
        # The same as an audit of the question file, which knows nothing of the app.
        file = QuestionFile.from_tables(session.tables)
        known = [replace(edit, reason="known") for edit in file.edits]
        alone = eh.audit(str(session.table), file, edits=known)
        chosen = session.learned.judged_with(replace(file, edits=tuple(known)))
        assert alone.certificate.to_json() == chosen.certificate.to_json()


def test_a_cycle_and_an_arrow_against_the_tiers_are_refused_and_named(session: Session) -> None:
    with pytest.raises(GraphError, match="cycle"):
        choose_link(session, ("income", "sex"), "to", None)
    with pytest.raises(GraphError, match="contradicts what is known"):
        choose_link(session, ("education", "race"), "to", None)
    refused = {one.state: one.problem for one in previews(session, ("education", "race"))}
    assert refused["to"] is not None
    assert "race" in refused["to"].what


def test_unknown_names_and_states_are_refused(session: Session) -> None:
    with pytest.raises(GraphError, match="no node 'wages'"):
        choose_link(session, ("wages", "income"), "to", None)
    with pytest.raises(QuestionError, match="no state 'maybe'"):
        choose_link(session, ENDS, "maybe", None)


def test_a_page_that_is_not_the_newest_changes_nothing(session: Session) -> None:
    old = session.revision
    choose_link(session, ENDS, "to", old)
    with pytest.raises(StaleError, match="the graph changed since it was shown"):
        choose_link(session, ENDS, "from", old)
    with pytest.raises(StaleError):
        give_reason(session, ENDS, "why", old)


def test_what_another_tab_did_elsewhere_stays(session: Session) -> None:
    old = session.revision
    choose_link(session, ENDS, "to", old)
    choose_link(session, ("age", "income"), "none", old)
    give_reason(session, ENDS, "known", session.revision)
    session.patch({"question": {"threshold": "1/10"}}, old)
    choose_link(session, ENDS, "to", session.revision)  # as it is: its reason stays
    choose_link(session, ("age", "income"), "none", old)
    assert {edit.arrow: edit.reason for edit in session.file.edits} == {
        ENDS: "known",
        ("age", "income"): NO_REASON,
    }
    assert session.file.question.threshold == Fraction(1, 10)
    choose_link(session, ENDS, "to", None, "known better")
    assert session.file.edits[-1].reason == "known better"


def test_edits_are_refitted_over_a_change_that_comes_meanwhile(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_link(session, ENDS, "to", None)
    amended = session.amend

    def late(before: Tables, tables: Tables) -> bool:
        monkeypatch.undo()
        session.patch({"question": {"threshold": "1/10"}})
        return amended(before, tables)

    monkeypatch.setattr(session, "amend", late)
    session.refits = True
    refit_edits(session)
    assert not session.refits
    assert session.file.question.threshold == Fraction(1, 10)
    assert session.file.edits


def test_nothing_is_published_without_reasons(session: Session) -> None:
    assert session.audit is not None
    assert audit_to_publish(session).certificate == session.audit.certificate
    choose_link(session, ENDS, "to", None)
    with pytest.raises(KnowledgeError, match="No reason is given"):
        audit_to_publish(session)
    give_reason(session, ENDS, "people marry before they earn", None)
    published = audit_to_publish(session)
    assert [edit.reason for edit in published.certificate.graph_origin.edits] == [
        "people marry before they earn"
    ]
    give_reason(session, ENDS, " ", None)
    assert session.file.edits[0].reason == NO_REASON


def _move(session: Session, name: str, by: int) -> None:
    (handler,) = [handler for _, path, handler in CHANGES if path == "tiers"]
    finish(handler(session, {"name": name, "by": by}))


def test_edits_that_no_longer_fit_are_named_and_the_others_stay(session: Session) -> None:
    choose_link(session, ("workclass", "income"), "none", None)
    choose_link(session, ("occupation", "income"), "to", None)
    before = session.tables
    _move(session, "occupation", 1)
    assert [edit.kind for edit in session.file.edits] == ["remove"]
    (notice,) = [one for one in session.notices if "was dropped" in one]
    assert "occupation -> income" in notice
    # One step back undoes the move and what became of the edits, and the graph is shown.
    session.step(-1)
    assert session.tables == before
    assert session.audit is not None
    session.step(1)
    assert session.audit is not None


def test_a_graph_that_was_learned_before_takes_edits_that_fit_it(session: Session) -> None:
    _move(session, "education", 1)
    choose_link(session, ("workclass", "income"), "none", None)
    _move(session, "education", -1)
    assert session.audit is not None


def test_a_file_with_edits_that_do_not_fit_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    write_adult(tmp_path)
    file = tmp_path / "adult.toml"
    text = file.read_text("utf-8") + '\n[graph]\nremove = ["race -> income: known"]\n'
    file.write_text(text, "utf-8")
    session = open_session(tmp_path, "adult.csv", learned=True)
    with pytest.raises(GraphError, match="does not fit"):
        _ = session.audit
    session.save()
    assert file.read_text("utf-8") == text
    refit_edits(session)
    assert session.audit is not None
    assert "there by itself" in session.notices[0]


def test_only_what_is_asked_of_the_graph_learns_it_again(session: Session) -> None:
    learned = session.learned
    session.patch({"question": {"threshold": "0.08"}})
    assert session.learned is learned
    audit = session.audit
    assert audit is not None
    alone = eh.audit(str(session.table), QuestionFile.from_tables(session.tables))
    assert audit.certificate.to_json() == alone.certificate.to_json()
    session.patch({"question": {"redlining": ["relationship"]}})
    assert session.learned is learned
    session.patch({"data": {"exclude": ["race"]}})
    assert session.learned is None
