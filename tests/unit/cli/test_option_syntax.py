"""Values are parsed as they are spelled, and what an error tells to type can be typed."""

import gzip
import itertools
import shlex

import pytest

from evenhand.cli.option_syntax import (
    option,
    parse_bin,
    parse_delimiter,
    parse_merges,
    parse_names,
)

QUESTION = shlex.split("--protected sex --group f --decision hired --favorable yes")
ROWS = [
    (sex, major, hired)
    for sex, major, hired in itertools.product("fm", "ab", ("yes", "no"))
    for _ in range(3)
]


@pytest.mark.parametrize(
    ("argument", "value", "typed"),
    [
        ("overwrite", True, "--overwrite"),
        ("other", ..., "--other …"),
        ("missing", "level", "--missing level"),
        ("na", ["<a b>", "?"], "--na '<a b>' --na '?'"),
        ("delimiter", "\t", r"--delimiter '\t'"),
        ("required", ["married=True -> hired"], "--require 'married=True -> hired'"),
        ("columns", ["a", "b c"], "--columns 'a,b c'"),
        ("exclude", ["id", "name"], "--exclude id,name"),
        ("exclude", ["a,b"], """--exclude '"a,b"'"""),
        ("redlining", ["zip", "a b"], "--redlining zip --redlining 'a b'"),
        ("explained", ..., "--explained …"),
        ("redlining_threshold", "1/10", "--redlining-threshold 1/10"),
        ("basis", "all", "--basis all"),
        ("key", "person_id", ""),
    ],
)
def test_arguments_become_options(argument, value, typed):
    assert option(argument, value) == typed


@pytest.mark.parametrize("cuts", [4, ["37"], ["0.5", "1"]])
@pytest.mark.parametrize("column", ["age", "a=b", "it's {odd}"])
def test_bins_are_read_as_they_are_spelled(column, cuts):
    name, text = shlex.split(option("bins", {column: cuts}))
    assert (name, parse_bin(text)) == ("--bin", (column, cuts))


@pytest.mark.parametrize(
    "merge",
    [
        {"income": {"<=50K": ["<=50K", "<=50K."]}},
        {"it's": {"a": ["a", "A"]}},
        {"work": {"a": ["a", "A"], "b": ["b", "B."]}},
        {"a:b": {"c": ["c", "C"]}},
        {"a": {"b,c": ["b,c"]}},
        {"a": {"b": ["b", " b"], "c d": ["c  d", "c = d"]}},
        {"a": {"": ["", "."]}},
        {'"a"': {'5"': ['5"', '5,"']}},
        {"a": {"x = y": ["x = y", "x=y"]}},
        {" a ": {" x": ["x", " x"]}},
    ],
)
def test_merges_are_read_as_they_are_spelled(merge):
    words = shlex.split(option("merge", merge))
    assert {*words[::2]} == {"--merge"}
    assert parse_merges(words[1::2]) == merge


ODD_NAMES = ["a", " lead", "a,b", '"', '"q"', 'x"y,', "", "tail ", "two\nlines", '",', "a b"]


@pytest.mark.parametrize("argument", ["drop", "rule", "exclude", "columns"])
@pytest.mark.parametrize("names", [[one] for one in ODD_NAMES] + [ODD_NAMES, ODD_NAMES[::-1]])
def test_every_name_can_be_typed(argument, names):
    _, text = shlex.split(option(argument, names))
    assert parse_names(text) == names


def test_a_tab_can_be_typed():
    assert (parse_delimiter(r"\t"), parse_delimiter(";")) == ("\t", ";")


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
        (missing, [], "--missing drop"),
        (missing, [], "--missing level"),
        (three_groups, [], "--other rest"),
        (with_identifiers, [], "--bin id=quantiles:4"),
        (in_two_ways, [], "--merge 'hired:yes=yes,yes.'"),
        (with_blanks, [], """--merge 'hired:yes=yes,"yes "'"""),
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
