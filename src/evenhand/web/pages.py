"""Pages as HTML: the templates of the app, which may use those of the report."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from shlex import join
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from evenhand.auditing import Audit
from evenhand.errors import EvenhandError, Problem
from evenhand.evidence.subpopulations import threshold_points
from evenhand.report.html_report import View, style_sheet
from evenhand.report.html_report import environment as report_environment
from evenhand.web.commands import command_lines, is_complete
from evenhand.web.guard import MOST_UPLOADED, too_large
from evenhand.web.judging import takes_long
from evenhand.web.remedies import shown_problem
from evenhand.web.session import Session
from evenhand.web.verdict_panel import deciding_words

STEPS = ("table", "question", "graph", "evidence", "release", "check")
# A screen asks only for what it needs, and the largest page is 11 kB smaller.
_SHEET_OF = {
    "table": "table.css",
    "question": "table.css",
    "release": "release.css",
    "check": "release.css",
}
_SHEETS = ("pictures.css", "style.css", "against.css", "paths.css")


@cache
def environment() -> Environment:
    """The report's settings (everything is escaped), with the templates of the app first."""
    ours = report_environment().overlay()
    ours.loader = ChoiceLoader(
        [PackageLoader("evenhand.web"), PackageLoader("evenhand.report")]
    )
    ours.filters["problem"] = shown_problem
    ours.globals = {**ours.globals, "sections": False}
    return ours


def render(session: Session, screen: str, view: dict[str, Any], template: str = "") -> str:
    """A screen as a whole page; another template may say why it cannot be shown."""
    around = {
        "screen": screen,
        "sheet": _SHEET_OF.get(screen),
        "steps": _steps(session, screen),
        "masthead": masthead(session),
        "table_name": session.folder.shown(session.table) if session.table else "",
        "question_name": session.folder.shown(path) if (path := session.question_path) else "",
        "revision": session.revision,
        "running": session.jobs.running,
        "undoes": session.undoes,
        "redoes": session.redoes,
        "drops": screen == "graph"
        and session.learned is not None
        and "graph" in session.tables,
        "notices": session.notices,
        "save_problem": session.save_problem,
        "has_conflict": session.has_conflict,
        "table_has_changed": session.table_has_changed,
        "unseen": session.jobs.unseen_problems(),
        "most_uploaded": MOST_UPLOADED,
        "too_large": shown_problem(too_large(MOST_UPLOADED)),
        "is_upload": session.table is not None and session.folder.is_upload(session.table),
        "commands": tuple(map(join, command_lines(session, screen))),
    }
    return environment().get_template(f"{template or screen}.html.j2").render(around | view)


def render_problems(
    problems: tuple[Problem, ...], again: Mapping[str, Any] | None = None
) -> str:
    """Problems as a fragment of HTML, with a button for each remedy that is a choice.

    A button changes the question file, or asks ``again`` for work that failed.
    """
    template = environment().get_template("problems.j2")
    return template.module.problem_list(map(shown_problem, problems), again)  # type: ignore[attr-defined, no-any-return]


def static_file(name: str) -> tuple[bytes, str] | None:
    """A style sheet or script and its type; in the common sheet the report's come first."""
    folder = files("evenhand.web") / "static"
    if name == "style.css":
        ours = folder.joinpath("app.css").read_text("utf-8")
        return (style_sheet(*_SHEETS) + ours).encode(), "text/css"
    sheets = dict.fromkeys(_SHEET_OF.values(), "text/css")
    kinds = {"app.js": "text/javascript", "icon.svg": "image/svg+xml", **sheets}
    if name in kinds:
        text = folder.joinpath(name).read_text("utf-8")
        # Comments and indentation are for who reads the source: 3.5 kB of the script.
        return re.sub(r"(?m)^\s*//.*\n|^\s+", "", text).encode(), kinds[name]
    return None


def masthead(session: Session) -> View | None:
    """The verdict on what is chosen now, if there is one."""
    judged = verdict_or_none(session)
    if judged is None:
        return None
    found = judged.certificate
    groups = f"{found.partition.violating:,} of {int(found.partition.measured.sum()):,} groups"
    at = threshold_points(found.question)
    sign, word = deciding_words(judged)
    return View(mark=sign, word=word, groups=f"{groups}, {at}")


def verdict_or_none(session: Session) -> Audit | None:
    """The audit, or None where it is not there yet or what is chosen cannot be judged."""
    try:
        return None if takes_long(session) else session.audit
    except EvenhandError:
        return None


def _steps(session: Session, screen: str) -> tuple[View, ...]:
    possible = {
        "table": True,
        "question": session.table is not None,
        "graph": session.table is not None and is_complete(session),
        "evidence": session.learned is not None,
        "release": session.learned is not None,
        "check": True,
    }
    return tuple(
        View(
            name=name,
            number=number,
            title=name.capitalize(),
            here=name == screen,
            open=possible[name],
        )
        for number, name in enumerate(STEPS, 1)
    )
