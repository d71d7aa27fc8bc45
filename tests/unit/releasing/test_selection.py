import numpy as np
import pytest

from evenhand.releasing import selection
from evenhand.releasing.selection import CountedSelection, Selection


def taken(sizes, wanted, moves, *, seed=0, batch=None):
    chosen = Selection(sizes, wanted, np.random.default_rng(seed))
    step = batch or len(moves)
    pieces = [chosen.take(moves[at : at + step]) for at in range(0, len(moves), step)]
    assert chosen.complete
    return np.concatenate(pieces)


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
    monkeypatch.setattr(selection, "_CHUNK", 16)
    chosen = taken([1000, 37, 1], [250, 5, 1], moves)
    assert np.bincount(moves[chosen]).tolist() == [250, 5, 1]


@pytest.mark.parametrize("chunk", [8, 1 << 20])
def test_every_row_is_as_likely_as_every_other(monkeypatch, chunk):
    monkeypatch.setattr(selection, "_CHUNK", chunk)
    runs, rows, wanted = 4000, 20, 6
    moves = np.zeros(rows, np.int64)
    often = sum(taken([rows], [wanted], moves, seed=s).astype(int) for s in range(runs))
    share = wanted / rows
    # Chosen without replacement, so the sum of squares has one degree of freedom less.
    chi_square = ((often - runs * share) ** 2).sum() / (runs * share * (1 - share))
    assert 5 < chi_square * (rows - 1) / rows < 45


def test_more_rows_than_were_counted_overflow(moves):
    chosen = Selection([999, 37, 1], [1, 1, 1], np.random.default_rng(0))
    with pytest.raises(OverflowError):
        chosen.take(moves)


def test_lines_give_as_many_rows_as_are_wanted_whatever_the_batches():
    rows = np.array([5, 0, 7, 1, 100, 3])
    moves = np.array([0, 0, 1, -1, 0, 1])

    def drawn(batch):
        chosen = CountedSelection([105, 10], [50, 10], np.random.default_rng(3))
        pieces = [
            chosen.take(moves[a : a + batch], rows[a : a + batch]) for a in range(0, 6, batch)
        ]
        assert chosen.complete
        return np.concatenate(pieces)

    whole = drawn(6)
    assert whole[[0, 1, 4]].sum() == 50
    assert whole[[2, 5]].tolist() == [7, 3]
    assert (whole <= rows).all()
    assert np.array_equal(drawn(1), whole)
    with pytest.raises(OverflowError):
        CountedSelection([5, 10], [1, 1], np.random.default_rng(3)).take(moves, rows)
