"""Refuses TOML that is deeper or longer than a question file needs, before it is parsed.

The parser takes time that grows with the square of the parts of a dotted key, recurses into
each bracket, and converts numbers of any length. One linear look at the text bounds all three.
"""

import re

_DEEPEST = 40
_LONGEST_KEY = 40  # parts
_LONGEST_WORD = 1000  # characters of a number, date or bare name

# An unclosed text goes on to its line's or the file's end: the parser will say so.
_TOKEN = re.compile(
    r"""(?P<text>"{3}(?:[^\\]|\\.)*?(?:"{3}|\Z) | '{3}.*?(?:'{3}|\Z)
        | "(?:[^"\\\n]|\\.)*"? | '[^'\n]*'? | \#[^\n]*)
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<dot>\.)
    | (?P<separator>[=,\n])
    | (?P<word>[^\s"'\#\[\]{}.=,]+)""",
    re.VERBOSE | re.DOTALL,
)


def excess(text: str) -> tuple[str, int] | None:
    r"""What the text has too much of, in words, and on which line; None if nothing.

    >>> excess("a = " + "[" * 100)
    ('brackets nested deeper than 40', 1)
    >>> excess('[data.bins]\n"a.b" = [0.5, 1.5]')
    """
    depth = parts = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            depth, parts = depth + 1, 0
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "separator":
            parts = 0
        elif kind == "dot":
            parts += 1
        what = (
            f"brackets nested deeper than {_DEEPEST}"
            if depth > _DEEPEST
            else f"a name of more than {_LONGEST_KEY} parts"
            if parts >= _LONGEST_KEY
            else f"a number or bare name of more than {_LONGEST_WORD:,} characters"
            if kind == "word" and len(match.group()) > _LONGEST_WORD
            else ""
        )
        if what:
            return what, text.count("\n", 0, match.start()) + 1
    return None
