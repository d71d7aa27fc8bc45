"""Every labelled piece of the paper has its row; every claim in code has its test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| `([^`]+)` \|", (ROOT / "docs/paper-map.md").read_text("utf-8"), re.MULTILINE
)


def labels_in(folder: str, pattern: str) -> set[str]:
    return {
        label.strip()
        for path in (ROOT / folder).rglob("*.py")
        for found in re.findall(pattern, path.read_text("utf-8"))
        for label in found.split(",")
    }


IMPLEMENTED = labels_in("src", r"Paper: ([\w:, -]+)")
TESTED = labels_in("tests", r"mark\.paper\(\"([\w:]+)\"\)")


def test_every_file_that_the_map_names_exists():
    text = (ROOT / "docs/paper-map.md").read_text("utf-8")
    for name in re.findall(r"`([\w/.-]+\.(?:py|md)|[\w/]+/)`", text):
        beside = [ROOT / name, ROOT / "src/evenhand" / name, ROOT / "docs" / name]
        assert any(path.exists() for path in beside), name


def test_each_label_has_one_row():
    assert len(ROWS) == len(set(ROWS))


def test_every_label_in_code_is_in_the_map():
    assert set(ROWS) >= IMPLEMENTED


def test_every_label_in_code_has_a_test():
    assert not IMPLEMENTED - TESTED


def test_no_test_claims_a_label_that_is_not_in_the_map():
    assert set(ROWS) >= TESTED


def test_every_label_of_the_paper_has_a_row():
    papers = list((ROOT.parent / "shared" / "paper").glob("*.txt"))
    if not papers:
        pytest.skip("the paper's source is not beside the project")
    labels = re.findall(r"\\label\{([^}]+)\}", papers[0].read_text("utf-8"))
    assert set(labels) <= set(ROWS)
