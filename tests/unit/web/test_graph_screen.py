"""The graph screen: what it shows equals what the library says."""

from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest
from tests.running_app import write_adult
from tests.web_sessions import adult_session, finish, learn_now, open_session

from evenhand.auditing import Audit, audit
from evenhand.display import Progress, ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.graph import load_graph
from evenhand.graph.cached_tests import Evaluator
from evenhand.question import QuestionFile
from evenhand.report.rendering import View
from evenhand.rows import Rows
from evenhand.web import session as module
from evenhand.web.folder import Folder
from evenhand.web.graph_edits import choose_link
from evenhand.web.graph_screen import CHANGES, graph_file, view
from evenhand.web.jobs import Job
from evenhand.web.pages import command_lines, render
from evenhand.web.session import Session, needed
from evenhand.wording.sentence_parts import NamedAttribute

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
    shown = view(session, {})
    assert shown["view"] is None
    # An order that a file came with was confirmed; else it is asked for, with a suggestion.
    assert "data-start" in render(session, "graph", shown)
    assert "Is this the order?" not in render(session, "graph", shown)


def test_the_order_is_suggested_and_asked_for_before_anything_is_learned(
    tmp_path: Path,
) -> None:
    write_adult(tmp_path)
    (tmp_path / "adult.toml").unlink()
    session = open_session(tmp_path, "adult.csv")
    session.patch({"question": {"protected": "sex", "decision": "income"}})
    shown = view(session, {})
    assert session.asks_order
    assert {*shown["tiers"][0]} == {"sex", "age", "race", "native_country"}
    assert shown["tiers"][-1] == ["income"]
    page = render(session, "graph", shown)
    assert "Is this the order?" in page
    assert "data-start" not in page
    assert 'data-box="education"' in page
    # A move before that changes the picture and learns nothing.
    assert _HANDLERS["tiers"](session, {"name": "education", "beside": "sex"}) is None
    assert "education" in view(session, {})["tiers"][0]
    assert session.learned is None
    finish(_HANDLERS["tiers"](session, {"keep": True}))
    assert session.learned is not None
    assert not session.asks_order
    assert session.learned.knowledge.tiers_assumed is False


def test_who_does_not_know_the_order_can_say_so(tmp_path: Path) -> None:
    write_adult(tmp_path)
    (tmp_path / "adult.toml").unlink()
    session = open_session(tmp_path, "adult.csv")
    session.patch({"question": {"protected": "sex", "decision": "income"}})
    learn_now(session)
    assert session.learned is not None
    assert session.learned.knowledge.tiers_assumed
    assert _tiers(session)[-1] == ["income"]


def test_of_a_wide_table_what_matters_is_drawn_and_the_rest_listed(tmp_path: Path) -> None:
    names = [f"x{at}" for at in range(60)]
    rows = [
        ",".join(["fm"[at % 2], "ny"[at % 3 == 0], *(f"{at * k % 7 % 3}" for k in range(60))])
        for at in range(120)
    ]
    (tmp_path / "t.csv").write_text("\n".join([",".join(["sex", "hired", *names]), *rows]))
    session = open_session(tmp_path, "t.csv")
    session.patch({"question": {"protected": "sex", "decision": "hired"}})
    shown = view(session, {})
    picture = shown["picture"]
    assert len(picture.wide.boxes) <= 15
    assert {"sex", "hired"} <= {*picture.named}
    assert picture.left_out + len(picture.named) == sum(map(len, shown["tiers"]))
    page = render(session, "graph", shown)
    for name in (name for tier in shown["tiers"] for name in tier):
        assert f'<option value="{name}">' in page


def test_a_graph_comes_from_a_file_and_goes_into_one(session: Session) -> None:
    folder = session.folder.root
    learned = session.audit
    (folder / "g.dot").write_text(
        "digraph { sex -> income; education -> income; age -> education }"
    )
    finish(_HANDLERS["given"](session, {"path": "g.dot"}))
    assert session.audit is not None
    assert session.audit.graph.parents("income") == {"sex", "education"}
    assert session.audit.certificate.graph_origin.kind == "given"
    for ending in ("json", "dot"):
        content, _ = graph_file(session, ending)
        (folder / f"again.{ending}").write_bytes(content)
        assert load_graph(folder / f"again.{ending}").arrows == session.audit.graph.arrows
    content, kind = graph_file(session, "svg")
    assert kind == "image/svg+xml"
    assert b"education" in content
    finish(_HANDLERS["given"](session, {"path": ""}))
    assert session.given is None
    assert session.audit is learned
    (folder / "g.dot").write_text("digraph { sex -> wages }")
    with pytest.raises(EvenhandError, match="wages"):
        _HANDLERS["given"](session, {"path": "g.dot"})


def test_a_graph_from_a_file_is_kept_beside_the_question_file(session: Session) -> None:
    folder, kept = session.folder.root, session.folder.root / "adult.graph.json"

    def again() -> Session:
        opened = Session(Folder(folder))
        opened.open_table(folder / "adult.csv", lambda _: None)
        return opened

    (folder / "g.dot").write_text("digraph { sex -> income; education -> income }")
    finish(_HANDLERS["given"](session, {"path": "g.dot"}))
    assert kept.stat().st_mode & 0o777 == 0o600
    other = again()
    assert other.given == session.given
    assert not other.asks_order
    learn_now(other)
    assert needed(other.audit).certificate.graph_origin.kind == "given"
    other.read_again(lambda _: None)
    assert other.given == session.given
    assert "--graph adult.graph.json" in " ".join(command_lines(other, "evidence")[0])
    # Nothing is written over: what was there before has another name.
    text = kept.read_text("utf-8")
    finish(_HANDLERS["given"](other, {"path": ""}))
    assert not kept.exists()
    assert (folder / "adult.graph.old.json").read_text("utf-8") == text
    assert again().given is None
    kept.write_text("{}")
    broken = again()
    assert broken.given is None
    assert broken.notices[0].startswith("adult.graph.json was not read: ")


def test_a_tier_move_makes_no_test_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[int]()
    evaluate = Evaluator.statistics

    def counted(self: Evaluator, batch: Any, test: str) -> Any:
        made.append(len(batch))
        return evaluate(self, batch, test)

    monkeypatch.setattr(Evaluator, "statistics", counted)
    finish(_HANDLERS["tiers"](session, {"name": "race", "by": 1}))
    moved = sum(made)
    assert session.learned is not None
    record = session.learned.graph.record
    assert record is not None
    assert moved < sum(record.tests) / 4
    made.clear()
    session._learned.clear()
    learn_now(session)
    assert sum(made) > 4 * moved  # without what was known


def test_boxes_keep_their_places_whatever_is_changed(session: Session) -> None:
    def places() -> list[dict[str, tuple[float, float, float, float]]]:
        picture = view(session, {"all": "1"})["picture"]
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
    page = view(session, {"all": "1"})["picture"].wide
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
    near, whole = (view(session, query)["picture"] for query in ({}, {"all": "1"}))
    assert session.audit is not None
    graph = session.audit.certificate.graph
    doubted = len(session.audit.doubt().contradicted)
    everything = len(graph.arrows) + len(graph.undirected)
    assert len(whole.wide.arrows) == everything + doubted
    assert near.hidden == len(whole.wide.arrows) - len(near.wide.arrows)


def test_the_arrow_in_question_is_a_claim_and_no_remedy(session: Session) -> None:
    page = render(session, "graph", view(session, {"a": "sex", "b": "income"}))
    assert "changes no number and no decision" in page
    before = session.audit
    choose_link(session, ("sex", "income"), "none", None)
    after = session.audit
    assert before is not None
    assert after is not None
    assert after.certificate.direct_arrow is False
    assert after.verdict is before.verdict


def test_each_variation_of_the_answer_leads_to_its_link(session: Session) -> None:
    assert session.audit is not None
    page = render(session, "graph", view(session, {}))
    table = page.split('id="hangs"')[1].split("</ul>")[0]
    assert table.count("<li>") == len(session.audit.answer.variations) > 5
    assert 'href="graph?a=age&amp;b=income"' in table


def test_the_answer_stands_beside_with_one_finding_and_what_it_depends_on(
    session: Session,
) -> None:
    assert session.audit is not None
    panel = _view(session).panel
    assert panel.headline == session.audit.answer.statements[0]
    assert "".join(panel.stories[0].said).startswith("Of 296 women, ")
    assert ("hours per week", ">40") in panel.stories[0].alike
    named = {piece.name for piece in panel.hinges if isinstance(piece, NamedAttribute)}
    assert named == {*session.audit.answer.unplaced}
    page = render(session, "graph", view(session, {}))
    assert '<a href="graph?a=hours" data-show>hours per week</a>' in page


def test_edits_are_listed_with_the_verdict_as_learned(session: Session) -> None:
    assert _view(session).as_learned is None
    choose_link(session, ("marital_status", "income"), "from", None)
    _HANDLERS["reason"](session, {"a": "income", "b": "marital_status", "reason": "known"})
    shown = _view(session)
    assert [(edit.reason, learned) for edit, learned in shown.edits] == [("known", "open")]
    assert "income → marital status</label>" in render(session, "graph", view(session, {}))
    assert shown.as_learned is not None
    assert shown.as_learned.groups == "24 of 51 or 21 of 32"


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


def test_a_column_is_dropped_beside_another_or_between_tiers(session: Session) -> None:
    first, second, third = _tiers(session)

    def dropped(name: str, **where: str) -> list[list[str]]:
        finish(_HANDLERS["tiers"](session, {"name": name, **where}))
        return _tiers(session)

    assert dropped("education", beside="education") == [first, second, third]
    rest = [name for name in third if name != "hours"]
    assert dropped("hours", beside="education") == [first, ["education", "hours"], rest]
    assert dropped("hours", after=rest[0])[3:] == [["hours"]]  # last, by itself
    assert dropped("hours", after="sex")[:3] == [first, ["hours"], ["education"]]
    assert dropped("hours", after="")[0] == ["hours"]


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

    def slow(rows: Rows, file: QuestionFile, *, progress: ProgressCallback, **_: Any) -> Audit:
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

    def slow(rows: Rows, file: QuestionFile, *, progress: ProgressCallback, **_: Any) -> Audit:
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


def test_the_first_audit_has_one_bar_that_only_grows_and_ends_at_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, heard = adult_session(tmp_path, learned=False), list[Progress]()
    monkeypatch.setattr(module, "_MANY_LINES", 0)  # the answer is found beforehand, too
    report = Job.report

    def hear(job: Job, progress: Progress | None) -> None:
        heard.extend([progress] if progress else [])
        report(job, progress)

    monkeypatch.setattr(Job, "report", hear)
    finish(job := _HANDLERS["learn"](session, {}))
    shares = [one.whole for one in heard if one.whole is not None]
    assert len(shares) == len(heard) > 20
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert {one.depth is None for one in heard} == {True, False}
    shown = job.to_dict()
    assert (shown["is_whole"], shown["done"], shown["total"], shown["seconds_left"]) == (
        True,
        1.0,
        1,
        0,
    )


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
    "body",
    [
        {"name": "wages", "by": 1},
        {"name": "age", "by": "1"},
        {"name": "age"},
        {"beside": "age"},
    ],
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
