"""Values are parsed as they are spelled, and what an error tells to type can be typed."""

import gzip
import itertools
import shlex

import pytest

from evenhand.cli.terminal import option
from evenhand.question.fields import FIELDS, parse_setting, with_typed

QUESTION = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
ROWS = [
    (sex, major, hired)
    for sex, major, hired in itertools.product("fm", "ab", ("yes", "no"))
    for _ in range(3)
]


@pytest.mark.parametrize(
    ("argument", "value", "typed"),
    [
        ("overwrite", True, "--overwrite"),
        ("other", ..., "--set other=…"),
        ("missing", "level", "--missing level"),
        ("na", ["<a b>", "?"], "--na '<a b>' --na '?'"),
        ("delimiter", "\t", r"--set 'delimiter=\t'"),
        ("required", ["married=True -> hired"], "--require 'married=True -> hired'"),
        ("columns", ["a", "b c"], "--columns 'a,b c'"),
        ("exclude", ["id", "name"], "--exclude id,name"),
        ("exclude", ["a,b"], """--exclude '"a,b"'"""),
        ("redlining", ["zip", "a b"], "--redlining 'zip,a b'"),
        ("explained", ..., "--set explained=…"),
        ("redlining_threshold", "1/10", "--set redlining_threshold=1/10"),
        ("basis", "all", "--set basis=all"),
        ("key", "person_id", ""),
    ],
)
def test_arguments_become_options(argument, value, typed):
    assert option(argument, value) == typed


ODD_NAMES = ["a", " lead", "a,b", '"', '"q"', 'x"y,', "", "tail ", "two\nlines", '",', "a b"]
ODD_NAMES += ["a=b", "a.b", "it's {odd}", "a:b", "<=50K."]


def typed_again(field, value):
    """What a question file would say, if what is spelled is typed."""
    words = [word for word in shlex.split(option(field, value)) if not word.startswith("--")]
    return with_typed({}, map(parse_setting, words))


@pytest.mark.parametrize("cuts", [4, ["37"], ["0.5", "1"], [">=38"]])
@pytest.mark.parametrize("column", ODD_NAMES[:6] + ODD_NAMES[7:])
def test_bins_are_read_as_they_are_spelled(column, cuts):
    name, text = shlex.split(option("bins", {column: cuts}))
    assert name == "--bin"
    assert parse_setting(f"bins.{text}")[1] == {column: cuts}


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("olds", [["<=50K", "<=50K."], ["a", " b", "c = d"], ["", ".", '5,"']])
def test_merges_are_read_as_they_are_spelled(name, olds):
    merge = {f"{name}?": {name: olds, "b": ["b", "B."]}, "work": {"c d": olds}}
    assert typed_again("merge", merge) == {"data": {"merge": merge}}


@pytest.mark.parametrize("argument", ["drop", "rule", "exclude", "columns", "redlining"])
@pytest.mark.parametrize("names", [[one] for one in ODD_NAMES] + [ODD_NAMES, ODD_NAMES[::-1]])
def test_every_name_can_be_typed(argument, names):
    (field,) = [one for one in FIELDS if one.name == argument and one.table != "labels"]
    _, text = shlex.split(option(argument, names))
    assert field.parse(text.removeprefix(f"{argument}=")) == names


@pytest.fixture
def asked(tmp_path):
    """A question file: where one is given nothing is guessed of how columns are read."""
    path = tmp_path / "q.toml"
    lines = ["[question]", *(f'{key} = "{value}"' for key, value in QUESTION.items())]
    path.write_text("\n".join(lines))
    return ["--question", path]


def write_csv(path, rows, *, header=("sex", "major", "hired"), mark=","):
    path.write_text("\n".join(mark.join(map(str, row)) for row in [header, *rows]) + "\n")
    return path


def missing(path):
    return write_csv(path, [*ROWS, ("f", "", "yes")])


def three_groups(path):
    return write_csv(path, [*ROWS, ("x", "a", "yes"), ("x", "a", "no")])


def with_identifiers(path):
    rows = [(*row, 1000 + number) for number, row in enumerate(ROWS * 80)]
    return write_csv(path, rows, header=("sex", "major", "hired", "id"))


def in_two_ways(path):
    return write_csv(path, [*ROWS, ("f", "a", "yes."), ("m", "a", "yes.")])


def with_blanks(path):
    return write_csv(path, [*ROWS, ("f", "a", "yes "), ("m", "a", "yes ")])


def between_tabs(path):
    return write_csv(path, ROWS, mark="\t")


@pytest.mark.parametrize(
    ("make", "typed", "remedy"),
    [
        (missing, [], "--set missing=drop"),
        (missing, [], "--set missing=level"),
        (three_groups, [], "--set other=rest"),
        (with_identifiers, [], "--bin id=quantiles:4"),
        (in_two_ways, [], "--set merge.hired.yes=yes,yes."),
        (with_blanks, [], """--set 'merge.hired.yes=yes,"yes "'"""),
        (between_tabs, ["--set", "delimiter=;"], r"--set 'delimiter=\t'"),
    ],
)
def test_a_remedy_can_be_typed_and_helps(run, tmp_path, asked, *, make, typed, remedy):
    data = make(tmp_path / "data.csv")
    status, _, err = run("audit", data, *asked, *typed)
    assert status == 2
    assert remedy in err
    assert "=['" not in err
    assert "={'" not in err
    assert run("audit", data, *asked, *shlex.split(remedy))[0] in (0, 1, 3)


def test_a_small_file_of_long_texts_is_refused_with_options_that_help(run, tmp_path, asked):
    data = tmp_path / "data.csv.gz"
    lines = [f"{','.join(row)},{at}{'x' * 10**6}\n" for at, row in enumerate(ROWS * 5)]
    data.write_bytes(gzip.compress("".join(["sex,major,hired,essay\n", *lines]).encode(), 1))
    status, _, err = run("audit", data, *asked, "--set", "memory=256MB")
    assert status == 4
    assert "'essay' takes " in err
    assert "(--set columns=…)" in err
    assert "(--set memory=…)" in err
    assert run("audit", data, *asked, "--set", "columns=sex,major,hired")[0] in (0, 1, 3)


def test_a_remedy_for_bins_names_the_option(run, tmp_path, asked):
    data = with_identifiers(tmp_path / "data.csv")
    assert "--bin age=37" in run("audit", data, *asked, "--bin", "id=old")[2]
