"""How the documentation is built: sphinx-build -n -W docs build/docs."""  # noqa: INP001  # no package

from importlib.metadata import version as version_of

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
    ("py:.*", r"(collections|fractions|numpy|nx|pathlib|pd|pyarrow|tuple|types|typing)\b.*"),
    ("py:.*", r"evenhand(\.\w+){3,}"),
]
