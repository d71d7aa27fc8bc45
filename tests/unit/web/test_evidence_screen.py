"""The evidence screen: what it shows equals what the library and the command line say."""

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from starlette.datastructures import QueryParams
from tests.web_sessions import adult_session, open_session

from evenhand.errors import EvenhandError, QuestionError
from evenhand.report.html_report import View
from evenhand.web.evidence_screen import READS, view
from evenhand.web.folder import Folder
from evenhand.web.pages import render
from evenhand.web.session import Session

_READ = dict(READS)


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


def test_without_a_table_or_a_graph_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="No graph is learned"):
        view(Session(Folder(tmp_path)), {})
    session = adult_session(tmp_path, learned=False)
    content = view(session, {})
    assert content["view"] is None
    page = render(session, "evidence", content)
    assert 'data-start data-method="POST" data-path="api/learn"' in page


def test_it_shows_the_verdicts_reasons_and_figures_of_the_report(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    shown, report = _view(session).findings, audit.report().page
    assert shown.first_sentence == audit.certificate.first_sentence(audit.labels)
    assert shown.verdicts.exact == report.verdicts.exact
    assert shown.verdicts.statistical == report.verdicts.statistical
    assert shown.verdicts.figures == report.verdicts.figures
    assert shown.verdicts.reasons == report.verdicts.reasons
    assert shown.chance == report.chance
    assert shown.differences.but(funnel=None) == report.differences.but(funnel=None)
    assert shown.known == report.known


def test_no_section_of_the_report_is_referred_to(session: Session) -> None:
    assert not re.search(r"section \d", _text(session, "names=education"))


def test_the_threshold_decides_and_stands_there_exactly(session: Session) -> None:
    for threshold, words in (("1/20", "5 points = 1/20"), ("0.0625", "6.25 points = 1/16")):
        session.patch({"question": {"threshold": threshold}})
        audit = session.audit
        assert audit is not None
        found = audit.certificate.partition
        text = _text(session)
        assert words in text
        assert f"{found.violating} of {int(found.measured.sum())}" in text


def test_chosen_attributes_are_explained(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    query = "names=education&names=age"
    explained = audit.explain_partition(["age", "education"])
    alike = _view(session, query).alike
    assert {one.value for one in alike.choices if one.chosen} == {"age", "education"}
    asked = alike.table.rows[-1]
    assert (asked.origin, asked.meaningful) == ("asked for", explained.is_meaningful)
    assert len(alike.groups) == len(explained.subpopulations)
    # What misleads is not called shown, however clear.
    assert explained.is_meaningful is False
    assert {one.shown for one in alike.groups} == {None}
    causes = {one.value for one in _view(session).alike.choices if one.chosen}
    assert causes == {*audit.decision_causes}


def test_attributes_that_are_not_there_are_refused(session: Session) -> None:
    with pytest.raises(EvenhandError):
        view(session, QueryParams("names=nothing"))


def test_groups_as_json_are_those_of_the_audit(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    content = _READ["groups"](session, QueryParams("where=violating"))
    rows = json.loads(json.dumps(content))["rows"]
    assert content["selected"] == len(rows) == audit.certificate.partition.violating
    plain = json.loads(json.dumps(audit.to_dict()))["evidence"]
    ours = [{k: v for k, v in row.items() if k not in ("line", "id")} for row in rows]
    assert ours == plain
    assert [row["id"] for row in rows] == [f"E{n}" for n in range(1, len(rows) + 1)]


def test_a_partition_as_json_is_its_explanation(session: Session) -> None:
    audit = session.audit
    assert audit is not None
    content = _READ["partition"](session, QueryParams("names=education&sort=name"))
    whole = audit.explain_partition(["education"]).to_dict()
    groups = content.pop("subpopulations")
    plain = whole.pop("subpopulations")
    assert content == whole
    ours = [{k: v for k, v in row.items() if k not in ("line", "id")} for row in groups["rows"]]
    assert ours == plain


def test_before_the_graph_is_learned_nothing_can_be_read(tmp_path: Path) -> None:
    session = adult_session(tmp_path, learned=False)
    for read in _READ.values():
        with pytest.raises(QuestionError, match="No graph is learned"):
            read(session, {})


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
        (_even, "", "[]", "nothing else causes the decision"),
        (_apart, "", '["town->hired"]', "Nobody could be compared"),
        (_determined, "", "[]", "'town' alone determines 'hired'"),
        (_determined, 'rule = ["town"]', "[]", "met by construction"),
        (_even, "min_rows = 500", "[]", "Nobody could be compared"),
        (_even, 'judge = "population"', "[]", "Judged by the population"),
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
    rows = _READ["groups"](session, QueryParams(""))["rows"]
    assert len(rows) == len(session.audit.subpopulations) if session.audit else False
