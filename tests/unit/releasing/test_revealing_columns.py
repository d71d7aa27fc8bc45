"""Which released columns reveal changed rows; the oracle compares rows one by one."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.revealing import (
    CODINGS,
    FORMS,
    GRAPH,
    REVEALING,
    audit,
    changed_rows,
    columns_of,
    in_form,
    people,
    revealed,
)

import evenhand as eh
from evenhand.releasing.revealing_columns import (
    RevealingColumn,
    find_revealing,
    revealing_problems,
)


@pytest.mark.parametrize("form", FORMS)
def test_columns_that_determine_the_decision_reveal_every_changed_row(form, tmp_path):
    before = people()
    made = audit(in_form(before, form, tmp_path)).release(seed=7)
    after = columns_of(made)
    assert len(changed_rows(before, after)) == made.changed_rows > 20
    found = {one.column: one.rows for one in made.revealing_columns}
    assert found == {name: len(revealed(before, after, name)) for name in REVEALING}
    assert {*found.values()} == {made.changed_rows}


def test_the_warning_says_in_how_many_rows_and_what_helps():
    made = audit(pd.DataFrame(people())).release(seed=7)
    problem = made.warnings[0]
    assert problem.what == "'band', 'copy', 'reason', 'score' reveal changed rows."
    assert (
        f"in at least 99 of 100 cases; all {made.changed_rows} changed rows contradict that"
        in problem.found
    )
    names = ["band", "copy", "reason", "score"]
    assert [(one.argument, one.value) for one in problem.remedies] == [("drop", names)]
    assert "drop=['band', 'copy', 'reason', 'score']" in str(made)
    first = made.to_dict()["revealing_columns"][0]
    assert (first["column"], first["rows"]) == ("band", made.changed_rows)
    assert first["remedies"][0] == {
        "words": "Drop it",
        "argument": "drop",
        "value": ["band"],
    }


@pytest.mark.parametrize("seed", range(4))
def test_single_values_that_go_with_one_decision_reveal_too(seed):
    before, generator = people(2000, seed=seed), np.random.default_rng(seed)
    asked = [*zip(before["sex"], before["hired"], strict=True)]
    reasons = ("income", "debt", "history")
    further = {
        "refused for": [
            str(generator.choice(reasons)) if hired == "no" and generator.random() < 0.9 else ""
            for _, hired in asked
        ],
        "letter to women": [
            {"fyes": "x", "fno": "y"}.get(sex + hired, "z") for sex, hired in asked
        ],
        "paid": [
            str(int(generator.integers(1000, 9000))) if hired == "yes" else "0"
            for _, hired in asked
        ],
        "nearly": [hired if generator.random() > 0.004 else "yes" for _, hired in asked],
    }
    by_chance = {
        "branch": generator.choice([*"ABCDEFGH"], 2000).tolist(),
        "credit": generator.integers(300, 850, 2000).astype(str).tolist(),
    }
    before |= further | by_chance
    made = audit(pd.DataFrame(before)).release(seed=7, drop=[*REVEALING])
    after = columns_of(made)
    found = {one.column: one.rows for one in made.revealing_columns}
    # By chance few values of the credit score go with one decision: its rows are not named.
    assert found.keys() == further.keys()
    assert {name: found[name] for name in ("refused for", "letter to women")} == {
        name: len(revealed(before, after, name)) for name in ("refused for", "letter to women")
    }
    raised = sum(after["hired"][row] == "yes" for row in changed_rows(before, after))
    assert found["paid"] == raised > 0
    assert len(revealed(before, after, "credit")) > 0


def test_values_with_few_exceptions_reveal_as_many_more_rows_as_contradict_them():
    before = people(4000)
    for value in "01":
        for row in [row for row, copy in enumerate(before["copy"]) if copy == value][:12]:
            before["copy"][row] = "10"[int(value)]
    made = audit(pd.DataFrame(before)).release(seed=7, drop=["band", "score", "reason"])
    (one,) = made.revealing_columns
    told = {"1": "yes", "0": "no"}
    old, new = (
        sum(
            told[copy] != hired for copy, hired in zip(rows["copy"], rows["hired"], strict=True)
        )
        for rows in (before, columns_of(made))
    )
    assert one.rows == new - old > 0.9 * made.changed_rows


def test_columns_that_hardly_repeat_and_those_that_do_not_determine_are_none():
    made = audit(pd.DataFrame(people())).release(seed=7)
    assert not {"person", "note", "degree", "sex"} & {
        one.column for one in made.revealing_columns
    }


def test_a_column_that_cannot_be_read_as_labels_stops_nothing():
    frame = pd.DataFrame(people())
    frame["mixed"] = [1 if row % 2 else "one" for row in range(len(frame))]
    made = audit(frame).release(seed=7)
    assert {one.column for one in made.revealing_columns} == {*REVEALING}


@pytest.mark.parametrize("codes", ["polars", "uint8", "uint16", "uint32", "uint64"])
def test_a_column_of_unsigned_codes_reveals_as_its_texts_do(codes):
    columns = people()
    if codes == "polars":
        frame = pl.DataFrame(columns).with_columns(pl.col("band").cast(pl.Categorical))
    else:
        kind = pa.dictionary(getattr(pa, codes)(), pa.string())
        frame = pa.table(columns | {"band": pa.array(columns["band"]).cast(kind)})
    made = audit(frame).release(seed=7)
    assert "band" in str(made)
    assert (
        made.revealing_columns == audit(pd.DataFrame(columns)).release(seed=7).revealing_columns
    )


def test_rows_left_out_for_missing_values_do_not_count(tmp_path):
    before = people(800)
    for row in range(0, 800, 4):
        before["degree"][row] = ""
        before["copy"][row] = "0" if before["copy"][row] == "1" else "1"
    codings = eh.Codings.of(columns=["sex", "degree", "hired"], missing="drop")
    for form in ("csv", "pandas"):
        made = audit(in_form(before, form, tmp_path), codings=codings).release(seed=7)
        found = {one.column: one.rows for one in made.revealing_columns}
        assert found["copy"] == made.changed_rows


def test_classes_do_not_hide_what_is_stored():
    before = people()
    codings = eh.Codings.of(columns=["sex", "degree", "hired", "score"], bins={"score": [89]})
    made = audit(pd.DataFrame(before), codings=codings).release(seed=7)
    assert "score" in {one.column for one in made.revealing_columns}


def test_a_column_of_the_graph_can_only_be_left_out_of_the_question():
    before = people(4000)
    generator = np.random.default_rng(0)
    for row in generator.choice(4000, 8, replace=False).tolist():
        before["copy"][row] = "0" if before["copy"][row] == "1" else "1"
    codings = eh.Codings.of(columns=["sex", "degree", "hired", "copy"])
    graph = eh.CausalGraph.parse("sex -> hired; degree -> hired; hired -> copy")
    found = audit(pd.DataFrame(before), codings=codings, graph=graph)
    made = found.release(seed=7, drop=["band", "score", "reason"])
    problem = made.warnings[0]
    assert [(one.argument, one.value) for one in problem.remedies] == [("exclude", ["copy"])]
    redrawn = found.release(method=eh.ModifyGraph(), seed=7, drop=["band", "score", "reason"])
    assert redrawn.revealing_columns == ()


def test_counts_reveal_as_rows_do():
    rows = eh.read(pd.DataFrame(people()), columns=["sex", "degree", "hired", "copy"])
    found = eh.audit(rows.count(), audit(pd.DataFrame(people())).question, graph=GRAPH)
    made = found.release(seed=7)
    assert [(one.column, one.rows) for one in made.revealing_columns] == [
        ("copy", made.changed_rows)
    ]
    assert found.release(seed=7, drop=["copy"]).revealing_columns == ()


def test_where_no_decision_changes_nothing_is_revealed():
    found = audit(pd.DataFrame(people()))
    shuffled = found.release(method=eh.ShuffleProtected(), seed=7, uncertified=True)
    generated = found.release(method=eh.ModifyGraph(generate=True), seed=7)
    assert shuffled.revealing_columns == generated.revealing_columns == ()


def test_the_same_is_found_where_each_column_is_read_alone(tmp_path):
    before = people()
    path = in_form(before, "csv", tmp_path)
    text = path.read_bytes()
    path.write_bytes(text.replace(b"plain", b"pl\xe4in"))  # no UTF-8, and outside the question
    made = audit(path).release(seed=7)
    rows = eh.read(path, codings=CODINGS)
    found = find_revealing(rows, made._applied.counted, made.plan, GRAPH.nodes)
    assert {one.column for one in found} == {*REVEALING}


@pytest.mark.parametrize("many", [1, 2, 3])
def test_columns_that_reveal_as_much_are_one_problem(many):
    columns = [
        RevealingColumn(
            column=name, decision="hired", rows=rows, changed_rows=9, examined=name == "graph"
        )
        for name, rows in [*((f"c{at}", 9) for at in range(many)), ("few", 4), ("graph", 9)]
    ]
    alike, few, examined = revealing_problems(columns)
    verb, it = ("reveals", "it") if many == 1 else ("reveal", "them")
    names = [f"c{at}" for at in range(many)]
    assert alike.what == f"{', '.join(map(repr, names))} {verb} changed rows."
    assert f"rows with the same value of {it} had the same 'hired'" in alike.found
    assert "all 9 changed rows contradict" in alike.found
    assert "4 of 9 changed rows contradict" in few.found
    assert [(one.words, one.argument, one.value) for one in alike.remedies] == [
        (f"Drop {it}", "drop", names)
    ]
    assert [one.argument for one in examined.remedies] == ["exclude"]
