"""Copies for others tell nothing of withheld groups, whatever is computed from them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.shared_copies import (
    GRAPH,
    LINES,
    OPEN_GRAPH,
    check_audits,
    check_releases,
    pairs,
    shared_texts,
    table_of,
)

from evenhand.evidence import disclosure_control

EACH = pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])


@EACH
@given(pair=pairs())
@settings(max_examples=30, deadline=None)
def test_tables_that_differ_only_in_withheld_cells_give_equal_bytes(graph, pair):
    check_audits(pair, graph=graph)


@given(pair=pairs())
@settings(max_examples=30, deadline=None)
def test_their_releases_do_too(pair):
    check_releases(pair)


SHOWN = {LINES[0]: (30, 20, 20, 30), LINES[1]: (25, 25, 26, 24)}
HIDDEN = [(3, 4, 5, 6), (9, 0, 200, 1)]


def test_a_number_of_a_withheld_group_that_gets_past_would_be_noticed(monkeypatch):
    """The tests above can fail: each of these fields, taken from all rows, is found."""
    tables = [table_of({**SHOWN, LINES[2]: four}, 0, 0, "no") for four in HIDDEN]
    shown_part = disclosure_control.shown_part

    def texts():
        return [shared_texts(counts, 10, "0.05") for counts in tables]

    assert len({*texts()}) == 1
    for field in ("examined", "partitions", "dropped", "verdict", "determined_by", "reasons"):

        def leak(judgement, field=field, **options):
            shown = shown_part(judgement, **options)
            value = judgement.row_count if field == "dropped" else getattr(judgement, field)
            return replace(shown, **{field: value})

        for module in ("evidence.certificate_document", "report.build_report"):
            monkeypatch.setattr(f"evenhand.{module}.shown_part", leak)
        first, second = texts()
        differs = [a != b for a, b in zip(first, second, strict=True)]
        expected = field in ("examined", "partitions", "dropped")
        assert any(differs) is expected, field


def attack(document, lines):
    """The range of each withheld count that linear and integer reasoning leaves.

    Known are the counts of the lines that are shown, that each other line has a count under the
    least one, and every total that the document gives.
    """
    least = document["withheld"]["least_count"]
    (entry,) = document["partitions"]
    shown = {tuple(line[:-5]): line[-5:-1] for line in entry["table"]}
    hidden = [line for line in lines if line not in shown]
    cells, most = 4 * len(hidden), 10_000
    # The counts, and for each of them whether it is known to be small.
    upper = np.concatenate([np.full(cells, most), np.ones(cells)])
    rows, low, high = [], [], []
    for at in range(cells):  # count <= most - (most - least + 1) * small
        row = np.zeros(2 * cells)
        row[at], row[cells + at] = 1, most - least + 1
        rows, low, high = [*rows, row], [*low, -np.inf], [*high, most]
    for at in range(len(hidden)):
        row = np.zeros(2 * cells)
        row[cells + 4 * at : cells + 4 * at + 4] = 1
        rows, low, high = [*rows, row], [*low, 1], [*high, np.inf]
    if "rows" in document:
        row = np.concatenate([np.ones(cells), np.zeros(cells)])
        rest = document["rows"]["examined"] - sum(map(sum, shown.values()))
        rows, low, high = [*rows, row], [*low, rest], [*high, rest]
    ranges = []
    for at in range(cells):
        ends = []
        for sign in (1, -1):
            goal = np.zeros(2 * cells)
            goal[at] = sign
            found = milp(
                goal,
                constraints=LinearConstraint(np.array(rows), low, high),
                bounds=Bounds(0, upper),
                integrality=np.ones(2 * cells),
            )
            ends.append(round(sign * found.fun))
        ranges.append(ends[1] - ends[0] + 1)
    return ranges


def test_integer_programming_leaves_each_withheld_count_a_wide_range():
    lines = [*LINES, ("D", "x")]
    counts = table_of({**SHOWN, LINES[2]: (3, 4, 5, 6), LINES[3]: (0, 0, 40, 2)}, 0, 0, "no")
    record, _ = shared_texts(counts, 10, "0.05")
    document = json.loads(record)
    named = [(job, town) for town, job in lines]
    assert document["partitions"][0]["names"] == ["job", "town"]
    assert min(attack(document, named)) >= 10
    total = counts.row_count
    leaky = {**document, "rows": {"examined": total}}
    some = [line for line in named if line in {(j, t) for t, j in [*SHOWN, LINES[2]]}]
    known = {**leaky, "rows": {"examined": 200 + 3}}
    assert max(attack(known, some)) < 10
    assert leaky["rows"]["examined"] == 200 + 18 + 42 + 4
