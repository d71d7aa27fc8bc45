"""How the documentation is built: sphinx-build -n -W docs build/docs."""  # noqa: INP001  # no package

import runpy
from importlib.metadata import version as version_of
from pathlib import Path

import nbformat
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from nbclient import NotebookClient
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

project = "evenhand"
version = release = version_of("evenhand")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"evenhand {version}"
html_show_copyright = False
smartquotes = False  # options begin with two hyphens

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"

# Types of other packages, and those of inner modules, have no page here.
nitpick_ignore_regex = [
    (
        "py:.*",
        r"(collections|decimal|fractions|numpy|nx|os|pathlib|pd|pyarrow|sklearn|tuple|types|typing)\b.*",
    ),
    ("py:.*", r"evenhand(\.\w+){3,}"),
    ("py:class", "Method|Baseline|Plan"),  # named where only a type checker imports them
]


class NotebookParser(MystParser):
    """Runs a notebook and reads it as a page; an error in a cell stops the build."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Put each output below its cell, as HTML where there is some."""
        notebook = nbformat.reads(inputstring, as_version=4)
        folder = str(Path(document["source"]).parent)
        NotebookClient(notebook, resources={"metadata": {"path": folder}}).execute()
        parts = []
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                parts.append(cell.source)
                continue
            parts.append(f"````python\n{cell.source}\n````")
            parts += map(output_block, cell.outputs)
        super().parse("\n\n".join(parts), document)


def output_block(output: nbformat.NotebookNode) -> str:
    """An output in MyST: what a notebook would show."""
    if output.output_type == "stream":
        return f"````text\n{output.text}\n````"
    if "text/html" in output.data:
        return f"````{{raw}} html\n{output.data['text/html']}\n````"
    return f"````text\n{output.data['text/plain']}\n````"


class Picture(SphinxDirective):
    """The picture of a result that the page's own examples make."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Draw it; an error in an example stops the build."""
        gallery = runpy.run_path(str(Path(__file__).parents[1] / "scripts/gallery.py"))
        page = Path(self.env.doc2path(self.env.docname))
        return [nodes.raw("", gallery["picture"](page, *self.arguments), format="html")]


def setup(app: Sphinx) -> None:
    """Pages may be notebooks, and may show what their examples make."""
    app.add_directive("picture", Picture)
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
