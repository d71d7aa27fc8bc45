import csv
import json
import os
import stat

import pytest
from tests import loans

LOANS = ["--protected", "race", "--decision", "loan", "--favorable", "yes"]


@pytest.fixture
def people(tmp_path):
    """Loans as single rows."""
    head, *lines = loans.csv_text().splitlines()
    rows = [line.rpartition(",") for line in lines]
    each = [labels for labels, _, many in rows for _ in range(int(many))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([head.rpartition(",")[0], *each]) + "\n")
    return path


@pytest.mark.parametrize("layout", ["evenhand", "nyc-144"])
def test_tables_are_printed_written_and_told_as_json(run, people, tmp_path, layout):
    page = tmp_path / "rates.html"
    words = ["tables", people, *LOANS, "--layout", layout]
    status, out, err = run(*words, "--output", page)
    assert (status, err) == (0, "")
    assert "loan = yes by race" in out
    assert "legal advice" in " ".join(page.read_text().split())
    assert run(*words, "--output", page)[0] == 2
    document = json.loads(run(*words, "--json")[1])
    lines = document["tables"][0]["lines"]
    assert sum(line["people"] for line in lines) == len(people.read_text().splitlines()) - 1
    assert max(line["ratio"] for line in lines) == 1


def test_comparators_are_for_the_owner_alone(run, people, tmp_path):
    pairs = tmp_path / "pairs.csv"
    words = ["comparators", people, *LOANS, "--nearest", "1", "--set", "threshold=0.01"]
    status, out, err = run(*words, "--output", pairs)
    assert (status, err) == (0, "")
    assert "for the owner of the data alone" in out
    head, *lines = csv.reader(pairs.read_text().splitlines())
    assert f"with {len(lines):,} comparators" in out
    assert "refused row" in head
    if os.name == "posix":
        assert stat.S_IMODE(pairs.stat().st_mode) == 0o600
    document = json.loads(run(*words, "--json")[1])
    assert [[*one.values()] for one in document["lines"]] == lines


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["tables", "--layout", "nyc"], "`layout` is 'nyc', which is none of"),
        (["tables", "--output", "x.xlsx"], "end in '.xlsx'"),
        (["comparators", "--output", "x.txt"], "end in '.txt'"),
        (["comparators", "--key", "name"], "no column 'name'"),
        (["comparators", "--set", "frequency=zip"], "column of counts"),
    ],
)
def test_what_cannot_be_made_is_refused(run, people, monkeypatch, typed, said):
    monkeypatch.chdir(people.parent)
    verb, *more = typed
    status, _, err = run(verb, people, *LOANS, *more)
    assert status == 2
    assert said in err or "frequency" in typed[-1]
