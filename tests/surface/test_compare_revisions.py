"""The present revision gives what the base revision gave, on random tables."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.revisions.differences import Allowed, chosen, compared, differences

ROOT = Path(__file__).parents[2]
SEED, TABLES = "20170616", "300"
ABSENT = "0" * 40


def run(folder, *options):
    script = ROOT / "scripts" / "compare_revisions.py"
    return subprocess.run(  # noqa: S603  # our own interpreter
        [sys.executable, str(script), "--seed", SEED, "--folder", str(folder), *options],
        capture_output=True,
        check=False,
        text=True,
    )


def test_nothing_differs_from_the_base_on_300_tables(tmp_path):
    found = run(tmp_path, "--tables", TABLES)
    if found.returncode == 77:
        pytest.skip(found.stdout)
    assert found.returncode == 0, found.stdout + found.stderr
    lines = (line.split(": ", 1) for line in found.stdout.splitlines())
    seen = {
        name: {told.rpartition(" ")[0] for told in text.split("; ")} for name, text in lines
    }
    verdicts = {"certified", "not certified", "cannot decide"}
    assert seen["verdict"] == seen["verdict on effects"] == verdicts
    assert seen["status of audit"] & seen["status of verify"] == {"0", "1", "2", "3"}
    policies = {way.partition(", ")[2] for way in seen["released"]}
    assert policies > {"minimal", "raise", "paper", "printed", "quotas", "generate"}


def test_without_the_base_it_is_said_why_nothing_is_compared(tmp_path):
    found = run(tmp_path, "--base", ABSENT)
    assert (found.returncode, found.stdout) == (
        77,
        f"skipped: the history has no commit {ABSENT}\n",
    )


@pytest.mark.parametrize(
    ("base", "present"),
    [
        ({"verdict": "certified"}, {"verdict": "not certified"}),
        ({"risk_difference": "1/20"}, {"risk_difference": "2/40"}),
        ({"rows": 3}, {"rows": 4}),
        ({"rows": 3}, {"rows": 3.1}),
        ({"p": 1e-30}, {"p": 1.00000001e-30}),
        ({"p_zero": 1e-30}, {"p_zero": 0.0}),
        ({"mean": 0.5}, {"mean": 0.500000001}),
        ({"mean": 0.5}, {"mean": float("nan")}),
        ({"direct_arrow": True}, {"direct_arrow": 1}),
        ({"group": "f"}, {}),
        ({}, {"group": "f"}),
        ({"arrows": [["a", "b"]]}, {"arrows": []}),
        ({"order": ["a", "b"]}, {"order": ["b", "a"]}),
    ],
)
def test_what_must_not_change_differs(base, present):
    assert [*differences(base, present)]


@pytest.mark.parametrize(
    ("base", "present"),
    [
        ({"p": 0.123456789012}, {"p": 0.123456789013}),
        ({"mean": 0.0}, {"mean": 1e-17}),
        ({"mean": float("nan")}, {"mean": float("nan")}),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
    ],
)
def test_the_last_digits_of_a_figure_and_the_order_of_keys_do_not_matter(base, present):
    assert not [*differences(base, present)]


def line(favorable, **more):
    told = {"where": {"town": "A"}, "p_threshold": 0.1, "p_adjusted": 1.0, "shown": False}
    cells = {
        "group": {"favorable": favorable, "total": 4},
        "other": {"favorable": 0, "total": 2},
    }
    return {**told, **cells, "risk_difference": f"-{favorable}/4", **more}


def test_of_comparisons_with_the_same_p_any_may_speak_for_a_line():
    several = {"decision": "none"}
    assert not [*differences(line(1, **several), line(3, **several))]
    assert [*differences(line(1), line(3))]
    assert [*differences(line(1, **several), line(3, p_threshold=0.2, **several))]
    assert [*differences(line(1, **several), line(3, risk_difference="1/4", **several))]


def test_only_promised_keys_are_compared():
    document = {"verdict": "certified", "sentence": "None of 4", "graph": {"nodes": [], "x": 1}}
    result = {"status": 0, "document": document}
    kept = {"verdict": "certified", "graph": {"nodes": []}}
    assert compared({"run": ["audit"]}, result) == {"status": 0, "document": kept}
    assert chosen([{"a": 1, "b": 2}], {"a": {}}) == [{"a": 1}]


def test_of_a_refusal_the_status_counts_and_not_the_words():
    refused = {"status": 2, "document": {"error": "QuestionError", "problems": ["There is no"]}}
    assert compared({"run": ["audit"]}, refused) == {"status": 2, "document": {}}


def test_a_difference_is_allowed_with_a_reason(tmp_path):
    path = tmp_path / "allowed.toml"
    path.write_text(
        '[[allowed]]\nkind = "audit"\nfield = "*.relaxed.bound"\nreason = "It is meant."\n'
        'base = "0.0"\npresent = "null"\n'
    )
    allowed = Allowed.load(path)
    name = "1 audit.document.relaxed.bound"
    assert allowed.allows("audit", name, 0.0, None)
    assert not allowed.allows("audit", name, 0.1, None)
    assert not allowed.allows("audit", "1 audit.document.verdict", 0.0, None)
    assert not allowed.allows("compare", name, 0.0, None)
    assert allowed.uses == {0: 1}


@pytest.mark.parametrize("absent", ["kind", "field", "reason"])
def test_an_allowed_difference_without_a_reason_is_refused(tmp_path, absent):
    entry = {"kind": "audit", "field": "*", "reason": "It is meant."} | {absent: ""}
    lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
    path = tmp_path / "allowed.toml"
    path.write_text("\n".join(["[[allowed]]", *lines]))
    with pytest.raises(ValueError, match="needs kind, field and reason"):
        Allowed.load(path)
