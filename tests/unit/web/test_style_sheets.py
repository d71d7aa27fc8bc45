"""What the sheet of the app styles, and the script as it is sent."""

import re
from collections.abc import Iterable
from importlib.resources import files

from evenhand.web.pages import static_file

_REPORT = files("evenhand.report") / "templates"
_APP = files("evenhand.web") / "static"
# These mean the same in the report and in the app, which only adds to them.
_SHARED = {
    *("mut", "page", "kick", "lead", "data", "title", "note", "sec", "symbol", "dot", "head"),
    *("l-cause", "l-direct", "l-rest", "l-held", "b-possible", "graph-wide", "graph-narrow"),
}


def _styled_anywhere(sheet: str) -> set[str]:
    """The classes with which a selector begins: it holds wherever the class is used."""
    plain = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    selectors = ",".join(re.findall(r"([^{}]+)\{", plain)).split(",")
    found = (re.match(r"\s*\.([\w-]+)", selector) for selector in selectors)
    return {match[1] for match in found if match}


def _used_by_report() -> set[str]:
    return _used_in(
        path.read_text("utf-8") for path in _REPORT.iterdir() if path.name.endswith(".j2")
    )


def _used_in(texts: Iterable[str]) -> set[str]:
    classes = (
        re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", found)
        for text in texts
        for found in re.findall(r'class="([^"]*)"', text)
    )
    return {name for several in classes for name in several.split()}


def test_a_class_of_the_report_is_styled_by_its_own_sheets() -> None:
    ours = _styled_anywhere((_APP / "app.css").read_text("utf-8"))
    theirs = _used_by_report()
    assert {"flow", "drop"} <= theirs
    assert ours & theirs <= _SHARED


def test_the_script_is_sent_without_comments_and_otherwise_as_it_is() -> None:
    written = (_APP / "app.js").read_text("utf-8").splitlines()
    # No text goes over lines, so that indentation is never a part of one.
    assert not [line for line in written if line.count("`") % 2]
    kept = [line.strip() for line in written if not line.strip().startswith("//")]
    sent = static_file("app.js")[0].decode()
    assert sent.splitlines() == [line for line in kept if line]
    assert len(sent) < 0.85 * len("\n".join(written))
