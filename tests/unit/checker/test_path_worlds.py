"""Shares of favorable decisions if somebody reads another value: by hand, and in the engine."""

from collections import Counter
from fractions import Fraction

from tests.loans import APART, ZIP_FIRST, loans
from tests.recorded_paths import worlds_of

from evenhand import CausalGraph, CountTable
from evenhand.checker.path_effects import PathWorlds

NONE = frozenset()


def test_the_group_as_it_is_and_as_the_others_are():
    worlds, _ = worlds_of(ZIP_FIRST)
    assert worlds.share((NONE, None)) == (Fraction(6, 25),) * 2
    everybody = frozenset(["zip", "income", "loan"])
    assert worlds.share((everybody, None)) == (Fraction(1, 2),) * 2
    assert worlds_of(APART)[0].share((NONE, None)) == (Fraction(59, 250),) * 2


def test_a_share_is_computed_once(monkeypatch):
    worlds, _ = worlds_of(ZIP_FIRST)
    first = worlds.share((NONE, None))
    monkeypatch.setattr(PathWorlds, "relevant", None)
    assert worlds.share((NONE, None)) == first


def test_the_sum_of_shares_has_the_ends_of_each():
    worlds, _ = worlds_of(ZIP_FIRST)
    worlds.known = {
        (NONE, 0): (Fraction(1, 4), Fraction(1, 2)),
        (NONE, 1): (Fraction(0), Fraction(1, 8)),
        (NONE, None): (Fraction(1), Fraction(1)),
    }
    sums = Counter({(NONE, 0): 2, (NONE, 1): -1, (NONE, None): 0})
    assert worlds.bounds(sums) == (Fraction(3, 8), Fraction(1))


TOWNS = CountTable.of(
    {
        "town": list("1111222222"),
        "race": list("bwwwbbbwww"),
        "zip": list("1212121212"),
        "loan": ["yes", "no", "yes", "no", "yes", "no", "yes", "no", "yes", "yes"],
    },
    [10] * 10,
)


def test_what_causes_only_who_is_in_a_group_bears_on_its_rows_alone():
    graph = CausalGraph.parse("town -> race; race -> loan; race -> zip -> loan")
    worlds, _ = worlds_of(graph, counts=TOWNS)
    assert (worlds.relevant(0), worlds.relevant(None)) == (["town", "zip"], ["zip"])
    assert worlds.share((NONE, 0)) == worlds.share((NONE, None)) == (Fraction(3, 4),) * 2


def test_the_rows_of_a_group_count_by_its_causes():
    """By hand: of 40 in town 1 are 10 in the group, of 60 in town 2 are 30."""
    table = TOWNS
    graph = CausalGraph.parse("town -> race; town -> loan; race -> loan; race -> zip -> loan")
    worlds, _ = worlds_of(graph, counts=table)
    (context,) = worlds.context(0)
    assert context.names == ("town",)
    assert context.cells == {
        (0,): Fraction(1, 4) / Fraction(2, 5),
        (1,): Fraction(1, 2) / Fraction(2, 5),
    }
    assert worlds.relevant(0) == worlds.relevant(None) == ["town", "zip"]
    assert (worlds.rows_of(0), worlds.context(None)) == (0, [])


def test_where_nothing_causes_who_is_in_a_group_its_rows_are_like_all():
    worlds, _ = worlds_of(ZIP_FIRST)
    assert (worlds.rows_of(1), worlds.relevant(0)) == (None, ["zip", "income"])


def test_unseen_people_count_as_neither():
    cells = [(labels, n) for labels, n in loans() if labels[:3] != ("b", "2", "hi")]
    columns = dict(
        zip(
            ("race", "zip", "income", "loan"),
            zip(*(c for c, _ in cells), strict=True),
            strict=True,
        )
    )
    worlds, _ = worlds_of(APART, counts=CountTable.of(columns, [n for _, n in cells]))
    low, high = worlds.share((NONE, None))
    # Of 80, 40 live in district 2, and 10 have a high income.
    assert high - low == Fraction(40, 80) * Fraction(10, 80)
