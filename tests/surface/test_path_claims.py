"""Effects through other columns at the command line: two claims, one status, and bad input."""

import json
import sys
from math import inf

import pytest
from tests import several_groups
from tests.loans import (
    CELLS,
    INCOME_FIRST,
    LABELS,
    OPEN,
    QUESTION,
    ZIP_FIRST,
    csv_text,
)

import evenhand as eh
from evenhand.cli.application import main

ASKED = ["--protected", "race", "--group", "b", "--decision", "loan", "--favorable", "yes"]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process, by default judged by the rows.

    Returns exit status, output and errors.
    """
    monkeypatch.setattr("evenhand.cli.terminal._PATIENCE", inf)

    def running(*arguments):
        if arguments[0] == "audit" and "--judge" not in arguments:
            arguments = (*arguments, "--judge", "rows")
        monkeypatch.setattr(sys, "argv", ["evenhand", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return stopped.value.code or 0, printed.out, printed.err

    return running


@pytest.fixture
def typed(tmp_path):
    """Write the table and a graph; returns what is typed to audit them."""

    def write(graph=ZIP_FIRST, cells=CELLS):
        (tmp_path / "loans.csv").write_text(csv_text(cells))
        (tmp_path / "graph.txt").write_text(str(graph))
        table = [tmp_path / "loans.csv", "--set", "frequency=n"]
        return [*table, "--graph", tmp_path / "graph.txt", *ASKED]

    return write


# The threshold of the direct claim, whose largest difference is .3; the graph and the threshold
# of the other claim; both verdicts and the status.
CLAIMS = [
    ("0.9", ZIP_FIRST, "0.06", "certified", "certified", 0),
    ("0.9", ZIP_FIRST, "0.05", "certified", "not certified", 1),  # just at it
    ("0.9", INCOME_FIRST, "0.035", "certified", "cannot decide", 3),
    ("0.05", ZIP_FIRST, "0.06", "not certified", "certified", 1),
    ("0.05", ZIP_FIRST, "0.05", "not certified", "not certified", 1),
    ("0.05", INCOME_FIRST, "0.035", "not certified", "cannot decide", 1),
    ("0.9", OPEN, "0.06", "certified", "certified", 0),
    ("0.9", OPEN, "0.05", "certified", "cannot decide", 3),
]


@pytest.mark.parametrize("claims", CLAIMS)
def test_the_worse_of_two_claims_gives_the_status(run, typed, claims):
    threshold, graph, own, direct, through, status = claims
    options = [*typed(graph), "--threshold", threshold]
    options += ["--redlining", "zip", "--set", f"redlining_threshold={own}"]
    assert run("audit", *options, "--quiet") == (
        status,
        f"{direct}\nthrough zip: {through}\n",
        "",
    )
    ended, out, _ = run("audit", *options)
    assert ended == status
    assert out.startswith(f"{direct}: ")
    assert f"the rows: {direct}; through zip: {through}" in out
    assert f"\n{through}, through zip: " in out
    ended, out, _ = run("audit", *options, "--json")
    document = json.loads(out)
    assert ended == status
    assert (document["verdict"], document["indirect"]["verdict"]) == (direct, through)
    assert document["deciding_verdict"] == direct


def test_where_the_direct_claim_is_open_the_other_can_still_be_broken(run, typed):
    # No row in the cells of one kind of people: too few can be compared directly.
    absent = {("w", "1", "lo"), ("b", "2", "hi")}
    cells = {where: many for where, many in CELLS.items() if where not in absent}
    for own, status in (("0.2", 3), ("0.01", 1)):
        options = [*typed(cells=cells), "--threshold", "0.9", "--redlining", "zip"]
        ended, out, _ = run("audit", *options, "--set", f"redlining_threshold={own}", "--quiet")
        assert out.startswith("cannot decide\n")
        assert ended == status


@pytest.mark.parametrize(
    ("own", "words", "status"),
    [
        ("0.9", "all differences shown to be within the threshold", 0),
        ("0.06", "inconclusive", 3),
        ("0.000001", "inconclusive", 3),
    ],
)
def test_beside_the_answer_stands_what_the_rows_show_of_the_population(
    run, typed, own, words, status
):
    options = [*typed(), "--threshold", "0.9", "--redlining", "zip", "--judge", "answer"]
    ended, out, _ = run("audit", *options, "--set", f"redlining_threshold={own}", "--quiet")
    assert (ended, out) == (status, f"No\nthrough zip: {words}\n")


def test_an_effect_that_stands_out_from_chance_stops_a_pipeline(run, typed):
    many = {where: (1000 * rows, 1000 * yes) for where, (rows, yes) in CELLS.items()}
    options = [*typed(cells=many), "--threshold", "0.9", "--redlining", "zip"]
    options += ["--judge", "answer"]
    ended, out, _ = run("audit", *options, "--set", "redlining_threshold=0.04", "--quiet")
    assert (ended, out.splitlines()[1]) == (1, "through zip: difference shown")


def test_json_has_every_promised_field(run, typed):
    _, out, _ = run("audit", *typed(), "--redlining", "zip", "--json")
    document = json.loads(out)
    claim = document["indirect"]
    assert {"redlining", "explained", "basis"}.isdisjoint(document)
    assert (claim["through"], claim["threshold"], claim["basis"]) == (["zip"], "1/20", "group")
    assert (claim["identified"], claim["witnesses"], claim["graphs"]) == (True, [], 1)
    assert claim["sides"] == {"income": "explained", "loan": "direct", "zip": "through"}
    assert claim["gap"]["data"] == pytest.approx(0.26)
    assert claim["gap"]["model"] == {
        "lower": pytest.approx(0.26),
        "upper": pytest.approx(0.26),
    }
    assert claim["unseen_mass"] == 0
    forward, backward = claim["effects"]["forward"], claim["effects"]["backward"]
    names = ["direct", "through", "explained", "combination", "total", "spurious"]
    assert [*forward] == [*backward] == names
    assert forward["through"]["lower"] == forward["through"]["upper"] == pytest.approx(1 / 150)
    assert forward["direct"]["standard_error"] == pytest.approx(0.084778, abs=1e-6)
    assert backward["through"]["value"] == pytest.approx(-0.05)


def test_without_the_option_nothing_is_said_of_it(run, typed):
    _, out, _ = run("audit", *typed())
    assert "through" not in out
    _, out, _ = run("audit", *typed(), "--json")
    assert "indirect" not in json.loads(out)
    assert run("audit", *typed(), "--quiet")[1] == "not certified\n"


def test_what_is_printed_says_how_much_goes_where(run, typed):
    options = ["--redlining", "zip", "--set", "redlining_threshold=0.1", "--set", "basis=all"]
    _, out, _ = run("audit", *typed(), *options, "--set", "explained=income")
    _, _, block = out.partition("\ncertified, through zip: ")
    lines = block.partition("\n\n")[0].splitlines()
    assert lines[0] == (
        "If all were people with “race = b” but had the zip of people with “race = w”, all "
        "else as it is: 25 % instead of 24 % had “loan = yes”."
    )
    assert (
        "  verdict                 criterion for this effect met at τ = 1/10, given this graph"
        in lines
    )
    assert "  measured on             all rows, whichever group they belong to" in lines
    assert "  through zip        0.7 ± 6.9         −5.0 ± 9.8" in lines
    assert "  explained: income  10.4 ± 9.8        −13.3 ± 10.6" in lines


def test_what_a_witness_asks_for_can_be_typed(run, typed):
    options = [*typed(INCOME_FIRST), "--redlining", "zip", "--set", "redlining_threshold=0.035"]
    _, out, _ = run("audit", *options)
    assert "  bounds only             not identified because of income\n" in out
    assert "(--set redlining=zip,income)" in out
    _, out, _ = run("audit", *options, "--redlining", "income", "--json")
    assert json.loads(out)["indirect"]["identified"]


def test_an_open_edge_is_named_with_what_settles_it(run, typed):
    options = [*typed(OPEN), "--threshold", "0.9", "--redlining", "zip"]
    _, out, _ = run("audit", *options, "--set", "redlining_threshold=0.05")
    assert "2 ways to direct the open edges, all measured" in out
    assert "--set 'require=income -> zip'" in out


# What is typed besides; what is said, with what helps; the status.
REFUSED = {
    "both": (
        ["--redlining", "zip", "--set", "explained=zip"],
        (
            "`redlining` and `explained` both name 'zip'. Through one attribute effects are "
            "either judged or accepted. Keep it here if they are judged (--set redlining=…), "
            "or here if they are accepted (--set explained=…)."
        ),
    ),
    "nothing": (
        ["--set", "explained=income"],
        (
            "`explained` would have no effect. It is not said through which attributes effects "
            "are judged. Name them (--set redlining=…)."
        ),
    ),
    "no such basis": (
        ["--redlining", "zip", "--set", "basis=rows"],
        "`basis` is 'rows', which is none of 'group', 'all'. Choose one (--set basis=…).",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_asked_is_refused_with_what_helps(run, typed, name):
    options, words = REFUSED[name]
    for verb in ("audit", "compare"):
        status, out, errors = run(verb, *typed(), *options)
        assert (status, out) == (2, "")
        # Help of ``compare`` lists the option, that of ``audit`` leaves it to the keys.
        typed_as = "--redlining …" if verb == "compare" else "--set redlining=…"
        assert words.replace("--set redlining=…", typed_as) in errors
    status, out, _ = run("release", *typed(), *options, "--dry-run", "--json")
    assert (status, json.loads(out)["exit_status"]) == (2, 2)


LOW = ["--favorable", "Low"]
SEVERAL = {
    "groups": (
        ["--protected", "race", *LOW],
        (
            "are measured between two groups. The groups are 'a', 'b', 'c'. Name one of them, "
            "and with whom it is compared (--group …)."
        ),
    ),
    "attributes": (
        ["--protected", "race", "--protected", "sex", *LOW],
        "are measured for one protected attribute. 'race', 'sex' are named.",
    ),
    "every value": (
        ["--protected", "sex", "--set", "criterion=every"],
        "are measured on one kind of decision. With the criterion 'every' 3 are compared.",
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_between_several_groups_or_decisions_only_the_direct_claim_is_decided(
    run, tmp_path, name
):
    options, words = SEVERAL[name]
    (tmp_path / "scores.csv").write_text(several_groups.csv_text())
    (tmp_path / "graph.txt").write_text(
        "race -> score; town -> score; sex -> score; race -> town"
    )
    table = [tmp_path / "scores.csv", "--set", "frequency=n", "--graph", tmp_path / "graph.txt"]
    asked = [*table, "--decision", "score", *options, "--threshold", "0.9"]
    assert run("audit", *asked, "--quiet")[0] == 0
    ended, out, _ = run("audit", *asked, "--redlining", "town", "--quiet")
    assert (ended, out) == (3, "certified\nthrough town: cannot decide\n")
    _, out, _ = run("audit", *asked, "--redlining", "town")
    assert "\ncannot decide, through town\n" in out
    assert f"Effects through other attributes {words}" in out or words in out


def test_two_values_of_which_each_is_compared_are_measured(run, typed):
    # One rate is the other's complement: the first value's is measured.
    options = [*map(str, typed())]
    at = options.index("--favorable")
    options[at : at + 2] = ["--set", "criterion=every"]
    ended, out, _ = run("audit", *options, "--threshold", "0.9", "--redlining", "zip")
    assert "had “loan = no”." in out
    assert ended == 0
    assert "  through zip        −0.7 ± 6.9        5.0 ± 9.8\n" in out


def test_near_the_decision_no_paths_are_followed(run, typed):
    options = [*map(str, typed())]
    at = options.index("--graph")
    options[at : at + 2] = ["--set", "local"]
    ended, out, _ = run("audit", *options, "--threshold", "0.9", "--redlining", "zip")
    assert ended == 3
    assert (
        "The effect through 'zip' was not measured: the graph was learned of the columns near "
        "the decision. Paths may go through others, and these may have causes that are not in "
        "it. Learn the whole graph, of chosen columns if there are many (--set columns=…), or "
        "give "
        "it (--graph …)."
    ) in out


def test_a_question_file_asks_and_options_override_it(run, typed, tmp_path):
    question = eh.QuestionFile(question=QUESTION, labels=LABELS)
    (tmp_path / "q.toml").write_text(str(question))
    table = [*typed()[:5], "--question", tmp_path / "q.toml"]
    _, out, _ = run("audit", *table, "--json")
    document = json.loads(out)
    assert document["indirect"]["through"] == ["zip"]
    assert document["indirect"]["sentence"] == (
        "If whites had Blacks' postcode, all else as it is: 45 % instead of 50 % got a loan."
    )
    _, out, _ = run("audit", *table, "--redlining", "income", "--json")
    assert json.loads(out)["indirect"]["through"] == ["income"]
