import json

import pytest

from evenhand.errors import ResourceError


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


def test_an_earlier_shared_certificate_is_replaced_or_removed_with_its_release(
    run, example, options
):
    command = ["release", *options, "--output", example / "out.csv"]
    shared = example / "out.shared.certificate.json"
    assert run(*command, "--share")[0] == 0
    before = {path: path.read_bytes() for path in example.iterdir()}
    status, _, err = run(*command, "--threshold", "0.08")
    assert (status, "--overwrite" in err) == (2, True)
    assert {path: path.read_bytes() for path in example.iterdir()} == before
    status, out, _ = run(*command, "--threshold", "0.08", "--overwrite")
    assert (status, shared.exists()) == (0, False)
    assert f"Removed with the earlier release: {shared.name}" in out
    assert run(*command, "--overwrite", "--share")[0] == 0
    assert run("verify", shared, example / "out.csv")[0] == 0


def test_what_was_written_before_an_error_is_told(run, example, options, monkeypatch):
    def full(*_, **__):
        raise ResourceError.of("There is no room to write this.", where="page")

    monkeypatch.setattr("evenhand.report.rendering.write_file", full)
    command = ["release", *options, "--output", example / "out.csv", "--report"]
    status, out, err = run(*command, example / "page", "--json")
    assert (status, json.loads(out)["exit_status"]) == (4, 4)
    written = ("out.csv", "out.certificate.json", "out.manifest.json")
    assert "page: There is no room" in err
    assert all(f"{example / name}: This file was written and stays." in err for name in written)
    assert (example / "out.csv").exists()
    certificate = example / "c.json"
    command = ["audit", *options, "--certificate", certificate, "--report", example / "page"]
    status, _, err = run(*command)
    assert (status, f"{certificate}: This file was written and stays." in err) == (4, True)
