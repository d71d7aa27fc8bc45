"""Adult's numbers in several hundred classes: the exact verdict is stable."""

import csv

import pyarrow as pa
import pytest

import evenhand as eh
from evenhand.evidence import Verdict

COLUMNS = {
    "age": 0, "workclass": 1, "education_num": 4, "marital_status": 5, "relationship": 7,
    "sex": 9, "hours": 12, "income": 14,
}  # fmt: skip
MERGED = {
    "marital_status": "Married-civ-spouse",
    "relationship": "Not-in-family",
    "workclass": "Private",
}


@pytest.mark.slow
def test_no_way_to_class_adult_is_certified(data_folder):
    rows = []
    for name in ("adult.data", "adult.test"):
        with (data_folder / "adult" / name).open(encoding="utf-8", newline="") as lines:
            rows += [r for r in csv.reader(lines, skipinitialspace=True) if len(r) == 15]
    columns = {name: [row[at].rstrip(".") for row in rows] for name, at in COLUMNS.items()}
    codings = eh.Codings.of(
        bins={"age": [37], "education_num": [9], "hours": [40]},
        merge={name: {one: [one], "other": ["*"]} for name, one in MERGED.items()},
    )
    question = eh.Question(protected="sex", group="Female", decision="income", favorable=">50K")
    causes = [name for name in COLUMNS if name != "income"]
    graph = eh.CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    audit = eh.audit(pa.table(columns), question, codings=codings, graph=graph)
    binnings = audit.binnings()
    assert binnings.columns == ("age", "education_num", "hours")
    assert binnings.verdicts == {Verdict.NOT_CERTIFIED: len(binnings.ways)}
    assert len(binnings.ways) > 300
    assert 0.5 < binnings.share(binnings.shown) < 1
    low, high = binnings.common_range
    assert (round(low, 3), round(high, 3)) == (-0.003, 0.012)
    for way in binnings.ways[::97]:
        settled = audit.rows.codings
        again = eh.audit(
            pa.table(columns),
            question,
            codings=eh.Codings.of(bins=dict(way.bins), merge=settled.merge),
            graph=graph,
        )
        assert again.verdict is way.verdict
        assert again.certificate.population.verdict is way.statistical
        assert again.certificate.coverage.overall == way.coverage
