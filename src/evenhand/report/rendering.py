"""A page as HTML: one file that asks for nothing, runs nothing and shows data as text."""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evenhand.display import visible
from evenhand.evidence.subpopulations import p_value
from evenhand.files import write_file
from evenhand.wording import Code, Strong, capital, count, rate, share


class View(SimpleNamespace):
    """Named values for a template, which refuses a name that is not there."""

    def but(self, **changes: object) -> "View":
        """The same with other values."""
        return View(**(vars(self) | changes))


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """A report as one HTML page; ``is_shared`` if it is the copy for others."""

    page: View
    is_shared: bool = False

    def __repr__(self) -> str:
        return f"<Report: {self.page.title}>"

    @property
    def html(self) -> str:
        """The whole page."""
        return render(self.page, is_shared=self.is_shared)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the page atomically; a full report is readable by its owner only (mode 0600).

        An existing file is replaced only with ``overwrite``.
        """
        mode = 0o644 if self.is_shared else 0o600
        return write_file(path, self.html, mode=mode, overwrite=overwrite)

    def _repr_html_(self) -> str:
        frame = '<iframe sandbox width="100%" height="800" srcdoc="{}"></iframe>'
        return str(Markup(frame).format(self.html))  # noqa: S704  # a constant


def render(page: View, *, is_shared: bool) -> str:
    """Fill the templates with a page's values, and with the style sheet and its hash."""
    style = style_sheet(
        "pictures.css",
        "style.css",
        *["against.css"] * bool(not is_shared and page.who),
        *["paths.css"] * bool(page.claim),
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = environment().get_template("shared.html.j2" if is_shared else "page.html.j2")
    return template.render(vars(page), style=Markup(style), style_hash=digest)  # noqa: S704  # ours


def style_sheet(*names: str) -> str:
    """Style sheets of the templates, one after another; indentation is for who edits them."""
    folder = files("evenhand.report") / "templates"
    sheets = "".join(folder.joinpath(name).read_text("utf-8") for name in names)
    return re.sub(r"(?m)^ +", "", sheets)


@cache
def environment() -> Environment:
    """Templates that escape everything and refuse what they do not know."""
    loaded = Environment(
        loader=PackageLoader("evenhand.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for kind in (Strong, Code):
        loaded.tests[kind.__name__.lower()] = kind.__instancecheck__
    loaded.filters |= {
        "capital": capital,
        "count": count,
        "p_value": p_value,
        "rate": rate,
        "share": share,
        "thousands": "{:,}".format,
    }
    return loaded


def _finalize(value: object) -> object:
    """Data must not act: unseen characters are spelled out. Numbers of pictures are short."""
    if isinstance(value, float):
        return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # -0.0 + 0.0 is 0.0
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value
