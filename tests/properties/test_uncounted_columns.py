"""A certificate's codings name only columns that were counted, and it stays true."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.certificate_records import sealed
from tests.classed_numbers import OPTIONS
from tests.fuzzing import run

from evenhand import checker

COUNTED = ["g", "x", "y"]
# Ways to leave the columns `age` and `town` uncounted.
WAYS = {
    "local": ["--set", "local"],
    "columns": ["--set", "columns=g,x,y"],
    "exclude": ["--set", "exclude=age,town"],
    "local among some": ["--set", "local", "--set", "exclude=town"],
}
CODINGS = {
    "quantiles": ["--set", "bins.age=quantiles:3"],
    "cuts": ["--set", "bins.age=30,>=40"],
    "merge": ["--set", "merge.town.pq=p,q"],
    "missing level": [
        "--set",
        "bins.age=quantiles:3",
        "--set",
        "na=q",
        "--set",
        "missing=level",
    ],
    "missing drop": ["--set", "merge.town.pr=p,r", "--set", "na=q", "--set", "missing=drop"],
}


@pytest.fixture
def data(tmp_path):
    """A table in which neither age nor town has to do with the decision."""
    draw = np.random.default_rng(1)
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["g", "x", "age", "town", "y"])
        for at in range(600):
            g, x = "fm"[at % 2], draw.choice(["a", "b"])
            favorable = draw.random() < 0.3 + 0.3 * (g == "m") + 0.2 * (x == "a")
            age, town = draw.integers(20, 60), draw.choice(["p", "q", "r"])
            lines.writerow([g, x, age, town, int(favorable)])
    return path


def audit(data, *options):
    certificate = data.with_name("c.json")
    status, _, err = run(
        ["audit", str(data), *OPTIONS, *options, "--certificate", str(certificate), "--quiet"]
    )
    assert status in (0, 1, 3), err
    return certificate


def without(data, *names):
    """The same table without some columns."""
    path = data.with_name("fewer.csv")
    with data.open(newline="") as file, path.open("w", newline="") as fewer:
        rows = csv.DictReader(file)
        kept = [name for name in rows.fieldnames if name not in names]
        lines = csv.DictWriter(fewer, kept, extrasaction="ignore")
        lines.writeheader()
        lines.writerows(rows)
    return path


@pytest.mark.parametrize("shared", [[], ["--share"]], ids=["full", "shared"])
@pytest.mark.parametrize("coded", CODINGS)
@pytest.mark.parametrize("way", WAYS)
def test_codings_name_only_counted_columns(data, way, coded, shared):
    certificate = audit(data, *WAYS[way], *CODINGS[coded], *shared)
    codings = json.loads(certificate.read_text())["codings"]
    assert codings["columns"] == COUNTED
    assert not {"bins", "merge", "exclude"} & {*codings}
    for table in (data, without(data, "age", "town")):
        status, out, err = run(["verify", str(certificate), str(table)])
        assert (status, err) == (0, ""), out
        assert checker.verify(certificate.read_text(), str(table))[:2] == (0, [])
    assert run(["verify", str(certificate)])[0] == (3 if shared else 0)


@pytest.mark.parametrize("way", WAYS)
def test_codings_of_counted_columns_stay(data, way):
    merged = ["--set", "merge.x.A=a", "--set", "bins.age=quantiles:3"]
    certificate = audit(data, *WAYS[way], *merged)
    assert json.loads(certificate.read_text())["codings"]["merge"] == {"x": {"A": ["a"]}}
    assert run(["verify", str(certificate), str(data)])[0] == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_report_tells_only_of_classes_that_were_counted(data, way):
    report = data.with_name("r.html")
    audit(data, *WAYS[way], "--set", "bins.age=quantiles:3", "--report", str(report))
    assert "Values put in classes before counting" not in report.read_text("utf-8")


@pytest.mark.parametrize("way", WAYS)
def test_a_release_with_uncounted_classes_is_true(data, way):
    target = data.with_name("out.csv")
    asked = [*OPTIONS, *WAYS[way], "--set", "bins.age=quantiles:3"]
    status, _, err = run(["release", str(data), *asked, "--output", str(target)])
    assert status == 0, err
    certificate = target.with_name("out.certificate.json")
    assert "bins" not in json.loads(certificate.read_text())["codings"]
    assert run(["verify", str(certificate), str(target)])[0] == 0


def test_a_record_with_a_number_of_classes_cannot_be_checked(data):
    """Such records were once written; which classes they mean is not known."""
    certificate = audit(data, "--set", "columns=g,x,y")
    document = json.loads(certificate.read_text())
    document["codings"]["bins"] = {"age": 3}
    certificate.write_text(sealed(document))
    for given in ([], [str(data)]):
        status, out, _ = run(["verify", str(certificate), *given])
        assert status == 3
        assert "codings.bins.age" in out
        command = [sys.executable, "-m", "checker", str(certificate), *given]
        place = Path(checker.__file__).parents[1]
        done = subprocess.run(  # noqa: S603  # our own
            command, cwd=place, capture_output=True, text=True, check=False
        )
        assert done.returncode == 3
