"""Products of shares, summed by elimination."""

from fractions import Fraction
from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from evenhand.checker.path_tables import Shares, eliminate

NAMES = "abcd"


@st.composite
def factors(draw):
    names = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(0, 3))]
    lines = [*product(range(2), repeat=len(names))]
    numbers = draw(st.lists(st.integers(0, 5), min_size=len(lines), max_size=len(lines)))
    cells = {line: Fraction(n, 7) for line, n in zip(lines, numbers, strict=True) if n}
    return Shares(names, cells)


@given(st.lists(factors(), max_size=4), st.sets(st.sampled_from(NAMES)))
def test_it_is_the_sum_over_all_assignments(tables, keep):
    found = eliminate(tables, sorted(keep))
    present = {name for table in tables for name in table.names}
    assert found.names == tuple(sorted(keep & present))
    totals = dict.fromkeys(product(range(2), repeat=len(found.names)), Fraction(0))
    for line in product(range(2), repeat=len(present)):
        at = dict(zip(sorted(present), line, strict=True))
        totals[tuple(at[name] for name in found.names)] += prod(
            (table.at(at) for table in tables), start=Fraction(1)
        )
    for line, total in totals.items():
        assert found.at(dict(zip(found.names, line, strict=True))) == total


def test_shares_at_one_value_of_a_name():
    table = Shares(("a", "b"), {(0, 0): Fraction(1, 3), (1, 0): Fraction(2, 3)})
    assert table.fixed("a", 1) == Shares(("b",), {(0,): Fraction(2, 3)})
    assert table.fixed("c", 1) == table
