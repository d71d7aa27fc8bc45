import json

import numpy as np
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
    assert "Causes of admission" in run("discover", *options, "--set", "local")[1]
    assert run("discover", *options, "--format", "png")[0] == 2


def test_without_tiers_the_decision_comes_last_and_this_is_said(run, example):
    options = [example / "data.csv", "--set", "frequency=n", "--decision", "admission"]
    assert "is taken to come after all other columns" in run("discover", *options)[1]


@pytest.mark.parametrize("local", [[], ["--set", "local"]])
def test_discovery_takes_json_as_other_verbs_do(run, example, local):
    options = [example / "data.csv", "--question", example / "q.toml", *local]
    status, out, err = run("discover", *options, "--json")
    assert (status, err) == (0, "")
    assert out == run("discover", *options, "--format", "json")[1]
    assert run("discover", *options, "--json", "--format", "dot")[0] == 2


def test_discovery_and_audit_learn_from_the_same_rows(run, tmp_path):
    rng = np.random.default_rng(4)
    race, score = rng.choice(["a", "b", "c"], 900), rng.integers(0, 4, 900)
    hired = (score + 2 * (race == "c") + rng.integers(0, 3, 900) > 3).astype(int)
    lines = [f"{r},{s},{h}" for r, s, h in zip(race, score, hired, strict=True)]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["race,score,hired", *lines, ""]))
    asked = ["--protected", "race", "--set", "group=a", "--set", "other=b"]
    asked += ["--decision", "hired", "--set", "favorable=1"]
    text = run("discover", data, *asked)[1]
    left = int((race == "c").sum())
    assert f"Learned from {900 - left} rows, as an audit does: {left} rows" in text
    graph = tmp_path / "graph.json"
    graph.write_text(run("discover", data, *asked, "--json")[1])
    learned = json.loads(run("audit", data, *asked, "--json")[1])
    given = json.loads(run("audit", data, *asked, "--graph", graph, "--json")[1])
    assert learned["graph"] == given["graph"]
    assert learned["graph"]["origin"].startswith("learned from the same rows")


def test_a_graph_is_learned_and_none_can_be_given(run, options):
    status, _, err = run("discover", *options)
    assert status == 2
    assert "--graph" in err


def test_edits_of_the_question_file_are_made(run, example):
    asked = example / "q.toml"
    asked.write_text(
        f'{asked.read_text()}\n[graph]\nremove = ["major -> admission: unknown"]\n'
    )
    words = [example / "data.csv", "--question", asked]
    _, out, _ = run("discover", *words)
    assert "As the question file asks: removed major -> admission: unknown." in out
    saved = example / "saved.json"
    saved.write_text(run("discover", *words, "--json")[1])
    learned, given = (
        json.loads(run("audit", *words, *more, "--json")[1])["graph"]
        for more in ([], ["--graph", saved])
    )
    assert ["major", "admission"] not in learned["arrows"]
    assert given["arrows"] == learned["arrows"]
    assert given["origin"].count("then edited (removed major -> admission: unknown)") == 1
    status, _, err = run("discover", *words, "--set", "local")
    assert status == 2
    assert "no graph that could be edited" in err


def test_a_decision_that_is_left_out_is_not_said_to_be_absent(run, example):
    words = [example / "data.csv", "--decision", "admission", "--exclude", "admission"]
    for more in ([], ["--set", "local"]):
        assert "is in the table, but left out" in run("discover", *words, *more)[2]


def test_a_local_search_has_the_same_limit(run, example):
    options = [
        example / "data.csv",
        "--question",
        example / "q.toml",
        "--set",
        "local",
        "--json",
    ]
    tests = [
        json.loads(run("discover", *options, *more)[1])["tests"]
        for more in ([], ["--set", "max_depth=0"])
    ]
    assert tests[1] < tests[0]
