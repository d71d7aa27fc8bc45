import json

import pytest


def test_discovery_speaks_text_json_and_dot(run, example):
    options = [example / "data.csv", "--question", example / "q.toml"]
    assert "arrows" in run("discover", *options)[1]
    assert set(json.loads(run("discover", *options, "--format", "json")[1])) >= {
        "nodes",
        "arrows",
        "undirected",
    }
    assert run("discover", *options, "--format", "dot")[1].startswith("digraph")
    assert "Causes of admission" in run("discover", *options, "--local")[1]
    assert run("discover", *options, "--format", "png")[0] == 2


def test_without_tiers_the_decision_comes_last_and_this_is_said(run, example):
    options = [example / "data.csv", "--frequency", "n", "--decision", "admission"]
    assert "is taken to come after all other columns" in run("discover", *options)[1]


@pytest.mark.parametrize("local", [[], ["--local"]])
def test_discovery_takes_json_as_other_verbs_do(run, example, local):
    options = [example / "data.csv", "--question", example / "q.toml", *local]
    status, out, err = run("discover", *options, "--json")
    assert (status, err) == (0, "")
    assert out == run("discover", *options, "--format", "json")[1]
    assert run("discover", *options, "--json", "--format", "dot")[0] == 2
