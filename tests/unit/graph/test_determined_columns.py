"""A column and one made from it keep their arrows; the same column twice enters once."""

from dataclasses import replace

import numpy as np
import pytest
from tests.determined import by_age, question, scored

import evenhand as eh
from evenhand.errors import GraphError
from evenhand.question import Knowledge, Tiers


@pytest.mark.parametrize("seed", range(4))
def test_a_column_and_its_class_do_not_lose_the_arrows_of_both(seed):
    counts = eh.CountTable.of(by_age(seed=seed))
    graph = eh.discover(counts, knowledge=Tiers(["age", "class", "sex", "town"], ["hired"]))
    # Given the class the age still matters; given the age the class cannot: no test says more.
    assert {"age", "sex"} <= graph.parents("hired")
    assert "town" not in graph.parents("hired")
    assert graph.adjacent("age", "class")


def test_where_the_class_is_what_counts_it_stays():
    table = by_age()
    rng = np.random.default_rng(2)
    rates = {"2": 0.1, "3": 0.6, "4": 0.2, "5": 0.8}
    table["hired"] = ["yes" if rng.random() < rates[c] else "no" for c in table["class"]]
    graph = eh.discover(eh.CountTable.of(table), knowledge=Tiers(..., ["hired"]))
    assert graph.parents("hired") | graph.neighbors("hired") == {"class"}


def test_equivalent_columns_enter_once():
    table = by_age()
    table["gender"] = [{"f": "woman", "m": "man"}[sex] for sex in table["sex"]]
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.discover(eh.CountTable.of(table), question=asked)
    assert "gender" not in graph.nodes
    assert graph.record.stand_ins == {"gender": "sex"}
    assert any("'gender' says the same as 'sex'" in note for note in graph.record.notes)
    # Without a question the first name leads; a column that knowledge names in an arrow stays.
    assert eh.discover(eh.CountTable.of(table)).record.stand_ins == {"sex": "gender"}
    known = Knowledge(required=["sex -> hired"])
    assert eh.discover(eh.CountTable.of(table), knowledge=known).record.stand_ins == {
        "gender": "sex"
    }
    both = Knowledge(required=["sex -> hired"], forbidden=["gender -> town"])
    assert not eh.discover(eh.CountTable.of(table), knowledge=both).record.stand_ins


def test_a_column_on_the_way_leads_its_copies_and_never_the_protected_one():
    table = by_age()
    table["area"] = [town * 2 for town in table["town"]]
    table["gender"] = table["sex"]
    counts = eh.CountTable.of(table)
    asked = eh.Question(protected="sex", decision="hired", favorable="yes")
    assert eh.discover(counts, question=asked).record.stand_ins["town"] == "area"
    through = replace(asked, redlining=["town"])
    left = {"area": "town", "gender": "sex"}
    assert eh.discover(counts, question=through).record.stand_ins == left
    for copy, absent, first in (("gender", "gender", "sex"), ("area", "town", "area")):
        both = replace(asked, redlining=["town"], explained=[copy])
        with pytest.raises(GraphError, match=f"'{absent}', through.*the same as '{first}'"):
            eh.audit(counts, both)


def test_the_verdict_does_not_depend_on_a_second_spelling():
    table = by_age()
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    once = eh.audit(eh.CountTable.of(table), asked)
    table["gender"] = table["sex"]
    table["place"] = [town * 2 for town in table["town"]]
    tiers = Tiers(["sex", "gender", "place"], ..., ["hired"])
    twice = eh.audit(eh.CountTable.of(table), asked, knowledge=tiers)
    assert twice.decision_causes == once.decision_causes
    assert twice.verdict is once.verdict


def test_a_declared_rule_is_the_only_cause():
    counts = eh.CountTable.of(scored())
    graph = eh.discover(counts, question=question(rule=["score"]))
    assert graph.parents("risk") == {"score"}
    assert not graph.neighbors("risk")
    assert {"education", "sex"} <= graph.parents("score") | graph.neighbors("score")
