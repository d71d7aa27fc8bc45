"""What the command line says when something is wrong, to people and to programs."""

import gzip
import itertools
import json
import shlex

import pytest

PARTS = {"what", "found", "remedy", "where", "remedies"}
QUESTION = shlex.split("--protected sex --group f --decision hired --favorable yes")
ROWS = [
    (sex, major, hired)
    for sex, major, hired in itertools.product("fm", "ab", ("yes", "no"))
    for _ in range(3)
]


def written(path, rows, *, header=("sex", "major", "hired"), mark=","):
    path.write_text("\n".join(mark.join(map(str, row)) for row in [header, *rows]) + "\n")
    return path


def missing(path):
    return written(path, [*ROWS, ("f", "", "yes")])


def of_three_groups(path):
    return written(path, [*ROWS, ("x", "a", "yes"), ("x", "a", "no")])


def with_identifiers(path):
    rows = [(*row, 1000 + number) for number, row in enumerate(ROWS * 80)]
    return written(path, rows, header=("sex", "major", "hired", "id"))


def in_two_ways(path):
    return written(path, [*ROWS, ("f", "a", "yes."), ("m", "a", "yes.")])


def between_tabs(path):
    return written(path, ROWS, mark="\t")


@pytest.mark.parametrize(
    ("make", "typed", "remedy"),
    [
        (missing, [], "--missing drop"),
        (missing, [], "--missing level"),
        (of_three_groups, [], "--other rest"),
        (with_identifiers, [], "--bin id=quantiles:4"),
        (in_two_ways, [], "--merge 'hired:yes=yes,yes.'"),
        (between_tabs, ["--delimiter", ";"], r"--delimiter '\t'"),
    ],
)
def test_a_remedy_can_be_typed_and_helps(run, tmp_path, make, typed, remedy):
    data = make(tmp_path / "data.csv")
    status, _, err = run("audit", data, *QUESTION, *typed)
    assert status == 2
    assert remedy in err
    assert "=['" not in err
    assert "={'" not in err
    assert run("audit", data, *QUESTION, *shlex.split(remedy))[0] in (0, 1, 3)


def test_what_cannot_be_typed_is_shown_for_the_question_file(run, tmp_path):
    data = written(tmp_path / "data.csv", [*ROWS, ("f", "a", "yes "), ("m", "a", "yes ")])
    status, _, err = run("audit", data, *QUESTION)
    assert status == 2
    assert '[data.merge.hired] "yes" = ["yes", "yes "]' in err


def test_a_small_file_of_long_texts_is_refused_with_options_that_help(run, tmp_path):
    data = tmp_path / "data.csv.gz"
    lines = [f"{','.join(row)},{at}{'x' * 10**6}\n" for at, row in enumerate(ROWS * 5)]
    data.write_bytes(gzip.compress("".join(["sex,major,hired,essay\n", *lines]).encode(), 1))
    status, _, err = run("audit", data, *QUESTION, "--memory", "256MB")
    assert status == 4
    assert "'essay' takes " in err
    assert "(--columns …)" in err
    assert "(--memory …)" in err
    assert run("audit", data, *QUESTION, "--columns", "sex,major,hired")[0] in (0, 1, 3)


def test_a_remedy_for_bins_names_the_option(run, tmp_path):
    data = with_identifiers(tmp_path / "data.csv")
    assert "--bin age=37" in run("audit", data, *QUESTION, "--bin", "id=old")[2]


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        ("audit {data}", ("QuestionError", 2)),
        ("audit absent.csv --question {q}", ("InputError", 2)),
        ("audit {data} --question {q} --certificate absent/c.json", ("ResourceError", 4)),
        ("discover absent.csv", ("InputError", 2)),
        ("release {data} --question {q}", ("QuestionError", 2)),
        ("compare {data} --question {q} --frequency major", ("ValuesError", 2)),
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
    told = json.loads(out)
    assert (failed, err) == (status, said)
    assert (told["error"], told["exit_status"]) == (kind, status)
    assert all(set(one) == PARTS for one in told["problems"])
    if kind != "UsageError":
        assert said == "".join(
            f"evenhand: {one['where'] and one['where'] + ': '}"
            f"{' '.join(filter(None, (one['what'], one['found'], one['remedy'])))}\n"
            for one in told["problems"]
        )


def test_a_name_that_is_no_text_does_not_break_the_document(run, example):
    status, out, _ = run("audit", "\udcff.csv", "--question", example / "q.toml", "--json")
    assert (status, json.loads(out)["problems"][0]["where"]) == (2, "\\udcff.csv")


def test_what_runs_out_or_is_interrupted_is_told_to_programs_too(run, example, monkeypatch):
    monkeypatch.chdir(example)
    for raised, status in ((MemoryError(), 4), (KeyboardInterrupt(), 130)):

        def stop(*_, raised=raised, **__):
            raise raised

        monkeypatch.setattr("evenhand.study.audit", stop)
        failed, out, _ = run("audit", "data.csv", "--question", "q.toml", "--json")
        assert (failed, json.loads(out)["exit_status"]) == (status, status)


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("audit dta.csv --question q.toml", "data.csv"),
        ("audit data.cvs --question q.toml", "data.csv"),
        ("audit data --question q.toml", "data.csv"),
        ("audit data.csv --question qq.toml", "q.toml"),
        ("audit data.csv --question q.toml --graph grph.txt", "graph.txt"),
        ("audit papres/data.csv --question q.toml", "papers/data.csv"),
        ("init dta.csv", "data.csv"),
        ("verify recrod.json", "record.json"),
        ("verify record.json dta.csv", "data.csv"),
    ],
)
def test_a_misspelt_file_is_answered_with_the_nearest(
    run,
    example,
    monkeypatch,
    command,
    meant,
):
    monkeypatch.chdir(example)
    run("audit", "data.csv", "--question", "q.toml", "--certificate", "record.json")
    (example / "papers").mkdir()
    (example / "papers" / "data.csv").write_text((example / "data.csv").read_text())
    status, _, err = run(*command.split())
    assert status == 2
    assert f"Did you mean '{meant}'?" in err


@pytest.mark.parametrize(
    "command",
    [
        "audit e.csv --question q.toml",  # d.csv is like it by its ending alone
        "audit d.csv --question d.toml",  # d.csv is named already
        "audit zzz/d.csv --question q.toml",
    ],
)
def test_a_file_that_is_only_of_the_same_kind_is_not_proposed(
    run,
    tmp_path,
    monkeypatch,
    command,
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "d.csv", ROWS)
    (tmp_path / "q.toml").write_text(
        '[question]\nprotected = "sex"\ngroup = "f"\ndecision = "hired"\nfavorable = "yes"\n'
    )
    status, _, err = run(*command.split())
    assert status == 2
    assert "Did you mean" not in err
