"""Two columns of one name are read under two names and released under their own."""

import pyarrow as pa
import pytest

import evenhand as eh
from evenhand import checker

LINES = ["f,1,yes,a\n", "f,2,no,a\n", "f,1,no,b\n", "m,2,yes,b\n", "m,1,yes,a\n"] * 30
HEADER = "sex,note,hired,note\n"
QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse("sex -> hired; note.1 -> hired; note")


@pytest.fixture
def path(tmp_path):
    (tmp_path / "people.csv").write_text(HEADER + "".join(LINES))
    return tmp_path / "people.csv"


def test_a_release_keeps_the_header_and_its_certificate_verifies(path, tmp_path):
    audit = eh.audit(path, QUESTION, graph=GRAPH)
    assert "note.1" in str(audit)
    assert audit.verdict is eh.Verdict.NOT_CERTIFIED
    out = tmp_path / "out.csv"
    audit.release(seed=7, accept_graph="A test.").write(out)
    assert out.read_text().startswith(HEADER)
    record = (tmp_path / "out.certificate.json").read_text()
    assert checker.verify(record, str(out))[0] == 0
    assert checker.verify(audit.certificate.to_json(), str(path))[0] == 0
    audit.release(seed=7, accept_graph="A test.").write(tmp_path / "typed.parquet")
    assert eh.read(tmp_path / "typed.parquet").columns == ("sex", "note", "hired", "note.1")


@pytest.mark.parametrize("kind", ["pandas", "table", "batch"])
def test_a_frame_comes_back_with_its_own_names(path, tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    table = pa.table(
        [*map(list, zip(*(line.strip().split(",") for line in LINES), strict=True))],
        names=HEADER.strip().split(","),
    )
    frame = pandas.DataFrame(
        [line.strip().split(",") for line in LINES], columns=HEADER.strip().split(",")
    )
    source = {"pandas": frame, "table": table, "batch": table.to_batches()[0]}[kind]
    audit = eh.audit(source, QUESTION, graph=GRAPH)
    assert audit.counts.digest == eh.read(path).count().digest
    release = audit.release(seed=7, accept_graph="A test.")
    names = release.rows.columns if kind == "pandas" else release.rows.schema.names
    assert [*names] == ["sex", "note", "hired", "note"]
    for name in ("one.csv", "two.parquet", "three.arrow"):
        release.write(tmp_path / name)
        written = eh.read(tmp_path / name)
        assert written.columns == ("sex", "note", "hired", "note.1")
        assert written.count().digest == eh.read(release.rows).count().digest


def test_files_of_other_kinds_keep_the_header_where_they_become_text(path, tmp_path):
    columns = [*map(list, zip(*(line.strip().split(",") for line in LINES), strict=True))]
    table = pa.table(columns, names=HEADER.strip().split(","))
    with pa.ipc.new_file(tmp_path / "people.arrow", table.schema) as out:
        out.write_table(table)
    for source in (path, tmp_path / "people.arrow"):
        release = eh.audit(source, QUESTION, graph=GRAPH).release(
            seed=7, accept_graph="A test."
        )
        for ending in ("csv", "tsv", "parquet", "arrow"):
            written = tmp_path / f"{source.suffix[1:]} {ending}.{ending}"
            release.write(written)
            assert eh.read(written).columns == ("sex", "note", "hired", "note.1")
            if ending in ("csv", "tsv"):
                names = written.read_text().splitlines()[0].replace('"', "")
                assert names.replace("\t", ",") == HEADER.strip()
