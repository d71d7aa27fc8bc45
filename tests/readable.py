"""Outputs of a program as texts that can be read and compared: what is long is shortened.

Of a list in JSON, a table and a section of a page the first entries stay, and of the others
their number and a digest: a release has thousands of rows, and a page says much of what its
command prints.
"""

import hashlib
import json
from html.parser import HTMLParser

FIRST = 2  # lines that stay of many
WIDTH = 120
DEPTH = 3  # levels of what is printed as JSON; a file has one less
TABLES = (".csv", ".tsv.gz", ".parquet")


def readable(name: str, text: str) -> str:
    """The output of this name as a text."""
    if name.endswith(TABLES):
        return _ended(_shortened(text.splitlines()))
    if name.endswith(".html"):
        return page_text(text)
    if name.endswith(".json"):
        return _ended(_outlined(json.loads(text), DEPTH - 1))
    begin, end = text.find("\n{"), text.rfind("}\n--- errors")
    if 0 <= begin < end:  # what a command prints with --json
        document = "\n".join(_outlined(json.loads(text[begin : end + 1]), DEPTH))
        text = f"{text[: begin + 1]}{document}{text[end + 1 :]}"
    return text


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= FIRST + 1:
        return lines
    rest = lines[FIRST:]
    return [*lines[:FIRST], f"… {len(rest)} more, {_digest(rest)}"]


def _digest(lines: list[str]) -> str:
    return "sha256 " + hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _ended(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _outlined(value: object, depth: int, before: str = "", indent: str = "") -> list[str]:
    """The lines of a JSON value so many levels deep; what fits in one line is one."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(f"{indent}{before}{whole}") <= WIDTH or not isinstance(value, dict | list):
        return [f"{indent}{before}{whole}"]
    deeper = f"{indent}  "
    if not depth:
        return [f"{indent}{before}… {len(whole)} characters, {_digest([whole])}"]
    if isinstance(value, dict):
        parts = [
            line
            for key, part in value.items()
            for line in _outlined(
                part, depth - 1, f"{json.dumps(key, ensure_ascii=False)}: ", deeper
            )
        ]
        return [f"{indent}{before}{{", *parts, f"{indent}}}"]
    kept = value if len(value) <= FIRST + 1 else value[:FIRST]
    parts = [line for part in kept for line in _outlined(part, depth - 1, "", deeper)]
    if rest := value[len(kept) :]:
        texts = [json.dumps(part, ensure_ascii=False) for part in rest]
        parts.append(f"{deeper}… {len(rest)} more, {_digest(texts)}")
    return [f"{indent}{before}[", *parts, f"{indent}]"]


def page_text(page: str) -> str:
    """The text of a page by its sections, a block or a row of a table to a line."""
    reader = _PageText()
    reader.feed(page)
    reader.end_line()
    return _ended([line for section in reader.sections for line in _shortened(section)])


class _PageText(HTMLParser):
    INLINE = frozenset(
        {"a", "abbr", "b", "br", "code", "em", "i", "kbd", "label", "mark", "q", "s", "small"}
        | {"span", "strong", "sub", "sup", "time", "tspan", "u"}
    )
    CELLS = frozenset({"td", "th"})
    HEADINGS = frozenset({"h1", "h2", "h3"})
    SILENT = frozenset({"script", "style"})

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[list[str]] = [[]]
        self.line = ""
        self.silent = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.silent = tag in self.SILENT
        if tag in self.CELLS:
            self.line += " | "
        elif tag not in self.INLINE:
            self.end_line()
        if tag in self.HEADINGS:
            self.sections.append([])

    def handle_endtag(self, tag: str) -> None:
        self.silent = False
        if tag not in self.INLINE | self.CELLS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.line += data

    def end_line(self) -> None:
        if line := " ".join(self.line.split()):
            self.sections[-1].append(line)
        self.line = ""
