"""Dependencies between columns agree with dictionaries of sets, filled row by row."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import CountTable
from evenhand.counts import functional_dependencies
from evenhand.counts.functional_dependencies import (
    Determination,
    constant_in_a_group,
    dependent_pairs,
    determining_columns,
    equivalent_columns,
    joint_determination,
    jointly_determining,
    roundest,
)


def rows(seed, lines=400):
    """Columns of which some determine others, some do so but for a few rows, most do not."""
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 30, lines)
    flipped = rng.random(lines) < rng.choice([0, 0.004, 0.1])
    columns = {
        "sex": rng.choice(["f", "m"], lines),
        "score": score,
        "band": score // 10,
        "letter": [chr(97 + value) for value in score],
        "town": rng.integers(0, 9, lines),
        "hired": np.where((score > 17) ^ flipped, "yes", "no"),
        "id": rng.permutation(lines),
        "same": ["x"] * lines,
    }
    columns["gender"] = [{"f": "woman", "m": "man"}[sex] for sex in columns["sex"]]
    columns["family"] = rng.integers(0, lines // 2, lines)
    return {name: [str(value) for value in values] for name, values in columns.items()}


def matches(table, a, b):
    values = defaultdict(set)
    for one, other in zip(table[a], table[b], strict=True):
        values[one].add(other)
    return all(len(others) == 1 for others in values.values())


def is_informative(table, a, b):
    often = Counter(table[a])
    repeated = [at for at, value in enumerate(table[a]) if often[value] > 1]
    return (
        10 * len(repeated) >= 9 * len(table[a]) and len({table[b][at] for at in repeated}) > 1
    )


def strength(table, a, b):
    largest = max(Counter(table[b]).values())
    pairs = defaultdict(Counter)
    for one, other in zip(table[a], table[b], strict=True):
        pairs[one][other] += 1
    right = sum(max(counts.values()) for counts in pairs.values())
    return Fraction(right - largest, len(table[b]) - largest)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("merged", [False, True])
def test_pairs_are_those_that_dictionaries_of_sets_give(seed, merged):
    table = rows(seed)
    if merged:  # as counted: without columns that make each line unique
        table = {name: table[name] for name in table if name not in ("id", "family")}
    pairs = {
        (a, b)
        for a, b in permutations(table, 2)
        if matches(table, a, b) and is_informative(table, a, b)
    }
    counts = CountTable.of(table)
    both_ways = {(a, b) for a, b in pairs if (b, a) in pairs}
    one_way, looked_at = dependent_pairs(counts, counts.names)
    assert {*one_way} == pairs - both_ways
    assert looked_at == len(table)
    groups = equivalent_columns(counts)
    assert {pair for names in groups for pair in permutations(names, 2)} == both_ways
    assert ("sex", "gender") in both_ways
    assert ("score", "band") in one_way


@pytest.mark.parametrize("seed", range(12))
def test_what_determines_the_decision_and_with_which_exceptions(seed):
    table = rows(seed)
    strengths = {
        name: strength(table, name, "hired")
        for name in table
        if name not in ("sex", "gender", "hired") and is_informative(table, name, "hired")
    }
    results = determining_columns(CountTable.of(table), "hired", protected="sex")
    near = {name: value for name, value in strengths.items() if value >= Fraction(99, 100)}
    assert {result.name: result.strength for result in results} == near
    for result in results:
        assert result.exact == matches(table, result.name, "hired")
        wrong = sum(sum(by.values()) for by in result.exceptions.values())
        largest = max(Counter(table["hired"]).values())
        assert wrong == (1 - result.strength) * (len(table["hired"]) - largest)


def test_exceptions_are_listed_by_group_and_decision():
    lines = [("f", "low", "no", 50), ("m", "low", "no", 49), ("m", "high", "yes", 300)]
    lines += [("f", "high", "no", 1), ("f", "high", "yes", 210)]
    sex, band, hired, often = map(list, zip(*lines, strict=True))
    counts = CountTable.of({"sex": sex, "band": band, "hired": hired}, often)
    (result,) = determining_columns(counts, "hired", protected="sex")
    assert result.strength == Fraction(99, 100)
    assert not result.exact
    assert result.to_dict()["exceptions"] == {"f": {"no": 1}}
    (alone,) = determining_columns(counts, "hired")[:1]
    assert alone.exceptions == {"all": {"no": 1}}
    assert (result.rule, result.exceptions_text, result.exception_rows) == (
        "'band'",
        "f no 1",
        1,
    )
    problem = result.near_problem("hired", 610)
    assert problem.what == "'band' alone determines 'hired' but for 1 of 610 rows: f no 1."
    assert [one.value for one in problem.remedies] == [["band"]]


@pytest.mark.parametrize("odd", [0, 1, 60])
def test_columns_together_determine_a_decision_that_none_does_alone(odd):
    """Who is low in both, or in none, is hired, but for ``odd`` of a thousand rows."""
    lines = [
        (sex, one, other, "yes" if one == other else "no", 125)
        for sex in "fm"
        for one in "lh"
        for other in "lh"
    ]
    lines[0] = ("f", "l", "l", "yes", 125 - odd)
    lines += [("f", "l", "l", "no", odd)] * bool(odd)
    *columns, often = map(list, zip(*lines, strict=True))
    counts = CountTable.of(dict(zip(("sex", "a", "b", "hired"), columns, strict=True)), often)
    found = joint_determination(counts, ["a", "b"], "hired", protected="sex")
    assert (found.name, found.exact) == ("a, b", not odd)
    assert found.strength == Fraction(500 - 2 * odd, 500 - odd)
    assert found.exceptions == ({"f": {"no": odd}} if odd else {})
    once = CountTable.of(dict(zip(("sex", "a", "b", "hired"), columns, strict=True)))
    assert joint_determination(once, ["sex", "a", "b"], "hired", protected="sex") is None


@pytest.mark.parametrize(
    ("marks", "rule"),
    [((), "'points'"), (("60",), "'points' >= 60"), (("50", "60"), "'points'")],
)
def test_a_rule_names_its_pass_mark_if_there_is_one(marks, rule):
    one = Determination(name="points", strength=Fraction(1), exceptions={}, marks=marks)
    assert (one.rule, one.exact, one.exceptions_text) == (rule, True, "")


def test_the_protected_attribute_and_its_copies_never_count_as_determining():
    counts = CountTable.of(
        {"sex": ["f", "m"], "gender": ["w", "m"], "hired": ["no", "yes"]}, [50, 50]
    )
    assert not determining_columns(counts, "hired", protected="sex")
    assert {d.name for d in determining_columns(counts, "hired")} == {"sex", "gender"}
    assert equivalent_columns(counts) == (("sex", "gender", "hired"),)


def test_columns_that_differ_only_in_late_lines_are_not_equivalent():
    lines = 3000
    one = [at % 2 for at in range(lines)]
    same = ["ab"[value] for value in one]
    late = [*one[:-2], 1, 0]
    table = {"id": range(lines), "one": one, "late": late, "same": same}
    counts = CountTable.of({name: list(map(str, column)) for name, column in table.items()})
    assert equivalent_columns(counts) == (("one", "same"),)


def test_values_that_occur_once_say_nothing():
    lines = 100
    hired = [["no", "yes"][at % 2] for at in range(lines)]
    few = [str(at if at < 11 else 11 + at % 2) for at in range(lines)]
    counts = CountTable.of({"few": few, "hired": hired})
    assert not determining_columns(counts, "hired")
    few[10] = "11"  # still without exception, and ninety rows repeat a value
    counts = CountTable.of({"few": few, "hired": hired})
    assert [d.name for d in determining_columns(counts, "hired")] == ["few"]


def wide(seed, *, columns=90, lines=70):
    """Columns of many values and of rare ones, and coarser ones made from some of them."""
    rng = np.random.default_rng(seed)
    table = {f"c{at}": rng.integers(0, 2 + at % 30, lines) for at in range(columns)}
    table |= {f"half{at}": table[f"c{at}"] // 2 for at in range(0, columns, 7)}
    table |= {f"rare{at}": table[f"c{at}"] == 1 for at in range(0, columns, 5)}
    table |= {f"third{at}": table[f"half{at}"] // 3 for at in range(0, columns, 14)}
    return {name: [str(value) for value in values] for name, values in table.items()}


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_wide_tables_are_those_that_dictionaries_of_sets_give(seed):
    table = wide(seed)
    expected = {
        (a, b)
        for a, b in permutations(table, 2)
        if matches(table, a, b) and not matches(table, b, a) and is_informative(table, a, b)
    }
    pairs, looked_at = dependent_pairs(CountTable.of(table), [*table])
    assert [*pairs] == sorted(expected, key=lambda pair: [*map([*table].index, pair)])
    assert looked_at == len(table)
    assert len(expected) > 25


def test_a_table_without_lines_has_no_pairs():
    counts = CountTable.of({"a": ["x"], "b": ["y"]}, [0])
    assert dependent_pairs(counts, ["a", "b"]) == ((), 2)


def test_the_pairs_that_a_sample_leaves_are_bounded(monkeypatch):
    table = {f"c{at}": [str(row // (at + 1)) for row in range(200)] for at in range(1, 20)}
    counts = CountTable.of(table)
    pairs, looked_at = dependent_pairs(counts, [*table])
    assert looked_at == len(table)
    monkeypatch.setattr(functional_dependencies, "_MOST_TESTS", 12)
    some, looked_at = dependent_pairs(counts, [*table])
    assert 0 < looked_at < len(table)
    assert some == tuple(pair for pair in pairs if pair[0] in [*table][:looked_at])


def counted(**columns):
    return CountTable.of(columns)


def test_a_part_of_a_group_is_named():
    white = ["1"] * 160 + ["0"] * 40
    table = counted(
        white=white,
        black=["0"] * 160 + ["1", "0"] * 20,
        single=["1", "0"] * 100,
        constant=["x"] * 200,
    )
    names = ["black", "single", "constant"]
    assert [*constant_in_a_group(table, "white", names)] == ["black"]


def test_what_chance_could_do_is_not_named():
    rare = ["no"] * 198 + ["yes"] * 2
    table = counted(white=["0"] * 40 + ["1"] * 160, rare=rare)
    assert not [*constant_in_a_group(table, "white", ["rare"])]


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_loops(seed):
    rng = np.random.default_rng(seed)
    rows = 300
    group = rng.choice([*"abc"], rows, p=[0.5, 0.3, 0.2])
    column = np.where(group == "abc"[seed % 3], "x", rng.choice([*"xyz"], rows))
    if seed % 2:
        column[rng.integers(rows)] = "y"
    named = False
    for one in "abc":
        inside, outside = column[group == one], column[group != one]
        if len({*inside}) == 1:
            share = np.mean([value != inside[0] for value in outside])
            named |= bool(len(inside) * share >= 20)
    table = counted(group=group.tolist(), column=column.tolist())
    assert bool([*constant_in_a_group(table, "group", ["column"])]) == named


def best_cut(numbers, decisions):
    """Right guesses of the best cut, trying each with each decision above it."""
    right = 0
    for cut in numbers:
        for above in ("0", "1"):
            guesses = [above if one >= cut else str(1 - int(above)) for one in numbers]
            right = max(right, sum(map(str.__eq__, guesses, decisions)))
    return right


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("noise", [0, 0.03, 0.3])
def test_a_pass_mark_is_the_best_of_all_cuts(seed, noise):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(0, 1, 80).round(2)
    passed = (numbers > 0.3) ^ (rng.random(80) < noise)
    passed = ~passed if seed % 2 else passed
    decisions = [*passed.astype(int).astype(str)]
    table = {"score": [*map(str, numbers)], "passed": decisions, "sex": [*"fm"] * 40}
    found = determining_columns(
        CountTable.of(table), "passed", protected="sex", names=["score"], least=Fraction(4, 5)
    )
    largest = max(Counter(decisions).values())
    expected = Fraction(best_cut(numbers, decisions) - largest, 80 - largest)
    assert [one.strength for one in found] == ([expected] if 5 * expected >= 4 else [])
    for one in found:
        (mark,) = one.marks
        above = {d for n, d in zip(numbers, decisions, strict=True) if n >= float(mark)}
        assert not one.exact or len(above) == 1
        assert one.exception_rows == 80 - best_cut(numbers, decisions)


@pytest.mark.parametrize("positive", [1, 2, 3])
def test_few_decisions_may_be_separated_by_chance(positive):
    numbers = [*map(str, np.random.default_rng(0).normal(0, 1, 60))]
    top = sorted(numbers, key=float)[-positive:]
    table = {"score": numbers, "passed": [str(int(one in top)) for one in numbers]}
    assert not determining_columns(CountTable.of(table), "passed")


def test_several_grades_have_several_marks():
    points = np.random.default_rng(1).permutation(200) / 2
    table = {"points": [*map(str, points)], "grade": ["DCBA"[int(p) // 25] for p in points]}
    (one,) = determining_columns(CountTable.of(table), "grade")
    assert one.exact
    assert one.marks == ("25", "50", "75")


def test_no_mark_lies_between_two_spellings_of_one_number():
    """A search for a number between them would never end."""
    table = {
        "school": ["-1.5", "01", "1.0", "1e3"] * 40,
        "hired": ["no", "no", "yes", "yes"] * 40,
    }
    (found,) = determining_columns(CountTable.of(table), "hired")
    assert (found.name, found.marks) == ("school", ())


@pytest.mark.parametrize("seed", range(10))
def test_pairs_determine_the_decision_together_where_no_dictionary_says_otherwise(seed):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 4, 300) for name in "abcd"}
    made = (columns["a"] > 1) ^ (columns["b"] > 2)
    made[: seed % 3] ^= True  # of three tables one has no exception
    table = {name: [*of.astype(str)] for name, of in columns.items()}
    table["hired"] = [*made.astype(int).astype(str)]
    table["a_and_b"] = [one + other for one, other in zip(table["a"], table["b"], strict=True)]
    found = jointly_determining(CountTable.of(table), "abcd", "hired")
    expected = []
    for pair in combinations("abcd", 2):
        joint = {**table, "both": [*map("".join, zip(*(table[n] for n in pair), strict=True))]}
        if matches(joint, "both", "hired"):
            expected.append(pair)
    assert [*found] == expected
    assert bool(found) is not bool(seed % 3)


@pytest.mark.parametrize(
    ("often", "alone", "pairs"),
    [(5, False, (("a", "b"),)), (4, False, ()), (1, False, ()), (5, True, ())],
)
def test_a_pair_needs_five_rows_of_each_decision_and_both_its_columns(often, alone, pairs):
    """``often`` rows are high in both, which decides; with ``alone`` a column says as much."""
    lines = [(a, b, "yes" if a == b == "h" else "no") for a in "lh" for b in "lh"]
    counts = [9, 9, 9, often]
    table = dict(zip("abd", map(list, zip(*lines, strict=True)), strict=True))
    if alone:
        table["a"] = table["d"]
    assert jointly_determining(CountTable.of(table, counts), "ab", "d") == pairs


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**5), st.sampled_from([1, 100]))
def test_the_roundest_number_has_no_rounder_one_between_the_ends(low, length, scale):
    low, high = Fraction(low, scale), Fraction(low + length, scale)
    number = roundest(low, high)
    assert low <= number < high
    # Every multiple of a larger step, whole or half a power of ten, lies outside.
    steps = sorted(s * Fraction(10) ** p for p in range(-4, 9) for s in (1, Fraction(1, 2)))
    if number:
        own = max(step for step in steps if number % step == 0)
        larger = [step for step in steps if step > own]
        assert not [s for s in larger if -(-low // s) * s < high]
