"""Sessions of the app without a server: on Adult's counts, with the graph learned."""

import json
from html.parser import HTMLParser
from pathlib import Path
from time import sleep
from typing import Any

from tests.running_app import write_adult

from evenhand import CountTable
from evenhand.web.folder import Folder
from evenhand.web.graph_screen import learn
from evenhand.web.jobs import Job
from evenhand.web.pages import render
from evenhand.web.question_screen import view as question_view
from evenhand.web.release_screen import compare_methods, view
from evenhand.web.session import Session


def adult_session(folder: Path, *, learned: bool = True) -> Session:
    """A session with Adult's counts and its question file open."""
    write_adult(folder)
    return open_session(folder, "adult.csv", learned=learned)


def open_session(folder: Path, table: str, *, learned: bool = False) -> Session:
    """A session with a table of a folder open; a question file beside it is read."""
    session = Session(Folder(folder))
    session.open_table(folder / table, lambda _: None)
    if learned:
        learn_now(session)
    return session


def learn_now(session: Session) -> None:
    """Learn the graph, and wait for it."""
    finish(learn(session, {}))


def finish(job: Job | None) -> None:
    """Wait until a job has done its work."""
    while job is not None and job.state == "running":
        sleep(0.005)
    assert job is None or job.state == "done", job.problems


TIERS = [["sex", "age", "native_country", "race"], ["education"], ["*"], ["income"]]


def settled_session(folder: Path, counts: CountTable | None = None) -> Session:
    """Adult with income last, so that nothing at the decision is open."""
    write_adult(folder, counts=counts)
    session = open_session(folder, "adult.csv")
    session.patch({"knowledge": {"tiers": TIERS}})
    learn_now(session)
    return session


def worked_out(session: Session, **choice: Any) -> dict[str, Any]:
    """The release screen when all methods are compared and the chosen one was tried."""
    finish(compare_methods(session, {"choice": choice}))
    return view(session, choice)


class Choices(HTMLParser):
    """The selects of a page: by id, by the words of each option, what choosing it sends.

    ``chosen`` has the words that are chosen, "" where none can be sent.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.offered: dict[str, dict[str, dict[str, Any]]] = {}
        self.chosen: dict[str, str] = {}
        self._select: dict[str, str | None] = {}
        self._option: dict[str, str | None] = {}
        self._words = ""
        self.feed(page)

    @classmethod
    def of(cls, session: Session) -> "Choices":
        """Those of the question screen."""
        return cls(render(session, "question", question_view(session, {})))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "select":
            self._select = dict(attrs)
            self.offered[self._select.get("id") or ""] = {}
        elif tag == "option":
            self._option, self._words = dict(attrs), ""

    def handle_data(self, data: str) -> None:
        self._words += data

    def handle_endtag(self, tag: str) -> None:
        if tag != "option":
            return
        name, option = self._select.get("id") or "", self._option
        if "selected" in option:
            self.chosen[name] = "" if "disabled" in option else self._words
        if "disabled" in option or "data-body" not in self._select:
            return
        plain = option.get("data-value")
        value = json.loads(plain) if plain else option.get("value", self._words)
        body = str(self._select["data-body"]).replace('"$value"', json.dumps(value))
        self.offered[name][self._words] = json.loads(body)
