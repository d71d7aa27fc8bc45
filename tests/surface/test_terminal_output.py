"""Files that somebody else wrote cannot act on a terminal: every verb, raw bytes.

Names and values hold what clears a screen, sets a title, hides or turns text around, or begins
a line of its own. Nothing of that may be in what a terminal gets.
"""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from unicodedata import category

import pytest

import evenhand.cli
from evenhand.cli.application import main

ACTING = "\x1b[2J\x1b]0;t\x07\x9b2J\u202e\u2066\u200b\ufeff\ufe0f\x7f\U000e0041"
BREAKS = "\r\nINJECTED\u2028INJECTED"
HOSTILE = f"{ACTING}{BREAKS}"
# What evenhand itself writes: bold, the boxes and colors of usage errors, the bar of progress.
OWN = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[12]K|\x1b\[1A|\r(?=\n|\x1b|$)|\r\n")
SEX, JOB, HIRED = f"sex{HOSTILE}", f"job{HOSTILE}", f"hired{HOSTILE}"
COLUMNS = [SEX, JOB, HIRED]


class Terminal(io.TextIOWrapper):
    """A text stream over bytes that says it is a terminal."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self):
        return True


def acting(raw):
    """The characters in the bytes that act or hide, evenhand's own sequences aside."""
    text = OWN.sub(b"", raw).decode().replace("\n", "")
    return {
        mark
        for mark in text
        if category(mark) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or mark in "\ufe0f\U000e0041"
    }


def harmless(raw):
    lines = raw.decode().splitlines()
    return not acting(raw) and not [line for line in lines if line.startswith("INJECTED")]


@pytest.fixture
def run(monkeypatch):
    """Run a command on terminals, on which nothing acts; returns status, and both outputs."""

    def running(*arguments):
        out, err = Terminal(), Terminal()
        monkeypatch.setattr(sys, "argv", ["evenhand", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code or 0, *printed(out, err)

    return running


def printed(*streams):
    """What went to terminals; none of it may act there."""
    for raw in (texts := [stream.buffer.getvalue() for stream in streams]):
        assert harmless(raw), acting(raw)
    return texts


def write_table(path, columns=COLUMNS):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for sex, job, yes, no in (("f", "a", 30, 70), ("m", "a", 60, 40), ("f", "b", 20, 80)):
            for decision, rows in (("yes", yes), ("no", no)):
                writer.writerows([[sex + HOSTILE, job + HOSTILE, decision + HOSTILE]] * rows)
        writer.writerows([["m" + HOSTILE, "b" + HOSTILE, "yes" + HOSTILE]] * 90)
        writer.writerows([["m" + HOSTILE, "b" + HOSTILE, "no" + HOSTILE]] * 10)


@pytest.fixture
def folder(tmp_path):
    write_table(tmp_path / "data.csv")
    graph = {"nodes": COLUMNS, "arrows": [[SEX, HIRED], [JOB, HIRED]], "undirected": []}
    (tmp_path / "graph.json").write_text(json.dumps(graph))
    return tmp_path


@pytest.fixture
def asked(folder):
    question = {"--protected": SEX, "--group": "f" + HOSTILE}
    question |= {"--decision": HIRED, "--favorable": "yes" + HOSTILE}
    words = [word for pair in question.items() for word in pair]
    return [folder / "data.csv", *words]


VERBS = [
    "inspect", "inspect --json", "init --output {0}/q.toml", "discover", "discover --json",
    "discover --format dot", "discover --set local", "discover --set local --json",
    "audit", "audit --json", "audit --quiet",
    "audit --graph {0}/graph.json --set doubt --set arrows --set bootstrap=2",
    "audit --set scope=all --set partition=nothing", "compare", "compare --json",
    "release --dry-run", "release --dry-run --json", "release --output {0}/out.csv",
    "release --json --output {0}/out.csv",
]  # fmt: skip


NAMELESS = {"audit --quiet", "compare --json", "init --output {0}/q.toml"}


@pytest.mark.parametrize("verb", VERBS)
def test_names_and_values_of_a_table_cannot_act(run, folder, asked, verb):
    name, *options = verb.format(folder).split()
    status, out, err = run(name, *asked, *options)
    assert status in (0, 1, 3) or "partition" in verb, err
    assert b"hired" in out + err or verb in NAMELESS


@pytest.mark.parametrize("form", [[], ["--json"], ["--quiet"], ["--set", "bootstrap=2"]])
@pytest.mark.parametrize(
    "through", [[JOB], [HOSTILE], [SEX], [JOB, "--set", f"explained={JOB}"]]
)
def test_columns_on_the_way_cannot_act(run, folder, asked, form, through):
    options = ["--graph", folder / "graph.json", "--redlining", *through, *form]
    status, out, err = run("audit", *asked, *options)
    assert status in (0, 1, 3) if through == [JOB] else status == 2
    assert b"job" in out + err or through in ([SEX], [HOSTILE])


def test_a_graph_for_another_program_keeps_its_names(asked):
    command = [sys.executable, "-m", "evenhand", "discover", *map(str, asked)]
    for form in ("dot", "json"):
        done = subprocess.run([*command, "--format", form], capture_output=True, check=True)  # noqa: S603
        text = done.stdout.decode()
        if form == "json":
            assert {*json.loads(text)["nodes"]} == {*COLUMNS}
        else:
            assert HIRED in text


def test_a_document_on_a_terminal_means_the_same(run, asked):
    _, out, _ = run("discover", *asked, "--json")
    assert {*json.loads(out)["nodes"]} == {*COLUMNS}


@pytest.fixture
def released(run, folder, asked):
    run("release", *asked, "--graph", folder / "graph.json", "--output", folder / "out.csv")
    return folder


def alter(path, change):
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    return path


def put(*keys):
    """Put a hostile text, or a hostile key, at a place of a JSON document."""

    def change(content):
        *way, last = keys
        for key in way:
            content = content[key]
        content[last] = HOSTILE

    return change


@pytest.mark.parametrize(
    "change",
    [
        dict,
        put(HOSTILE),
        put("codings", HOSTILE),
        put("verdict"),
        put("threshold"),
        put("format"),
        put("version"),
        put("protected"),
        put("graph", "origin"),
        put("graph", HOSTILE),
        put("release", HOSTILE),
        lambda content: content["graph"]["nodes"].append(HOSTILE),
        lambda content: content["graph"]["arrows"].append([HIRED, SEX]),
        lambda content: content["partitions"].append({HOSTILE: HOSTILE}),
    ],
)
@pytest.mark.parametrize("data", [[], ["out.csv"]], ids=["alone", "data"])
def test_a_certificate_cannot_act(run, released, change, data):
    path = alter(released / "out.certificate.json", change)
    for form in ([], ["--json"], ["--expect", "certified"]):
        run("verify", path, *(released / name for name in data), *form)
    checked(path, *(released / name for name in data))


def checked(*arguments):
    """Run the stand-alone checker; nothing that it prints acts on a terminal."""
    from evenhand.checker.__main__ import main as check  # noqa: PLC0415

    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err = Terminal(), Terminal()
    try:
        for form in ([], ["--json"]):
            check([*map(str, arguments), *form])
    except SystemExit:
        pass
    finally:
        sys.stdout, sys.stderr = streams
    printed(out, err)


@pytest.mark.parametrize(
    "change",
    [
        dict,
        put("output", "name"),
        put("output", "sha256"),
        put("input", HOSTILE),
        put("plan", "policy"),
        put(HOSTILE),
        put("version"),
    ],
)
def test_a_manifest_cannot_act(run, released, change):
    path = alter(released / "out.manifest.json", change)
    for form in ([], ["--json"]):
        run("verify", path, released / "data.csv", *form)


ESCAPED = json.dumps(HOSTILE)
QUESTION_FILES = {
    "table": f"[{ESCAPED}]\n",
    "key": f"[question]\n{ESCAPED} = 1\n",
    "plain": f"{ESCAPED} = 1\n",
    "value": f'[question]\nprotected = {ESCAPED}\ngroup="a"\ndecision="d"\nfavorable="b"\n',
    "twice": f"[{ESCAPED}]\n[{ESCAPED}]\n",
    "raw": f"[a]\nx = {ACTING}\n",
    "tiers": f"[knowledge]\ntiers = [[{ESCAPED}], [{ESCAPED}]]\n",
    "edit": f"[graph]\nadd = [{ESCAPED}]\n",
    "bins": f"[data.bins]\n{ESCAPED} = [{ESCAPED}]\n",
    "missing": f"[data]\nmissing = {ESCAPED}\n",
    "judge": f"[question]\njudge = {ESCAPED}\nthreshold = {ESCAPED}\n",
    "label": f"[labels.columns]\n{ESCAPED} = {ESCAPED}\n",
}


@pytest.mark.parametrize("name", QUESTION_FILES)
def test_a_question_file_cannot_act(run, folder, asked, name):
    path = folder / "q.toml"
    path.write_text(QUESTION_FILES[name].replace("\\U", "\\u"), "utf-8")
    for form in ([], ["--json"]):
        status, *_ = run("audit", *asked, "--question", path, *form)
        assert status == 2


GRAPHS = {
    "cycle.json": json.dumps({"arrows": [[SEX, JOB], [JOB, SEX]]}),
    "unknown.json": json.dumps({"nodes": [HOSTILE], "arrows": [[SEX, HOSTILE]]}),
    "key.json": json.dumps({HOSTILE: HOSTILE}),
    "text.txt": f"a -> {ACTING} -> a",
    "broken.txt": f"a -> b -> \n{HOSTILE} -> -> b",
    "raw.dot": f"digraph {{ a -> {ACTING} }}",
    "cycle.dot": f'digraph {{ "a{HOSTILE}" -> b -> "a{HOSTILE}" }}',
    "attribute.dot": f'digraph {{ a -> b [dir="{HOSTILE}"] }}',
    "both.txt": f"{ACTING} <-> b",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_file_cannot_act(run, folder, asked, name):
    (folder / name).write_text(GRAPHS[name], "utf-8")
    for form in ([], ["--json"]):
        status, *_ = run("audit", *asked, "--graph", folder / name, *form)
        assert status == 2


TABLES = {
    "ragged": b'a,b\n1,2\n1,"' + HOSTILE.encode() + b'",3\n',
    "twice": f"{ACTING},{ACTING}\n1,2\n".encode(),
    "missing": f'"{SEX}",b\nx,\n'.encode(),
    "binary": ACTING.encode("utf-16"),
    "other": f"{ACTING}\n1\n".encode(),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("verb", ["audit", "inspect", "discover"])
def test_a_table_that_is_refused_cannot_act(run, tmp_path, name, verb):
    path = tmp_path / f"{ACTING.replace('/', '')}.csv"
    path.write_bytes(TABLES[name])
    question = ["--protected", SEX, "--group", HOSTILE, "--decision", "b", "--favorable", "1"]
    for form in ([], ["--json"]):
        run(verb, path, *question, *form)


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        [f"--{HOSTILE}"],
        ["audit", "a.csv", HOSTILE],
        ["audit", HOSTILE],
        ["audit", f"{ACTING}.cs"],
        ["audit", "a.csv", f"--{HOSTILE}"],
        ["audit", "a.csv", "--set", f"significance={HOSTILE}"],
        ["audit", "a.csv", "--question", HOSTILE],
        ["discover", "a.csv", "--bin", HOSTILE, "--merge", HOSTILE],
        ["verify", HOSTILE],
        ["verify", "a.csv", "--expect", HOSTILE],
        ["release", "a.csv", "--method", HOSTILE],
        ["paper", "--data", HOSTILE],
    ],
)
def test_what_is_typed_or_a_file_is_called_cannot_act(run, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / f"{ACTING.replace('/', '')}.csv").write_text("a\n")
    for form in ([], ["--json"]):
        status, *_ = run(*words, *form)
        assert status == 2


def test_a_real_terminal_gets_no_hostile_byte(asked):
    """As ``run`` does it, through a pseudo-terminal of the system."""
    leader, follower = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "evenhand",
        "discover",
        *map(str, asked),
        "--format",
        "dot",
    ]
    with subprocess.Popen(command, stdout=follower, stderr=follower) as running:  # noqa: S603
        os.close(follower)
        raw = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # Linux says so at the end
                break
            if not part:
                break
            raw += part
        running.wait()
    os.close(leader)
    assert b"digraph {" in raw
    assert harmless(raw.replace(b"\r\n", b"\n")), acting(raw)


def test_there_is_one_way_to_a_terminal():
    folder = Path(evenhand.cli.__file__).parent
    ways = re.compile(r"\becho\(|\bsecho\(|\bprint\(|\bstd(?:out|err)\.write\(")
    others = {p.name for p in folder.glob("*.py") if ways.search(p.read_text("utf-8"))}
    assert others == {"terminal.py"}
