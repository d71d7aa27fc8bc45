"""The stand-alone checker: what it accepts, what it refuses, and where it says so."""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand import datasets
from evenhand.checker import checker
from evenhand.evidence import certify
from evenhand.graph.dag import CausalGraph
from evenhand.graph.partial import PartialGraph
from evenhand.rows import read

ROOM = Path(checker.__file__).parent
ADMISSION = datasets.question("admissions").question
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)
OPEN_GRAPH = PartialGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score - admission; "
    "gender -> test_score; major -> test_score"
)
CERTIFICATE = certify(datasets.admissions(2), GRAPH, ADMISSION, scope="all")


def sealed(document):
    """A forger's document: changed, and sealed again."""
    rest = {name: value for name, value in document.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return json.dumps({**rest, "seal": hashlib.sha256(text.encode()).hexdigest()})


def forged(change, text=None):
    document = json.loads(text or CERTIFICATE.to_json())
    change(document)
    return checker.verify(sealed(document))


def csv_of(counts, path, *, repeat=True):
    lines = [",".join(counts.names)]
    for labels, count in counts:
        lines += [",".join(labels)] * (count if repeat else 1)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_it_is_short():
    lines = [line for path in ROOM.glob("*.py") for line in path.read_text().splitlines()]
    assert len(lines) <= 300


def test_it_needs_nothing_but_the_standard_library():
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module]
            else:
                continue
            assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names


def test_it_runs_as_one_file_far_from_evenhand(tmp_path):
    alone = shutil.copy(ROOM / "checker.py", tmp_path / "checker.py")
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    data = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    run = subprocess.run(  # noqa: S603  # our own interpreter
        [sys.executable, "-I", "-S", alone, path, data],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    said = "The record is true.\n  Estimates are not checked.\n"
    assert (run.returncode, run.stdout) == (0, said), run.stderr


@pytest.mark.parametrize("example", [1, 2])
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
@pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])
def test_true_records_are_true(example, scope, graph):
    certificate = certify(datasets.admissions(example), graph, ADMISSION, scope=scope)
    assert checker.verify(certificate.to_json()) == (0, [])


def test_adult_is_true(paper_adult):
    causes = [name for name in paper_adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    certificate = certify(paper_adult, graph, datasets.question("adult").question)
    assert checker.verify(certificate.to_json()) == (0, [])


def test_a_shared_copy_alone_cannot_be_decided():
    status, notes = checker.verify(CERTIFICATE.to_shared_json())
    assert status == 3
    assert "shared copy" in notes[0]


def test_a_shared_copy_with_its_data_is_true(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    text = CERTIFICATE.to_shared_json(least_count=50)
    assert checker.verify(text, str(path)) == (0, [])


def test_a_shared_copy_that_contradicts_what_it_shows_is_false():
    def change(document):
        document["partitions"][0]["verdict"] = document["verdict"] = "certified"

    status, notes = forged(change, CERTIFICATE.to_shared_json())
    assert status == 1
    assert notes[0].startswith("partitions[0].verdict")


def test_a_shared_copy_with_a_small_count_is_false():
    def change(document):
        document["withheld"]["least_count"] = 100

    status, notes = forged(change, CERTIFICATE.to_shared_json())
    assert status == 1
    assert "should have been withheld" in notes[0]


def test_any_change_breaks_the_seal():
    document = json.loads(CERTIFICATE.to_json())
    document["assumptions"][0] = "None."
    assert checker.verify(json.dumps(document)) == (
        1,
        ["seal: the record was altered after it was written"],
    )


@pytest.mark.parametrize("verdict", ["certified", "cannot decide", "fair"])
def test_a_swapped_verdict_is_false_though_sealed(verdict):
    status, notes = forged(lambda document: document.update(verdict=verdict))
    assert status == 1
    assert notes == [f"verdict: it says {verdict!r}, but should say 'not certified'"]


def test_a_dropped_row_is_false_though_sealed():
    def change(document):
        del document["partitions"][0]["table"][1]

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("rows.examined") for note in notes)
    assert any(note.startswith("partitions[0].digest") for note in notes)


def test_a_moved_count_is_false_though_all_totals_stay():
    def change(document):
        table = document["partitions"][0]["table"]
        table[0][2], table[0][3] = table[0][2] + 1, table[0][3] - 1

    status, notes = forged(change)
    assert status == 1
    assert notes[0].startswith("partitions[0].table, major = CS, test_score = H")


def test_a_row_that_stands_twice_is_false():
    def change(document):
        document["partitions"][0]["table"].append(document["partitions"][0]["table"][0])

    status, notes = forged(change)
    assert status == 1
    assert "twice" in notes[0]


def test_causes_that_are_not_those_of_the_graph_are_false():
    def change(document):
        document["graph"]["arrows"].remove(["test_score", "admission"])

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("possible_decision_causes") for note in notes)


def test_a_direct_arrow_that_is_not_in_the_graph_is_false():
    status, notes = forged(lambda document: document.update(direct_arrow=False))
    assert (status, notes) == (1, ["direct_arrow: it says False, but should say True"])


def test_a_partition_that_is_no_block_set_is_false():
    def change(document):
        document["graph"]["arrows"].append(["gender", "age"])
        document["graph"]["arrows"].append(["age", "major"])
        document["partitions"][1]["names"] = ["age"]

    status, notes = forged(change)
    assert status == 1
    assert any("['age'] is not a block set" in note for note in notes)


def test_a_name_that_stands_twice_is_refused():
    text = CERTIFICATE.to_json().replace('"copy"', '"verdict":"certified","copy"', 1)
    status, notes = checker.verify(text)
    assert status == 1
    assert "stands twice" in notes[0]


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"format":', "[" * 100_000])
def test_what_is_no_certificate_is_false(text):
    assert checker.verify(text)[0] == 1


def test_an_unknown_format_cannot_be_decided():
    assert checker.verify('{"format":"evenhand certificate 2"}')[0] == 3


@pytest.mark.parametrize("field", ["question", "graph", "partitions", "rows", "scope", "copy"])
def test_a_record_that_lacks_a_part_is_false(field):
    assert forged(lambda document: document.pop(field))[0] == 1


def test_one_altered_decision_in_the_data_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    assert checker.verify(CERTIFICATE.to_json(), str(path)) == (0, [])
    text = path.read_text().replace("male,EE,L,admitted", "male,EE,L,rejected", 1)
    path.write_text(text)
    status, notes = checker.verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert any("major = EE, test_score = L, against the data" in note for note in notes)


def test_a_decision_nobody_knows_is_found_by_its_line(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    lines = path.read_text().splitlines()
    lines[-1] = lines[-1].replace("rejected", "refused")
    path.write_text("\n".join(lines))
    status, notes = checker.verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert f"line {len(lines)}" in notes[0]


def test_a_lost_line_of_the_data_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    status, notes = checker.verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert notes[0].startswith("rows, against the data")


def test_a_column_that_the_data_lack_is_found(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("gender,major\nfemale,CS\n")
    assert checker.verify(CERTIFICATE.to_json(), str(path))[0] == 1


CODED = """sex;age;job;town;hired;times
f;20;cook;x;yes;10
f;37;Cook;x;no;12
f;38;guard;y;yes;9
m;20.5;cook;x;yes;11
m;36;cook;;no;12
m;99;guard;y;no;4
m;50;guard;y;yes;5
d;50;guard;y;yes;3
d;;guard;y;later;3
m;40;?;y;no;2
f;41;"a;b";y;no;2
m;41;"a;b";y;yes;2
"""


@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("other", ["m", "rest"])
def test_data_are_read_as_the_codings_say(tmp_path, missing, other):
    path = tmp_path / "data.csv"
    path.write_text("\ufeff" + CODED, encoding="utf-8")
    rows = read(
        path,
        columns=["sex", "job", "town", "hired"] if missing == "level" else None,
        bins={} if missing == "level" else {"age": [37, "50"]},
        merge={"job": {"kitchen": ["cook", "Cook"], "else": ["*"]}},
        missing=missing,
        na=["?"],
        frequency="times",
    )
    question = replace(
        ADMISSION,
        protected="sex", group="f", other=other, decision="hired", favorable="yes",
    )  # fmt: skip
    names = [name for name in rows.columns if name != "hired"]
    graph = CausalGraph.parse("; ".join(f"{name} -> hired" for name in names))
    certificate = certify(
        rows.count(), graph, question, codings=rows.codings, dropped=rows.dropped
    )
    assert checker.verify(certificate.to_json(), str(path)) == (0, [])
    path.write_text(path.read_text("utf-8-sig").replace(";yes;9", ";yes;8"), encoding="utf-8")
    status, notes = checker.verify(certificate.to_json(), str(path))
    assert status == 1
    assert any("against the data" in note for note in notes)


def test_a_missing_value_that_was_not_announced_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    path.write_text(path.read_text().replace("male,EE,L,admitted", "male,,L,admitted", 1))
    status, notes = checker.verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert "no value of 'major'" in notes[-1]


@pytest.mark.parametrize(
    ("expected", "status"), [("not certified", 0), ("certified", 1), ("cannot decide", 1)]
)
def test_an_expected_verdict_decides_the_exit_status(tmp_path, capsys, expected, status):
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    assert checker.main([str(path), "--expect", expected]) == status
    assert ("is not" in capsys.readouterr().out) is bool(status)


@pytest.mark.parametrize("names", [["nowhere.json"], ["certificate.json", "nowhere.csv"]])
def test_a_file_that_is_not_there_is_bad_usage(tmp_path, names):
    CERTIFICATE.write(tmp_path / "certificate.json")
    with pytest.raises(SystemExit, match="2"):
        checker.main([str(tmp_path / name) for name in names])


def test_data_that_are_no_csv_are_said_to_be_so(tmp_path):
    text = CERTIFICATE.to_json()
    data = tmp_path / "broken.csv"
    data.write_text('gender,major,test_score,admission\nfemale,"CS"x,L,admitted\n')
    status, notes = checker.verify(text, str(data))
    assert status == 1
    assert "malformed" in notes[-1]
