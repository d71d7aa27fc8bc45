"""The sheets of the app do not restyle what the report's templates draw on the same page."""

import re
from importlib.resources import files

import pytest

_REPORT = files("evenhand.report") / "templates"
_APP = files("evenhand.web") / "static"
_SHEETS = ("app.css", "table.css")
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
    texts = [path.read_text("utf-8") for path in _REPORT.iterdir() if path.name.endswith(".j2")]
    classes = (
        re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", found)
        for text in texts
        for found in re.findall(r'class="([^"]*)"', text)
    )
    return {name for several in classes for name in several.split()}


def test_a_class_of_the_report_is_styled_by_its_own_sheets() -> None:
    ours = [_styled_anywhere((_APP / name).read_text("utf-8")) for name in _SHEETS]
    theirs = _used_by_report()
    assert {"flow", "ways", "drop"} <= theirs
    assert set.union(*ours) & theirs <= _SHARED


@pytest.mark.parametrize("name", ["facts", "pick", "made", "flow"])
def test_two_screens_do_not_mean_different_things_by_a_class(name: str) -> None:
    """Each of these is styled at large in one sheet at most."""
    styled = [name in _styled_anywhere((_APP / sheet).read_text("utf-8")) for sheet in _SHEETS]
    assert sum(styled) <= 1
