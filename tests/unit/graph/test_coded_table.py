"""The table that kernels read: lines sorted by their codes."""

import numpy as np
import pytest

from evenhand import CountTable
from evenhand.counts import Attribute
from evenhand.graph.kernels import coded_table
from evenhand.graph.kernels.coded_table import CodedTable


@pytest.mark.parametrize("largest_key", [1, 50, 2**62])
@pytest.mark.parametrize("columns", [1, 4, 90])
def test_lines_are_sorted_by_the_first_attribute_then_the_next(
    columns, largest_key, monkeypatch
):
    monkeypatch.setattr(coded_table, "_LARGEST_KEY", largest_key)
    generator = np.random.default_rng(columns)
    cards = generator.integers(1, 6, columns)
    attributes = [
        Attribute(f"a{at:02}", tuple(map(str, range(card)))) for at, card in enumerate(cards)
    ]
    codes = generator.integers(0, cards[:, None], (columns, 300))
    counts = CountTable.build(attributes, codes, generator.integers(1, 9, 300))
    names = generator.permutation(counts.names).tolist()
    table = CodedTable.of(counts, names)
    lines = zip(*(counts.column(name).tolist() for name in names), strict=True)
    expected = sorted(zip(lines, counts.counts.tolist(), strict=True))
    assert [tuple(line) for line in table.codes.T.tolist()] == [line for line, _ in expected]
    assert table.rows.tolist() == [often for _, often in expected]
    assert table.codes.flags.c_contiguous
