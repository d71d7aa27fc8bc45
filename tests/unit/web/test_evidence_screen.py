"""The evidence screen shows and writes what the library and the command line say."""

import json
import re
import stat
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import QueryParams
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit, score_audit
from tests.web_sessions import adult_session, finish, open_session

import evenhand as eh
from evenhand.checker.verification import verify
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence import Subpopulations
from evenhand.report.rendering import View
from evenhand.tables import audited_rates
from evenhand.web.evidence_screen import (
    CHANGES,
    PAGE_ROWS,
    chosen_group,
    group_table,
    resamples_of,
    view,
)
from evenhand.web.graph_edits import choose_link, give_reason
from evenhand.web.pages import environment, render
from evenhand.web.session import Session
from evenhand.wording import Words


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return adult_session(tmp_path)


def _view(session: Session, query: str = "") -> View:
    shown = view(session, QueryParams(query))["view"]
    assert isinstance(shown, View)
    return shown


def _html(session: Session, query: str = "") -> str:
    return render(session, "evidence", view(session, QueryParams(query)))


def _text(session: Session, query: str = "") -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", _html(session, query))).split())


def test_it_has_the_rates_of_selection(session: Session) -> None:
    html = render(session, "evidence", view(session, QueryParams()))
    assert 'id="rates"' in html
    for table in audited_rates(session.audit.counts, session.audit.certificate):
        assert table.title[1:] in unescape(html)


def test_it_shows_the_verdicts_and_the_picture_of_the_report(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    shown, report = _view(session).findings, audit.report().page
    assert _view(session).panel.headline == audit.answer.statements[0]
    assert len(_view(session).stories) == 3
    assert shown.verdicts == report.verdicts
    assert shown.chance == report.chance
    assert shown.picture.plot == report.picture.plot
    assert shown.known == report.known


def test_no_section_of_the_report_is_referred_to(session: Session) -> None:
    assert not re.search(r"section \d", _text(session, "names=education"))


def test_chosen_attributes_are_explained(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    query = "names=education&names=age"
    explained = audit.explain_partition(["age", "education"])
    alike = _view(session, query).alike
    assert {*alike.checked} == {"age", "education"} <= {*alike.names}
    asked = alike.table.rows[-1]
    assert (asked.origin, asked.meaningful) == ("asked for", explained.is_meaningful)
    assert len(alike.groups) == len(explained.subpopulations)
    # What misleads is not called shown, however clear.
    assert explained.is_meaningful is False
    assert not alike.judged
    assert {*_view(session).alike.checked} == {*audit.decision_causes}


def test_attributes_that_are_not_there_are_refused(session: Session) -> None:
    with pytest.raises(EvenhandError):
        view(session, QueryParams("names=nothing"))


def test_effects_through_attributes_have_a_part_where_they_are_asked_for(
    session: Session,
) -> None:
    assert _view(session).findings.paths is None
    session.patch({"question": {"redlining": ["marital_status"]}})
    shown = _view(session).findings
    assert shown.paths is not None
    assert shown.claim is not None
    assert "section" not in shown.claim.about
    assert 'id="through"' in _html(session)


def test_many_groups_have_a_matrix(tmp_path: Path) -> None:
    (tmp_path / "hired.csv").write_text(
        "race,town,hired,n\n"
        + "".join(
            f"{race},{town},{hired},{many + 10 * at + len(town)}\n"
            for town in ("A", "BB")
            for at, race in enumerate(("red", "green", "blue"))
            for hired, many in (("yes", 100), ("no", 200 - 50 * at))
        )
    )
    (tmp_path / "hired.toml").write_text(
        '[question]\nprotected = "race"\ndecision = "hired"\nfavorable = "yes"\n'
        '[knowledge]\ntiers = [["race"], ["town"], ["hired"]]\n[data]\nfrequency = "n"\n'
    )
    session = open_session(tmp_path, "hired.csv", learned=True)
    assert _view(session).findings.who is not None
    assert "against" in _html(session)


def test_values_of_the_data_are_text_everywhere(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    lines = [
        f"{sex},{town},{hired},{n}\n"
        for n, (sex, town, hired) in enumerate(
            ((s, t, h) for s in "fm" for t in (evil, "B") for h in ("yes", "no")), 20
        )
    ]
    (tmp_path / "t.csv").write_text("sex,town,hired,n\n" + "".join(lines))
    (tmp_path / "t.toml").write_text(
        '[question]\nprotected = "sex"\ngroup = "f"\ndecision = "hired"\nfavorable = "yes"\n'
        '[knowledge]\ntiers = [["sex"], ["town"], ["hired"]]\nrequire = ["town->hired"]\n'
        '[data]\nfrequency = "n"\n'
    )
    session = open_session(tmp_path, "t.csv", learned=True)
    page = _html(session, f"names=town&group=0&where={evil}")
    assert evil not in page
    assert "&lt;script&gt;" in page


_ASKED = """
[question]
protected = "sex"
group = "f"
decision = "hired"
favorable = "yes"
{}
[knowledge]
tiers = [["sex", "town"], ["hired"]]
require = {}
[data]
frequency = "n"
"""


def _opened(folder: Path, many: Callable[[str, str, str], int], *asked: str) -> Session:
    lines = [
        f"{sex},{town},{hired},{many(sex, town, hired)}\n"
        for sex in "fm"
        for town in "ABC"
        for hired in ("yes", "no")
        if many(sex, town, hired)
    ]
    (folder / "t.csv").write_text("sex,town,hired,n\n" + "".join(lines))
    (folder / "t.toml").write_text(_ASKED.format(*asked))
    return open_session(folder, "t.csv", learned=True)


def _even(_sex: str, _town: str, hired: str) -> int:
    return 50 + 10 * (hired == "yes")


def _apart(sex: str, town: str, hired: str) -> int:
    return _even(sex, town, hired) if (sex == "f") == (town == "A") else 0


def _determined(_sex: str, town: str, hired: str) -> int:
    return 40 if (hired == "yes") == (town == "A") else 0


@pytest.mark.parametrize(
    ("many", "asked", "required", "said"),
    [
        (_even, "", "[]", "The graph shows no other cause of the decision."),
        (_apart, "", '["town->hired"]', "Cannot tell: nobody"),
        (_determined, "", "[]", "'town' alone determines 'hired'"),
        (_determined, 'rule = ["town"]', "[]", "met by construction"),
        (_even, "min_rows = 500", "[]", "Cannot tell: nobody"),
        (_even, "", "[]", "Cannot tell: the graph shows no cause of hired other than sex"),
    ],
)
def test_whatever_comes_out_can_be_shown(
    tmp_path: Path,
    many: Callable[[str, str, str], int],
    asked: str,
    required: str,
    said: str,
) -> None:
    session = _opened(tmp_path, many, asked, required)
    for query in ("", "group=0&names=town", "where=tied&sort=-name&page=9"):
        assert said in _text(session, query)


ADMISSIONS = eh.audit(eh.datasets.admissions(2), QUESTION, graph=GRAPH)


def _told(group, audit):
    """The chosen group as the page shows it."""
    macros = environment().get_template("evidence_parts.j2").module
    said = re.sub(r"<[^>]+>", "", macros.chosen(group, _words(audit), "evidence"))
    return " ".join(unescape(said).split())


def _words(audit):
    return Words.of(audit.certificate, audit.labels)


def _table(audit, query=""):
    return group_table(audit.certificate, QueryParams(query), _words(audit))


def _many(towns):
    """Many towns, one group each: women and men, hired or not."""
    lines = [
        (sex, f"T{town:05}", hired, 1 + (town * 7 + at) % 23)
        for town in range(towns)
        for at, (sex, hired) in enumerate((s, h) for s in "fm" for h in ("yes", "no"))
    ]
    sex, town, hired, rows = zip(*lines, strict=True)
    counts = eh.CountTable.of({"sex": sex, "town": town, "hired": hired}, rows)
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("sex -> hired; town -> hired")
    return eh.audit(counts, asked, graph=graph)


def test_ids_and_order_are_those_of_the_report():
    assert [case.id for case in _table(ADMISSIONS).cases] == ["E1", "E2", "E3", "E4"]
    page = ADMISSIONS.report().html
    for case in _table(ADMISSIONS, "sort=name").cases:
        told = re.search(rf'<tr id="{case.id}">.*?</tr>', page, re.DOTALL).group(0)
        assert f"<b>{_words(ADMISSIONS).points(case.difference)}</b>" in told


def test_a_page_has_so_many_rows_and_nothing_else_is_read(monkeypatch):
    audit, read = _many(950), []
    original = Subpopulations._read
    monkeypatch.setattr(
        Subpopulations, "_read", lambda self, line: read.append(line) or original(self, line)
    )
    seen = []
    for number in range(1, 49):
        table = _table(audit, f"sort=name&page={number}")
        seen += [case.people.where["town"] for case in table.cases]
        assert len(read) == len(table.cases) <= PAGE_ROWS
        read.clear()
    assert seen == [f"T{town:05}" for town in range(950)]
    assert (table.pager.page, table.pager.pages, table.pager.after) == (48, 48, "")


def test_values_of_long_attributes_are_searched_for_not_listed():
    assert _table(_many(60)).attributes == []
    assert [one.name for one in _table(ADMISSIONS).attributes] == ["major", "test_score"]


def test_the_chosen_group_is_told_exactly():
    line = next(
        at
        for at, one in enumerate(ADMISSIONS.subpopulations)
        if one.where == {"major": "EE", "test_score": "L"}
    )
    group = chosen_group(ADMISSIONS.certificate, {"group": str(line)}, _words(ADMISSIONS))
    said = _told(group, ADMISSIONS)
    assert "exactly 1/20, and reaches the threshold of 1/20" in said
    assert "5.0 points" in said
    people = group.case.people
    assert (people.group_yes, people.group, people.other_yes, people.other) == (
        240,
        600,
        90,
        200,
    )
    assert group.counts == [("gender = female", [240, 360]), ("gender = male", [90, 110])]


@pytest.mark.parametrize("text", ["", "x", "-1", "4", "99999999999999999999999"])
def test_a_group_that_is_not_there_is_not_shown(text):
    assert chosen_group(ADMISSIONS.certificate, {"group": text}, _words(ADMISSIONS)) is None


def test_a_group_without_comparison_says_so():
    audit = hiring_audit()
    (line,) = (at for at, one in enumerate(audit.subpopulations) if one.risk_difference is None)
    group = chosen_group(audit.certificate, {"group": str(line)}, _words(audit))
    assert "no difference to speak of" in _told(group, audit)
    assert line in [case.line for case in _table(audit).cases]


def test_of_many_groups_and_decisions_all_counts_are_told():
    audit = score_audit(criterion="every")
    group = chosen_group(audit.certificate, {"group": "0"}, _words(audit))
    assert {len(counts) for _, counts in group.counts} == {3}
    told = sum(sum(counts) for _, counts in group.counts)
    assert told == int(audit.certificate.partition.row_counts[0])


_HANDLERS = {path: handler for _, path, handler in CHANGES}


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
    assert _shown(session).bootstrap is result
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


def test_the_certificate_is_true_and_the_owners_alone(session: Session) -> None:
    choose_link(session, ("marital_status", "income"), "to", None, "marriage came before")
    _start(session, "certificate")
    path = session.folder.root / "adult.certificate.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text("utf-8")
    audit = session.audit
    assert audit is not None
    stated = audit.stated_certificate
    assert json.loads(text) == json.loads(stated.to_json())
    assert stated.answer is not None
    assert verify(text).status == 0
    assert _shown(session).made == [path.name]
    path.unlink()
    assert _shown(session).made == []


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
    assert "ensitivity to each arrow" in written
    assert len(arrows.ways) > 5


def test_copies_for_others_withhold_small_counts(session: Session) -> None:
    _start(session, "report", name="r.html", share=True)
    _start(session, "certificate", name="c.json", share=True)
    root = session.folder.root
    assert "counts under 10 withheld" in (root / "r.html").read_text("utf-8")
    assert stat.S_IMODE((root / "c.json").stat().st_mode) == 0o644
    audit = session.audit
    assert audit is not None
    expected = json.loads(audit.certificate.to_shared_json())
    assert json.loads((root / "c.json").read_text("utf-8")) == expected


def test_an_edit_without_a_reason_gives_no_certificate_and_no_report(session: Session) -> None:
    choose_link(session, ("race", "income"), "to", None)
    for path in ("report", "certificate"):
        with pytest.raises(EvenhandError, match="No reason is given"):
            _HANDLERS[path](session, {})
    root = session.folder.root
    assert not [*root.glob("adult-*"), *root.glob("*.json")]
    shown = _shown(session)
    assert [edit.arrow for edit in shown.unreasoned] == [("race", "income")]
    page = render(session, "evidence", view(session, QueryParams("")))
    assert 'href="graph?a=race&amp;b=income">Write the reason' in page
    give_reason(session, ("race", "income"), "pay was set with it in view", None)
    _start(session, "certificate")
    text = (session.folder.root / "adult.certificate.json").read_text("utf-8")
    assert "pay was set with it in view" in text
