"""The stand-alone checker: what it accepts, what it refuses, and where it says so."""

import ast
import hashlib
import json
import runpy
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION

from evenhand import CountTable, datasets
from evenhand.checker import checker
from evenhand.evidence import certify
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.rows import read

ROOM = Path(checker.__file__).parent
CERTIFICATE = certify(datasets.admissions(2), GRAPH, QUESTION, scope="all")


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
    alone = shutil.copy(checker.__file__, tmp_path / "checker.py")
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    data = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    run = subprocess.run(  # noqa: S603  # our own interpreter
        [sys.executable, "-I", "-S", alone, path, data],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    text = "The record is true.\n  Estimates are not checked.\n"
    assert (run.returncode, run.stdout) == (0, text), run.stderr


def test_as_a_program_it_exits_with_the_status(tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    path.write_text(CERTIFICATE.to_shared_json())
    monkeypatch.setattr(sys, "argv", ["checker.py", str(path)])
    with pytest.raises(SystemExit, match="3"):
        runpy.run_path(checker.__file__, run_name="__main__")


@pytest.mark.parametrize("example", [1, 2])
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_true_records_are_true(example, scope):
    certificate = certify(datasets.admissions(example), GRAPH, QUESTION, scope=scope)
    assert checker.verify(certificate.to_json()) == (0, [])


@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_an_open_edge_at_the_decision_cannot_be_decided(scope):
    certificate = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope=scope)
    status, notes = checker.verify(certificate.to_json())
    assert status == 3
    assert "an edge at the decision is open" in notes[0]
    assert notes[1:] == ["scope: whether it is complete was not checked"] * (scope != "causes")


@pytest.mark.parametrize("scope", ["minimal", "all"])
def test_where_edges_are_open_a_difference_in_some_graphs_can_leave_the_verdict_open(scope):
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION, scope=scope)
    assert str(certificate.verdict) == "cannot decide"
    assert checker.verify(certificate.to_json())[0] == 3

    def praise(document):
        document["verdict"] = "certified"

    assert forged(praise, certificate.to_json())[0] == 1


def test_open_edges_elsewhere_leave_only_completeness_open():
    counts = datasets.admissions(1)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines |= {"p": lines["major"], "r": lines["test_score"]}
    counts = CountTable.of(lines, [count for _, count in counts])
    graph = PartialGraph((*GRAPH.nodes, "p", "r"), GRAPH.arrows, frozenset({("p", "r")}))
    text = certify(counts, graph, QUESTION, scope="all").to_json()
    status, notes = checker.verify(text)
    assert (status, notes) == (3, ["scope: whether it is complete was not checked"])

    def accuse(document):
        document["partitions"][-1]["names"] = ["test_score"]

    status, notes = forged(accuse, text)
    assert status == 1
    assert "partitions: ['test_score'] is not a block set" in notes
    assert checker.verify(certify(counts, graph, QUESTION).to_json()) == (0, [])


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
    assert notes[0].startswith("partitions[0].table")


def test_any_change_breaks_the_seal():
    document = json.loads(CERTIFICATE.to_json())
    document["assumptions"][0] = "None."
    status, notes = checker.verify(json.dumps(document))
    assert (status, len(notes)) == (1, 1)
    assert notes[0].startswith("seal: ")


@pytest.mark.parametrize("verdict", ["certified", "cannot decide", "fair", None, 1])
def test_a_swapped_verdict_is_false_though_sealed(verdict):
    status, notes = forged(lambda document: document.update(verdict=verdict))
    assert status == 1
    assert notes == [f"verdict: it says {verdict!r}, but should say 'not certified'"]


def test_a_dropped_row_is_false_though_sealed():
    def change(document):
        del document["partitions"][0]["table"][1]

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("rows.examined: it says 2200") for note in notes)
    assert any(note.startswith("partitions[0].digest") for note in notes)


def test_a_moved_count_is_false_though_all_totals_stay():
    def change(document):
        table = document["partitions"][0]["table"]
        table[0][2], table[0][3] = table[0][2] + 1, table[0][3] - 1

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("partitions[0].table[0][6]: it says '-1/10'") for note in notes)


def test_a_row_that_stands_twice_is_false():
    def change(document):
        document["partitions"][0]["table"].append(document["partitions"][0]["table"][0])

    status, notes = forged(change)
    assert status == 1
    assert notes[0].startswith("partitions[0].table")


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
        document["graph"]["nodes"].append("age")
        document["partitions"][1]["names"] = ["age"]

    status, notes = forged(change)
    assert status == 1
    assert any("['age'] is not a block set" in note for note in notes)


CERTIFIED = certify(datasets.admissions(1), GRAPH, QUESTION)


def a_block_set_less(document):
    del document["partitions"][1]


def a_scope_that_was_not_examined(document):
    document["scope"]["asked"] = "all"


def an_accusation(document):
    document["graph"]["undirected"] = [["zz", "zzz"]]
    document["graph"]["nodes"] += ["zz", "zzz"]
    entry = json.loads(CERTIFICATE.to_json())["partitions"][1]
    document["partitions"].append(entry | {"names": ["test_score"]})
    document["verdict"] = "not certified"


def a_cycle(document):
    document["graph"]["arrows"].append(["admission", "major"])


def a_decision_that_comes_first(document):
    document["graph"]["arrows"].remove(["gender", "admission"])
    document["graph"]["arrows"].append(["admission", "gender"])
    document["direct_arrow"] = False


def no_nodes(document):
    document["graph"]["nodes"] = []


def an_edge_drawn_twice(document):
    document["graph"]["undirected"] = [["admission", "gender"]]


def fewer_than_no_rows(document):
    document["rows"]["dropped"] -= 5
    document["rows"]["read"] -= 5


def false_for_zero(document):
    document["partitions"][0]["subpopulations"]["above"] = False


def a_field_nobody_knows(document):
    document["surprise"] = "nothing"


def a_coding_nobody_knows(document):
    document["codings"]["rounding"] = "up"


def another_kind_of_copy(document):
    document["copy"] = "weird"


def a_role_nobody_knows(document):
    document["partitions"][0]["role"] = "cause"


def an_empty_line(document):
    document["partitions"][0]["table"].append(["ME", "H", 0, 0, 0, 0, None])
    document["partitions"][0]["subpopulations"]["occupied"] += 1


@pytest.mark.parametrize(
    "forgery",
    [
        a_block_set_less,
        a_cycle,
        a_decision_that_comes_first,
        no_nodes,
        an_edge_drawn_twice,
        fewer_than_no_rows,
        false_for_zero,
        a_field_nobody_knows,
        a_coding_nobody_knows,
        another_kind_of_copy,
        a_role_nobody_knows,
        an_empty_line,
    ],
)
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert checker.verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes


@pytest.mark.parametrize("forgery", [a_scope_that_was_not_examined, an_accusation])
def test_what_was_not_asked_for_or_not_examined_is_found(forgery):
    assert forged(forgery, CERTIFIED.to_json())[0] == 1


def test_a_set_of_causes_that_is_kept_back_is_not_accepted():
    def change(document):
        document["graph"]["arrows"].remove(["test_score", "admission"])
        document["graph"]["undirected"] = [["admission", "test_score"]]

    status, notes = forged(change, CERTIFIED.to_json())
    assert status == 3
    assert "open" in notes[0]


def test_more_block_sets_than_can_be_tried_are_not_counted():
    causes = [f"cause_{number:02}" for number in range(13)]
    columns = {name: ["0", "1", "0", "1"] for name in causes}
    columns |= {"gender": ["female", "female", "male", "male"]}
    graph = CausalGraph.parse("; ".join(f"{name} -> admission" for name in columns))
    columns["admission"] = ["admitted", "rejected", "admitted", "rejected"]
    counts = CountTable.of(columns, [9, 9, 9, 9])
    certificate = certify(counts, graph, QUESTION, scope="minimal")
    status, notes = checker.verify(certificate.to_json())
    assert (status, notes) == (3, ["scope: whether it is complete was not checked"])


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


@pytest.mark.parametrize(
    ("name", "text"), [("threshold", "1"), ("threshold", "0"), ("min_coverage", "3/2")]
)
def test_a_threshold_or_coverage_out_of_range_is_malformed(name, text):
    status, notes = forged(lambda document: document["question"].update({name: text}))
    assert status == 1
    assert "out of range" in notes[0]


@pytest.mark.parametrize("count", [-1, "1", None, True])
def test_a_count_that_is_none_is_malformed(count):
    def change(document):
        document["partitions"][0]["table"][0][2] = count

    status, notes = forged(change)
    assert status == 1
    assert "is no subpopulation" in notes[0]


def test_possible_causes_that_disagree_are_not_certified():
    """Of Example 2 the major alone shows nothing, the major and the score show differences."""
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION)
    text = certificate.to_json()
    status, notes = checker.verify(text)
    assert (status, len(notes)) == (3, 1)
    status, notes = forged(lambda document: document.update(verdict="certified"), text)
    assert notes == ["verdict: it says 'certified', but should say 'cannot decide'"]


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
    assert any(note.startswith("partitions[0].table[3][2]: it says 240") for note in notes)


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
    assert any(note.startswith("rows.read: it says 2200") for note in notes)


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
        QUESTION,
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
    assert any(note.startswith("partitions[0].table[") for note in notes)


COUNTED = "s,x,d,n\nf,a,y,5\nf,a,n,5\nm,a,y,5\nm,a,n,5\n"
HIRING = replace(QUESTION, protected="s", group="f", decision="d", favorable="y")
CAUSES = CausalGraph.parse("s -> d; x -> d")


def record_of(path, **options):
    rows = read(path, **options)
    return certify(
        rows.count(), CAUSES, HIRING, codings=rows.codings, dropped=rows.dropped
    ).to_json()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a,y,5", "a,y,5.9"),
        ("m,a,y,5", "m,a,y,6\nm,a,y,-1"),
        ("f,a,y,5", "f,a,y,5,5"),
        ("f,a,y,5", "f,a,y"),
        ("f,a,y,5", "f,a,y,"),
        ("s,x,d,n", "s,s,d,n"),
        ("s,x,d,n", "s,y,d,n"),
    ],
    ids=["fraction", "negative", "long", "short", "no number", "two of a name", "other name"],
)
def test_data_that_no_program_should_read_are_refused(tmp_path, old, new):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED)
    text = record_of(path, frequency="n")
    assert checker.verify(text, str(path)) == (0, [])
    path.write_text(COUNTED.replace(old, new, 1))
    assert checker.verify(text, str(path))[0] == 1


@pytest.mark.parametrize("more", ["f,b,y,0\nq,b,y,0\n", "f,,y,0\n", "m,a,y,0.0\n\n"])
def test_lines_that_never_occur_count_for_nothing(tmp_path, more):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED)
    text = record_of(path, frequency="n")
    path.write_text(COUNTED + more)
    assert checker.verify(text, str(path)) == (0, [])


def test_marks_in_a_quoted_header_do_not_mislead(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED.replace("s,x,d,n", 's,x,d,"n;;;;|"'))
    text = record_of(path, frequency="n;;;;|")
    assert checker.verify(text, str(path)) == (0, [])


@pytest.mark.parametrize("mark", [":", "~", " ", ";"])
def test_a_delimiter_that_was_given_is_honoured(tmp_path, mark):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED.replace(",", mark))
    text = record_of(path, frequency="n", delimiter=mark)
    assert json.loads(text)["codings"]["delimiter"] == mark
    assert checker.verify(text, str(path)) == (0, [])


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
