"""The graph screen: what it shows equals what the library says."""

import re
from pathlib import Path
from threading import Event
from time import sleep

import pytest
from tests.web_sessions import adult_session, finish, learn_now, open_session

from evenhand.auditing import Audit, audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.question import QuestionFile
from evenhand.report.html_report import View
from evenhand.rows import Rows
from evenhand.web import session as module
from evenhand.web.graph_links import choose_link
from evenhand.web.graph_screen import CHANGES, view
from evenhand.web.pages import render
from evenhand.web.session import Session

_HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return adult_session(tmp_path)


def _view(session: Session, **query: str) -> View:
    shown = view(session, query)["view"]
    assert isinstance(shown, View)
    return shown


def test_before_the_graph_is_learned_it_asks_for_that(tmp_path: Path) -> None:
    session = adult_session(tmp_path, learned=False)
    content = view(session, {})
    assert content["view"] is None
    page = render(session, "graph", content)
    assert "data-start" in page
    # The order of events can be given before, and while it is learned.
    assert "Move occupation later" in page
    assert "No order is given yet" not in page
    session.patch({"knowledge": None})
    assert "income is taken to come last" in render(session, "graph", view(session, {}))


def test_boxes_keep_their_places_whatever_is_changed(session: Session) -> None:
    def places() -> list[dict[str, tuple[float, float, float, float]]]:
        picture = _view(session, all="1").picture
        return [
            {box.key: (box.x, box.y, box.width, box.height) for box in page.boxes}
            for page in (picture.wide, picture.narrow)
        ]

    before = places()
    for ends, state in [
        (("marital_status", "income"), "to"),
        (("workclass", "income"), "none"),
        (("age", "income"), "none"),
        (("race", "income"), "to"),
        (("sex", "income"), "none"),
        (("relationship", "income"), "from"),
    ]:
        choose_link(session, ends, state, None)
        assert places() == before


def test_no_link_runs_through_a_box(session: Session) -> None:
    choose_link(session, ("race", "income"), "to", None)
    page = _view(session, all="1").picture.wide
    for arrow in page.arrows:
        # A path is M x y, then curves whose ends are the points at which it may turn.
        points = [
            tuple(map(float, part.split()[-2:]))
            for part in arrow.path[1:].replace("L", "C").split("C")
        ]
        for x, y in points[1:-1]:
            inside = [
                b.key
                for b in page.boxes
                if b.x + 1 < x < b.x + b.width - 1 and b.y < y < b.y + b.height
            ]
            assert not inside, (arrow.ends, inside)


def test_links_away_from_the_question_are_hidden_until_asked_for(session: Session) -> None:
    near, whole = _view(session), _view(session, all="1")
    assert session.audit is not None
    graph = session.audit.certificate.graph
    doubted = len(session.audit.doubt().contradicted)
    everything = len(graph.arrows) + len(graph.undirected)
    assert len(whole.picture.wide.arrows) == everything + doubted
    assert near.picture.hidden == len(whole.picture.wide.arrows) - len(near.picture.wide.arrows)


def test_a_chosen_link_has_four_states_with_their_verdicts(session: Session) -> None:
    chosen = _view(session, a="marital_status", b="income").chosen
    assert chosen is not None
    assert chosen.title == "marital status — income"
    assert [(one.state, one.chosen, verdict.groups) for one, verdict in chosen.choices] == [
        ("to", False, "24 of 51"),
        ("from", False, "21 of 32"),
        ("open", True, "24 of 51 or 21 of 32"),
        ("none", False, "21 of 32"),
    ]


def test_the_arrow_in_question_is_a_claim_and_no_remedy(session: Session) -> None:
    chosen = _view(session, a="sex", b="income").chosen
    assert chosen is not None
    assert "changes no number and no decision" in " ".join(chosen.sentences)
    before = session.audit
    choose_link(session, ("sex", "income"), "none", None)
    after = session.audit
    assert before is not None
    assert after is not None
    assert after.certificate.direct_arrow is False
    assert after.verdict is before.verdict


def test_one_chosen_box_offers_all_others(session: Session) -> None:
    shown = _view(session, a="race")
    assert shown.ends == ("race",)
    assert shown.chosen is None
    page = render(session, "graph", view(session, {"a": "race"}))
    assert page.split("Join it with:")[1].split("</section>")[0].count("<a ") == 10


def test_open_links_say_what_they_decide(session: Session) -> None:
    ((name, sentence),) = _view(session).open_links
    assert name == "marital_status"
    assert "If a cause: not certified, 24 of 51; if not: not certified, 21 of 32" in sentence
    assert "a release needs to know" in sentence
    choose_link(session, ("marital_status", "income"), "to", None)
    assert _view(session).open_links == ()


def test_what_hangs_on_each_arrow_is_what_the_audit_says(session: Session) -> None:
    assert session.audit is not None
    page = render(session, "graph", view(session, {}))
    table = page.split('id="hangs"')[1].split("</table>")[0]
    told = re.findall(r'data-label="Groups beyond">(\d+) of (\d+)', table)
    assert [(int(one), int(of)) for one, of in told] == [
        (way.violating, way.measured) for way in session.audit.arrows().ways
    ]


def test_edits_are_listed_with_the_verdict_as_learned(session: Session) -> None:
    assert _view(session).as_learned is None
    choose_link(session, ("marital_status", "income"), "from", None)
    _HANDLERS["reason"](session, {"a": "income", "b": "marital_status", "reason": "known"})
    shown = _view(session)
    assert [(edit.what, edit.reason) for edit in shown.edits] == [
        ("income → marital status", "known")
    ]
    assert shown.as_learned is not None
    assert shown.as_learned.groups == "24 of 51 or 21 of 32"


def test_tiers_move_by_one_place_and_the_graph_is_learned_again(session: Session) -> None:
    assert [*map(len, _tiers(session))] == [4, 1, 6]
    finish(_HANDLERS["tiers"](session, {"name": "income", "by": 1}))
    page = render(session, "graph", view(session, {}))
    headings = re.findall(r"<h3>(.*?)</h3>", page.split('id="tiers-title"')[1])
    assert headings[:4] == ["First", "Then", "Then", "Last"]
    assert _tiers(session)[-1] == ["income"]
    assert session.tables["knowledge"]["tiers"][-1] == ["income"]


def _tiers(session: Session) -> list[list[str]]:
    tiers: list[list[str]] = view(session, {})["tiers"]
    return tiers


def test_each_press_moves_by_a_place_from_where_the_column_is(session: Session) -> None:
    first, second, third = _tiers(session)
    for _ in range(2):
        finish(_HANDLERS["tiers"](session, {"name": "age", "by": 1}))
    rest = [name for name in first if name != "age"]
    assert [*map(set, _tiers(session))] == [{*rest}, {*second}, {*third, "age"}]
    for _ in range(4):  # before the first tier there is a new one, and none before that
        finish(_HANDLERS["tiers"](session, {"name": "age", "by": -1}))
    assert _tiers(session) == [["age"], rest, second, third]


def test_a_column_is_dropped_beside_others_wherever_they_are(session: Session) -> None:
    first, second, third = _tiers(session)

    def dropped(name: str, *beside: str) -> list[list[str]]:
        finish(_HANDLERS["tiers"](session, {"name": name, "beside": [*beside]}))
        return _tiers(session)

    assert dropped("education", "education") == [first, second, third]
    assert dropped("hours", "gone", "education") == [
        first,
        ["education", "hours"],
        [name for name in third if name != "hours"],
    ]
    assert dropped("hours")[3:] == [["hours"]]  # beside nobody: last, by itself
    assert dropped("hours", "hours", "education")[1] == ["education", "hours"]


def test_a_move_while_something_runs_is_carried_out(session: Session) -> None:
    go_on = Event()
    job = session.jobs.start("waiting", lambda _: go_on.wait(20))
    for _ in range(2):
        assert _HANDLERS["tiers"](session, {"name": "sex", "by": 1}) is job
    assert "sex" in _tiers(session)[2]
    assert view(session, {})["view"] is None  # the page asks for the graph when the job ends
    go_on.set()
    finish(job)
    learn_now(session)
    assert _view(session)


def test_what_is_asked_while_it_is_learned_is_learned(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, asked = Event(), Event(), []

    def slow(rows: Rows, file: QuestionFile, *, progress: ProgressCallback) -> Audit:
        asked.append(file.knowledge.tiers)
        began.set()
        assert go_on.wait(20)
        return audit(rows, file, progress=progress)

    monkeypatch.setattr(module, "audit", slow)
    job = _HANDLERS["tiers"](session, {"name": "sex", "by": 1})
    assert began.wait(20)
    assert _HANDLERS["tiers"](session, {"name": "sex", "by": 1}) is job
    # A state of an arrow is chosen on a graph: the page sends it again once that is there.
    link = {"a": "age", "b": "income", "state": "none"}
    assert _HANDLERS["graph"](session, link) == {"job": job.id, "again": True}
    with pytest.raises(QuestionError, match="No graph is learned yet"):
        _HANDLERS["graph"](session, {**link, "waited": True})
    go_on.set()
    finish(job)
    assert len(asked) == 2
    assert session.learned is not None
    assert session.learned.knowledge.tiers == asked[1] != asked[0]
    assert _HANDLERS["graph"](session, link) is None


def test_a_move_stays_when_its_learning_is_cancelled(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()

    def slow(rows: Rows, file: QuestionFile, *, progress: ProgressCallback) -> Audit:
        assert go_on.wait(20)
        return audit(rows, file, progress=progress)

    monkeypatch.setattr(module, "audit", slow)
    job = _HANDLERS["tiers"](session, {"name": "sex", "by": 1})
    job.cancel()
    assert _HANDLERS["tiers"](session, {"name": "age", "by": 1}) is job
    go_on.set()
    while job.state == "running":
        sleep(0.005)
    assert job.state == "cancelled"
    assert {"sex", "age"} <= {*_tiers(session)[1]}
    assert view(session, {})["view"] is None
    learn_now(session)
    assert _view(session)


def test_learning_ends_where_its_graph_is_no_longer_asked_for(session: Session) -> None:
    before, began = session.learned, []

    def progress(_: object) -> None:
        if not began:
            began.append(session.step(-1))

    session.patch({"knowledge": {"tiers": [["sex"], ["*"]]}})
    session.learn(progress)
    assert session.learned is before is not None
    session.step(1)
    assert session.learned is None  # it was not learned to the end


@pytest.mark.parametrize(
    "body", [{"name": "wages", "by": 1}, {"name": "age", "by": "1"}, {"name": "age"}]
)
def test_moves_that_make_no_sense_are_refused(
    session: Session, body: dict[str, object]
) -> None:
    with pytest.raises(EvenhandError):
        _HANDLERS["tiers"](session, body)


def test_names_are_text_in_the_page(tmp_path: Path) -> None:
    odd = "<script>alert(1)</script>"
    (tmp_path / "t.csv").write_text(
        f'sex,"{odd}",y\n' + "f,1,yes\nm,1,no\nf,2,no\nm,2,yes\n" * 30, "utf-8"
    )
    session = open_session(tmp_path, "t.csv")
    session.patch({"question": {"protected": "sex", "decision": "y"}})
    learn_now(session)
    html = render(session, "graph", view(session, {"a": odd, "b": "y"}))
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html
