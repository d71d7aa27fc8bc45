"""The command line run in this process, and a table to run it on."""

import sys
from dataclasses import replace
from math import inf

import pytest
from tests import loans, several_groups

from evenhand import Codings, datasets
from evenhand.cli.application import main

GRAPH = "gender -> major; gender -> admission; major -> admission; test_score -> admission"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process; returns exit status, output and errors."""
    # On a busy machine it would be told how long the rest takes.
    monkeypatch.setattr("evenhand.cli.terminal._PATIENCE", inf)

    def running(*arguments):
        monkeypatch.setattr(sys, "argv", ["evenhand", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return stopped.value.code or 0, printed.out, printed.err

    return running


@pytest.fixture
def example(tmp_path):
    """The paper's example 2 as a counted CSV, with a question file and a graph.

    The status is that of the criterion on these rows, which the paper prints.
    """
    lines = ["gender,major,test_score,admission,n"]
    lines += [",".join([*labels, str(count)]) for labels, count in datasets.admissions(2)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    asked = datasets.question("admissions")
    question = replace(asked, codings=Codings.of(frequency="n"), judge="rows")
    (tmp_path / "q.toml").write_text(str(question))
    (tmp_path / "graph.txt").write_text(GRAPH)
    return tmp_path


@pytest.fixture
def options(example):
    """The table, question and graph of the example as they are typed."""
    question, graph = example / "q.toml", example / "graph.txt"
    return [example / "data.csv", "--question", question, "--graph", graph]


@pytest.fixture
def scores(tmp_path):
    """People of several groups with three scores as a CSV file, and how columns are read."""
    rows = several_groups.people()
    cells = zip(*rows.values(), strict=True)
    lines = [",".join(rows), *(",".join(f'"{cell}"' for cell in row) for row in cells)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "scores.txt").write_text("race -> score; town -> score; sex -> score")
    columns = ["--set", "columns=sex,race,town,score", "--graph", tmp_path / "scores.txt"]
    return [tmp_path / "people.csv", *columns, "--decision", "score"]


@pytest.fixture
def loan_options(tmp_path):
    """Loans by race as a counted CSV file, asked about the postcode too, with a graph."""
    (tmp_path / "loans.csv").write_text(loans.csv_text())
    (tmp_path / "loans.txt").write_text(str(loans.ZIP_FIRST))
    question = ["--protected", "race", "--group", "b", "--decision", "loan"]
    through = ["--favorable", "yes", "--set", "redlining=zip", "--set", "frequency=n"]
    return [tmp_path / "loans.csv", *question, *through, "--graph", tmp_path / "loans.txt"]
