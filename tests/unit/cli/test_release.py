import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests import loans
from tests.hiring import csv_text, people


def test_a_release_is_certified_and_verified(run, example, options):
    output = example / "released.csv"
    status, out, _ = run("release", *options, "--output", output, "--seed", "7")
    assert status == 0
    assert "15 of 2,200 rows changed" in out
    assert "12 (gender=female: 0, gender=male: 12)" in out
    certificate = example / "released.certificate.json"
    assert run("verify", certificate, output, "--expect", "certified")[0] == 0
    manifest = example / "released.manifest.json"
    assert manifest.stat().st_mode & 0o777 == 0o600


def test_release_tells_machines_everything(run, example, options):
    status, out, _ = run("release", *options, "--output", example / "released.csv", "--json")
    assert status == 0
    assert {
        "method",
        "policy",
        "changed_rows",
        "changed_decisions",
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


def test_a_dry_run_writes_nothing(run, example, options):
    before = sorted(example.iterdir())
    status, out, _ = run("release", *options, "--dry-run")
    assert status == 0
    assert "15 of 2,200 decisions would change" in out
    assert "3 (gender=female: 0, gender=male: 3)" in out
    assert sorted(example.iterdir()) == before


def test_a_method_without_a_guarantee_needs_permission(run, example, options):
    output = example / "released.csv"
    command = ["release", *options, "--output", output, "--policy", "printed"]
    assert run(*command)[0] == 2
    assert run(*command, "--uncertified")[0] == 0
    assert not output.exists()
    assert list(example.glob("*.uncertified.*"))


ALIKE_IN_NOTHING = """sex,hired,people
f,yes,500
f,no,480
m,yes,590
m,no,410
"""


def test_a_graph_by_which_nobody_can_tell_is_accepted_with_a_reason(run, tmp_path):
    table, output, page = (tmp_path / name for name in ("in.csv", "out.csv", "out.html"))
    table.write_text(ALIKE_IN_NOTHING)
    asked = "--protected sex --group f --decision hired --favorable yes --set frequency=people"
    options = ["release", table, *asked.split()]
    status, out, err = run(*options, "--output", output)
    assert (status, out) == (3, "")
    assert "Cannot tell: the graph shows no cause of hired other than sex" in err
    assert "--accept-graph …" in err
    assert [*tmp_path.iterdir()] == [table]
    status, out, _ = run(*options, "--dry-run")
    assert status == 0
    assert "By this graph no release is certified." in out
    status, out, _ = run(*options, "--dry-run", "--json")
    (refused,) = json.loads(out)["refused"]
    assert refused["remedies"][-1]["argument"] == "accept_graph"
    said = "Nothing else was known."
    accepted = [*options, "--accept-graph", said]
    assert "By this graph" not in run(*accepted, "--dry-run")[1]
    status, out, _ = run(*accepted, "--output", output, "--report", page, "--share")
    assert status == 0
    assert said in " ".join(out.split())
    assert said in page.read_text("utf-8")
    for name in ("out.certificate.json", "out.shared.certificate.json"):
        written = tmp_path / name
        assert json.loads(written.read_text())["release"]["accepted_graph"] == said
        status, out, _ = run("verify", written, output, "--expect", "certified")
        assert status == 0
        assert said in " ".join(out.split())
    assert json.loads((tmp_path / "out.manifest.json").read_text())["accepted_graph"] == said


def test_what_is_uncertified_needs_no_reason(run, tmp_path):
    table = tmp_path / "in.csv"
    table.write_text(ALIKE_IN_NOTHING)
    asked = "--protected sex --group f --decision hired --favorable yes --set frequency=people"
    options = ["release", table, *asked.split(), "--output", tmp_path / "out.csv"]
    assert run(*options, "--uncertified")[0] == 0
    assert list(tmp_path.glob("*.uncertified.*"))


def test_an_unknown_method_is_answered_with_the_methods(run, options):
    status, _, err = run("release", *options, "--method", "modify-dat", "--dry-run")
    assert status == 2
    assert "Did you mean 'modify-data'" in err


def test_a_release_is_judged_by_its_rows_whatever_the_file_says(run, example, options):
    path = example / "q.toml"
    path.write_text(path.read_text().replace('judge = "rows"', 'judge = "answer"'))
    output = example / "released.csv"
    status, out, _ = run("release", *options, "--output", output, "--json")
    assert status == 0
    assert json.loads(out)["after"]["verdict"] == "certified"
    typed, in_file = (
        run("release", *options, *more, "--dry-run", "--json")
        for more in (["--judge", "answer"], [])
    )
    assert typed == in_file


def test_a_name_that_cannot_be_written_is_refused_before_any_work(run, options, monkeypatch):
    monkeypatch.setattr("evenhand.auditing.audit", pytest.fail)
    status, _, err = run("release", *options, "--output", "released.xlsx")
    assert status == 2
    assert "Spreadsheets are read, but not written. Write released.csv" in err


@pytest.mark.parametrize("name", ["out.csv", "out.certificate.json", "out.manifest.json"])
def test_a_release_that_exists_is_refused_before_any_work(
    run, options, tmp_path, monkeypatch, name
):
    (tmp_path / name).write_text("mine")
    monkeypatch.setattr("evenhand.auditing.audit", pytest.fail)
    status, _, err = run("release", *options, "--output", tmp_path / "out.csv")
    assert status == 2
    assert name in err
    assert "--overwrite" in err
    status, _, err = run("release", *options, "--output", tmp_path / "absent" / "out.csv")
    assert status == 2
    assert "no such folder" in err


def test_what_a_killed_run_left_is_no_release_that_exists(run, options, tmp_path):
    """It is removed, and reported, before existing files are refused."""
    left = tmp_path / f".evenhand-1-{'0' * 16}"
    (left / "new").mkdir(parents=True)
    (left / "new" / "out.csv").write_text("half")
    renamed = tmp_path / "out.certificate.json"
    renamed.write_text("of the killed run")
    found = renamed.stat()
    stamp = [found.st_size, found.st_mtime_ns]
    (left / "commit").write_text(json.dumps([[renamed.name, stamp], ["out.csv", None]]))
    status, out, _ = run("release", *options, "--output", tmp_path / "out.csv")
    assert status == 0
    assert f"Removed what an interrupted run had left: {left.name}" in out
    assert json.loads(renamed.read_text())["verdict"] == "certified"


def test_metadata_is_written_beside_and_what_it_lacks_is_said(run, options, tmp_path):
    output = tmp_path / "out.csv"
    status, out, _ = run("release", *options, "--output", output, "--metadata")
    assert status == 0
    assert "Croissant metadata:" in out
    assert "add what only you know: license, url, creator, datePublished" in " ".join(
        out.split()
    )
    again = ["release", *options, "--output", output, "--overwrite", "--json"]
    told = json.loads(run(*again, "--metadata")[1])
    assert (
        json.loads(Path(told["croissant"]).read_text())["distribution"][0]["name"] == "out.csv"
    )
    assert json.loads(Path(told["statement"]).read_text())["subject"][0]["name"] == "out.csv"
    assert not {"croissant", "statement"} & {*json.loads(run(*again)[1])}


def revealing(folder):
    """Options for a table in which the column 'copy' tells the decision."""
    rows = ["f,no,0"] * 80 + ["f,yes,1"] * 40 + ["m,no,0"] * 60 + ["m,yes,1"] * 80
    data, graph = folder / "people.csv", folder / "graph.txt"
    data.write_text("\n".join(["sex,hired,copy", *rows]) + "\n")
    graph.write_text("sex -> hired\n")
    asked = "--protected sex --group f --decision hired --favorable yes --threshold 0.05"
    return [data, *asked.split(), "--set", "exclude=copy", "--graph", graph]


def test_a_column_that_reveals_changed_rows_is_told_before_they_are_published(run, tmp_path):
    options = revealing(tmp_path)
    _, out, _ = run("release", *options, "--dry-run")
    assert "all 23 changed rows contradict that" in " ".join(out.split())
    assert "Drop it (--set drop=copy)" in out
    output = tmp_path / "released.csv"
    status, out, err = run("release", *options, "--output", output)
    assert status == 0
    assert "'copy' reveals changed rows" in err
    assert "reveals changed rows" not in out
    _, out, _ = run("release", *options, "--output", output, "--overwrite", "--json")
    (told,) = json.loads(out)["revealing_columns"]
    assert (told["rows"], told["changed_rows"]) == (23, 23)
    assert "--set drop=copy" in told["remedy"]
    _, out, _ = run("release", *options, "--dry-run", "--json")
    assert json.loads(out)["revealing_columns"] == [told]


def test_it_can_be_dropped(run, tmp_path):
    options, output = revealing(tmp_path), tmp_path / "released.csv"
    command = ["release", *options, "--output", output, "--overwrite"]
    status, out, err = run(*command, "--set", "drop=copy")
    assert (status, err) == (0, "")
    assert "dropped columns" in out
    assert output.read_text().startswith("sex,hired\n")
    assert run("verify", tmp_path / "released.certificate.json", output)[0] == 0
    status, _, err = run(*command, "--set", "drop=hired")
    assert status == 2
    assert "'hired' cannot be dropped" in err


def test_a_dry_run_says_the_same_each_time(run, options):
    command = ["release", *options, "--method", "local-massaging", "--dry-run", "--json"]
    assert run(*command) == run(*command)


def test_with_a_copy_for_others_what_is_printed_is_for_the_owner(run, example, options):
    words = ["release", *options, "--output", example / "released.csv", "--overwrite"]
    _, out, error = run(*words, "--share", "--json")
    shared = example / "released.shared.certificate.json"
    assert json.loads(out)["shared"] == str(shared)
    assert "for the owner of the data" in error
    _, out, error = run(*words, "--json")
    assert "shared" not in json.loads(out)
    assert "for the owner of the data" not in error
    page = example / "page.html"
    for more in ([], ["--json"]):
        _, _, error = run("audit", *options, "--report", page, "--overwrite", "--share", *more)
        assert error.count("for the owner of the data") == 1


VALUES = {
    "pairs": "--protected race --favorable Low",
    "reference": "--protected race --favorable Low --set other=c",
    "crossed": "--protected sex --protected race --favorable Low --favorable Medium "
    "--set min_rows=3",
    "every": "--protected race --set criterion=every",
    "cumulative": "--protected race --set criterion=cumulative --set order=Low "
    "--set order=Medium --set order=High",
}


@pytest.mark.parametrize("name", VALUES)
def test_many_groups_and_values_are_released_verified_and_reproduced(
    run, scores, tmp_path, name
):
    out = tmp_path / "out.csv"
    typed = [*scores, *VALUES[name].split(), "--set", "drop=note", "--seed", "5", "--share"]
    status, printed, errors = run("release", *typed, "--output", out)
    assert status == 0, errors
    assert "certified after modify-data (minimal)" in printed
    assert run("verify", tmp_path / "out.certificate.json", out)[0] == 0
    assert run("verify", tmp_path / "out.shared.certificate.json", out)[0] == 0
    again = tmp_path / "again.csv"
    assert run("release", *typed, "--output", again)[0] == 0
    assert again.read_bytes() == out.read_bytes()
    # What was released needs no change any more.
    again = [out, *scores[1:], *VALUES[name].split(), "--dry-run", "--json"]
    status, printed, _ = run("release", *again)
    assert status == 0
    assert json.loads(printed)["changed_rows"] == 0


def test_only_named_groups_change_if_that_reaches_the_criterion(run, scores):
    pairs = VALUES["pairs"].split()
    status, printed, _ = run(
        "release", *scores, *pairs, "--dry-run", "--json", "--set", "only=b", "--set", "only=c"
    )
    assert status == 0
    assert {move["where"]["race"] for move in json.loads(printed)["moves"]} <= {"b", "c"}


@pytest.mark.parametrize(
    ("name", "typed", "status", "words"),
    [
        ("pairs", "--set only=z", 2, "'z' is no group that is compared. There are 'a', 'b'"),
        ("pairs", "--set only=c", 3, "more groups change, or of all: leave that out (--set"),
        ("pairs", "--set only=c", 3, "Still at or beyond 1/20: sex = f, town = x: a and c, "),
        ("pairs", "--policy group", 3, "may change (--set only=…)"),
        ("pairs", "--policy rows", 3, "does not apply to a favorable decision"),
        ("every", "--policy raise", 3, "does not apply to decisions of many values"),
        ("every", "--set only=a", 3, "decisions of all groups may change"),
        ("pairs", "--set only=a --policy group", 2, "says itself whose decisions change"),
        ("every", "--method modify-graph", 3, "Use modify-data (--method modify-data)"),
        (
            "pairs",
            "--method local-massaging --uncertified",
            3,
            "for two groups of one attribute",
        ),
    ],
)
def test_what_no_method_can_do_is_said(run, scores, tmp_path, *, name, typed, status, words):
    code, _, errors = run(
        "release",
        *scores,
        *VALUES[name].split(),
        *typed.split(),
        "--output",
        tmp_path / "out.csv",
    )
    assert code == status
    assert words in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "out.csv").exists()


def test_a_release_meets_the_claim_about_effects_too(run, tmp_path, loan_options):
    output = tmp_path / "released.csv"
    status, out, _ = run("release", *loan_options, "--output", output, "--seed", "7")
    assert status == 0
    assert "7 of 200 rows changed" in out
    assert re.search(r"through zip, after +certified at 1/20", out)
    certificate = tmp_path / "released.certificate.json"
    assert run("verify", certificate, output, "--expect", "certified")[0] == 0
    told = json.loads(run("release", *loan_options, "--dry-run", "--json")[1])
    assert (told["changed_rows"], told["lower_bound"], told["proven"]) == (7, 7, True)


def test_an_effect_that_is_not_identified_is_not_released(run, tmp_path, loan_options):
    (tmp_path / "loans.txt").write_text(str(loans.INCOME_FIRST))
    output = tmp_path / "released.csv"
    status, _, err = run("release", *loan_options, "--output", output)
    assert status == 3
    assert "'income' both causes what is asked about" in err
    assert "--set redlining=zip,income" in err
    assert not output.exists()


def test_an_open_edge_is_not_released(run, tmp_path, loan_options):
    (tmp_path / "loans.txt").write_text(str(loans.OPEN))
    status, _, err = run("release", *loan_options, "--output", tmp_path / "released.csv")
    assert status == 3
    assert "does not direct income - zip" in err
    assert "--set 'require=income -> zip'" in err


@pytest.fixture
def predicted(tmp_path):
    """People with predictions, scores and labels, and the options that name them."""
    random = np.random.default_rng(3)
    sex, job = random.choice([*"fm"], 400), random.choice([*"abc"], 400)
    score = (0.8 * random.random(400) + 0.2 * (sex == "m")).round(3)
    people = pd.DataFrame({"sex": sex, "job": job, "score": score})
    people["hired"] = random.choice(["yes", "no"], 400)
    people["said"] = np.where(score > 0.5, "yes", "no")
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "graph.txt").write_text("sex -> hired; job -> hired")
    asked = "--protected sex --group f --decision hired --favorable yes --predictions said"
    graph = ["--graph", tmp_path / "graph.txt"]
    return people, [tmp_path / "people.csv", *asked.split(), *graph]


def test_a_batch_of_predictions_is_released_by_score(run, tmp_path, predicted):
    people, options = predicted
    output = tmp_path / "out.csv"
    by_score = ["--set", "labels=hired", "--set", "rank=score", "--set", "drop=score"]
    status, out, _ = run("release", *options, *by_score, "--output", output)
    assert status == 0
    assert "nearest to the other side by score" in out
    released = pd.read_csv(output)
    changed = people[released["said"] != people["said"]]
    assert len(changed)
    for kind, rows in changed.groupby(["sex", "job", "said"]):
        alike = people[(people[["sex", "job", "said"]] == [*kind]).all(axis=1)]
        nearest = alike.nsmallest if kind[2] == "yes" else alike.nlargest
        assert set(rows.index) == set(nearest(len(rows), "score").index)
    before, after = (
        f"{100 * people['hired'].eq(table['said']).mean():.1f} %"
        for table in (people, released)
    )
    assert f"{before} before, {after} after" in out
    status, out, _ = run(
        "release", *options, *by_score, "--output", output, "--overwrite", "--json"
    )
    assert json.loads(out)["rank"] == "score"
    certificate = tmp_path / "out.certificate.json"
    assert run("verify", certificate, output, "--expect", "certified")[0] == 0


def test_only_modify_data_chooses_by_score(run, predicted):
    _, options = predicted
    method = ["--method", "modify-graph", "--set", "rank=score"]
    status, _, err = run("release", *options, "--dry-run", *method)
    assert status == 2
    assert "Leave out the rank" in err
    status, _, err = run("release", *options, "--dry-run", "--set", "rank=job")
    assert status == 2
    assert "Name a column of numbers without gaps (--set rank" in err


def test_a_release_takes_the_predictions_of_one_model(run, tmp_path, predicted):
    _, options = predicted
    output = tmp_path / "out.csv"
    status, _, err = run("release", *options, "--predictions", "hired", "--output", output)
    assert status == 2
    assert "A release changes the predictions of one model, and 2 are named." in err
    assert not output.exists()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out.arrow"])
@pytest.mark.parametrize("method", ["modify-data", "modify-graph"])
def test_a_release_with_the_seed_of_a_manifest_has_the_same_bytes(run, tmp_path, name, method):
    data, graph, out = tmp_path / "people.csv", tmp_path / "graph.txt", tmp_path / name
    data.write_text(csv_text(people()), newline="")
    graph.write_text("sex -> hired; degree -> hired; sex -> degree; hired -> pay")
    asked = ["--protected", "sex", "--group", "f", "--decision", "hired", "--favorable", "yes"]
    typed = [data, *asked, "--set", "exclude=note", "--graph", graph, "--method", method]
    assert run("release", *typed, "--output", out)[0] == 0
    manifest, certificate = (
        json.loads((tmp_path / f"out.{role}.json").read_text())
        for role in ("manifest", "certificate")
    )
    again = tmp_path / f"again-{name}"
    assert run("release", *typed, "--output", again, "--seed", manifest["seed"])[0] == 0
    assert again.read_bytes() == out.read_bytes()
    nonce, seed = bytes.fromhex(manifest["nonce"]), int(manifest["seed"])
    committed = hashlib.sha256(nonce + seed.to_bytes(16, "big")).hexdigest()
    assert committed == certificate["release"]["seed_commitment"]
    repeated = json.loads((tmp_path / "again-out.certificate.json").read_text())
    assert repeated["release"]["seed_commitment"] != committed  # by another nonce
