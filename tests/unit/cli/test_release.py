import json


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


def test_an_unknown_method_is_answered_with_the_methods(run, options):
    status, _, err = run("release", *options, "--method", "modify-dat", "--dry-run")
    assert status == 2
    assert "Did you mean 'modify-data'" in err


def test_a_release_is_judged_by_its_rows_whatever_the_file_says(run, example, options):
    path = example / "q.toml"
    path.write_text(path.read_text().replace("[question]", '[question]\njudge = "population"'))
    output = example / "released.csv"
    status, out, err = run("release", *options, "--output", output, "--json")
    assert status == 0
    assert json.loads(out)["after"]["verdict"] == "certified"
    assert "judged by its rows" in err
    status, _, err = run("release", *options, "--judge", "population", "--dry-run")
    assert status == 2
    assert "--judge" in err
