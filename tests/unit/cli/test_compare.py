import json
import re

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
@pytest.mark.parametrize("thresholds", ["0.05", "0.05,0.1"])
def test_methods_are_compared_in_columns_on_a_narrow_terminal(
    run, options, monkeypatch, width, thresholds
):
    whole = run("compare", *options, "--thresholds", thresholds)[1]
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    out = run("compare", *options, "--thresholds", thresholds)[1]
    lines = out.splitlines()
    assert max(map(len, lines)) <= width < max(map(len, whole.splitlines()))
    lines = lines[: next(at for at, line in enumerate(lines) if "that people know" in line)]
    heads = [line.split("  ") for line in lines if line.startswith(4 * " " + "  ")]
    named = [cell.strip() for head in heads for cell in head if cell.strip()]
    assert named == [
        *(["τ"] if "," in thresholds else []),
        *("method", "verdict", "violating", "guaranteed", "changed rows", "gain", "lose"),
        *("n_T", "distance", "in model", "χ²", "χ² kept cells", "CPU s"),
    ]
    cells = [re.split(r" {2,}", line.strip()) for line in lines if re.match(r" +\d+  ", line)]
    assert sum(map(len, cells)) == len(cells) + len(named) * len(cells) // len(heads)
    minimal = next(line for line in lines if "modify-data minimal" in line)
    assert "certified" in minimal
    assert "local-massaging, given each attribute" in " ".join(out.split())


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


def test_what_is_left_of_effects_comes_first_on_a_narrow_terminal(
    run, loan_options, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    lines = run("compare", *loan_options)[1].splitlines()
    head = next(line for line in lines if "method" in line and "verdict" in line)
    assert head.split() == ["method", "verdict", "violating", "claim", "through", "guaranteed"]
