import json
import shlex
from dataclasses import replace

import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.certificate_records import sealed
from tests.workbooks import write_workbook

from evenhand import Codings, Knowledge, datasets


@pytest.fixture
def certificate(run, example, options):
    """The certificate of the example."""
    path = example / "c.json"
    run("audit", *options, "--certificate", path)
    return path


def test_a_certificate_is_written_and_verified(run, example, certificate):
    assert certificate.stat().st_mode & 0o777 == 0o600
    status, out, _ = run("verify", certificate)
    assert (status, "verified" in out) == (0, True)
    status, out, _ = run("verify", certificate, example / "data.csv")
    assert (status, "verified" in out) == (0, True)
    assert run("verify", certificate, "--expect", "certified")[0] == 1
    assert run("verify", certificate, "--expect", "not certified")[0] == 0


def test_both_claims_are_told_and_expected(run, loan_options, tmp_path):
    certificate, data = tmp_path / "c.json", loan_options[0]
    run("audit", *loan_options, "--threshold", "0.9", "--set", "redlining_threshold=0.05",
        "--certificate", certificate)  # fmt: skip
    for given in ([], [data]):
        status, out, _ = run("verify", certificate, *given)
        title = "Certificate verified: certified; through zip: not certified"
        assert (status, out.partition("\n")[0]) == (0, title)
        status, out, _ = run("verify", certificate, *given, "--expect", "certified")
        assert status == 1
        assert "\n  Expected was, through zip: certified\n" in out
        assert "  Expected was: " not in out
        status, out, _ = run("verify", certificate, *given, "--expect", "not certified")
        assert status == 1
        assert "\n  Expected was: not certified\n" in out
        assert "through zip: not certified\n" not in out.partition("\n")[2]
    status, out, _ = run("verify", certificate, "--expect", "certified", "--json")
    answer = json.loads(out)
    assert (status, answer["verdict"], answer["expected"]) == (1, "certified", False)
    assert answer["indirect"] == {"through": ["zip"], "verdict": "not certified"}


def test_a_certified_release_is_expected_in_both_claims(run, loan_options, tmp_path):
    run("release", *loan_options, "--output", tmp_path / "out.csv")
    for name in ("certificate", "full-certificate"):
        path = tmp_path / f"out.{name}.json"
        if path.exists():
            arguments = (path, tmp_path / "out.csv", "--expect", "certified")
            status, out, _ = run("verify", *arguments)
            assert (status, "certified; through zip: certified" in out) == (0, True)


def test_that_nothing_was_measured_is_not_settled_without_the_data(run, loan_options, tmp_path):
    certificate = tmp_path / "c.json"
    run("audit", *loan_options, "--certificate", certificate)
    content = json.loads(certificate.read_text())
    content["indirect"] = {"verdict": "cannot decide", "reasons": ["Too many cells."]}
    del content["seal"]
    certificate.write_text(sealed(content))
    status, out, _ = run("verify", certificate)
    assert status == 3
    assert "  checker  indirect.graphs: that there was too much to be measured" in out
    assert "\n  indirect.graphs " in out
    status, out, _ = run("verify", certificate, loan_options[0])
    assert status == 1
    assert "  engine   indirect.verdict: " in out


def test_what_is_stated_is_listed_in_text_and_json(run, example, options, certificate):
    _, alone, _ = run("verify", certificate)
    assert "\nStated in the record, not checked\n  question " in alone
    assert "engine" not in alone
    _, with_data, _ = run("verify", certificate, example / "data.csv")
    checked = " ".join(with_data.partition("Checked by the engine alone:")[2].split())
    assert checked == "pooled, assumptions, order, reasons, population, by_chance, answer."
    assert "  graph.origin " in with_data
    assert "\n  data " in alone
    assert "\n  data " not in with_data
    told = json.loads(run("verify", certificate, example / "data.csv", "--json")[1])
    assert {"question", "graph"} <= {*told["stated"]}
    assert "reasons" in told["by_engine_alone"]
    run("audit", *options, "--certificate", example / "s.json", "--share")
    status, shared, _ = run("verify", example / "s.json")
    assert (status, "engine" in shared) == (3, False)


def test_of_another_format_nothing_is_stated(run, example):
    path = example / "old.json"
    path.write_text('{"format": "evenhand certificate 1"}')
    status, out, _ = run("verify", path)
    assert (status, "Stated" in out) == (3, False)
    assert out.count("is not known here") == 1


def test_an_altered_certificate_is_found_false(run, certificate):
    content = json.loads(certificate.read_text())
    content["partitions"][0]["table"][0][2] += 1
    certificate.write_text(json.dumps(content))
    status, out, _ = run("verify", certificate, "--json")
    document = json.loads(out)
    assert status == 1
    assert document["record"] == "false"
    assert document["checker"]
    assert not document["engine"]


def test_data_with_one_altered_decision_are_found_out(run, example, certificate):
    data = example / "data.csv"
    data.write_text(data.read_text().replace("admitted,50", "admitted,49", 1))
    status, out, _ = run("verify", certificate, data)
    assert status == 1
    assert "  checker  rows" in out
    counted = pyarrow.csv.read_csv(data)
    pyarrow.parquet.write_table(counted, example / "data.parquet")
    status, out, _ = run("verify", certificate, example / "data.parquet")
    assert status == 1
    assert "  engine   " in out


def test_a_shared_copy_cannot_be_decided_alone(run, example, options):
    certificate = example / "c.json"
    run("audit", *options, "--certificate", certificate, "--share")
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
        if name != "answer":  # ``certify`` alone gives none
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
def test_a_malformed_record_is_false_and_says_why(run, example, options, with_data):
    certificate, data = example / "c.json", [example / "data.csv"] if with_data else []
    run("audit", *options, "--certificate", certificate)
    for number, record in enumerate(malformed(json.loads(certificate.read_text()))):
        forged = example / "forged.json"
        is_sealed = record.pop("seal", None)
        forged.write_text(sealed(record) if is_sealed else json.dumps(record))
        status, out, err = run("verify", forged, *data, "--json")
        document = json.loads(out)
        assert (status, document["record"]) in {(1, "false"), (3, "cannot be decided")}, number
        assert document["checker"] + document["engine"]
        assert err == ""
        status, out, _ = run("verify", forged, *data)
        said = {1: "Certificate refuted: ", 3: "Certificate neither verified nor refuted"}
        assert out.startswith(said[status])


def test_a_verdict_that_there_is_not_cannot_be_expected(run, certificate):
    status, _, err = run("verify", certificate, "--expect", "Certified")
    assert status == 2
    assert "not certified" in " ".join(err.replace("│", " ").split())  # in a box, wrapped


def test_an_open_edge_that_the_checker_leaves_open_is_settled_with_the_data(
    run, example, options
):
    (example / "graph.txt").write_text(
        "gender -> major -> admission; gender -> admission; test_score - admission; "
        "gender -> test_score; major -> test_score"
    )
    bare = replace(datasets.question("admissions"), codings=Codings.of(frequency="n"))
    (example / "q.toml").write_text(str(replace(bare, knowledge=Knowledge())))
    certificate = example / "c.json"
    run("audit", *options, "--certificate", certificate)
    status, out, _ = run("verify", certificate)
    assert status == 3
    assert "  checker  possible_decision_causes: " in out
    status, out, _ = run("verify", certificate, example / "data.csv", "--json")
    assert (status, json.loads(out)["record"]) == (0, "true")
    assert not json.loads(out)["checker"]
    _, out, _ = run("verify", certificate, example / "data.csv")
    assert "  checker  " not in out
    assert "possible_decision_causes" in out.partition("by the engine alone:")[2]


def test_data_without_a_column_of_the_record_contradict_it(run, example, certificate):
    content = (example / "data.csv").read_text().replace("test_score", "score")
    (example / "other.csv").write_text(content)
    assert run("verify", certificate, example / "other.csv")[0] == 1
    assert run("verify", certificate, example / "absent.csv")[0] == 2


def test_half_a_character_is_refused_with_a_message(run, example, options):
    path, old = example / "c.json", '"evenhand":"'
    run("audit", *options, "--certificate", path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, old + r"\ud800"))
    status, out, err = run("verify", path, example / "data.csv")
    assert (status, "a lone surrogate" in out + err) == (1, True)


def test_what_could_move_the_cursor_is_escaped(run, example, options):
    evil = "x\x1b[2J\x9b1A\u202eCertificate verified\r"
    path = example / "released.certificate.json"
    run("release", *options, "--output", example / "released.csv")
    content = json.loads(path.read_text())
    content["versions"]["evenhand"] = content["release"]["method"] = evil
    content["release"]["policy"] = evil
    del content["seal"]
    path.write_text(sealed(content))
    status, out, _ = run("verify", path)
    assert status == 0
    path.write_text(json.dumps(content | {"seal": 64 * "0", evil: evil}))
    status, more, _ = run("verify", path)
    assert status == 1
    assert (out + more).replace("\n", "").isprintable()
    assert out.count("x\\u001b[2J\\u009b1A\\u202eCertificate") == 3


def test_a_manifest_is_refused_by_name(run, example, options):
    run("release", *options, "--output", example / "released.csv")
    manifest = example / "released.manifest.json"
    for more in ([], [example / "data.csv"], ["--json"], ["--expect", "certified"]):
        status, _, err = run("verify", manifest, *more)
        assert status == 2
        assert "This is the manifest of a release, not its certificate." in err
        assert "release again with the seed" in " ".join(err.split())


def test_a_workbook_and_its_csv_verify_against_each_other(run, tmp_path):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    lines = [["sex", "hired"], *([["f", "no"], ["m", "yes"], ["f", "yes"], ["m", "no"]] * 20)]
    book = write_workbook(tmp_path / "a.xlsx", people=lines, other=[["x"], ["1"]])
    data = tmp_path / "a.csv"
    data.write_text("".join(f"{','.join(line)}\n" for line in lines))
    asked = shlex.split("--protected sex --group f --decision hired --favorable yes")
    of_book, of_data = tmp_path / "book.json", tmp_path / "data.json"
    run("audit", book, *asked, "--set", "sheet=people", "--certificate", of_book)
    run("audit", data, *asked, "--certificate", of_data)
    assert run("verify", of_book, book)[0] == 0
    assert run("verify", of_book, data)[0] == 0
    status, _, err = run("verify", of_data, book)
    assert status == 2
    assert "Read the sheet 'people' (--set sheet=people)" in err
    assert run("verify", of_data, book, "--sheet", "people")[0] == 0
    assert run("verify", of_data, book, "--sheet", "other")[0] == 1
    assert run("verify", of_data, data, "--sheet", "people")[0] == 2
