"""The picture of a page of the gallery, drawn from the results of the page's own examples."""

import doctest
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_FIGURE = re.compile(r"<figure.*?</figure>", re.DOTALL)


def picture(page: Path, result: str, place: str = "-1") -> str:
    """Runs the examples of a page; returns a figure that a notebook shows of a result.

    By default it is the last one. It is an HTML fragment with its style: one SVG or several,
    and no script.
    """
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(page.read_text("utf-8")):
        with redirect_stdout(StringIO()):
            exec(compile(example.source, page.name, "single"), names)  # noqa: S102  # our page
    html = names[result]._repr_html_()  # type: ignore[attr-defined]
    style, figures = _STYLE.search(html), _FIGURE.findall(html)
    if not figures or style is None:
        raise ValueError(f"{page.name}: nothing is drawn of {result}.")
    return f'<div class="evenhand">{style[0]}{figures[int(place)]}</div>'
