import json

import pytest


def test_methods_are_compared(run, options):
    status, out, _ = run("compare", *options, "--json")
    outcomes = json.loads(out)["outcomes"]
    assert status == 0
    assert {"modify-data", "modify-graph"} <= {one["method"] for one in outcomes}
    minimal = next(one for one in outcomes if one["policy"] == "minimal")
    assert (minimal["changed_rows"], minimal["violating"]) == (15, 0)
    assert minimal["changed_decisions"] == {
        "group": {"to_favorable": 0, "to_unfavorable": 0},
        "other": {"to_favorable": 12, "to_unfavorable": 3},
    }


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_narrow_terminal_each_method_is_a_line_of_a_list(run, options, monkeypatch, width):
    whole = run("compare", *options)[1]
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    lines = run("compare", *options)[1].splitlines()
    assert max(map(len, lines)) <= width < max(map(len, whole.splitlines()))
    first = next(line for line in lines if line.startswith("  1. "))
    assert "method modify-data; policy minimal; changed rows 15;" in first
    assert "verdict certified" in " ".join(lines)


def test_measures_that_people_know_stand_beside(run, options):
    out = run("compare", *options)[1]
    assert "rank no method" in out
    known = json.loads(run("compare", *options, "--json")[1])["known_measures"]
    for measure in known["measures"]:
        assert measure["does_not_see"] in out
        assert measure["formula"] in out
    recorded = next(line for line in out.splitlines() if "as recorded   " in line)
    assert f"{known['measures'][0]['value']:.3f}" in recorded


def test_effects_through_other_attributes_are_compared(run, loan_options):
    status, out, _ = run("compare", *loan_options, "--json")
    assert status == 0
    comparison = json.loads(out)
    first, *_ = comparison["outcomes"]
    assert (first["changed_rows"], first["indirect"]["verdict"]) == (7, "certified")
    left_out = "modify-graph does not remove effects through other attributes."
    assert sum(left_out in why for why in comparison["skipped"]) == 2
