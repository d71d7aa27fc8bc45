"""What a release would change beside what else could be done; files whole or not at all."""

import errno
import html
import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Event
from time import sleep
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.hiring import csv_text, people
from tests.web_sessions import (
    adult_session,
    finish,
    learn_now,
    open_session,
    settled_session,
    worked_out,
)
from typer.testing import CliRunner

import evenhand as eh
from evenhand import checker, datasets
from evenhand.cli.application import app as command_line
from evenhand.display import Progress
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence import Verdict
from evenhand.files import Transaction
from evenhand.question.fields import parse_names
from evenhand.releasing.compare import compare
from evenhand.removal import ModifyData, ModifyGraph
from evenhand.web import evidence_screen, graph_screen
from evenhand.web import release_screen as module
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job
from evenhand.web.pages import render, render_problems
from evenhand.web.question_store import StaleError
from evenhand.web.release_screen import (
    CHANGES,
    ReleaseChoice,
    compare_methods,
    compared_ways,
    free_name,
    release_rows,
    report_name,
    view,
    work_out,
)
from evenhand.web.session import Session

_HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


def test_before_the_graph_is_learned_it_asks_for_that(tmp_path: Path) -> None:
    session = adult_session(tmp_path, learned=False)
    with pytest.raises(QuestionError, match="No graph is learned"):
        _HANDLERS["compare"](session, {})


def test_a_margin_and_groups_change_the_plan(session: Session) -> None:
    title = worked_out(session)["chosen"].title
    content = worked_out(session, margin="1", only=["Female"])
    assert content["chosen"].title != title
    (women, changed), (men, unchanged) = content["chosen"].gains.groups
    assert (women, men, unchanged) == ("women", "men", (0, 0))
    assert sum(changed) > 0
    assert "--set margin=1/100 --set only=Female" in content["commands"][1]
    page = render(session, "release", content)
    assert 'name="margin" min="0" max="100" step="any" value="1"' in page
    assert 'name="only" value="Female" checked' in page
    assert 'name="only" value="Male" >' in page


def test_a_score_says_which_rows_change_first(tmp_path: Path) -> None:
    lines = [f"{row[1]},{row[2]},{row[3]},{at}" for at, row in enumerate(people(600))]
    (tmp_path / "people.csv").write_text("\n".join(["sex,degree,hired,score", *lines]))
    session = open_session(tmp_path, "people.csv")
    asked = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    session.replace_tables(
        {
            "question": asked,
            "data": {"exclude": ["score"]},
            "knowledge": {"tiers": [["sex"], ["degree"], ["hired"]]},
        }
    )
    learn_now(session)
    content = worked_out(session, rank="score")
    assert "--set rank=score" in content["commands"][1]
    assert "<option selected>score</option>" in render(session, "release", content)
    assert content["choice"].address(way="modify-graph:quotas") == (
        "release?way=modify-graph%3Aquotas"
    )
    body = {"file": "out.csv", "rank": "score", "accept_graph": "known", "metadata": True}
    finish(_HANDLERS["release"](session, body))
    alone = eh.audit(str(tmp_path / "people.csv"), eh.QuestionFile.from_tables(session.tables))
    expected = alone.release(method=ModifyData(rank="score"), accept_graph="known", seed=1)
    (tmp_path / "alone").mkdir()
    expected.write(tmp_path / "alone" / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "alone/out.csv").read_bytes()
    page = render(session, "release", view(session, {"rank": "score"}))
    for name in ("out.csv", "out.certificate.json", "out.croissant.json", "out.statement.json"):
        assert f'href="files/{name}" download>{name}</a>' in page
    assert "<code>evenhand verify out.certificate.json out.csv</code>" in page


def test_a_group_alone_that_cannot_reach_it_is_told(session: Session) -> None:
    job = _HANDLERS["compare"](session, {"choice": {"margin": "5"}})
    with pytest.raises(AssertionError, match="margin"):
        finish(job)


def test_where_one_column_determines_the_decision_a_button_settles_it(tmp_path: Path) -> None:
    """Each screen offers it; no way of releasing is promised, and no finding told."""
    rows = [
        f"{'fm'[at % 2]},{at % 3},{at % 5 % 2},{'bca'[2 * (at % 5 % 2) or at % 4 // 3]}"
        for at in range(200)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["sex,kind,hired,letter", *rows]))
    session = open_session(tmp_path, "t.csv")
    session.patch({"question": {"protected": "sex", "decision": "hired", "favorable": "1"}})
    session.asks_order = False
    learn_now(session)
    views = {
        "graph": graph_screen.view,
        "evidence": evidence_screen.view,
        "release": view,
    }
    for screen, of in views.items():
        page = html.unescape(render(session, screen, of(session, {})))
        assert '{"add": {"data": {"exclude": ["letter"]}}}' in page, screen
        assert "blockquote" not in page
    shown = view(session, {})
    assert (shown["state"], shown["ways"], shown["ambiguous"]) == ("open", None, [])
    assert "data-start" not in render(session, "release", shown)


def test_what_was_made_is_shown_until_something_else_is_chosen(session: Session) -> None:
    worked_out(session)
    finish(_HANDLERS["release"](session, {"file": "out.csv"}))
    assert 'id="made"' in render(session, "release", view(session, {}))
    session.patch({"question": {"threshold": "0.1"}})
    assert view(session, {})["made"] is None


def test_rows_that_lack_a_value_are_said_not_to_be_released(tmp_path: Path) -> None:
    rows = people(600)
    lacking = [(*row[:2], "", *row[3:]) for row in rows[:13]]
    (tmp_path / "people.csv").write_text(csv_text([*lacking, *rows[13:]]), newline="")
    asked = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    session = open_session(tmp_path, "people.csv")
    session.replace_tables(
        {
            "question": asked,
            "data": {"missing": "drop", "exclude": ["note", "pay"]},
            "knowledge": {"tiers": [["sex"], ["degree"], ["hired"]]},
        }
    )
    learn_now(session)
    said = "13 rows that lack a value are not released."
    page = render(session, "release", worked_out(session))
    assert said in page
    assert 'name="accept_graph"' in page  # no column but sex is compared
    body = {"file": "out.csv", "report": True, "accept_graph": " "}
    job = _HANDLERS["release"](session, body)
    while job.state == "running":
        sleep(0.005)
    assert "By this graph no release is certified." in str(job.problems[0])
    assert not (tmp_path / "out.csv").exists()
    accepted = "Nothing else was known."
    finish(_HANDLERS["release"](session, body | {"accept_graph": accepted}))
    report = (tmp_path / "out.report.html").read_text("utf-8")
    assert said in report
    assert accepted in report
    session.save()
    table, question = tmp_path / "people.csv", tmp_path / "people.toml"
    for further in (["--dry-run"], ["--output", str(tmp_path / "b.csv")]):
        options = ["--question", str(question), "--accept-graph", accepted, *further]
        result = CliRunner().invoke(command_line, ["release", str(table), *options])
        assert said in " ".join(result.output.split())


def test_every_method_has_the_numbers_of_the_library(session: Session) -> None:
    content = worked_out(session)
    ways, page = content["ways"], render(session, "release", content)
    assert session.audit is not None
    compared = compare(session.audit.certificate).outcomes
    listed = [*ways.sure, *ways.others]
    assert {(one.changed_rows, one.violating) for one in listed} == {
        (one.changed_rows, one.violating) for one in compared
    }
    assert len(listed) == len(compared)
    assert len(ways.sure) == sum(one.guaranteed for one in compared)
    assert ways.title.startswith("4 ways end certified; the smallest changes 242 of 48,842")
    for each in (ways.sure, ways.others):
        changed = [one.changed_rows for one in each]
        assert changed == sorted(changed)
        assert all(0 <= ways.at(rows) <= 100 for rows in changed)
    told = [
        " ".join(re.sub("<[^>]*>", " ", row).split()) for row in page.split('class="mname"')
    ]
    for row, one in zip(told[1:], listed, strict=True):
        left = f"{one.violating} of {one.measured}" if one.violating else "none"
        assert f"rows changed: {one.changed_rows:,} " in row
        assert f"groups left: {left}" in row
    assert page.count('aria-current="true"><span class="mname">') <= 1
    assert page.count('class="mrow on"') == 1


def test_no_way_is_marked_certified_while_another_claim_is_not(session: Session) -> None:
    content = worked_out(session)
    assert session.audit is not None
    comparison = compare(session.audit.certificate)
    through: Any = SimpleNamespace(verdict=Verdict.NOT_CERTIFIED)
    outcomes = tuple(replace(one, indirect=through) for one in comparison.outcomes)
    ways = compared_ways(replace(comparison, outcomes=outcomes))
    assert ways is not None
    assert ways.sure == []
    page = render(session, "release", content | {"ways": ways})
    assert 'class="v-certified"' not in page


def test_methods_that_know_only_two_groups_are_left_out_and_named(tmp_path: Path) -> None:
    session = settled_session(tmp_path, datasets.adult(race="five"))
    session.patch({"question": {"protected": "race", "group": None, "other": None}})
    learn_now(session)
    content = worked_out(session)
    assert any("modify-data (paper) was left out" in note for note in content["ways"].notes)
    page = render(session, "release", content)
    assert "<b>Fewest changes</b>" in page
    assert page.count('name="only"') == 5
    assert "Methods that were left out" in page
    assert '<details id="result">' in page  # five groups in numbers would fill the screen


@pytest.mark.parametrize("way", ["modify-data:minimal", "modify-data:raise"])
def test_whose_decisions_change_is_what_the_plan_says(session: Session, way: str) -> None:
    chosen = worked_out(session, way=way)["chosen"]
    assert session.audit is not None
    outcomes = compare(session.audit.certificate).outcomes
    outcome = next(one for one in outcomes if f"{one.method}:{one.policy}" == way)
    assert outcome.changed_decisions is not None
    groups = outcome.changed_decisions.groups
    assert chosen.gains.groups == [*zip(("women", "men"), groups, strict=True)]
    facts = dict(chosen.released.result.facts)
    assert facts["to favorable"] == (
        f"{sum(of[0] for of in groups)} (sex=Female: {groups[0][0]}, sex=Male: {groups[1][0]})"
    )


def test_a_new_table_changes_nobody(session: Session) -> None:
    content = worked_out(session, way="modify-graph:generate")
    assert "48,842 of 48,842 rows would change" in content["chosen"].title
    render(session, "release", content)


def test_columns_that_reveal_changed_rows_have_choices(tmp_path: Path) -> None:
    session = settled_session(tmp_path)
    path = tmp_path / "adult.csv"
    lines = path.read_text().splitlines()
    told = [f"{line},{'top' if ',>50K,' in line else 'base'}" for line in lines[1:]]
    path.write_text("\n".join([f"{lines[0]},bracket", *told]) + "\n")
    session.save()
    session.open_table(path, lambda _: None)
    session.patch({"data": {"exclude": ["bracket"]}})
    learn_now(session)
    content = worked_out(session)
    (warning,) = content["chosen"].warnings
    assert warning.what == "'bracket' reveals changed rows."
    assert 'href="release?drop=bracket"' in render(session, "release", content)
    content = worked_out(session, drop=["bracket"])
    assert content["chosen"].warnings == ()
    page = render(session, "release", content)
    assert 'bracket is not released <a class="choice" href="release"' in page


def test_the_comparison_is_asked_for_once(session: Session) -> None:
    content = view(session, {})
    assert content["state"] == "compare"
    assert 'data-path="api/compare"' in render(session, "release", content)
    worked_out(session)
    assert session.audit is not None
    first = module._COMPARED[session.audit]
    assert compare_methods(session, {"choice": {}}) is None
    # Another threshold is another audit; back at the first one nothing is repeated.
    session.patch({"question": {"threshold": "1/10"}})
    assert view(session, {})["state"] == "compare"
    session.step(-1)
    assert view(session, {})["state"] == "ready"
    assert module._COMPARED[session.audit] is first


def test_a_comparison_that_is_asked_for_twice_at_once_is_made_once(session: Session) -> None:
    go_on = Event()
    job = session.jobs.start("waiting", lambda _: go_on.wait(20))
    assert compare_methods(session, {"choice": {}}) is job
    go_on.set()
    finish(job)
    assert worked_out(session)["state"] == "ready"


def test_a_choice_that_was_tried_long_ago_is_forgotten_first(session: Session) -> None:
    for points in range(9):
        worked_out(session, margin=f"0.{points}1")
    assert session.audit is not None
    margins = [choice.margin for choice in module._TRIED[session.audit]]
    assert margins == [f"0.{points}1" for points in range(1, 9)]


def test_a_stopped_comparison_can_be_taken_up_again(session: Session) -> None:
    class Stopped(BaseException):
        pass

    def stop(progress: Progress) -> None:
        if progress.step not in ("comparing methods", "ranking people"):
            raise Stopped

    assert session.audit is not None
    with pytest.raises(Stopped):
        work_out(session.audit, ReleaseChoice(), stop)
    assert view(session, {})["ways"] is not None
    assert view(session, {})["state"] == "compare"
    worked_out(session)
    assert view(session, {})["state"] == "ready"


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
    assert "ensitivity to each arrow" in page
    assert "2 resamples" in page


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
        ({"file": "out.csv", "least_count": "", "share": True}, "least_count"),
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
