"""Laws of certify that hold for every table."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from evenhand import CountTable, Question
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph
from evenhand.verdict import sides

GRAPH = CausalGraph.parse("sex -> hired; job -> hired; town -> hired; sex -> job")
CELLS = [("f", "yes"), ("f", "no"), ("m", "yes"), ("m", "no")]
THRESHOLDS = ("1/40", "1/20", "1/10", "1/3", "0.999999999999999999")


@st.composite
def tables(draw, *, most=12):
    """Counts of sex, job, town and hired; some cells are empty, no group and decision is."""
    counts = st.one_of(st.just(0), st.integers(0, most), st.integers(0, 40 * most))
    lines = [
        (sex, job, town, hired, draw(counts))
        for job in "abc"[: draw(st.integers(1, 3))]
        for town in "xy"[: draw(st.integers(1, 2))]
        for sex, hired in CELLS
    ]
    for sex in "fm":
        assume(any(line[0] == sex and line[4] for line in lines))
    for hired in ("yes", "no"):
        assume(any(line[3] == hired and line[4] for line in lines))
    return [line for line in lines if line[4]]


def counted(lines, names=("sex", "job", "town", "hired")):
    columns = {name: [line[at] for line in lines] for at, name in enumerate(names)}
    return CountTable.of(columns, [line[4] for line in lines])


def asked(**changes):
    fields = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    return Question(**fields | changes)


def by_definition(lines, threshold, least=Fraction(9, 10)):
    """Verdict, differences and unmeasured subpopulations, straight from the lines."""
    people = {}
    for sex, job, town, hired, count in lines:
        cell = people.setdefault((job, town), dict.fromkeys(CELLS, 0))
        cell[sex, hired] += count
    differences, unmeasured, covered = {}, set(), {"f": 0, "m": 0}
    for where, cell in people.items():
        women, men = (cell[sex, "yes"] + cell[sex, "no"] for sex in "fm")
        if women and men:
            rates = Fraction(cell["m", "yes"], men), Fraction(cell["f", "yes"], women)
            differences[where] = rates[0] - rates[1]
            covered["f"], covered["m"] = covered["f"] + women, covered["m"] + men
        else:
            unmeasured.add(where)
    total = {sex: sum(line[4] for line in lines if line[0] == sex) for sex in "fm"}
    if any(not abs(d) < threshold for d in differences.values()):
        verdict = Verdict.NOT_CERTIFIED
    elif differences and all(Fraction(covered[sex], total[sex]) >= least for sex in "fm"):
        verdict = Verdict.CERTIFIED
    else:
        verdict = Verdict.CANNOT_DECIDE
    return verdict, differences, unmeasured


@given(tables(), st.sampled_from(THRESHOLDS))
def test_verdict_differences_and_unmeasured_are_those_of_the_definition(lines, threshold):
    verdict, differences, unmeasured = by_definition(lines, Fraction(threshold))
    certificate = certify(counted(lines), GRAPH, asked(threshold=threshold))
    assert certificate.verdict is verdict
    found = {tuple(s.where.values()): s.risk_difference for s in certificate.subpopulations}
    assert {where: d for where, d in found.items() if d is not None} == differences
    assert {tuple(s.where.values()) for s in certificate.unmeasured} == unmeasured
    reported = {tuple(s.where.values()) for s in certificate.evidence}
    assert reported == {w for w, d in differences.items() if abs(d) >= Fraction(threshold)}


@given(tables())
def test_at_the_largest_difference_it_fails_and_just_above_it_passes(lines):
    _, differences, _ = by_definition(lines, Fraction(1, 2))
    largest = max((abs(d) for d in differences.values()), default=0)
    assume(0 < largest < 1)
    at = certify(counted(lines), GRAPH, asked(threshold=largest), min_coverage=0)
    assert at.verdict is Verdict.NOT_CERTIFIED
    above = largest + Fraction(1, 10**15)
    assume(above < 1)
    passed = certify(
        counted(lines), GRAPH, asked(threshold=above.limit_denominator(10**17)), min_coverage=0
    )
    assert passed.verdict is Verdict.CERTIFIED


@given(tables(), st.permutations(range(4)), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_no_byte(lines, order, random):
    shuffled = list(lines)
    random.shuffle(shuffled)
    counts = counted(shuffled)
    turned = counts.marginal([counts.names[at] for at in order])
    first, second = (certify(some, GRAPH, asked()) for some in (counted(lines), turned))
    assert first.to_json() == second.to_json()


@given(tables(), st.sampled_from([{"group": "m"}, {"favorable": "no"}]))
def test_swapping_groups_or_decisions_turns_every_difference(lines, change):
    counts = counted(lines)
    certificate, turned = (certify(counts, GRAPH, asked(**one)) for one in ({}, change))
    assert certificate.verdict is turned.verdict
    for one, other in zip(certificate.subpopulations, turned.subpopulations, strict=True):
        assert (one.risk_difference is None) is (other.risk_difference is None)
        assert (one.risk_difference or 0) == -(other.risk_difference or 0)


@given(tables(), st.integers(2, 10**9))
def test_repeating_every_row_changes_no_difference_and_no_verdict(lines, times):
    repeated = [(*line[:4], times * line[4]) for line in lines]
    first, second = (certify(counted(some), GRAPH, asked()) for some in (lines, repeated))
    assert first.verdict is second.verdict
    assert first.coverage == second.coverage
    assert [s.risk_difference for s in first.subpopulations] == [
        s.risk_difference for s in second.subpopulations
    ]


@given(tables(), st.integers(0, 3))
def test_a_column_outside_the_graph_changes_no_byte(lines, seed):
    names = ("sex", "job", "town", "hired")
    columns = {name: [line[at] for line in lines] for at, name in enumerate(names)}
    columns["shoe"] = [str((seed + at * at) % 3) for at in range(len(lines))]
    wider = CountTable.of(columns, [line[4] for line in lines])
    plain = certify(counted(lines), GRAPH, asked())
    assert certify(wider, GRAPH, asked()).to_json() == plain.to_json()


@given(tables(), st.integers(2, 20))
def test_the_shared_copy_shows_no_small_cell_and_no_sum_of_hidden_ones(lines, least):
    certificate = certify(counted(lines), GRAPH, asked(), scope="all")
    document = json.loads(certificate.to_shared_json(least_count=least))
    numbers = [n for line in document["partitions"][0]["table"] for n in line[2:6]]
    assert all(number >= least for number in numbers)
    del document["partitions"][0]["table"], document["withheld"]
    assert not any(
        isinstance(leaf, int) for leaf in leaves(document) if leaf not in (True, False)
    )


def leaves(value):
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


@given(
    st.lists(st.tuples(*4 * [st.integers(0, 2**40)]), min_size=1, max_size=20),
    st.fractions("1/1000", "999/1000", max_denominator=10**6),
)
def test_vectorised_integers_agree_with_fractions(cells, threshold):
    # Two draws per group: how many are favored, how many are not.
    a, b, c, d = (np.array(column, np.int64) for column in zip(*cells, strict=True))
    found = sides(group_yes=a, group=a + b, other_yes=c, other=c + d, threshold=threshold)
    for (yes, no, other_yes, other_no), side in zip(cells, found.tolist(), strict=True):
        if not yes + no or not other_yes + other_no:
            assert side == 0
            continue
        exact = Fraction(other_yes, other_yes + other_no) - Fraction(yes, yes + no)
        assert side == (abs(exact) >= threshold) * (1 if exact > 0 else -1)


@given(tables(), st.sampled_from(["0.5", "0.8", "0.95"]))
def test_a_relaxed_claim_is_a_lower_bound_of_what_is_seen(lines, assurance):
    certificate = certify(counted(lines), GRAPH, asked(threshold="1/3"))
    relaxed = certificate.relaxed(assurance=assurance)
    assert relaxed.bound_of_all_rows <= 1
    assert relaxed.bound is None or relaxed.bound <= 1
    under = sum(
        found.row_count
        for found in certificate.subpopulations
        if found.risk_difference is not None and abs(found.risk_difference) < Fraction(1, 3)
    )
    share = Fraction(under, certificate.row_count)
    assert relaxed.bound_of_all_rows <= share
    if relaxed.claimed:
        assert share >= Fraction(assurance)


@given(tables())
def test_moments_are_those_of_the_definition(lines):
    certificate = certify(counted(lines), GRAPH, asked())
    measured = [s for s in certificate.subpopulations if s.risk_difference is not None]
    relaxed = certificate.relaxed()
    if not measured or certificate.is_determined:
        assert relaxed.mean is relaxed.mean_square is None
        return
    rows = sum(found.row_count for found in measured)
    mean = sum(found.row_count * found.risk_difference for found in measured) / Fraction(rows)
    squares = sum(found.row_count * (found.risk_difference - mean) ** 2 for found in measured)
    assert relaxed.mean == mean
    assert relaxed.mean_square - mean**2 == squares / rows


def test_certified_and_claimed_are_different_things():
    lines = [
        ("f", "a", "x", "yes", 100), ("f", "a", "x", "no", 100),
        ("m", "a", "x", "yes", 108), ("m", "a", "x", "no", 92),
    ]  # fmt: skip
    strict = certify(counted(lines), GRAPH, asked())
    assert strict.verdict is Verdict.CERTIFIED
    assert not strict.relaxed(assurance="0.8").claimed
    few = [("f", "b", "x", "yes", 1), ("m", "b", "x", "no", 1)]
    many = [(*line[:4], 1000) for line in lines]
    loose = certify(counted(many + few), GRAPH, asked())
    assert loose.verdict is Verdict.NOT_CERTIFIED
    assert loose.relaxed(assurance="0.75").claimed


def test_a_replaced_threshold_is_the_one_that_is_used():
    lines = [("f", "a", "x", "yes", 1), ("f", "a", "x", "no", 1), ("m", "a", "x", "yes", 2)]
    question = replace(asked(), threshold=Fraction(1, 2))
    assert certify(counted(lines), GRAPH, question).verdict is Verdict.NOT_CERTIFIED
