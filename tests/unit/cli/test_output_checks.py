import pytest


@pytest.mark.parametrize("option", ["--certificate", "--report"])
def test_an_earlier_page_is_replaced_only_when_asked(run, example, options, option):
    page = example / "page"
    page.write_text("precious")
    status, _, err = run("audit", *options, option, page)
    assert (status, page.read_text()) == (2, "precious")
    assert "--overwrite" in err
    assert run("audit", *options, option, page, "--overwrite")[0] == 1
    assert page.read_text() != "precious"
    assert run("audit", *options, option, example)[0] == 2


@pytest.mark.parametrize("target", ["data.csv", "q.toml", "graph.txt", "hard.csv", "soft.csv"])
@pytest.mark.parametrize("verb", ["audit --certificate", "audit --report", "release --report"])
def test_no_page_is_written_over_an_input(run, example, options, verb, target):
    (example / "hard.csv").hardlink_to(example / "data.csv")
    (example / "soft.csv").symlink_to(example / "data.csv")
    before = {path: path.read_bytes() for path in example.iterdir()}
    name, option = verb.split()
    output = ["--output", example / "out.csv"] if name == "release" else []
    command = [name, *options, *output, option, example / target, "--overwrite"]
    status, _, err = run(*command)
    assert (status, "input" in err) == (2, True)
    assert {path: path.read_bytes() for path in example.iterdir()} == before


@pytest.mark.parametrize("target", ["q.toml", "graph.txt", "data.csv"])
@pytest.mark.parametrize("role", ["data", "manifest"])
def test_no_file_of_a_release_is_written_over_an_input(run, example, options, role, target):
    output = example / target
    if role == "manifest":
        (example / "out.manifest.json").hardlink_to(example / target)
        output = example / "out.csv"
    before = {path: path.read_bytes() for path in example.iterdir()}
    status, _, err = run("release", *options, "--output", output, "--overwrite")
    assert (status, "input" in err) == (2, True)
    assert {path: path.read_bytes() for path in example.iterdir()} == before


@pytest.mark.parametrize(
    "name", ["out.csv", "out.certificate.json", "./x/../out.manifest.json"]
)
def test_two_files_are_not_written_to_one_name(run, example, options, name):
    (example / "x").mkdir()
    command = ["release", *options, "--output", example / "out.csv"]
    status, _, err = run(*command, "--report", example / name)
    assert (status, "Two files" in err) == (2, True)
    assert not (example / "out.csv").exists()
    page = example / "page"
    assert run("audit", *options, "--certificate", page, "--report", page)[0] == 2
    assert not page.exists()


def test_an_earlier_output_and_the_input_are_left_alone(run, example, options):
    output = example / "released.csv"
    output.write_text("precious")
    assert run("release", *options, "--output", output)[0] == 2
    assert output.read_text() == "precious"
    data = (example / "data.csv").read_bytes()
    command = ["release", *options, "--output", example / "data.csv", "--overwrite"]
    assert run(*command)[0] == 2
    assert (example / "data.csv").read_bytes() == data


@pytest.mark.parametrize("left", [[], ["out.csv", "out.certificate.json", "out.manifest.json"]])
def test_no_release_is_written_beside_an_earlier_shared_certificate(
    run, example, options, left
):
    command = ["release", *options, "--output", example / "out.csv"]
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
