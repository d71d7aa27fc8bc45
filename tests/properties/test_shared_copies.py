"""Copies for others tell nothing of withheld groups, whatever is computed from them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.shared_copies import (
    GRAPH,
    LINES,
    OPEN_GRAPH,
    UNSEEN,
    check_audits,
    check_releases,
    pairs,
    shared_texts,
    table_of,
)

import evenhand as eh
from evenhand.evidence import disclosure_control
from evenhand.report import full_page

EACH = pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])


@EACH
@given(pair=pairs())
@settings(max_examples=20, deadline=None)
def test_tables_that_differ_only_in_withheld_cells_give_equal_bytes(graph, pair):
    check_audits(pair, graph=graph)


@pytest.mark.parametrize(
    "method", [eh.ModifyData(), eh.ModifyData(policy="raise"), eh.ModifyGraph()], ids=str
)
@given(pair=pairs())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_their_releases_do_too(method, pair):
    check_releases(pair, method)


SHOWN = {LINES[0]: (30, 20, 20, 30), LINES[1]: (25, 25, 26, 24)}
HIDDEN = [(3, 4, 5, 6), (9, 0, 0, 0)]


FIELDS = {
    "examined": lambda all_rows: all_rows.examined,
    "partitions": lambda all_rows: all_rows.partitions,
    "contradictions": lambda all_rows: (f"{all_rows.row_count} rows",),
    "graph_origin": lambda all_rows: replace(
        all_rows.graph_origin,
        edits=(eh.GraphEdit(kind="add", arrow=("a", "b"), reason=all_rows.digest),),
    ),
    "codings": lambda all_rows: eh.Codings.of(frequency=f"{all_rows.row_count}"),
    "min_coverage": lambda all_rows: all_rows.coverage.overall,
}
FIELDS_UNSEEN = {
    "contradictions": lambda all_rows: (f"{all_rows.dropped} rows dropped",),
    "graph_origin": lambda all_rows: replace(
        all_rows.graph_origin, test=f"{sum(all_rows.graph.record.tests)} tests"
    ),
}


def let_past(monkeypatch, field, value):
    """Take one field of what is shown from all rows."""
    shown_part = disclosure_control.shown_part

    def leak(judgement, **options):
        return replace(shown_part(judgement, **options), **{field: value(judgement)})

    for module in ("evidence.certificate_record", "report.full_page"):
        monkeypatch.setattr(f"evenhand.{module}.shown_part", leak)


@pytest.mark.parametrize("field", FIELDS)
def test_what_gets_past_the_restriction_would_be_noticed(field, monkeypatch):
    """The tests above can fail: each field that is passed on, taken from all rows, is found."""
    tables = [table_of({**SHOWN, LINES[2]: four}, 0, 0, "no", "12") for four in HIDDEN]
    texts = [shared_texts(counts, 10, "0.05") for counts in tables]
    assert texts[0] == texts[1]
    let_past(monkeypatch, field, FIELDS[field])
    first, second = (shared_texts(counts, 10, "0.05") for counts in tables)
    assert first != second


def unseen_texts(method=None):
    counts = table_of(SHOWN, 0, 0, "no", "12")
    return [shared_texts(counts, 10, "0.3", unseen=one, method=method) for one in UNSEEN]


@pytest.mark.parametrize("field", FIELDS_UNSEEN)
def test_dropped_rows_and_tests_of_a_search_would_be_noticed(field, monkeypatch):
    first, second = unseen_texts()
    assert first == second
    let_past(monkeypatch, field, FIELDS_UNSEEN[field])
    first, second = unseen_texts()
    assert first != second


PAGE_LEAKS = {
    "dropped rows": lambda audit, release: audit.certificate.dropped,  # noqa: ARG005
    "seed": lambda audit, release: release.seed,  # noqa: ARG005
    "changed rows": lambda audit, release: (release.changed_rows, audit.certificate.dropped),
}


@pytest.mark.parametrize("leak", PAGE_LEAKS)
def test_numbers_that_reach_the_page_past_the_restriction_would_be_noticed(leak, monkeypatch):
    """Whatever stands in its first sentence, as a template could print it."""
    first, second = unseen_texts(eh.ModifyData())
    assert first == second
    page, made = full_page.shared_page, []

    def leaking(*args, **options):
        return page(*args, **options) | {"first_sentence": str(made[-1])}

    def report(audit, release=None, **options):
        made.append(PAGE_LEAKS[leak](audit, release))
        return full_page.report(audit, release, **options)

    monkeypatch.setattr(full_page, "shared_page", leaking)
    monkeypatch.setattr("tests.shared_copies.report", report)
    first, second = unseen_texts(eh.ModifyData())
    assert first != second


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
    hidden = {LINES[2]: (3, 4, 5, 6), LINES[3]: (0, 0, 40, 2)}
    counts = table_of({**SHOWN, **hidden}, 0, 0, "no", "12")
    document = json.loads(shared_texts(counts, 10, "0.05")[0])
    assert document["partitions"][0]["names"] == ["job", "town"]
    named = [(job, town) for town, job in (*LINES, ("12", "x"))]
    assert min(attack(document, named)) >= 10


def test_integer_programming_would_find_what_a_total_reveals():
    """With the number of all rows, and one group withheld, its counts are nearly known."""
    counts = table_of(SHOWN, 0, 0, "no", "12")
    document = json.loads(shared_texts(counts, 10, "0.05")[0])
    named = [(job, town) for town, job in (*SHOWN, ("12", "x"))]
    assert min(attack(document, named)) >= 10
    assert max(attack({**document, "rows": {"examined": counts.row_count}}, named)) < 10
