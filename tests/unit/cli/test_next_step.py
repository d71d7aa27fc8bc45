"""An answer that nobody can tell says what to do next, and doing that leads to a release.

Three commands: ``audit``, ``release`` with the options that the answer names, ``verify``.
"""

import re

import numpy as np
import pytest

ROWS = 1200


def columns(generator, *, group=0.08, places=25, harm=0.0):
    """People of two groups in many places, which decide; of the group there are few."""
    place = generator.integers(0, places, ROWS)
    is_group = generator.random(ROWS) < group
    rate = 0.15 + 0.7 * (place % 5) / 4 - harm * is_group
    hired = generator.random(ROWS) < rate
    return {
        "sex": np.where(is_group, "f", "m"),
        "place": np.char.add("p", place.astype(str)),
        "hired": np.where(hired, "yes", "no"),
    }


def few_alike():
    """In most places there is nobody of the group."""
    return columns(np.random.default_rng(2), group=0.01)


def determined():
    """The same, with a column that says how it went."""
    generator = np.random.default_rng(2)
    people = columns(generator, group=0.01)
    went = np.where(people["hired"] == "yes", generator.integers(1, 3, ROWS), 3)
    return {"outcome_code": np.char.add("c", went.astype(str)), **people}


def too_few_rows():
    """A difference on average that so few rows do not show."""
    return columns(np.random.default_rng(5), places=5, group=0.1, harm=0.12)


@pytest.fixture
def data(request, tmp_path):
    """One of these tables as a CSV file."""
    cells = request.param()
    lines = [",".join(cells), *map(",".join, zip(*cells.values(), strict=True))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("data", "kind", "edits"),
    [
        (few_alike, "nothing compared", "--set min_coverage="),
        (determined, "determined", "--exclude outcome_code --set min_coverage="),
        (too_few_rows, "too few rows", ""),
    ],
    indirect=["data"],
)
def test_what_the_answer_says_leads_to_a_verified_release(run, data, kind, edits):
    asked = [data, "--protected", "sex", "--decision", "hired"]
    status, said, _ = run("audit", *asked)
    assert (status, said.count("What would help:")) == (3, 1)
    assert f'"kind": "{kind}"' in run("audit", *asked, "--json")[1]
    options = re.findall(r"\((--[^)]*)\)", said)
    typed = [
        word
        for edit in edits.split(" --")
        if edit
        for option in options
        if option.startswith(f"--{edit.removeprefix('--')}")
        for word in option.split()
    ]
    output = data.with_name("released.csv")
    if edits:
        assert run("release", *asked, "--output", output)[0] == 3
    status, _, errors = run("release", *asked, *dict.fromkeys(typed), "--output", output)
    assert status == 0, errors
    certificate = data.with_name("released.certificate.json")
    assert run("verify", certificate, output)[0] == 0
