"""What continuous integration reads: JUnit XML, a summary in Markdown, the action's script."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[3]


def suite(path):
    return ET.parse(path).getroot().find("testsuite")  # noqa: S314  # our own file


@pytest.mark.parametrize(
    ("typed", "status", "kinds"),
    [
        ([], 1, {"failure": "not certified"}),
        (["--threshold", "0.11"], 0, {}),
        (["--judge", "answer"], 3, {"error": "Cannot tell"}),
    ],
)
def test_junit_fails_as_the_status_does(run, options, tmp_path, *, typed, status, kinds):
    path = tmp_path / "junit.xml"
    assert run("audit", *options, *typed, "--junit", path)[0] == status
    found = suite(path)
    (case,) = found.findall("testcase")
    assert case.get("name") == "admission by gender"
    assert {child.tag: child.get("type") for child in case} == kinds
    assert (found.get("tests"), found.get("failures")) == ("1", str(int(status == 1)))
    assert run("audit", *options, "--junit", path)[0] == 2  # it is there already


def test_every_claim_is_a_case(run, loan_options, tmp_path):
    path = tmp_path / "junit.xml"
    run("audit", *loan_options, "--junit", path, "--quiet")
    assert len(suite(path).findall("testcase")) == 2


def test_a_report_in_markdown_has_the_answer_and_no_counts_for_others(run, options, tmp_path):
    path = tmp_path / "summary.md"
    run("audit", *options, "--report", path)
    text = path.read_text()
    assert text.startswith("## ")
    assert "| major | test\\_score |" in text
    run("audit", *options, "--report", path, "--share", "--overwrite")
    assert "|" not in path.read_text()


@pytest.mark.skipif(os.name != "posix", reason="the action runs bash")
@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({}, 1),
        ({"QUESTION": "answer.toml"}, 3),
        ({"QUESTION": "answer.toml", "CANNOT_TELL": "pass"}, 0),
        ({"TABLE": "absent.csv"}, 2),
    ],
)
def test_the_script_of_the_action_writes_and_ends_with_the_status(example, settings, status):
    asked = (example / "q.toml").read_text()
    (example / "answer.toml").write_text(asked.replace('judge = "rows"', 'judge = "answer"'))
    (example / "evenhand").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m evenhand "$@"\n')
    (example / "evenhand").chmod(0o755)
    given = {"TABLE": "data.csv", "QUESTION": "q.toml", "GRAPH": "graph.txt", "OUTPUT": "out"}
    files = {"GITHUB_STEP_SUMMARY": "step.md", "GITHUB_OUTPUT": "outputs"}
    path = f"{example}:{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603  # our own script
        ["/bin/bash", str(ROOT / "scripts/action.sh")],
        cwd=example,
        env={**os.environ, **given, **files, **settings, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    audited = 3 if settings.get("QUESTION") else status
    assert (example / "outputs").read_text() == f"status={audited}\n"
    if status != 2:
        assert (example / "step.md").read_text().startswith("## ")
        assert suite(example / "out" / "junit.xml") is not None
        assert (example / "out" / "certificate.json").exists()
