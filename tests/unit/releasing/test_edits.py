"""Who watches a release is told how far it is."""

import pyarrow as pa
import pyarrow.parquet as pq
from tests.hiring import COLUMNS, GRAPH, QUESTION, table

import evenhand as eh


def test_rows_are_told_as_they_are_counted_and_released(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(table(2000)), path, row_group_size=500)
    seen = []
    codings = eh.Codings.of(columns=COLUMNS)
    found = eh.audit(path, QUESTION, graph=GRAPH, codings=codings, progress=seen.append)
    found.release(seed=7).write(tmp_path / "released.parquet")
    last = {progress.step: progress for progress in seen}
    assert list(last) == ["counting rows", "releasing rows"]
    assert all(one.done == one.total == 2000 for one in last.values())
