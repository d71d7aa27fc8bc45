"""The paper's figures beside ours are those of the documentation, whatever our defaults are."""

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.reproduction import as_markdown, reproduce

PAGE = Path(__file__).parents[3] / "docs" / "reproduction.md"


def by_title(page):
    """The sections of a page but those of seconds, which no two runs share."""
    parts = [part.strip().partition("\n") for part in page.split("\n## ")[1:]]
    return {title: text for title, _, text in parts if not title.endswith(": seconds")}


@pytest.mark.parametrize("data", [None, "dutch"])
def test_the_figures_are_the_papers_whatever_our_default_significance_is(
    data, request, monkeypatch
):
    """At 1/2 discovery finds other causes of income."""
    monkeypatch.setitem(eh.discover.__kwdefaults__, "significance", 0.5)
    found = by_title(as_markdown(reproduce(data and request.getfixturevalue(data))))
    documented = by_title(PAGE.read_text("utf-8"))
    assert found == {title: documented[title] for title in found}
    assert len(found) == (len(documented) if data else 4)
