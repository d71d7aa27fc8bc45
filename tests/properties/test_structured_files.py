"""Question files, graphs, records and manifests of any structure are read or refused."""

import json
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.alterations import DROPPED, at_path, places, replaced
from tests.certificate_records import CERTIFICATE, sealed
from tests.hiring import GRAPH, csv_text, people, released

import evenhand as eh
from evenhand import checker
from evenhand.errors import EvenhandError
from evenhand.graph import CausalGraph, PartialGraph, load_graph
from evenhand.question.question_file import QuestionFile, toml_value
from evenhand.recheck import check_record

# What no file of ours holds: numbers without end, names twice, depth, halves of characters.
RAW = [
    *("NaN", "-Infinity", "1e999", "-0.0", "1.5", "9" * 5000, "-1", "0", str(2**63), "1E400"),
    *('{"a":1,"a":2}', "[" * 5000, '{"a":' * 5000, "[" * 5000 + "]" * 5000, "[]", "{}", "null"),
    *(r'"\ud800"', '"\0"', r'"\u001b[2J"', '"\\', "tru", "", "nan", "1979-05-27", "0x1f"),
]
NAMES = ["sex", "degree", "hired", "pay", "f", "m", "yes", "*", "é", "", "x y", "a\x1b[2J"]
ODD = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**40, 0.5, 1e308, float("nan")),
    *([], {}, [[]], "\0", "\ud800", "1/0", "1/20", "9" * 40, "1e999", "certified", *NAMES),
]
VALUES = st.recursive(
    st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
TOML = """# a question
[question]
protected = "sex"
group = "f"
other = "m"
decision = "hired"
favorable = "yes"
threshold = "0.05"
judge = "rows"

[knowledge]
tiers = [["sex"], ["degree"], ["hired"], ["pay"]]
require = [["degree", "hired"]]
forbid = [["pay", "sex"]]

[data]
columns = ["sex", "degree", "hired", "pay"]
missing = "level"
na = ["?"]

[data.merge.degree]
any = ["some", "most"]

[labels.columns]
sex = "Sex"

[labels.values.sex]
f = "women"
"""
MARK = "\0here\0"


@st.composite
def altered(draw, document):
    """A document with a few places dropped, exchanged, or with any other value."""
    for _ in range(draw(st.integers(1, 3))):
        paths = [*places(document)]
        if not paths:
            break
        path = draw(st.sampled_from(paths))
        other = st.sampled_from(paths).map(lambda one, of=document: at_path(of, one))
        document = replaced(document, path, draw(st.just(DROPPED) | other | VALUES))
    return document


@st.composite
def json_texts(draw, documents):
    """The text of a document that was altered, sealed again, and perhaps is no JSON."""
    document = draw(altered(draw(st.sampled_from(documents))))
    raw = draw(st.none() | st.sampled_from(RAW))
    paths = [*places(document)]
    if raw is not None and paths:
        document = replaced(document, draw(st.sampled_from(paths)), MARK)
    is_text = "\\ud" not in json.dumps(document)
    text = sealed(document) if "seal" in document and is_text else json.dumps(document)
    return text.replace(json.dumps(MARK), raw or "")


@st.composite
def toml_texts(draw):
    """A question file with other settings, twice or in other tables, or none that is TOML."""
    tables = draw(altered(tomllib.loads(TOML)))
    lines = []
    for name, table in tables.items() if isinstance(tables, dict) else ():
        lines.append(draw(st.sampled_from([f"[{name}]"] * 8 + [f"[[{name}]]", "[x]", ""])))
        for key, value in table.items() if isinstance(table, dict) else ():
            raw = draw(st.sampled_from([None] * 5 + RAW))
            lines.append(f"{json.dumps(key)} = {_toml(value) if raw is None else raw}")
    return "\n".join(lines)


def _toml(value):
    """A value as TOML; what has no form there is left to say what it is."""
    try:
        return toml_value(value)
    except (TypeError, ValueError, AttributeError):
        return str(value)


EDGES = ["->", "<-", "--", "-", "<->", "o-o", "-->", "---", "~", ";", "\n", ",", ":", "|", "."]
SIGNS = [*'{}[]()"=#\\', "/*", "//", "1.", "dag", "digraph", "Graph Nodes:", "network", "label"]
WORDS = st.sampled_from([*NAMES, *EDGES, *EDGES, *SIGNS])
NETWORK = (
    "network n {}\nvariable sex {\n type discrete [ 2 ] { a, b };\n}\nprobability ( sex ) {}"
)
GRAPH_TEXTS = [
    "; ".join(f"{a} -> {b}" for a, b in sorted(GRAPH.arrows)),
    'digraph g { rankdir=LR; "sex" -> hired -> pay [label="a"]; degree -> hired; }',
    'dag {\nsex [exposure,pos="1,2"]\n{sex degree} -> hired -> "pay"\n}\n',
    "# causes\nsex -> hired\ndegree -> hired; sex - degree\nhired -> pay\n",
    "Graph Nodes:\nsex;degree;hired;pay\n\nGraph Edges:\n1. sex --> hired\n2. sex --- degree\n",
    "[sex][degree][hired|sex:degree][pay|hired]",
    NETWORK,
]


@st.composite
def graph_texts(draw):
    """A graph in one of the notations, with words put in, left out or repeated; or of words."""
    words = draw(st.sampled_from([[], *(text.split(" ") for text in GRAPH_TEXTS)]))
    for _ in range(draw(st.integers(1, 12 if not words else 4))):
        at = draw(st.integers(0, len(words)))
        words = [*words[:at], draw(WORDS), *words[at + draw(st.integers(0, 1)) :]]
    return draw(st.sampled_from([" ", " ", ""])).join(words)


@cache
def documents():
    """Valid files by kind: records of both copies, a manifest, a graph."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "people.csv"
        source.write_text(csv_text(people()), newline="")
        files = released(source).write(Path(folder) / "out.csv", share=True)
        texts = [one.read_text() for one in (files.certificate, files.shared, files.manifest)]
    learned = eh.audit(eh.datasets.admissions(2), eh.datasets.question("admissions"))
    records = [*texts[:2], CERTIFICATE.to_json(), learned.stated_certificate.to_json()]
    graph = {"nodes": ["sex", "hired", "pay"], "arrows": [["sex", "hired"]], "undirected": []}
    return {
        "record": [*map(json.loads, records)],
        "manifest": [json.loads(texts[2])],
        "graph": [graph, json.loads(records[-1])["graph"]],
    }


def texts_of(kind):
    """Texts of a kind of file."""
    if kind == "question":
        return toml_texts()
    of_json = st.deferred(lambda: json_texts(documents()[kind]))
    return of_json | graph_texts() if kind == "graph" else of_json


def name_of(kind, text):
    """The name of a file with a text."""
    is_text = kind == "graph" and not text.startswith("{")
    return "case.toml" if kind == "question" else "case.txt" if is_text else "case.json"


def check(kind, text):
    """A text is read, or refused in words that a terminal can print; nothing else happens."""
    encoded = text.encode("utf-8", "surrogatepass")
    with TemporaryDirectory() as folder:
        path = Path(folder) / name_of(kind, text)
        path.write_bytes(encoded)
        refused = read(kind, path, text)
        assert all(problem.what for problem in refused)


def read(kind, path, text):
    """Read a file of a kind: why it is refused; nothing if it is not."""
    try:
        if kind == "question":
            QuestionFile.load(path)
        elif kind == "graph":
            load_graph(path)
            for of in (CausalGraph, PartialGraph):
                of.parse(text)
        else:
            found = check_record(path)
            assert found.status in ((0, 1, 3) if kind == "record" else (1, 3))
            assert found.status == 0 or found.by_checker
    except EvenhandError as error:
        return error.problems
    return ()


KINDS = ("question", "graph", "record", "manifest")
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def check_cases(kind, many, check=check):
    """Check so many texts."""

    @given(texts_of(kind))
    @settings(max_examples=many, deadline=None, suppress_health_check=CALM)
    def check_each(text):
        check(kind, text)

    check_each()


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_any_structure_are_read_or_refused(kind):
    check_cases(kind, 100)


@pytest.mark.parametrize("raw", RAW)
def test_what_no_record_holds_is_refused_by_both_programs(raw, tmp_path):
    """In place of a number, of a name and of the whole."""
    whole = CERTIFICATE.to_json()
    for text in (whole.replace('"dropped":0', f'"dropped":{raw}'), raw):
        if raw == "0" and text == whole:
            continue
        found = checker.verify(text)
        assert found.status == 1, raw
        assert max(map(len, found.notes)) < 1000
        path = tmp_path / "case.json"
        path.write_text(text, "utf-8")
        assert read("manifest", path, text) or check_record(path).status == 1
