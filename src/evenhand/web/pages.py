"""Pages as HTML: the templates of the app, which may use those of the report."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from shlex import join
from typing import Any
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from evenhand.auditing import Audit
from evenhand.errors import EvenhandError, Problem, Remedy, words_only
from evenhand.evidence.statistical_verdict import in_words
from evenhand.evidence.subpopulations import threshold_points
from evenhand.question.fields import find, option_words
from evenhand.question.knowledge import NO_REASON
from evenhand.removal import ModifyData
from evenhand.report.effects_section import claim_card
from evenhand.report.rendering import View, style_sheet
from evenhand.report.rendering import environment as report_environment
from evenhand.web.guard import MOST_UPLOADED, too_large
from evenhand.web.question_store import Tables
from evenhand.web.session import Session, is_due
from evenhand.web.table_cache import named_columns
from evenhand.wording import Words, capital
from evenhand.wording.sentence_parts import NamedAttribute
from evenhand.wording.verdict_words import certificate_class, verdict_class, verdict_word

# Tables of the question file in which a remedy changes a key.
_CHANGED = frozenset({"question", "knowledge", "data"})
# Lists to which a remedy adds, as an option that is given once more does.
_ADDED = frozenset({"exclude", "na"})
# What no question file says: it goes with the request that was refused, sent once more.
_SENT_AGAIN = frozenset({"overwrite", "unsaved"})
# The command that does what a screen does.
_VERBS = {
    "graph": ("audit", "--set", "arrows", "--set", "doubt"),
    "evidence": ("audit",),
    "release": ("compare",),
}
STEPS = ("table", "question", "graph", "evidence", "release", "check")
_SHEETS = ("pictures.css", "style.css", "against.css", "paths.css")


_WORST_FIRST = ("shown", "not-certified", "cannot-decide", "certified")


@cache
def environment() -> Environment:
    """The report's settings (everything is escaped), with the templates of the app first."""
    ours = report_environment().overlay()
    ours.loader = ChoiceLoader(
        [PackageLoader("evenhand.web"), PackageLoader("evenhand.report")]
    )
    # An overlay shares these with the report.
    ours.filters = {**ours.filters, "problem": shown_problem, "shell": join}
    words = (certificate_class, threshold_points, verdict_class, verdict_word, words_only)
    own = {one.__name__: one for one in (graph_address, sends, *words)}
    ours.globals = {**ours.globals, **own, "no_reason": NO_REASON}
    ours.tests = {**ours.tests, "attribute": NamedAttribute.__instancecheck__}
    return ours


def picture_style() -> Markup:
    """The styles of a picture that stands by itself, in a file."""
    return Markup(style_sheet("pictures.css", "style.css"))  # noqa: S704  # ours


def sends(method: str, path: str, body: Mapping[str, Any]) -> Markup:
    """Attributes of a control: the request that it sends."""
    says = Markup('data-method="{}" data-path="{}" data-body=\'{}\'')
    return says.format(method, path, json.dumps(body))


def render(session: Session, screen: str, view: dict[str, Any], template: str = "") -> str:
    """A screen as a whole page; another template may say why it cannot be shown."""
    table, path = session.table, session.question_path
    is_open, is_learned = table is not None, session.learned is not None
    around = {
        "session": session,
        "screen": screen,
        "possible": {
            "table": True,
            "question": is_open,
            "graph": is_open and is_complete(session),
            "evidence": is_learned,
            "release": is_learned,
            "check": True,
        },
        "masthead": masthead(session),
        "table_name": session.folder.shown(table) if table else "",
        "question_name": session.folder.shown(path) if path else "",
        "revision": session.revision,
        "drops": screen == "graph" and is_learned and "graph" in session.tables,
        "unseen": session.jobs.unseen_problems(),
        "most_uploaded": MOST_UPLOADED,
        "too_large": shown_problem(too_large(MOST_UPLOADED)),
        "commands": tuple(map(join, command_lines(session, screen))),
    }
    return _on_one_line(
        environment().get_template(f"{template or screen}.html.j2").render(around | view)
    )


def _on_one_line(page: str) -> str:
    """A page without the line ends and indentation of its templates, which readers need."""
    return re.sub(r"\s*\n\s*", " ", page)


def render_problems(
    problems: tuple[Problem, ...], again: Mapping[str, Any] | None = None
) -> str:
    """Problems as a fragment of HTML, with a button for each remedy that is a choice.

    A button changes the question file, or asks ``again`` for work that failed.
    """
    template = environment().get_template("problems.j2")
    module: Any = template.module
    return _on_one_line(module.problem_list(map(shown_problem, problems), again))


def static_file(name: str) -> tuple[bytes, str] | None:
    """The style sheet (the report's, then ours), the script or the icon, and its type."""
    folder = files("evenhand.web") / "static"
    kinds = {
        "app.css": "text/css",
        "app.js": "text/javascript",
        "icon.svg": "image/svg+xml",
    }
    if name not in kinds:
        return None
    text = folder.joinpath(name).read_text("utf-8")
    if name == "app.css":
        text = re.sub(r"(?<=[:;,{])[ \n]+|[ \n]+(?=[{}])", "", style_sheet(*_SHEETS) + text)
    # Comments and indentation are for who reads the source.
    return re.sub(r"(?m)^\s*//.*\n|^\s+", "", text).encode(), kinds[name]


def masthead(session: Session) -> View | None:
    """The answer on what is chosen now; None where it is not there yet or cannot be judged."""
    try:
        judged = None if is_due(session) else session.audit
        if judged is None:
            return None
        found, groups = judged.certificate, "nobody compared"
        if many := int(found.partition.measured.sum()):
            groups = f"{found.partition.violating:,} of {many:,} groups"
        sign, word = deciding_words(judged)
        rows = word
        if judged.judge == "answer":
            word = verdict_word(judged.answer.word)
            sign = verdict_class(judged.answer.word)
    except EvenhandError:
        return None
    said = f"{groups}, {threshold_points(found.question)}"
    release = f"; for release: {rows.lower()}" if rows != word else ""
    return View(mark=sign, word=word, groups=said, release=release)


def deciding_words(audit: Audit) -> tuple[str, str]:
    """The mark and the words of each claim by the rows, which are judged at every change."""
    found = audit.certificate
    sign = certificate_class(found)
    card = claim_card(found, Words.of(found, audit.labels))
    if card is None:
        return sign, verdict_word(found.verdict)
    signs = sorted((sign, card.mark), key=_WORST_FIRST.index)
    return signs[0], capital("; ".join(in_words(found.verdicts)))


# Problems: a remedy that is a choice becomes a button


def shown_problem(problem: Problem, tables: Tables | None = None) -> View:
    """The problem with buttons for remedies, beside what the question file says."""
    return View(
        what=problem.what,
        where=problem.where,
        found=problem.found,
        remedies=tuple(
            View(
                words=_sentence(remedy),
                body=_body(remedy),
                repeats=remedy.argument in _SENT_AGAIN,
                address=_address(remedy),
                chosen=tables is not None and _is_chosen(remedy, tables),
            )
            for remedy in problem.remedies
        ),
    )


def _sentence(remedy: Remedy) -> str:
    words = remedy.text(words_only)
    return words[:1].upper() + words[1:]


def _address(remedy: Remedy) -> str:
    """Where the arrow that a remedy requires can be chosen, or the policy that it names."""
    if remedy.argument == "policy" and isinstance(remedy.value, str):
        return f"release?{urlencode({'way': f'{ModifyData.name}:{remedy.value}'})}"
    if remedy.argument == "method" and remedy.value == ModifyData.name:
        return "release"
    if remedy.argument != "required" or not isinstance(remedy.value, list | tuple):
        return ""
    cause, _, effect = str(remedy.value[0]).partition(" -> ")
    return graph_address({}, cause, effect)


def _body(remedy: Remedy) -> dict[str, Any] | None:
    """What the button of a remedy sends; None where the choice is still open."""
    if remedy.value is ...:
        return None
    if remedy.argument in _SENT_AGAIN:
        return {remedy.argument: remedy.value}
    field = find(remedy.argument)
    if field is None or field.table not in _CHANGED or field.argument:
        return None
    way = "add" if field.name in _ADDED else "change"
    return {way: {field.table: {field.name: remedy.value}}}


def _is_chosen(remedy: Remedy, tables: Tables) -> bool:
    """Whether what the remedy names is chosen as it says."""
    field = find(remedy.argument)
    said = tables.get(field.table, {}).get(field.name, ...) if field else ...
    return said is not ... and said == remedy.value


def command_lines(session: Session, screen: str) -> list[list[str]]:
    """The commands that do the same as a screen."""
    if screen == "check":
        return [["evenhand", "verify", "CERTIFICATE", "DATA"]]
    verb, *options = _VERBS.get(screen, ("inspect",))
    return [command(session, verb, *options)]


def command(session: Session, verb: str, *options: str) -> list[str]:
    """A command on the table that is open, by its question file."""
    if session.table is None:
        return ["evenhand", "inspect", "DATA"]
    given = session.given_name if verb != "inspect" else ""
    graph = ["--graph", given] if given else []
    data = session.folder.shown(session.table)
    return ["evenhand", verb, data, *_asked(session, verb), *graph, *options]


def is_complete(session: Session) -> bool:
    """Whether the tables say all that a question needs."""
    try:
        return bool(session.file)
    except EvenhandError:
        return False


def _asked(session: Session, verb: str) -> Iterator[str]:
    """The question file; until it says what is asked, how columns are read."""
    path = session.question_path
    if path is not None and path.exists() and is_complete(session):
        yield from ("--question", session.folder.shown(path))
        return
    asked = {"question": named_columns(session.tables), "data": session.tables.get("data", {})}
    yield from option_words(asked, verb)


# Addresses of screens: what a query asks for, pages of long lists


def graph_address(keep: Mapping[str, str], *ends: str) -> str:
    """The graph screen with a chosen box, or a chosen link of two."""
    query = dict(zip(("a", "b"), ends, strict=False)) | dict(keep)
    return f"graph?{urlencode(query)}" if query else "graph"


def _items(query: Mapping[str, str]) -> list[tuple[str, str]]:
    """The names and values of a query; a name may occur several times."""
    return [*getattr(query, "multi_items", query.items)()]


def query_values(query: Mapping[str, str], name: str) -> list[str]:
    """All values of a name that are not empty."""
    return [value for key, value in _items(query) if key == name and value]


def query_number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number that is not negative, or None where there is no such number."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def address(query: Mapping[str, str], **changed: object) -> str:
    """The address of the same screen with some parts changed; empty ones are left out.

    >>> address({"page": "2", "find": "a b"}, page="", column="x&y")
    '?find=a+b&column=x%26y'
    """
    kept = [item for item in _items(query) if item[0] not in changed]
    return "?" + urlencode([item for item in (*kept, *changed.items()) if item[1] != ""])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """One page of so many things; ``before`` and ``after`` are addresses, "" for none."""

    page: int
    pages: int
    size: int
    many: int
    before: str
    after: str

    @classmethod
    def of(cls, query: Mapping[str, str], name: str, many: int, size: int) -> "Pager":
        """The page that the address names, or the nearest that there is."""
        pages = max(-(-many // size), 1)
        page = min(max(query_number(query, name) or 1, 1), pages)
        before, after = (
            address(query, **{name: to}) if 1 <= to <= pages else ""
            for to in (page - 1, page + 1)
        )
        return cls(page=page, pages=pages, size=size, many=many, before=before, after=after)

    @property
    def slice(self) -> slice:
        """The things of this page."""
        return slice((self.page - 1) * self.size, self.page * self.size)

    @property
    def first(self) -> int:
        """The number of the first thing, from 1."""
        return (self.page - 1) * self.size + 1 if self.many else 0

    @property
    def last(self) -> int:
        """The number of the last thing."""
        return min(self.page * self.size, self.many)
