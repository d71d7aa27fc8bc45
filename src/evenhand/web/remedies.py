"""Problems as a page shows them: a remedy that is a choice becomes a button."""

from collections.abc import Mapping
from typing import Any

from evenhand.errors import Problem, Remedy, words_only
from evenhand.question.fields import find
from evenhand.removal import ModifyData
from evenhand.report.html_report import View
from evenhand.web.addresses import graph_address
from evenhand.web.question_store import Tables
from evenhand.web.release_choice import ReleaseChoice

# Tables of the question file in which a remedy changes a key.
_CHANGED = frozenset({"question", "knowledge", "data"})
# Lists to which a remedy adds, as an option that is given once more does.
_ADDED = frozenset({"exclude", "na"})
# What no question file says: it goes with the request that was refused, sent once more.
_SENT_AGAIN = frozenset({"overwrite", "unsaved"})


def request_again(method: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The same request, from whatever page it is sent again."""
    asked = {name: value for name, value in body.items() if name != "revision"}
    return {"method": method, "path": path, "body": asked}


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
        return ReleaseChoice(way=f"{ModifyData.name}:{remedy.value}").address()
    if remedy.argument == "method" and remedy.value == ModifyData.name:
        return ReleaseChoice().address()
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
