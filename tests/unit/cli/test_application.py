"""Exit statuses, and errors as text and as JSON."""

import json
import re
import shlex
import signal

import pytest

from evenhand import errors
from evenhand.cli.process import Interrupted
from evenhand.errors import EvenhandError, Problem, Remedy

PARTS = {"what", "found", "remedy", "where", "remedies"}
PROBLEMS = (
    Problem("One.", "Seen.", Remedy("Leave them out", "missing", "drop"), "people.csv"),
    Problem("Two.", remedy=(Remedy("Bin it", "bins", {"age": 4}), Remedy("name a key", "key"))),
)
IN_WORDS = """\
evenhand: people.csv: One. Seen. Leave them out ({missing}).
evenhand: Two. Bin it ({bins}), or name a key.
"""
IN_PARTS = [
    [{"words": "Leave them out", "argument": "missing", "value": "drop"}],
    [
        {"words": "Bin it", "argument": "bins", "value": {"age": 4}},
        {"words": "name a key", "argument": "key"},
    ],
]
# Each verb with something of the library that it calls.
_WITH_OPTIONS = ("inspect", "init", "discover", "audit", "release", "compare")
CALLS = {
    "inspect data.csv": "evenhand.rows.read",
    "audit data.csv --question q.toml": "evenhand.auditing.audit",
    "release data.csv --question q.toml --dry-run": "evenhand.auditing.audit",
    "compare data.csv --question q.toml": "evenhand.auditing.audit",
    "discover data.csv": "evenhand.rows.read",
    "verify data.csv": "evenhand.recheck.check_file",
    "init data.csv --output new.toml": "evenhand.rows.read",
    "demo --output demo": "evenhand.auditing.audit",
    "paper": "evenhand.reproduction.reproduce",
}


def error_classes(root=EvenhandError):
    return [root, *(found for child in root.__subclasses__() for found in error_classes(child))]


def raising(error):
    def call(*_, **__):
        raise error

    return call


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("command", CALLS)
def test_every_error_of_every_verb_has_its_status_and_names_options(
    run, example, monkeypatch, command, kind
):
    monkeypatch.chdir(example)
    monkeypatch.setattr(CALLS[command], raising(kind(*PROBLEMS)))
    status, out, err = run(*command.split())
    has_options = command.split()[0] in _WITH_OPTIONS
    verb = command.split()[0]
    missing = "--missing drop" if verb in ("inspect", "init") else "--set missing=drop"
    four = "--bin age=quantiles:4" if verb != "release" else "--set bins.age=quantiles:4"
    in_words = IN_WORDS if has_options else re.sub(r" \(\{\w+\}\)", "", IN_WORDS)
    in_words = in_words.format(missing=missing, bins=four)
    assert (status, err) == (kind.exit_status, in_words)
    if command.split()[0] in ("init", "demo", "paper"):
        return
    assert out == ""
    status, out, err = run(*command.split(), "--json")
    document = json.loads(out)
    assert (status, err) == (kind.exit_status, in_words)
    assert (document["error"], document["exit_status"]) == (kind.__name__, kind.exit_status)
    assert [problem["remedies"] for problem in document["problems"]] == IN_PARTS


def test_every_error_is_in_the_drawn_tree():
    assert all(f" {kind.__name__}" in errors.__doc__ for kind in error_classes())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "absent.csv"], "no such file"),
        (["audit", "absent.csv", "--protected", "sex"], "no such file"),
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


def test_the_version_is_told(run):
    assert run("--version")[1].startswith("evenhand 0.")


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        ("audit {data}", ("QuestionError", 2)),
        ("audit absent.csv --question {q}", ("InputError", 2)),
        ("audit {data} --question {q} --certificate absent/c.json", ("ResourceError", 4)),
        ("discover absent.csv", ("InputError", 2)),
        ("release {data} --question {q}", ("QuestionError", 2)),
        ("compare {data} --question {q} --set frequency=major", ("ValuesError", 2)),
        ("verify absent.json", ("InputError", 2)),
        ("audit", ("UsageError", 2)),
        ("verify absent.json --expect nothing", ("UsageError", 2)),
        ("audits", ("UsageError", 2)),
    ],
)
def test_a_failure_is_one_json_document_too(run, example, monkeypatch, command, failure):
    kind, status = failure
    monkeypatch.chdir(example)
    words = shlex.split(command.format(data=example / "data.csv", q=example / "q.toml"))
    plain, out, said = run(*words)
    assert (plain, out) == (status, "")
    failed, out, err = run(*words, "--json")
    document = json.loads(out)
    assert (failed, err) == (status, said)
    assert (document["error"], document["exit_status"]) == (kind, status)
    assert all(set(one) == PARTS for one in document["problems"])
    if kind != "UsageError":
        assert said == "".join(
            f"evenhand: {one['where'] and one['where'] + ': '}"
            f"{' '.join(filter(None, (one['what'], one['found'], one['remedy'])))}\n"
            for one in document["problems"]
        )


def test_a_name_that_is_no_text_does_not_break_the_document(run, example):
    status, out, _ = run("audit", "\udcff.csv", "--question", example / "q.toml", "--json")
    assert (status, json.loads(out)["problems"][0]["where"]) == (2, "\\udcff.csv")


class Panic(BaseException):
    """As the one that extensions written in Rust raise."""


@pytest.mark.parametrize(
    "ending",
    [
        (MemoryError(), 4, "memory"),
        (OSError(28, "No space left on device", "x"), 4, "x: No space left on device"),
        (Interrupted(signal.SIGTERM), 143, "interrupted by SIGTERM"),
        (KeyError("plan"), 5, "KeyError: 'plan'"),
        (Panic(), 5, "Panic."),
        (RecursionError("too deep"), 5, "RecursionError: too deep."),
    ],
)
def test_every_other_ending_has_a_status_and_a_document(run, example, monkeypatch, ending):
    raised, status, said = ending
    monkeypatch.chdir(example)
    monkeypatch.setattr("evenhand.auditing.audit", raising(raised))
    failed, out, err = run("audit", "data.csv", "--question", "q.toml", "--json")
    assert (failed, json.loads(out)["exit_status"]) == (status, status)
    assert said in err
    assert err.count("\n") == 1
    assert ("EVENHAND_DEBUG" in err) == (status == 5)


def test_the_traceback_is_printed_on_request_only(run, example, monkeypatch):
    monkeypatch.chdir(example)
    monkeypatch.setattr("evenhand.auditing.audit", raising(KeyError("plan")))
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    status, out, err = run("audit", "data.csv", "--question", "q.toml", "--json")
    assert (status, json.loads(out)["error"]) == (5, "Unexpected")
    assert "Traceback" in err


def test_nothing_is_printed_after_the_document_of_a_result(run, options, monkeypatch):
    judged = "evenhand.evidence.statistical_verdict.exit_status"
    monkeypatch.setattr(judged, raising(KeyError("x")))
    status, out, _ = run("audit", *options, "--json")
    assert status == 5
    assert "verdict" in json.loads(out)


MOST_OPTIONS = {"audit": 20, "release": 20, "comparators": 16}  # of others 15
VERBS = (*_WITH_OPTIONS, "tables", "comparators", "verify", "web", "paper", "demo", "help")


@pytest.mark.parametrize("verb", VERBS)
def test_help_lists_few_options_and_no_type_of_python(run, verb):
    status, out, _ = run(verb, "--help")
    options = {*re.findall(r"^│ (--[\w-]+)", out, re.MULTILINE)} - {"--help"}
    assert status == 0
    assert verb == "help" or 0 < len(options) <= MOST_OPTIONS.get(verb, 15)
    assert not re.search(r"<\w|\b(str|bool|path|list\[|None)\b|\[default: \(", out)


def test_what_help_does_not_list_is_taken_all_the_same(run, options):
    status, *printed = run("audit", *options, "--set", "judge=answer", "--json")
    assert status == 3
    assert [status, *printed] == [*run("audit", *options, "--judge", "answer", "--json")]
