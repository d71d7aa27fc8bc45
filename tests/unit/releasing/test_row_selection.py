"""The move of many rows at once, against looking each row up; and which rows a move takes."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Question
from evenhand.errors import InputError
from evenhand.releasing import row_selection as module
from evenhand.releasing.row_selection import Assigned, Patterns, permute_moves, select
from evenhand.removal import Move

ASKED = Question(protected="sex", group="f", decision="hired", favorable="yes")
NAMES = ("sex", "age", "hired")
LABELS = ("f", "m", "x", "1", "2", "yes")


@dataclass
class Moves:
    moves: tuple[Move, ...]
    pooled: str | None = None
    names: tuple[str, ...] = NAMES
    question: Question = ASKED


def looked_up(plan, rows):
    """Look the rows up through columns whose labels stand in an order of their own."""
    lookup = Patterns(plan)
    labels = [*LABELS[::-1], None]
    columns = {
        name: lookup.codes_of(name, labels)[[labels.index(row[at]) for row in rows]]
        for at, name in enumerate(NAMES)
    }
    return lookup.find(columns).tolist()


def one_by_one(plan, rows):
    wanted = [tuple(move.where[name] for name in NAMES) for move in plan.moves]

    def seen(row):
        sex, *rest = row
        pooled = plan.pooled and sex not in (None, "f")
        return (plan.pooled if pooled else sex, *rest)

    return [wanted.index(seen(row)) if seen(row) in wanted else -1 for row in rows]


ROWS = st.lists(
    st.tuples(*(st.sampled_from([*LABELS, None]) for _ in NAMES)), min_size=1, max_size=30
)
PATTERNS = st.sets(st.tuples(*(st.sampled_from(LABELS) for _ in NAMES)), max_size=12)


def planned(wheres, pooled=None):
    return Moves(
        tuple(Move(dict(zip(NAMES, where, strict=True)), 1, {}) for where in sorted(wheres)),
        pooled,
    )


@pytest.mark.parametrize("largest_table", [0, module._LARGEST_TABLE])  # 0: all are searched
@pytest.mark.parametrize("pooled", [None, "not f"])
@given(PATTERNS, ROWS)
def test_every_row_finds_its_move_and_no_other(largest_table, pooled, wheres, rows):
    if pooled:
        wheres = {(pooled if sex == "m" else "f", *rest) for sex, *rest in wheres}
    plan = planned(wheres, pooled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST_TABLE", largest_table)
        assert looked_up(plan, rows) == one_by_one(plan, rows)


def test_without_moves_no_row_is_found():
    lookup = Patterns(planned(()))
    columns = {name: lookup.codes_of(name, ["f"])[np.zeros(3, int)] for name in NAMES}
    assert lookup.find(columns).tolist() == [-1, -1, -1]


def in_pieces(sizes, values, patterns, batch):
    """The values that rows of these patterns get, so many rows at a time."""
    assigned = Assigned(sizes, values)
    step = batch or len(patterns)
    pieces = [assigned.take(patterns[at : at + step]) for at in range(0, len(patterns), step)]
    assert assigned.complete
    return np.concatenate(pieces)


def taken(sizes, wanted, moves, *, seed=0, batch=None):
    drawn = select(sizes, wanted, np.random.default_rng(seed))
    return in_pieces(sizes, drawn, moves, batch)


@pytest.fixture
def moves():
    mixed = np.repeat([-1, 0, 1, 2], [500, 1000, 37, 1])
    np.random.default_rng(1).shuffle(mixed)
    return mixed


def test_each_move_takes_as_many_rows_as_it_wants(moves):
    chosen = taken([1000, 37, 1], [250, 37, 0], moves)
    assert np.bincount(moves[chosen], minlength=3).tolist() == [250, 37, 0]


@pytest.mark.parametrize("batch", [1, 7, 64, 1000])
def test_batches_do_not_matter(moves, batch):
    whole = taken([1000, 37, 1], [250, 5, 1], moves)
    assert np.array_equal(taken([1000, 37, 1], [250, 5, 1], moves, batch=batch), whole)


def test_large_moves_are_drawn_in_chunks(moves, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 16)
    chosen = taken([1000, 37, 1], [250, 5, 1], moves)
    assert np.bincount(moves[chosen]).tolist() == [250, 5, 1]


@pytest.mark.parametrize("chunk", [8, 1 << 20])
def test_every_row_is_as_likely_as_every_other(monkeypatch, chunk):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    runs, rows, wanted = 4000, 20, 6
    moves = np.zeros(rows, np.int64)
    often = sum(taken([rows], [wanted], moves, seed=s).astype(int) for s in range(runs))
    share = wanted / rows
    # Chosen without replacement, so the sum of squares has one degree of freedom less.
    chi_square = ((often - runs * share) ** 2).sum() / (runs * share * (1 - share))
    assert 5 < chi_square * (rows - 1) / rows < 45


def test_more_rows_than_were_counted_overflow(moves):
    chosen = Assigned([999, 37, 1], np.ones(1037, bool))
    with pytest.raises(InputError, match="more of a kind"):
        chosen.take(moves)


def becoming(where, amounts):
    """Moves of one pattern: so many of its rows become each value."""
    return [Move(where, rows, {"hired": value}) for value, rows in amounts.items()]


def test_moves_of_one_pattern_stand_together_in_the_order_they_are_named():
    first, second = ({"sex": sex, "age": "1", "hired": "yes"} for sex in "fm")
    a, b = becoming(first, {"no": 2, "later": 1})
    (c,) = becoming(second, {"no": 4})
    patterns = Patterns(Moves((a, c, b)))
    assert patterns.moves == ((a, b), (c,))
    rows = [("m", "1", "yes"), ("f", "1", "yes"), ("x", "1", "yes"), ("f", "2", "yes")]
    assert looked_up(Moves((a, c, b)), rows) == [1, 0, -1, -1]


AMOUNTS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=5)


@given(AMOUNTS, st.integers(0, 99), st.integers(1, 7))
def test_each_row_that_is_taken_falls_to_one_move_whatever_the_batches(amounts, seed, batch):
    rows = np.repeat(np.arange(len(amounts)), [sum(parts) for parts in amounts])
    rows = np.random.default_rng(seed).permutation(rows)
    sizes = [*map(sum, amounts)]
    moves = permute_moves(amounts, np.random.default_rng(seed))
    whole = in_pieces(sizes, moves, rows, None)
    assert in_pieces(sizes, moves, rows, batch).tolist() == whole.tolist()
    numbered = [(at, part) for at, parts in enumerate(amounts) for part in parts]
    for move, (pattern, many) in enumerate(numbered):
        assert (whole == move).sum() == many
        assert {*rows[whole == move].tolist()} == {pattern}


def test_each_row_is_as_likely_to_fall_to_each_move_as_its_share():
    """Of four rows one becomes a and three b: each is the one in a quarter of all seeds."""
    firsts = np.zeros(4)
    for seed in range(2000):
        moves = permute_moves([[1, 3]], np.random.default_rng(seed))
        firsts[int(np.flatnonzero(moves == 0)[0])] += 1
    assert abs(firsts / 2000 - 0.25).max() < 5 * (0.25 * 0.75 / 2000) ** 0.5
