"""Columns that a release drops or changes along; oracles look at rows and groups one by one."""

import json
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import several_groups
from tests.betraying import (
    BETRAYING,
    CODINGS,
    FORMS,
    GRAPH,
    as_csv,
    audit,
    betrayed,
    changed_rows,
    columns_of,
    in_form,
    people,
)
from tests.hiring import QUESTION, table
from tests.people_in_engines import in_duckdb, quiet

import evenhand as eh
from evenhand import checker
from evenhand.errors import CannotReleaseError, ColumnError, QuestionError
from evenhand.releasing import replay
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.change_along import change_along
from evenhand.removal import ModifyData

WAYS = [
    {"drop": BETRAYING},
    {"change_along": BETRAYING},
    {"drop": ["copy"], "change_along": ["reason", "score", "band"]},
]


def check(before, after, drop=(), change_along=()):
    """Changed rows cannot be told, and nothing else has changed."""
    assert [*after] == [name for name in before if name not in drop]
    changed = changed_rows(before, after)
    for name in after:
        assert not betrayed(before, after, name) or name in {"person", "note"}
        others = {
            row for row in range(len(before["sex"])) if before[name][row] != after[name][row]
        }
        assert others <= {*changed}
        assert not others or name in {"hired", *change_along}
    if {"band", "score"} <= {*change_along}:
        assert all(
            "ABCDE".index(band) == (94 - int(score)) // 10
            for band, score in zip(after["band"], after["score"], strict=True)
        )
    return changed


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_afterwards_no_column_betrays_a_changed_row(form, way, tmp_path):
    before = people()
    made = audit(in_form(before, form, tmp_path)).release(seed=7, **way)
    assert len(check(before, columns_of(made), **way)) == made.changed_rows > 20
    assert made.betrayals == ()
    assert not [one for one in made.warnings if "betray" in one.what]
    assert made.certificate.verdict is eh.Verdict.CERTIFIED


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_betrayed_whatever_the_people_and_the_seed(seed):
    before = people(150 + 40 * seed, seed=seed)
    for way in WAYS:
        made = audit(pd.DataFrame(before)).release(seed=seed, **way)
        check(before, columns_of(made), **way)
        assert made.betrayals == ()


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("output", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_files_are_written_and_made_again_alike(form, output, tmp_path):
    before, way = people(), WAYS[2]
    source = in_form(before, form, tmp_path)
    made = audit(source).release(seed=7, **way)
    files = made.write(tmp_path / f"released.{output}")
    written = eh.read(files.data, codings=made.certificate.codings)
    after = pa.Table.from_batches(written.batches()).to_pydict()
    after = {n: ["" if x is None else str(x) for x in column] for n, column in after.items()}
    check(before, after, **way)
    assert replay(files.manifest, source).is_same
    data = str(files.data) if output in {"csv", "tsv"} else None
    assert checker.verify(files.certificate.read_text(), data)[0] == 0
    statement = json.loads(files.certificate.read_text())["release"]
    assert statement["dropped_columns"] == ["copy"]
    assert statement["changed_columns"] == ["hired", "reason", "score", "band"]
    assert statement["notice"].startswith(
        "Decisions in these rows were changed, and with them reason, score, band drawn anew"
    )
    assert json.loads(files.manifest.read_text())["output"]["dropped_columns"] == ["copy"]


@pytest.mark.parametrize(
    "drop", [["copy"], ["copy", "band"], ["person"], ["copy", "note", "person"]]
)
def test_dropping_keeps_the_text_of_every_other_field(drop, tmp_path):
    before = people()
    made = audit(in_form(before, "csv", tmp_path)).release(seed=7, drop=drop)
    files = made.write(tmp_path / "released.csv")
    after = {name: values for name, values in before.items() if name not in drop}
    after["hired"] = columns_of(made)["hired"]
    assert files.data.read_text() == as_csv(after)


def test_a_quoted_header_and_crlf_stay(tmp_path):
    path = tmp_path / "people.csv"
    lines = ['"copy, of it";sex;"degree";hired']
    lines += [
        f"{int(i % 3 > 0)};{'fm'[i % 3 > 0]};x;{['no', 'yes'][i % 3 > 0]}" for i in range(90)
    ]
    lines += [f"{i % 2};f;x;{['no', 'yes'][i % 2]}" for i in range(20)]
    path.write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    made = audit(path).release(seed=7, drop=["copy, of it"])
    text = made.write(tmp_path / "released.csv").data.read_bytes()
    assert text.startswith('\ufeffsex;"degree";hired\r\n'.encode())
    assert text.count(b"\r\n") == 111


@pytest.mark.parametrize("form", ["csv", "pandas"])
def test_of_columns_with_one_name_any_can_be_dropped(form, tmp_path):
    before = people()
    source = pd.DataFrame(before).rename(columns={"band": "copy"})
    path = tmp_path / "people.csv"
    source.to_csv(path, index=False)
    made = audit(path if form == "csv" else source).release(seed=7, drop=["copy.1"])
    text = made.write(tmp_path / "released.csv").data.read_text().replace('"', "")
    assert text.startswith("copy,note,sex,degree,hired,score,reason,person\n")
    assert {line[0] for line in text.splitlines() if line[1:2] == ","} == {"0", "1"}


def test_nothing_is_looked_for_where_nothing_changes():
    before = people()
    same = eh.Question(
        protected="sex", group="f", decision="hired", favorable="yes", threshold="0.9"
    )
    made = eh.audit(pd.DataFrame(before), same, graph=GRAPH, codings=CODINGS).release(seed=7)
    assert (made.changed_rows, made.betrayals) == (0, ())


def test_parquet_keeps_its_schema_but_for_what_is_dropped(tmp_path):
    source = in_form(people(), "parquet", tmp_path)
    files = audit(source).release(seed=7, drop=["score"]).write(tmp_path / "released.parquet")
    before, after = pq.read_schema(source), pq.read_schema(files.data)
    assert after.names == [name for name in before.names if name != "score"]
    assert all(after.field(name) == before.field(name) for name in after.names)


def test_a_value_is_drawn_from_the_rows_of_the_same_people_with_that_decision():
    before = people(3000)
    made = audit(pd.DataFrame(before)).release(seed=7, change_along=["band"])
    after, shares = columns_of(made), defaultdict(list)
    where = [*zip(*(before[name] for name in ("degree", "sex", "hired", "band")), strict=True)]
    # Among women of some degree all who were hired have the band A.
    for row, (degree, sex, hired, _) in enumerate(where):
        if (degree, sex, hired) == ("some", "f", "yes"):
            before["band"][row] = "A"
    made = audit(pd.DataFrame(before)).release(seed=7, change_along=["band"])
    after = columns_of(made)
    for row in changed_rows(before, after):
        shares[before["degree"][row], before["sex"][row], after["hired"][row]].append(
            after["band"][row]
        )
    assert {*shares["some", "f", "yes"]} == {"A"}
    lowered = [
        band for (_, _, hired), bands in shares.items() if hired == "no" for band in bands
    ]
    assert {*lowered} == {"C", "D"} | ({"E"} & {*before["band"]})


def test_where_nobody_is_alike_values_come_from_the_next_larger_group():
    counts = eh.CountTable.of(
        {
            "town": ["a", "a", "a", "b", "b", "b"],
            "sex": ["f", "m", "m", "f", "m", "m"],
            "hired": ["no", "yes", "no", "yes", "no", "yes"],
            "band": ["C", "A", "D", "B", "C", "A"],
        },
        [40, 30, 10, 30, 30, 30],
    )
    question = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("sex -> hired; town -> hired")
    plan = eh.certify(counts, graph, question)
    planned = change_along(counts, eh.ModifyData().plan(plan), ["band"])
    (table,) = planned.redrawn

    def shares(town, sex, hired):
        given = tuple(
            list(one.values).index(value)
            for one, value in zip(table.parents, (town, sex, hired), strict=True)
        )
        found = zip(table.node.values, table.shares[given], strict=True)
        return {value: share for value, share in found if share}

    assert shares("a", "f", "no") == {"C": 1}  # the same people
    assert shares("a", "f", "yes") == {"B": 1}  # women elsewhere
    assert shares("b", "f", "no") == {"C": 1}
    assert shares("a", "m", "no") == {"D": 1}


def test_several_columns_fit_together_where_the_table_is_too_large(monkeypatch):
    monkeypatch.setattr("evenhand.releasing.change_along._MOST_CELLS", 1000)
    before, way = people(), {"change_along": ["score", "band"]}
    made = audit(pd.DataFrame(before)).release(seed=7, drop=["copy", "reason"], **way)
    assert [len(table.parents) for table in made.plan.redrawn] == [3, 3]
    check(before, columns_of(made), drop=["copy", "reason"], **way)
    monkeypatch.setattr("evenhand.releasing.change_along._MOST_CELLS", 100)
    with pytest.raises(CannotReleaseError, match=r"too many values.*drop=\['band'\]"):
        audit(pd.DataFrame(before)).release(seed=7, **way)


def test_counted_lines_change_along(tmp_path):
    before = pd.DataFrame(people(2000))[["sex", "degree", "hired", "copy", "reason"]]
    lines = before.value_counts().reset_index(name="people")
    path = tmp_path / "lines.csv"
    lines.to_csv(path, index=False)
    codings = eh.Codings.of(columns=["sex", "degree", "hired"], frequency="people")
    found = audit(path, codings=codings)
    assert {one.column for one in found.release(seed=7).betrayals} == {"copy", "reason"}
    made = found.release(seed=7, drop=["reason"], change_along=["copy"])
    after = pd.read_csv(made.write(tmp_path / "released.csv").data)
    assert [*after] == ["sex", "degree", "hired", "copy", "people"]
    assert after["people"].sum() == 2000
    assert {*zip(after["hired"], after["copy"], strict=True)} == {("yes", 1), ("no", 0)}
    assert replay(tmp_path / "released.manifest.json", path).is_same


@quiet
def test_an_engine_drops_and_changes_along(tmp_path):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    before = people(2000)
    there = in_duckdb(ibis, pa.table(before | {"id": list(range(2000))}))
    found = audit(there)
    plain = found.release(seed=7, key="id")
    assert {one.column: one.rows for one in plain.betrayals} == dict.fromkeys(
        BETRAYING, plain.changed_rows
    )
    way = WAYS[2]
    made = found.release(seed=7, key="id", **way)
    assert made.betrayals == ()
    after = made.rows.order_by("id").drop("id").to_pyarrow().to_pydict()
    assert len(check(before, after, **way)) == made.changed_rows
    again = found.release(seed=7, key="id", **way).rows.order_by("id").drop("id")
    assert again.to_pyarrow().to_pydict() == after
    files = made.write(tmp_path / "released")
    stored = there.get_backend().table("released").order_by("id").drop("id")
    assert stored.to_pyarrow().to_pydict() == after
    assert json.loads(files.manifest.read_text())["output"]["dropped_columns"] == ["copy"]


@quiet
@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("other", ["rest", "m"])
def test_missing_values_and_pooled_groups_change_along(missing, other):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    before = table(2000, groups="fmd")
    yes = [hired == "yes" for hired in before["hired"]]
    before["copy"] = [int(one) for one in yes]
    before["reason"] = [None if one else "xyz"[row % 3] for row, one in enumerate(yes)]
    before["degree"] = [None if row % 9 == 0 else d for row, d in enumerate(before["degree"])]
    before["id"] = list(range(2000))
    codings = eh.Codings.of(columns=CODINGS.columns, missing=missing)
    rows = pa.table(before)
    for source, key in ((rows, None), (in_duckdb(ibis, rows), "id")):
        question = replace(QUESTION, other=other)
        found = eh.audit(source, question, graph=GRAPH, codings=codings)
        plain = found.release(seed=7, key=key)
        told = {one.column: one.rows for one in plain.betrayals}
        assert told == {"copy": plain.changed_rows, "reason": plain.changed_rows}
        made = found.release(seed=7, key=key, change_along=["copy", "reason"])
        after = made.rows if key is None else made.rows.to_pyarrow()
        columns = (after[name].to_pylist() for name in ("hired", "copy", "reason"))
        assert {*zip(*columns, strict=True)} == {
            ("yes", 1, None),
            *(("no", 0, reason) for reason in "xyz"),
        }
        assert made.betrayals == ()


@quiet
def test_an_engine_refuses_a_statement_of_too_many_cases(monkeypatch):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    monkeypatch.setattr("evenhand.releasing.apply_in_engine._MOST_LEAVES", 3)
    there = in_duckdb(ibis, pa.table(people() | {"id": list(range(400))}))
    with pytest.raises(CannotReleaseError, match=r"too many values.*drop=\['score'\]"):
        _ = audit(there).release(seed=7, key="id", change_along=["score"]).rows


@pytest.mark.parametrize(
    ("options", "problem", "words"),
    [
        ({"drop": ["degree"]}, QuestionError, "'degree' can be neither .*exclude=.*'degree'"),
        ({"change_along": ["hired"]}, QuestionError, "'hired' can be neither"),
        ({"drop": ["scores"]}, ColumnError, "no column 'scores'. Did you mean 'score'"),
        ({"drop": ["copy"], "change_along": ["copy"]}, QuestionError, "both dropped and"),
        ({"drop": "copy"}, QuestionError, "drop"),
        ({"change_along": ["person"]}, ColumnError, "person"),
        (
            {"drop": ["copy"], "method": eh.ModifyGraph(generate=True)},
            QuestionError,
            "New rows",
        ),
        (
            {"change_along": ["copy"], "method": eh.ShuffleProtected(), "uncertified": True},
            QuestionError,
            "changes no decision",
        ),
    ],
)
def test_what_cannot_be_dropped_or_changed_is_refused(options, problem, words):
    with pytest.raises(problem, match=words):
        audit(pd.DataFrame(people())).release(seed=7, **options)


def test_a_column_that_hardly_repeats_is_to_be_dropped():
    found = audit(pd.DataFrame(people()))
    with pytest.raises(ColumnError) as error:
        found.release(seed=7, change_along=["copy", "person"])
    (problem,) = error.value.problems
    assert "'person' looks like an identifier" in problem.what
    assert [(one.argument, one.value) for one in problem.remedies] == [("drop", ["person"])]


def test_a_column_of_the_graph_in_classes_has_one_remedy():
    codings = eh.Codings.of(columns=[*CODINGS.columns, "score"], bins={"score": [65, 75]})
    graph = eh.CausalGraph.parse("sex -> hired; degree -> hired; score")
    found = audit(pd.DataFrame(people()), codings=codings, graph=graph)
    with pytest.raises(QuestionError) as error:
        found.release(seed=7, change_along=["score"])
    (problem,) = error.value.problems
    assert [one.argument for one in problem.remedies] == ["exclude"]


def test_a_column_in_classes_can_be_dropped_but_not_changed_along(tmp_path):
    codings = eh.Codings.of(columns=[*CODINGS.columns, "score"], bins={"score": [65, 75]})
    found = audit(in_form(people(), "csv", tmp_path), codings=codings, graph=GRAPH)
    with pytest.raises(QuestionError, match=r"'score' cannot change along.*drop=\['score'\]"):
        found.release(seed=7, change_along=["score"])
    files = found.release(seed=7, drop=["score"]).write(tmp_path / "released.csv")
    read = json.loads(files.certificate.read_text())["codings"]
    assert read == {"columns": [*CODINGS.columns], "missing": "error"}
    assert checker.verify(files.certificate.read_text(), str(files.data))[0] == 0


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_of_many_groups_and_values_a_column_goes_along_with_the_new_value(name, tmp_path):
    question, rows = several_groups.RELEASED[name], several_groups.people()
    found = eh.audit(
        pa.table(rows), question, graph=several_groups.GRAPH, codings=several_groups.CODINGS
    )
    assert [one.column for one in found.release(seed=3).betrayals] == ["note"]
    made = found.release(seed=3, change_along=["note"])
    written = made.write(tmp_path / "out.csv")
    after = pd.read_csv(written.data)
    fitting = {*zip(rows["score"], rows["note"], strict=True)}
    assert {*zip(after.score, after.note, strict=True)} <= fitting
    changed = [old != new for old, new in zip(rows["score"], after.score, strict=True)]
    noted = [old != new for old, new in zip(rows["note"], after.note, strict=True)]
    assert all(change for change, note in zip(changed, noted, strict=True) if note)
    assert sum(changed) == made.changed_rows
    assert not made.betrayals
    assert checker.verify(written.certificate.read_text(), str(written.data))[0] == 0
    assert replay(written.manifest, pa.table(rows)).is_same


def test_without_rows_alike_a_column_is_drawn_from_the_same_intersection():
    """Women of race a have no Low in town x: their new notes are those of such women in y."""
    lines = [
        ("f", "a", "x", "High", "fa high", 20),
        ("f", "a", "y", "Low", "fa low", 5),
        ("f", "a", "y", "High", "fa high", 5),
        ("m", "a", "y", "Low", "ma low", 30),
        ("m", "a", "y", "High", "ma high", 30),
        ("m", "b", "x", "Low", "mb low", 20),
        ("m", "b", "x", "High", "mb high", 2),
    ]
    *columns, often = zip(*lines, strict=True)
    names = ("sex", "race", "town", "score", "note")
    counts = eh.CountTable.of(dict(zip(names, map(list, columns), strict=True)), [*often])
    question = eh.Question(protected=("sex", "race"), decision="score", favorable="Low")
    graph = eh.CausalGraph.parse("sex -> score; race -> score; town -> score")
    certificate = eh.certify(counts.marginal(names[:-1]), graph, question, min_coverage="0.1")
    plan = change_along(counts, ModifyData(policy="raise").plan(certificate), ["note"])
    after = change_counts(counts, plan, np.random.default_rng(0))
    new = {labels[-1] for labels, _ in after if labels[:4] == ("f", "a", "x", "Low")}
    assert new == {"fa low"}
