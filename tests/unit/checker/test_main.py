"""The checker as a program, far from evenhand."""

import ast
import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.certificate_records import CERTIFICATE, csv_of, sealed
from tests.loans import APART, INCOME_FIRST, ZIP_FIRST, asking, loans

from evenhand import checker, datasets
from evenhand.checker.__main__ import main, printable
from evenhand.checker.verification import CheckOutcome
from evenhand.evidence import certify

ROOM = Path(checker.__file__).parent


def test_it_needs_nothing_but_the_standard_library():
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            else:
                continue
            assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names


@pytest.fixture
def alone(tmp_path):
    """A copy of the folder, run without any installed package."""
    shutil.copytree(ROOM, tmp_path / "checker", ignore=shutil.ignore_patterns("__pycache__"))

    def run(*arguments):
        return subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, "-E", "-s", "-S", *arguments],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip

    assert "No module named 'evenhand'" in run("-c", "import evenhand").stderr
    return run


def test_a_copy_of_the_folder_runs_alone(tmp_path, alone):
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    data = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    run = alone("-m", "checker", path, data)
    assert run.returncode == 0, run.stderr
    first, second, *_ = run.stdout.splitlines()
    assert first == "Certificate verified: not certified."
    assert second == "Stated in the record, not checked:"
    assert all(len(line) <= 80 for line in run.stdout.splitlines())


def test_what_is_stated_is_listed_as_text_and_as_json(tmp_path, alone):
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    listed = [line.split()[0] for line in alone("-m", "checker", path).stdout.splitlines()]
    answer = json.loads(alone("-m", "checker", path, "--json").stdout)
    assert (answer["status"], answer["notes"]) == (0, [])
    assert {"question", "graph.origin", "versions", "population", "data"} <= {*answer["stated"]}
    assert {*answer["stated"]} <= {*listed}


def test_as_a_program_it_exits_with_the_status(tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    path.write_text(CERTIFICATE.to_shared_json())
    monkeypatch.setattr(sys, "argv", ["checker", str(path)])
    monkeypatch.delitem(sys.modules, "evenhand.checker.__main__")
    with pytest.raises(SystemExit, match="3"):
        runpy.run_module("evenhand.checker", run_name="__main__")


@pytest.mark.parametrize(
    ("expected", "status"), [("not certified", 0), ("certified", 1), ("cannot decide", 1)]
)
def test_an_expected_verdict_decides_the_exit_status(tmp_path, capsys, expected, status):
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    assert main([str(path), "--expect", expected]) == status
    assert ("verdict: it is not" in capsys.readouterr().out) is bool(status)


DIRECT, THROUGH = "verdict: it is not", "indirect.verdict: it is not"


@pytest.mark.parametrize(
    ("thresholds", "verdicts", "asked"),
    [
        (("9/10", "1/20"), ("certified", "not certified"), ("certified", [THROUGH])),
        (("9/10", "1/20"), ("certified", "not certified"), ("not certified", [DIRECT])),
        (
            ("9/10", "1/20"),
            ("certified", "not certified"),
            ("cannot decide", [DIRECT, THROUGH]),
        ),
        (("9/10", "9/10"), ("certified", "certified"), ("certified", [])),
        (("1/20", "9/10"), ("not certified", "certified"), ("certified", [DIRECT])),
    ],
)
def test_a_verdict_is_expected_of_every_claim(tmp_path, capsys, thresholds, verdicts, asked):
    (threshold, through), (expected, unlike) = thresholds, asked
    question = asking(threshold=threshold, redlining_threshold=through)
    path = certify(loans(), ZIP_FIRST, question).write(tmp_path / "certificate.json")
    assert main([str(path)]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == "Certificate verified: {}; through zip: {}.".format(*verdicts)
    assert main([str(path), "--expect", expected]) == (1 if unlike else 0)
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "it is not" in line] == [
        f"  {claim} {expected!r}" for claim in unlike
    ]
    main([str(path), "--expect", expected, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdicts"] == dict(
        zip(("verdict", "indirect.verdict"), verdicts, strict=True)
    )


def test_that_other_potentials_may_prove_closer_bounds_is_printed(tmp_path, capsys):
    for graph, is_named in ((INCOME_FIRST, True), (APART, False)):
        path = certify(loans(), graph, asking()).write(tmp_path / f"{is_named}.json")
        assert main([str(path)]) == 0
        out = " ".join(capsys.readouterr().out.split())
        words = "indirect.graphs.potentials that no others prove closer bounds"
        assert (words in out) is is_named


def test_of_an_unknown_format_no_verdict_is_told(tmp_path, capsys):
    path = tmp_path / "certificate.json"
    path.write_text('{"format": "evenhand certificate 9", "indirect": 1}')
    assert main([str(path), "--expect", "certified"]) == 3
    assert capsys.readouterr().out.startswith("Certificate neither verified nor refuted.\n")


@pytest.mark.parametrize("names", [["nowhere.json"], ["certificate.json", "nowhere.csv"]])
def test_a_file_that_is_not_there_is_bad_usage(tmp_path, names):
    CERTIFICATE.write(tmp_path / "certificate.json")
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / name) for name in names])


def test_what_could_move_the_cursor_is_escaped(tmp_path, capsys):
    evil = "9\x1b[2J\x9b1A\u202eCertificate verified\r"
    document = json.loads(CERTIFICATE.to_json())
    document["versions"]["evenhand"] = evil
    document["graph"]["origin"] = {
        "kind": "learned", "rows": "same", "algorithm": evil, "test": evil,
        "significance": evil, "decision_last": False,
    }  # fmt: skip
    path = tmp_path / "certificate.json"
    path.write_text(sealed(document))
    assert main([str(path)]) == 0
    out = capsys.readouterr().out
    document[evil] = 1
    path.write_text(sealed(document))
    assert main([str(path)]) == 1
    out += capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert "9\\x1b[2J\\x9b1A\\u202eCertificate" in out


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (0, "Certificate verified: not certified."),
        (3, "Certificate neither verified nor refuted; it says: not certified."),
    ],
)
def test_lines_are_filled_up_to_eighty_marks_and_indented(
    tmp_path, capsys, monkeypatch, status, answer
):
    """After 23 marks the first text fills the line; the second has one mark too many."""
    told = [([], "not certified")]
    texts = {"rows": f"{'a' * 27} {'b' * 29} c", "graph": f"{'a' * 27} {'b' * 30}"}
    monkeypatch.setattr(
        sys.modules[main.__module__],
        "verify",
        lambda *_: CheckOutcome(status, ["a note"], texts, told),
    )
    path = CERTIFICATE.write(tmp_path / "certificate.json")
    assert main([str(path)]) == status
    assert capsys.readouterr().out.splitlines() == [
        answer,
        "  a note",
        "Stated in the record, not checked:",
        f"  rows                 {'a' * 27} {'b' * 29}",
        "                       c",
        f"  graph                {'a' * 27}",
        f"                       {'b' * 30}",
    ]


def test_of_a_false_record_nothing_is_said_to_be_stated(tmp_path, capsys, monkeypatch):
    answer = CheckOutcome(1, ["a note"], {"rows": "how many"})
    monkeypatch.setattr(sys.modules[main.__module__], "verify", lambda *_: answer)
    assert main([str(CERTIFICATE.write(tmp_path / "certificate.json"))]) == 1
    assert capsys.readouterr().out == "Certificate refuted.\n  a note\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é, 1 of 2", "é, 1 of 2"),
        ("a\u3164b", r"a\u3164b"),
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\u202eb", r"a\u202eb"),
    ],
)
def test_what_hides_or_acts_is_escaped_and_the_rest_is_not(text, shown):
    assert printable(text) == shown
