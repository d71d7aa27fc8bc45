"""Tables of a parsed document by column hold the lines that were parsed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.evidence import certificate_encoding
from evenhand.evidence.recorded_table import RecordedTable

labels = st.text(st.sampled_from('ab"\\/ ,]\t\x01éﬀ😀'), max_size=3)
lines = st.lists(
    st.tuples(labels, *[st.integers(0, 2**63 - 1)] * 2, st.none() | st.text(max_size=3)),
    max_size=9,
).map(lambda drawn: [*map(list, drawn)])


@given(lines, st.sampled_from([1, 2, 100]))
def test_lines_come_back(written, block):
    table = RecordedTable.of(written, 1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.evidence.recorded_table.BLOCK", block)
        assert table.lines() == written
        encoded = b"".join(certificate_encoding.encoded({"table": table}))
    assert json.loads(encoded) == {"table": written}
    assert len(table) == len(written)
    assert [*table.labels] == [[line[0] for line in written]]
    assert table.counts.T.tolist() == [line[1:3] for line in written]


@pytest.mark.parametrize(
    "line", [["x", 1, "1/2"], ["x", "1", 2, None], [1, 1, 2, None], ["x", 1, None, None]]
)
def test_other_lines_are_no_such_table(line):
    assert RecordedTable.of([["x", 1, 2, "1/2"], line], 1, 2) is None
