"""Copies for others tell nothing of withheld groups, whatever is computed from them."""

import json
from collections import defaultdict
from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array
from tests.repetitions import repetitions
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
from evenhand.evidence import certificate_record
from evenhand.report import full_page

EACH = pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])


@EACH
@given(pair=pairs())
@settings(max_examples=repetitions(20), deadline=None)
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
    shown_part = certificate_record.shown_part

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


def known_from(document, people):
    """What a copy tells of the counts of some kinds of people, each named by its number.

    Sums with what they are; sums that are withheld; and of which sums one is small.
    """
    (entry,), least = document["partitions"], document["withheld"]["least_count"]
    question, is_pooled = document["question"], document["pooled"]["other"]
    groups, kinds = question["groups"], range(2)
    wide = len(groups) * len(kinds)
    table = {tuple(line[: -wide - 1]): line[-wide - 1 : -1] for line in entry["table"]}
    cells = defaultdict(list)
    for at, one in enumerate(people):
        values = dict(zip(COLUMNS, one, strict=True))
        line = tuple(values[name] for name in entry["names"])
        group = values["g"] if values["g"] in groups or not is_pooled else groups[1]
        cells[line, group, int(values["d"] != question["favorable"])].append(at)
    told, withheld, small = {}, [], []
    for line in {key[0] for key in cells}:
        said, hidden = table.get(line, [0] * wide), {}
        for at, group in enumerate(groups):
            own, counts = (
                [tuple(cells[line, group, kind]) for kind in kinds],
                said[2 * at :][:2],
            )
            hidden[group] = [] if any(counts) else own
            told |= dict(zip(own, counts, strict=True)) if any(counts) else {}
            withheld += hidden[group]
        pairs = [hidden[a] + hidden[b] for a, b in combinations(groups, 2)]
        small += [(least, pair) for pair in pairs if pair]
    return told, withheld, small


def ranges(copies, people, *, total=None, most=500):
    """How many values integer reasoning leaves each count that no copy shows.

    Known are the copies, all values of columns, the rule, and perhaps the total of all rows.
    """
    parts = [known_from(document, people) for document in copies]
    told = {counts: many for shown, *_ in parts for counts, many in shown.items()}
    rows = [(dict.fromkeys(counts, 1), many, many) for counts, many in told.items()]
    rows += [] if total is None else [(dict.fromkeys(range(len(people)), 1), total, total)]
    size = len(people)
    for least, sums in chain(*(small for *_, small in parts)):
        places = range(size, size + len(sums))  # whether each of them is known to be small
        size += len(sums)
        rows.append((dict.fromkeys(places, 1), 1, np.inf))
        for place, counts in zip(places, sums, strict=True):
            bound = most * len(counts)
            of_one = dict.fromkeys(counts, 1) | {place: bound - least + 1}
            rows.append((of_one, -np.inf, bound))
    matrix = lil_array((len(rows), size))
    for at, (row, *_) in enumerate(rows):
        matrix[[at], [*row]] = [*row.values()]
    _, low, high = zip(*rows, strict=True)
    upper = np.concatenate([np.full(len(people), most), np.ones(size - len(people))])

    def end(counts, sign):
        goal = np.zeros(size)
        goal[[*counts]] = sign
        constraints = LinearConstraint(matrix.tocsr(), low, high)
        bounds = Bounds(0, upper)
        found = milp(goal, constraints=constraints, bounds=bounds, integrality=np.ones(size))
        return round(sign * found.fun)

    asked = {(at,) for at in range(len(people))}.union(*(withheld for _, withheld, _ in parts))
    return [end(counts, -1) - end(counts, 1) + 1 for counts in sorted(asked - {*told})]


COLUMNS = ("x", "y", "g", "d")
PEOPLE = [*product("ab", "pq", "fmo", ("yes", "no"))]
TOWN_AND_JOB = "g -> d; x -> d; y -> d"


def copy_of(counts, graph=TOWN_AND_JOB, least_count=5, **asked):
    question = eh.Question(
        protected="g", decision="d", favorable="yes", threshold="1/2", **asked
    )
    found = eh.audit(counts, question, graph=eh.CausalGraph.parse(graph), min_coverage=0)
    return json.loads(found.certificate.to_shared_json(least_count=least_count))


def counted(people, numbers):
    columns = dict(zip(COLUMNS, zip(*people, strict=True), strict=True))
    return eh.CountTable.of(columns, [*numbers])


def some_people(seed):
    """Small counts of many kinds of people; everybody is somewhere."""
    numbers = np.random.default_rng(seed).geometric(0.12, len(PEOPLE))
    return dict(zip(PEOPLE, numbers.tolist(), strict=True))


FM = {"group": "f", "other": "m"}
# What is passed on besides, and whether it is refused beside the first copy.
SECOND = {
    "nothing": (FM, None),
    "another least count": (FM, {**FM, "least_count": 4}),
    "another pair": (FM, {"group": "f", "other": "o"}),
    "all groups": (FM, {}),
    "fewer attributes": (FM, {**FM, "graph": "g -> d; x -> d; y"}),
    "the rest pooled": (FM, {"group": "f", "other": "rest"}),
    "pooled, of all groups": ({}, {"group": "f", "other": "rest"}),
    "all by fewer attributes": ({}, {"graph": "g -> d; x -> d; y"}),
}
APART = ("nothing", "another least count", "another pair", "all groups")


def left(name, seed):
    """How many values two copies of some people leave the counts that neither shows."""
    first, second = SECOND[name]
    counts = counted(PEOPLE, some_people(seed).values())
    copies = [copy_of(counts, **first)] + ([copy_of(counts, **second)] if second else [])
    return ranges(copies, PEOPLE)


@pytest.mark.parametrize("name", APART)
def test_copies_that_divide_people_alike_leave_what_one_leaves(name):
    """As many values as the smaller of the two least counts."""
    for seed in range(3):
        assert min(left(name, seed), default=5) >= (4 if name == "another least count" else 5)


@pytest.mark.parametrize("name", [name for name in SECOND if name not in APART])
def test_integer_programming_subtracts_copies_that_divide_people_otherwise(name):
    found = [one for seed in range(3) for one in left(name, seed)]
    assert min(found) == 1, found


@given(st.integers(0, 10**6), st.sampled_from([None, "f", "o"]))
@settings(max_examples=repetitions(25), deadline=None)
def test_small_counts_of_any_group_change_nothing_that_is_told(seed, other):
    """Of two tables that differ where a group has a small count the copies are equal."""
    numbers = np.random.default_rng(seed)
    first, second = some_people(seed), some_people(seed)
    for place in product("ab", "pq", "fmo"):
        cells = [(*place, kind) for kind in ("yes", "no")]
        if min(first[cell] for cell in cells) < 5:
            small = [int(numbers.integers(1, 5)), int(numbers.integers(1, 40))]
            second |= zip(cells, numbers.permutation(small).tolist(), strict=True)
    one, another = (
        copy_of(counted(table, table.values()), other=other) for table in (first, second)
    )
    assert one == another


def test_integer_programming_would_find_what_a_total_reveals():
    """With the number of all rows, and one line withheld, its counts are nearly known."""
    people = [one for one in PEOPLE if one[2] != "o"]
    numbers = [9 if one[:2] != ("a", "p") else 1 for one in people]
    copies = [copy_of(counted(people, numbers), **FM)]
    assert min(ranges(copies, people)) >= 5
    assert max(ranges(copies, people, total=sum(numbers))) == 5
