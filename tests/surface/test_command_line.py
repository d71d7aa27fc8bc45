"""The command line as people and machines meet it."""

import csv
import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from evenhand import CausalGraph, Codings, Knowledge, QuestionFile, audit, datasets
from evenhand.evidence import certificate_document
from evenhand.question.question_file import Labels


def asked(folder):
    return [
        folder / "data.csv",
        "--question",
        folder / "q.toml",
        "--graph",
        folder / "graph.txt",
    ]


def test_not_certified_exits_with_1(run, example):
    status, out, _ = run("audit", *asked(example))
    assert status == 1
    assert out.startswith("not certified: criterion not met at τ = 1/20, given this graph")


def test_certified_exits_with_0(run, example):
    status, out, _ = run("audit", *asked(example), "--threshold", "0.11")
    assert status == 0
    assert out.startswith("certified: criterion met at τ = 11/100")


def test_cannot_decide_exits_with_3(run, example):
    (example / "data.csv").write_text(
        "gender,major,test_score,admission,n\n"
        "female,CS,L,admitted,5\nfemale,CS,L,rejected,5\nmale,EE,L,admitted,5\n"
        "male,EE,H,rejected,5\n"
    )
    status, out, _ = run("audit", *asked(example))
    assert status == 3
    assert out.startswith("cannot decide")


def test_json_is_one_document_with_every_promised_field(run, example):
    status, out, err = run("audit", *asked(example), "--json")
    told = json.loads(out)
    assert status == 1
    assert err == ""
    assert told["verdict"] == "not certified"
    assert told["threshold"] == "1/20"
    assert told["subpopulations"] == {
        "occupied": 4,
        "measured": 4,
        "violating": 4,
        "above": 2,
        "below": 2,
    }
    assert {
        "protected",
        "group",
        "other",
        "decision",
        "favorable",
        "direct_arrow",
        "rows",
        "decision_causes",
        "possible_decision_causes",
    } <= set(told)
    assert set(told["coverage"]) == {"rows", "group", "other"}
    assert {"nodes", "arrows", "undirected", "origin"} <= set(told["graph"])
    assert set(told["risk_difference"]) == {"min", "max", "mean", "sd"}
    assert {"bound", "assurance", "claimed"} <= set(told["relaxed"])
    assert {
        "where",
        "group",
        "other",
        "risk_difference",
        "interval",
        "p_zero",
        "p_threshold",
    } <= set(told["evidence"][0])


def test_quiet_says_the_verdict_alone(run, example):
    assert run("audit", *asked(example), "--quiet")[1] == "not certified\n"


def test_a_partition_of_ones_own_is_explained(run, example):
    _, out, _ = run("audit", *asked(example), "--partition", "test_score")
    assert "gender -> major -> admission" in out


def test_a_certificate_is_written_and_verified(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    assert certificate.stat().st_mode & 0o777 == 0o600
    status, out, _ = run("verify", certificate)
    assert (status, "true" in out) == (0, True)
    status, out, _ = run("verify", certificate, example / "data.csv")
    assert (status, "true" in out) == (0, True)
    assert run("verify", certificate, "--expect", "certified")[0] == 1
    assert run("verify", certificate, "--expect", "not certified")[0] == 0


def test_an_altered_certificate_is_found_false_by_both_programs(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    content = json.loads(certificate.read_text())
    content["partitions"][0]["table"][0][2] += 1
    certificate.write_text(json.dumps(content))
    status, out, _ = run("verify", certificate, "--json")
    told = json.loads(out)
    assert status == 1
    assert told["record"] == "false"
    assert told["checker"]
    assert told["engine"]


def test_data_with_one_altered_decision_are_found_out(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    data = example / "data.csv"
    data.write_text(data.read_text().replace("admitted,50", "admitted,49", 1))
    status, out, _ = run("verify", certificate, data)
    assert status == 1
    assert "checker:" in out
    assert "engine:" in out


def test_a_shared_copy_cannot_be_decided_alone(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate, "--share")
    assert run("verify", certificate)[0] == 3
    assert run("verify", certificate, example / "data.csv")[0] == 0


def test_what_is_no_certificate_is_refused(run, example):
    assert run("verify", example / "absent.json")[0] == 2
    status, _, err = run("verify", example / "data.csv")
    assert status == 2
    assert "the certificate first" in err


def malformed(content):
    """Records that lack a part or hold nonsense in it."""
    for name in content:
        yield {other: value for other, value in content.items() if other != name}
        yield {**content, name: None}
    for name, part in (("codings", {"foo": 1}), ("question", {"foo": 1})):
        yield {**content, name: content[name] | part}
    (entry,) = content["partitions"]
    first, *others = entry["table"]
    yield {**content, "partitions": [entry | {"names": ["nosuch"]}]}
    for nonsense in ("x", 10**30, -1, True, 1.5):
        line = [*first[:2], nonsense, *first[3:]]
        yield {**content, "partitions": [entry | {"table": [line, *others]}]}
    yield {**content, "question": content["question"] | {"min_coverage": "x"}}


@pytest.mark.parametrize("with_data", [False, True])
def test_a_malformed_record_is_false_and_says_why(run, example, with_data):
    certificate, data = example / "c.json", [example / "data.csv"] if with_data else []
    run("audit", *asked(example), "--certificate", certificate)
    for number, record in enumerate(malformed(json.loads(certificate.read_text()))):
        forged = example / "forged.json"
        is_sealed = record.pop("seal", None)
        forged.write_text(
            json.dumps(certificate_document.with_seal(record) if is_sealed else record)
        )
        status, out, err = run("verify", forged, *data, "--json")
        told = json.loads(out)
        assert (status, told["record"]) in {(1, "false"), (3, "cannot be decided")}, number
        assert told["checker"] + told["engine"]
        assert err == ""
        status, out, _ = run("verify", forged, *data)
        said = {1: "The record is false: ", 3: "Whether the record is true cannot be decided"}
        assert out.startswith(said[status])


def test_a_verdict_that_there_is_not_cannot_be_expected(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    status, _, err = run("verify", certificate, "--expect", "Certified")
    assert status == 2
    assert "not certified" in err


def test_an_open_edge_that_the_checker_leaves_open_is_settled_by_the_engine(run, example):
    (example / "graph.txt").write_text(
        "gender -> major -> admission; gender -> admission; test_score - admission; "
        "gender -> test_score; major -> test_score"
    )
    bare = replace(datasets.question("admissions"), codings=Codings.of(frequency="n"))
    (example / "q.toml").write_text(str(replace(bare, knowledge=Knowledge())))
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    for data in ([], [example / "data.csv"]):
        status, out, _ = run("verify", certificate, *data, "--json")
        assert (status, json.loads(out)["record"]) == (0, "true")
        assert json.loads(out)["checker"]


def test_data_without_a_column_of_the_record_contradict_it(run, example):
    certificate = example / "c.json"
    run("audit", *asked(example), "--certificate", certificate)
    content = (example / "data.csv").read_text().replace("test_score", "score")
    (example / "other.csv").write_text(content)
    assert run("verify", certificate, example / "other.csv")[0] == 1
    assert run("verify", certificate, example / "absent.csv")[0] == 2


@pytest.mark.parametrize("option", ["--certificate", "--report"])
def test_a_page_that_cannot_be_written_exits_with_4(run, example, option):
    place = example / "absent" / "page"
    status, _, err = run("audit", *asked(example), option, place)
    assert status == 4
    assert f"{place}: This file cannot be written" in err
    assert "Name a file" in err


@pytest.mark.parametrize("option", ["--certificate", "--report"])
def test_an_earlier_page_is_replaced_only_when_asked(run, example, option):
    page = example / "page"
    page.write_text("precious")
    status, _, err = run("audit", *asked(example), option, page)
    assert (status, page.read_text()) == (2, "precious")
    assert "--overwrite" in err
    assert run("audit", *asked(example), option, page, "--overwrite")[0] == 1
    assert page.read_text() != "precious"
    assert run("audit", *asked(example), option, example)[0] == 2


@pytest.mark.parametrize("target", ["data.csv", "q.toml", "graph.txt", "hard.csv", "soft.csv"])
@pytest.mark.parametrize("verb", ["audit --certificate", "audit --report", "release --report"])
def test_no_page_is_written_over_an_input(run, example, verb, target):
    (example / "hard.csv").hardlink_to(example / "data.csv")
    (example / "soft.csv").symlink_to(example / "data.csv")
    before = {path: path.read_bytes() for path in example.iterdir()}
    name, option = verb.split()
    output = ["--output", example / "out.csv"] if name == "release" else []
    command = [name, *asked(example), *output, option, example / target, "--overwrite"]
    status, _, err = run(*command)
    assert (status, "input" in err) == (2, True)
    assert {path: path.read_bytes() for path in example.iterdir()} == before


@pytest.mark.parametrize("target", ["q.toml", "graph.txt", "data.csv"])
@pytest.mark.parametrize("role", ["data", "manifest"])
def test_no_file_of_a_release_is_written_over_an_input(run, example, role, target):
    output = example / target
    if role == "manifest":
        (example / "out.manifest.json").hardlink_to(example / target)
        output = example / "out.csv"
    before = {path: path.read_bytes() for path in example.iterdir()}
    status, _, err = run("release", *asked(example), "--output", output, "--overwrite")
    assert (status, "input" in err) == (2, True)
    assert {path: path.read_bytes() for path in example.iterdir()} == before


@pytest.mark.parametrize(
    "name", ["out.csv", "out.certificate.json", "./x/../out.manifest.json"]
)
def test_two_files_are_not_written_to_one_name(run, example, name):
    (example / "x").mkdir()
    command = ["release", *asked(example), "--output", example / "out.csv"]
    status, _, err = run(*command, "--report", example / name)
    assert (status, "Two files" in err) == (2, True)
    assert not (example / "out.csv").exists()
    page = example / "page"
    assert run("audit", *asked(example), "--certificate", page, "--report", page)[0] == 2
    assert not page.exists()


@pytest.mark.parametrize("mark", [":", "~"])
def test_any_delimiter_holds_from_the_command_line_to_the_certificate(run, example, mark):
    data, certificate = example / "data.csv", example / "c.json"
    data.write_text(data.read_text().replace(",", mark))
    status, _, err = run("audit", *asked(example))
    assert status == 2
    assert "delimiter" in err
    status, *_ = run(
        "audit", *asked(example), "--delimiter", mark, "--certificate", certificate
    )
    assert status == 1
    assert json.loads(certificate.read_text())["codings"]["delimiter"] == mark
    assert run("verify", certificate, data)[0] == 0
    question = (example / "q.toml").read_text()
    assert "[data]" in question
    (example / "q.toml").write_text(question.replace("[data]", f'[data]\ndelimiter = "{mark}"'))
    assert run("audit", *asked(example))[0] == 1


def test_discovery_speaks_text_json_and_dot(run, example):
    options = [example / "data.csv", "--question", example / "q.toml"]
    assert "arrows" in run("discover", *options)[1]
    assert set(json.loads(run("discover", *options, "--format", "json")[1])) >= {
        "nodes",
        "arrows",
        "undirected",
    }
    assert run("discover", *options, "--format", "dot")[1].startswith("digraph")
    assert "Causes of admission" in run("discover", *options, "--local")[1]
    assert run("discover", *options, "--format", "png")[0] == 2


def test_without_tiers_the_decision_comes_last_and_this_is_said(run, example):
    options = [example / "data.csv", "--frequency", "n", "--decision", "admission"]
    assert "is taken to come after all other columns" in run("discover", *options)[1]


def test_init_writes_a_file_once(run, example):
    target = example / "new.toml"
    status, out, _ = run("init", example / "data.csv", "--output", target)
    assert status == 0
    assert "evenhand audit" in out
    assert 'protected = ""' in target.read_text()
    status, _, err = run("init", example / "data.csv", "--output", target)
    assert status == 2
    assert "left as it is" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "absent.csv"], "lacks --protected"),
        (["audit", "absent.csv", "--question", "absent.toml"], "no such question file"),
        (["audit"], "Missing argument"),
        (["audits"], "audit"),
    ],
)
def test_bad_usage_exits_with_2_and_a_sentence(run, arguments, said):
    status, _, err = run(*arguments)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_a_wrong_column_name_is_answered_with_the_right_one(run, example):
    status, _, err = run("audit", *asked(example), "--protected", "gendr")
    assert status == 2
    assert "Did you mean 'gender'?" in err


def test_methods_are_compared(run, example):
    status, out, _ = run("compare", *asked(example), "--json")
    outcomes = json.loads(out)["outcomes"]
    assert status == 0
    assert {"modify-data", "modify-graph"} <= {one["method"] for one in outcomes}
    minimal = next(one for one in outcomes if one["policy"] == "minimal")
    assert (minimal["changed_rows"], minimal["violating"]) == (15, 0)


def test_the_demo_tells_its_story(run):
    status, out, _ = run("demo")
    assert status == 0
    assert "48,842 rows" in out


def test_the_version_is_told(run):
    assert run("--version")[1].startswith("evenhand 0.")


@pytest.mark.parametrize("threshold", ["0.05", "0.11"])
def test_the_status_tells_of_the_work_even_where_nobody_reads(example, threshold):
    """Closed before the first line, as by a reader that has seen enough."""
    program = "import sys; sys.argv[0] = 'evenhand'; from evenhand.cli import main; main()"
    command = [sys.executable, "-c", program, "audit", *map(str, asked(example))]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(  # noqa: S603  # our own program
        [*command, "--threshold", threshold],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == (1 if threshold == "0.05" else 0)


def test_a_release_is_certified_and_verified(run, example):
    output = example / "released.csv"
    status, out, _ = run("release", *asked(example), "--output", output, "--seed", "7")
    assert status == 0
    assert "15 of 2,200 rows changed" in out
    certificate = example / "released.certificate.json"
    assert run("verify", certificate, output, "--expect", "certified")[0] == 0
    manifest = example / "released.manifest.json"
    assert manifest.stat().st_mode & 0o777 == 0o600


def test_a_manifest_is_verified_by_making_the_release_once_more(run, example):
    data, manifest = example / "data.csv", example / "released.manifest.json"
    run("release", *asked(example), "--output", example / "released.csv")
    status, out, _ = run("verify", manifest, data)
    assert (status, out.startswith("The same bytes come out: released.csv")) == (0, True)
    status, out, _ = run("verify", manifest, data, "--json")
    assert (status, json.loads(out)["same"]) == (0, True)
    content = json.loads(manifest.read_text())
    content["output"]["sha256"] = 64 * "0"
    manifest.write_text(json.dumps(content))
    assert run("verify", manifest, data)[0] == 1
    data.write_text(data.read_text().replace("admitted,50", "admitted,49", 1))
    status, out, _ = run("verify", manifest, data)
    assert (status, "not those that were counted" in out) == (1, True)
    assert run("verify", manifest, example / "q.toml")[0] in (1, 2)
    assert run("verify", manifest, example / "absent.csv")[0] == 2
    assert run("verify", manifest)[0] == 2
    assert run("verify", manifest, data, "--expect", "certified")[0] == 2


def test_a_generated_or_counted_release_cannot_be_made_once_more(run, example):
    generate = ["--method", "modify-graph", "--policy", "generate"]
    run("release", *asked(example), "--output", example / "new.csv", *generate)
    status, out, _ = run("verify", example / "new.manifest.json", example / "data.csv")
    assert (status, "generated from a model" in out) == (3, True)
    graph = CausalGraph.parse((example / "graph.txt").read_text())
    found = audit(datasets.admissions(2), datasets.question("admissions"), graph=graph)
    written = found.release().write(example / "counted.csv")
    status, out, _ = run("verify", written.manifest, written.data, "--json")
    assert (status, json.loads(out)["same"]) == (3, None)


def test_release_tells_machines_everything(run, example):
    status, out, _ = run(
        "release", *asked(example), "--output", example / "released.csv", "--json"
    )
    assert status == 0
    assert {
        "method",
        "policy",
        "changed_rows",
        "changed_columns",
        "cell_changes",
        "distance",
        "model_distance",
        "chi_square",
        "output",
        "certificate",
        "manifest",
        "before",
        "after",
        "relearned",
    } <= set(json.loads(out))


def test_a_dry_run_writes_nothing(run, example):
    before = sorted(example.iterdir())
    status, out, _ = run("release", *asked(example), "--dry-run")
    assert status == 0
    assert "15 of 2,200 decisions would change" in out
    assert sorted(example.iterdir()) == before


def test_an_earlier_output_and_the_input_are_left_alone(run, example):
    output = example / "released.csv"
    output.write_text("precious")
    assert run("release", *asked(example), "--output", output)[0] == 2
    assert output.read_text() == "precious"
    data = (example / "data.csv").read_bytes()
    command = ["release", *asked(example), "--output", example / "data.csv", "--overwrite"]
    assert run(*command)[0] == 2
    assert (example / "data.csv").read_bytes() == data


def test_a_method_without_a_guarantee_needs_permission(run, example):
    output = example / "released.csv"
    command = ["release", *asked(example), "--output", output, "--policy", "printed"]
    assert run(*command)[0] == 2
    assert run(*command, "--uncertified")[0] == 0
    assert not output.exists()
    assert list(example.glob("*.uncertified.*"))


def test_an_unknown_method_is_answered_with_the_methods(run, example):
    status, _, err = run("release", *asked(example), "--method", "modify-dat", "--dry-run")
    assert status == 2
    assert "Did you mean 'modify-data'" in err


def test_each_p_says_what_it_is_against(run, example):
    _, out, _ = run("audit", *asked(example), "--partition", "test_score")
    assert "common difference (p vs 0)" in out
    heads = [line for line in out.splitlines() if "95 % interval  " in line]
    assert len(heads) == 2
    assert all(line.endswith("p (vs τ)") for line in heads)


def test_a_small_table_stays_one_in_80_columns(run, example, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    lines = run("audit", *asked(example))[1].splitlines()
    assert any(line.startswith("  major  test_score") for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_column_called_p_keeps_its_name(run, example):
    for name in ("data.csv", "q.toml", "graph.txt"):
        path = example / name
        path.write_text(path.read_text().replace("test_score", "p"))
    out = run("audit", *asked(example))[1]
    assert any(line.split()[:2] == ["major", "p"] for line in out.splitlines())


@pytest.mark.parametrize("local", [[], ["--local"]])
def test_discovery_takes_json_as_other_verbs_do(run, example, local):
    options = [example / "data.csv", "--question", example / "q.toml", *local]
    status, out, err = run("discover", *options, "--json")
    assert (status, err) == (0, "")
    assert out == run("discover", *options, "--format", "json")[1]
    assert run("discover", *options, "--json", "--format", "dot")[0] == 2


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("thresholds", ["0.05", "0.05,0.1"])
def test_methods_are_compared_in_columns_on_a_narrow_terminal(
    run, example, monkeypatch, width, thresholds
):
    whole = run("compare", *asked(example), "--thresholds", thresholds)[1]
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    out = run("compare", *asked(example), "--thresholds", thresholds)[1]
    lines = out.splitlines()
    assert max(map(len, lines)) <= width < max(map(len, whole.splitlines()))
    heads = [line.split("  ") for line in lines if line.startswith(4 * " " + "  ")]
    named = [cell.strip() for head in heads for cell in head if cell.strip()]
    assert named == [
        *(["τ"] if "," in thresholds else []),
        *("method", "verdict", "violating", "guaranteed", "changed rows", "n_T"),
        *("distance", "in model", "χ²", "χ² kept cells", "CPU s"),
    ]
    cells = [re.split(r" {2,}", line.strip()) for line in lines if re.match(r" +\d+  ", line)]
    assert sum(map(len, cells)) == len(cells) + len(named) * len(cells) // len(heads)
    minimal = next(line for line in lines if "modify-data minimal" in line)
    assert "certified" in minimal
    assert "local-massaging, given each attribute" in " ".join(out.split())


def test_a_terminal_that_is_wide_enough_shows_one_table(run, example, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    out = run("compare", *asked(example))[1]
    assert any({"τ", "policy", "verdict"} <= {*line.split()} for line in out.splitlines())


@pytest.mark.parametrize("left", [[], ["out.csv", "out.certificate.json", "out.manifest.json"]])
def test_no_release_is_written_beside_an_earlier_shared_certificate(run, example, left):
    command = ["release", *asked(example), "--output", example / "out.csv"]
    assert run(*command, "--share")[0] == 0
    for path in example.glob("out.*"):
        if path.name not in (*left, "out.shared.certificate.json"):
            path.unlink()
    before = {path: path.read_bytes() for path in example.iterdir()}
    status, _, err = run(*command, "--threshold", "0.08", "--overwrite")
    assert status == 2
    assert "out.shared.certificate.json: This is the shared certificate of an earlier" in err
    assert "--share --overwrite" in err
    assert {path: path.read_bytes() for path in example.iterdir()} == before
    assert run(*command, "--threshold", "0.08", "--dry-run")[0] == 0
    assert run(*command, "--threshold", "0.08", "--overwrite", "--share")[0] == 0
    shared = example / "out.shared.certificate.json"
    assert run("verify", shared, example / "out.csv")[0] == 0


ODD = 'odd"]\n[data]\n'


@pytest.fixture
def template(run, tmp_path):
    """What init writes of a table with names that look like parts of the file."""
    with (tmp_path / "data.csv").open("w", newline="") as file:
        rows = [("f", "a", "x\n[labels.values]", "no"), ("m", "b", "y", "yes")]
        csv.writer(file).writerows([("sex", "p q", ODD, "hired"), *rows])
    run("init", tmp_path / "data.csv", "--output", tmp_path / "new.toml")
    text = (tmp_path / "new.toml").read_text()
    filled = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    for role, value in filled.items():
        text = text.replace(f'\n{role} = ""', f'\n{role} = "{value}"')
    return text


def test_the_examples_of_init_change_nothing(template):
    found = QuestionFile.parse(template)
    assert found.knowledge == Knowledge()
    assert found.labels == Labels()
    assert found.codings.columns is None


@pytest.mark.parametrize(
    "tiers",
    ['tiers = [["sex"], ["*"], ["hired"]]', 'tiers = [["sex", "p q"], ["*"], ["hired"]]'],
)
def test_the_examples_of_init_hold_where_they_are_uncommented(template, tiers):
    assert f"\n# {tiers}\n" in template
    text = template.replace(f"# {tiers}", tiers)
    head, _, labels = text.partition("[labels.columns]\n")
    found = QuestionFile.parse(f"{head}[labels.columns]\n{labels.replace('# ', '')}")
    assert found.knowledge.tiers is not None
    assert found.labels.column("p q") == "words for p q"
    assert found.labels.value("sex", "m") == "words for m"
    assert set(found.labels.columns) == {"sex", "p q"}


def test_a_table_of_two_columns_gets_no_example_of_tiers(run, tmp_path):
    (tmp_path / "data.csv").write_text("sex,hired\nf,no\nm,yes\n")
    run("init", tmp_path / "data.csv", "--output", tmp_path / "new.toml")
    assert "For example" not in (tmp_path / "new.toml").read_text()
