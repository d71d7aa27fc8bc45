"""The digest of counts, made in blocks without sorting text."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import CountTable
from evenhand.counts import count_table

# Quotes, signs that are escaped, signs beyond the first plane: as text they sort otherwise.
labels = st.text(st.sampled_from('ab"\\/ ,]\t\x01éﬀ😀'), min_size=1, max_size=3).map(
    lambda text: f"x{text}"
)
people = st.lists(st.tuples(labels, labels, st.integers(1, 120)), min_size=1, max_size=30)


def plain_digest(counts: CountTable) -> str:
    """As the docs describe it, line by line."""
    names = sorted(counts.names)
    places = [counts.names.index(name) for name in names]
    lines = [
        json.dumps([*(line[at] for at in places), count], ensure_ascii=False)
        for line, count in counts
    ]
    text = "\n".join([json.dumps(names, ensure_ascii=False), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()


@given(people)
def test_the_digest_is_that_of_sorted_lines(lines):
    first, second, counts = map(list, zip(*lines, strict=True))
    table = CountTable.of({"b": first, "a": second}, counts)
    assert table.digest == plain_digest(table)
    assert table.marginal([]).digest == plain_digest(table.marginal([]))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch):
    columns = {"a": [str(at) for at in range(7)], "b": [*"ppqqpqp"]}
    expected = plain_digest(CountTable.of(columns))
    for block in (1, 3, 7, 8):
        monkeypatch.setattr(count_table, "_BLOCK", block)
        assert CountTable.of(columns).digest == expected


def test_no_lines_have_a_digest():
    table = CountTable.of({"a": ["x"]}, [0])
    assert table.digest == plain_digest(table)
