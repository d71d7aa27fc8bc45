"""The text of a commented question file, from a draft of what it should say."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from evenhand.question.question_file import toml_key, toml_value
from evenhand.rows.question_draft import QuestionDraft

_MISSING = {"drop": "leaves such rows out", "level": "makes that a value of its own"}


def template(draft: QuestionDraft, *, data: str) -> str:
    """Return a question file; what the draft leaves open is empty or commented out."""
    given = draft.codings.to_dict().get("bins", {})
    plain = (one for one in draft.kept if one.name == one.name.strip())
    return _template().render(
        draft=draft,
        inspection=draft.inspection,
        data=data,
        missing=_MISSING,
        other_markers={v: rows for v, rows in draft.markers.items() if v not in draft.na},
        given_bins=given if isinstance(given, dict) else {},
        names=[one.name for one in draft.kept],
        examples=[one for one in plain if one.name not in draft.bins][:2],
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("evenhand.rows", ""),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # TOML: every text goes through a filter that quotes it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "toml": toml_value,
        "key": toml_key,
        "many": "{:,}".format,
        "dict": dict,
        "one_line": lambda text: " ".join(text.split()),  # so that it cannot end a comment
    }
    return environment.get_template("question_file.toml.j2")
