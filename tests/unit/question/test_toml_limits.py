import tomllib
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import QuestionError
from evenhand.question import QuestionFile
from evenhand.question.question_file import toml_string
from evenhand.question.toml_limits import excess

DOTTED = ".".join("a" * 100_000)
TOO_MUCH = {
    "dotted key": (f"{DOTTED} = 1", "parts"),
    "spaced key": (f"{' . '.join('a' * 60)} = 1", "parts"),
    "quoted key": ('"a.b".' * 60 + "c = 1", "parts"),
    "table": (f"[{DOTTED}]", "parts"),
    "table of a list": (f"[[{DOTTED}]]", "parts"),
    "inline table": (f"a = {{ {DOTTED} = 1 }}", "parts"),
    "arrays": ("a = " + "[" * 5000 + "]" * 5000, "nested"),
    "inline tables": ("a = " + "{a = " * 5000 + "1" + "}" * 5000, "nested"),
    "whole number": ("threshold = " + "9" * 5000, "characters"),
    "with underscores": ("threshold = " + "1_" * 5000 + "1", "characters"),
    "decimals": ("threshold = 0." + "9" * 500_000, "characters"),
    "binary": ("threshold = 0b" + "1" * 500_000, "characters"),
    "quotes that never close": ('a = """' + '\\"""' * 50_000 + "\n" + "[" * 50, None),
}


@pytest.mark.parametrize(("text", "what"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_the_parser_would_choke_on_is_refused_at_once(text, what):
    start = process_time()
    with pytest.raises(QuestionError) as refused:
        QuestionFile.parse("# first\n" + text, where="q.toml")
    assert process_time() - start < 1
    if what:
        (problem,) = refused.value.problems
        assert what in problem.what
        assert problem.where == "q.toml, line 2"


def test_a_text_that_is_no_file_has_the_same_limit():
    with pytest.raises(QuestionError, match="too large"):
        QuestionFile.parse("#" * 1_000_001)


NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(NAMES, max_size=60), st.lists(st.floats(allow_nan=False), max_size=60))
def test_long_lists_and_odd_texts_are_not_mistaken_for_depth(names, numbers):
    quoted = [toml_string(name) for name in names]
    lines = [f"columns = [{', '.join(quoted)}] # " + "[" * 99, f"cuts = {numbers}"]
    lines += [f"k{at} = {{ a.b = {text} }}" for at, text in enumerate(quoted)]
    lines += [
        "[" * 2 + "t.u" + "]" * 2,
        "a = '''" + "[.]" * 99 + "'''",
        "b = '" + "[" * 99 + "'",
    ]
    text = "\n".join(lines)
    assert tomllib.loads(text)["columns"] == names
    assert excess(text) is None


@pytest.mark.parametrize("text", ["d = 2020-13-45", "d = 9999-99-99T00:00:00Z"])
def test_a_date_that_no_calendar_has_is_told(text):
    with pytest.raises(QuestionError, match="not TOML"):
        QuestionFile.parse(text)
