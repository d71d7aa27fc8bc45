"""Progress of a pass over the rows."""

import pyarrow as pa
import pyarrow.parquet as pq

import evenhand as eh


def test_rows_are_told_as_they_go_by(tmp_path):
    rows = 5000
    pq.write_table(
        pa.table({"a": ["x", "y"] * (rows // 2)}), tmp_path / "t.parquet", row_group_size=2000
    )
    seen = []
    eh.read(tmp_path / "t.parquet", progress=seen.append).count()
    assert [passed.rows for passed in seen] == sorted({passed.rows for passed in seen})
    assert (seen[-1].rows, seen[-1].total) == (rows, rows)
    assert seen[-1].seconds_left == 0
    assert seen[0].rate > 0
