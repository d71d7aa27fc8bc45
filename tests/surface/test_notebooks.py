"""Results show pictures in a notebook, and the notebooks of the documentation run."""

import ast
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import evenhand as eh

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt;",
    "a\u202eb",
)
PICTURED = (eh.Audit, eh.Certificate, eh.CausalGraph, eh.PartialGraph, eh.Release)


def results(name="plain"):
    """An audit, its certificate, its graph and a release of a table with this name in it."""
    columns = {
        f"sex {name}": [f"f{name}", f"f{name}", "m", "m"] * 2,
        f"town {name}": [f"A{name}"] * 4 + ["B"] * 4,
        f"hired {name}": [f"yes{name}", "no"] * 4,
    }
    counts = eh.CountTable.of(columns, [40, 60, 60, 40, 50, 50, 55, 45])
    sex, town, hired = columns
    asked = eh.Question(protected=sex, group=f"f{name}", decision=hired, favorable=f"yes{name}")
    graph = eh.CausalGraph(tuple(columns), frozenset({(sex, hired), (town, hired)}))
    audit = eh.audit(counts, asked, graph=graph)
    return audit, audit.certificate, audit.graph, audit.release(seed=1)


class Reader(HTMLParser):
    """Notes the tags and the names of attributes."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.names = [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}


def check(html):
    """Check that there is a picture, and nothing that acts or asks."""
    found = Reader(html)
    assert "svg" in found.tags
    assert not {"script", "img", "iframe", "link", "a", "foreignobject", "use"} & {*found.tags}
    assert not {name for name in found.names if name.startswith(("on", "src", "href", "xlink"))}
    assert not re.search(r"<script|@import|url\(|https?:", html)


@pytest.mark.parametrize("at", range(4), ids=["audit", "certificate", "graph", "release"])
def test_each_result_has_a_picture_and_neither_script_nor_request(at):
    check(results()[at]._repr_html_())


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_values_are_text_in_every_picture(name):
    for plain, hostile in zip(results(), results(name), strict=True):
        html = hostile._repr_html_()
        check(html)
        assert name not in html
        # A long name takes a second line in its box.
        tags = [
            [tag for tag in Reader(one._repr_html_()).tags if tag != "text"]
            for one in (plain, hostile)
        ]
        assert tags[0] == tags[1]


def test_a_result_needs_nothing_but_evenhand_and_the_report_waits_until_it_is_asked_for():
    code = """
import sys, evenhand as eh
assert "evenhand.display" not in sys.modules
graph = eh.CausalGraph.parse("sex -> hired")
assert "jinja2" not in sys.modules and "evenhand.report" not in sys.modules
assert "<svg" in graph._repr_html_()
"""
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - ours


def displayed(notebook):
    """Run the cells in order, and yield what a notebook would show below each."""
    names = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, notebook.name, "exec"), names)  # noqa: S102 - ours
            if last:
                yield eval(compile(ast.Expression(last.value), "", "eval"), names)  # noqa: S307


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_of_the_documentation_runs_and_shows_pictures(notebook, monkeypatch):
    if "imblearn" in notebook.read_text("utf-8"):
        pytest.importorskip("imblearn", reason="no imbalanced-learn here")
    monkeypatch.chdir(notebook.parent)
    before = sorted(notebook.parent.iterdir())
    shown = list(displayed(notebook))
    assert sum(isinstance(result, PICTURED) for result in shown) >= 3
    for result in shown:
        if isinstance(result, PICTURED):
            check(result._repr_html_())
            assert len(result._repr_html_().encode()) < 40_000
    assert sorted(notebook.parent.iterdir()) == before


def test_there_are_three_notebooks_without_outputs():
    assert len(NOTEBOOKS) == 3
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None
