"""Other classes: beside plain loops, and where coarse classes mislead."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest

from evenhand import Question, Tiers, audit, read
from evenhand.evidence import Word
from evenhand.evidence.variations.classes import OtherClasses, by_decision, by_quantiles
from evenhand.rows.finer_classes import finer_counts

QUESTION = Question(protected="c", group="1", decision="e", favorable="1", threshold="0.05")
KNOWN = Tiers(["c"], ..., ["e"])


def people(seed=1, rows=8000, direct=0.0):
    """Scores decide and differ between the groups; towns are as they are."""
    generator = np.random.default_rng(seed)
    c = generator.random(rows) < 0.5
    score = generator.normal(np.where(c, -1.0, 0.0), 1.0)
    e = generator.random(rows) < 1 / (1 + np.exp(-1.5 * score)) - direct * c
    town = generator.choice(["n", "s", "w"], rows)
    points = np.round(40 + 8 * score, 1)
    return pa.table({"c": c.astype(int), "points": points, "town": town, "e": e.astype(int)})


def explained(yes, rows, cuts):
    ends = [0, *cuts, len(rows)]
    parts = [slice(a, b) for a, b in pairwise(ends)]
    return sum(yes[p].sum() ** 2 / rows[p].sum() for p in parts if rows[p].sum())


def test_cuts_by_the_decision_explain_most_one_after_the_other():
    generator = np.random.default_rng(4)
    rows = generator.integers(1, 30, 12)
    yes = generator.binomial(rows, np.linspace(0.1, 0.9, 12) ** 2)
    classes = by_decision(yes, rows, 3)
    first = max(range(1, 12), key=lambda cut: explained(yes, rows, [cut]))
    cuts = max(
        (sorted({first, cut}) for cut in range(1, 12) if cut != first),
        key=lambda cuts: explained(yes, rows, cuts),
    )
    assert np.flatnonzero(np.diff(classes)).tolist() == [cut - 1 for cut in cuts]
    best = max(explained(yes, rows, pair) for pair in combinations(range(1, 12), 2))
    assert explained(yes, rows, cuts) > 0.9 * best


def test_quantile_classes_have_about_equally_many_rows():
    classes = by_quantiles(np.ones(100, int), 4)
    assert np.bincount(classes).tolist() == [25, 25, 25, 25]
    assert by_quantiles(np.array([97, 1, 1, 1]), 2).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("bins", [2, [30, ">=45.5"]])
def test_each_finer_class_lies_in_one_class_of_before(bins):
    table = people()
    rows = read(table, bins={"points": bins}, merge={"town": {"coast": ["n", "s"]}})
    before = rows.count()
    found = finer_counts(rows, ["points", "town"], QUESTION)
    assert found.finer == {"points": "points (finer)", "town": "town (finer)"}
    assert found.counts.marginal(before.names) == before
    classed = {
        (coarse, fine)
        for (coarse, fine), _ in found.counts.marginal(["points", "points (finer)"])
    }
    assert len(classed) == len({fine for _, fine in classed})
    assert 60 <= len(classed) <= 66
    towns = found.counts.marginal(["town", "town (finer)"])
    assert {labels for labels, _ in towns} == {("coast", "n"), ("coast", "s"), ("w", "w")}
    numbers = found.numbers["points (finer)"]
    seen = np.repeat(numbers[found.counts.column("points (finer)")], found.counts.counts).mean()
    assert seen == pytest.approx(np.mean(table["points"].to_pylist()), abs=0.01)


def test_few_rows_allow_no_finer_classes():
    rows = read(people(rows=12), bins={"points": 6}, merge={"town": {"coast": ["n", "s"]}})
    assert finer_counts(rows, ["points", "town"], QUESTION) is None


def test_a_number_that_is_nearly_always_the_same_stays_in_its_classes():
    table = people(rows=4000)
    hours = [0] * 3990 + [*range(10)]
    table = table.set_column(1, "points", pa.array(hours))
    assert finer_counts(read(table, bins={"points": [0]}), ["points"], QUESTION) is None


def test_nothing_is_read_again_where_nothing_is_in_classes(tmp_path):
    path = tmp_path / "people.arrow"
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, people(rows=50).schema) as out,
    ):
        out.write_table(people(rows=50))
    before = read(path, bins={"points": 2})
    before.count()
    path.unlink()
    assert finer_counts(before, ["town"], QUESTION) is None


def test_nothing_is_counted_again_where_nothing_is_in_classes():
    assert finer_counts(read(people(rows=50)), ["town"], QUESTION) is None


def test_classes_of_a_column_that_is_only_asked_about_stay_as_they_are():
    """Each row has a number of points of its own: without classes it would be an identifier."""
    table = people(rows=200).set_column(1, "points", [[*range(200)]])
    rows = read(table, bins={"points": [99]}, merge={"town": {"coast": ["n", "s"]}})
    counts = finer_counts(rows, ["town"], replace(QUESTION, rule=("points",))).counts
    assert counts.values("points") == {"up to 99": 100, "100 or more": 100}


def test_of_few_rows_there_are_fewer_classes_and_many_values_stay_merged():
    table = people(rows=104)
    table = table.append_column("home", pa.array([f"h{at}" for at in range(104)]))
    merge = {"home": {"here": [f"h{at}" for at in range(52)], "there": ["*"]}}
    rows = read(table, bins={"points": [40]}, merge=merge)
    found = finer_counts(rows, ["points", "home"], QUESTION)
    assert found.finer == {"points": "points (finer)"}
    assert found.counts.values("home") == {"here": 52, "there": 52}
    assert 40 <= len(found.counts.values("points (finer)")) <= 52
    assert finer_counts(rows, ["home"], QUESTION) is None


def test_a_missing_number_is_a_class_by_itself():
    table = people(rows=2000)
    points = [
        None if at % 5 == 0 else one for at, one in enumerate(table["points"].to_pylist())
    ]
    table = table.set_column(1, "points", [points])
    rows = read(table, bins={"points": 2}, missing="level")
    found = finer_counts(rows, ["points"], QUESTION)
    alike = found.counts.marginal(["points", "points (finer)"])
    assert dict(alike)["(missing)", "(missing)"] == 400
    missing = found.counts.attribute("points (finer)").values.index("(missing)")
    assert np.flatnonzero(np.isnan(found.numbers["points (finer)"])).tolist() == [missing]
    audited = audit(table, QUESTION, knowledge=KNOWN, bins={"points": 2}, missing="level")
    other = OtherClasses.of(found, audited.certificate.examined, ["points"])
    for _, second, classes in other.classes():
        is_missing = found.counts.column(second) == missing
        assert {*classes[is_missing]}.isdisjoint(classes[~is_missing])
        assert len({*classes[is_missing]}) == 1
    assert audited.answer.word is Word.YES


def test_a_difference_that_two_classes_make_is_no_answer():
    answer = audit(people(), QUESTION, knowledge=KNOWN, bins={"points": 2}).answer
    assert answer.word is Word.CANNOT_TELL
    assert (answer.reason.kind, answer.reason.names) == ("classes", ("points",))
    pooled = answer.within_classes[0]
    assert pooled.line is None
    assert pooled.difference > 0.07
    assert abs(pooled.adjusted) < 0.04


def test_a_true_difference_stands_in_all_classes():
    table = people(direct=0.2)
    answer = audit(table, QUESTION, knowledge=KNOWN, bins={"points": 6}).answer
    assert answer.word is Word.YES
    assert answer.tally["classes"] == 2
    low, high = answer.within_classes[0].interval
    assert low < 0.17 < high + 0.03
