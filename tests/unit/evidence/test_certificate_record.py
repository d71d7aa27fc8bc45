"""What a certificate says of effects through other attributes."""

import json

from tests.loans import INCOME_FIRST, QUESTION, ZIP_FIRST, asking, loans

from evenhand import CountTable
from evenhand.evidence import certify
from evenhand.graph.edits import without_nodes


def record_of(graph, counts=None, question=QUESTION):
    return json.loads(certify(counts or loans(), graph, question).to_json())["indirect"]


def test_effects_are_rounded_outward():
    effects = record_of(ZIP_FIRST)["graphs"][0]["effects"]
    assert effects["forward"]["through"] == ["0.006666666666", "0.006666666667"]
    assert effects["backward"]["explained"] == ["-0.133333333334", "-0.133333333333"]


def test_bounds_have_potentials_and_no_standard_error():
    record = record_of(INCOME_FIRST)
    assert {*record["graphs"][0]["potentials"]} == {"forward", "backward"}
    errors = record["standard_errors"]["forward"]
    open_ones = {name for name, error in errors.items() if error is None}
    assert open_ones == {"through", "combination"}


def test_where_nothing_was_measured_there_is_the_reason_alone():
    counts = CountTable.of(
        {"race": list("bwxbwx"), "zip": list("112212"), "loan": list("ynynyn")}
    )
    question = asking(group=None, other=None, favorable="y")
    record = record_of(without_nodes(ZIP_FIRST, {"income"}), counts, question)
    assert {*record} == {"verdict", "reasons"}


def test_a_value_without_rows_is_not_there():
    lines = [(*labels, n) for labels, n in loans()]
    lines.append(("x", "3", "lo", "yes", 5))  # of a group that is not compared
    *columns, counts = zip(*lines, strict=True)
    names = ("race", "zip", "income", "loan")
    table = CountTable.of(dict(zip(names, columns, strict=True)), counts)
    record = record_of(ZIP_FIRST, table, asking(other="w"))
    assert record["values"]["zip"] == ["1", "2"]
