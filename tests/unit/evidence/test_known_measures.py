"""Measures that people know, against brute force over rows."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit

from evenhand import CountTable, Question, datasets
from evenhand.evidence import certify
from evenhand.evidence.known_measures import (
    KINDS,
    ComparedPair,
    KnownMeasure,
    balanced_error,
    decimal,
    known_measures,
    lifted,
)
from evenhand.graph import CausalGraph

ASKED = Question(protected="sex", group="f", decision="hired", favorable="yes")
HIRED = ("yes", "no")
HIRING = CausalGraph.parse("sex -> hired; job -> hired; town -> sex")
ROWS = st.lists(
    st.tuples(
        st.sampled_from("fm"),
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.sampled_from(["yes", "no"]),
    ),
    min_size=4,
    max_size=60,
).filter(lambda rows: {row[0] for row in rows} == {*"fm"} and len({r[3] for r in rows}) == 2)


def measured(certificate):
    return known_measures(
        certificate.examined, certificate.graph.nodes, causes=certificate.partition.names
    )


def by_rows(rows):
    """The same measures, row by row and with data frames, in a code of their own."""
    frame = pd.DataFrame(rows, columns=["sex", "job", "town", "hired"])
    frame["yes"] = frame.hired == "yes"
    rate = frame.groupby("sex").yes.mean()
    lifts, compared, explained = 0, 0, 0.0
    sizes = frame.sex.value_counts()
    for _, part in frame.groupby("job"):
        own = {sex: some.yes for sex, some in part.groupby("sex")}
        mean = sum(yes.mean() for yes in own.values()) / len(own)
        share = {sex: len(own.get(sex, ())) / sizes[sex] for sex in "fm"}
        explained += mean * (share["m"] - share["f"])
        if len(own) == 2:
            compared += 1
            women, men = (Fraction(int((~own[sex]).sum()), len(own[sex])) for sex in "fm")
            lifts += (women / men >= Fraction(5, 4)) if men else women > 0
    errors = Counter()
    alike = list(zip(frame.sex, frame.job, frame.town, strict=True))
    for at, (sex, *where) in enumerate(alike):
        others = alike[:at] + alike[at + 1 :]
        shares = {}
        for label in "fm":
            of_group = [one for one in others if one[0] == label]
            same = sum([*rest] == where for _, *rest in of_group)
            shares[label] = Fraction(same, len(of_group)) if of_group else Fraction(0)
        own, other = shares[sex], shares["fm".replace(sex, "")]
        errors[sex] += Fraction(own < other) + Fraction(own == other) / 2
    ber = sum(Fraction(errors[sex]) / int(sizes[sex]) for sex in "fm") / 2
    return {
        "ratio": rate.f / rate.m if rate.m else None,
        "gap": rate.m - rate.f,
        "slift": (lifts, compared),
        "explained": explained,
        "unexplained": rate.m - rate.f - explained,
        "ber": min(ber, Fraction(1, 2)),
    }


@given(rows=ROWS)
def test_they_are_what_counting_rows_gives(rows):
    if sum(row[0] == "f" for row in rows) == 1 or sum(row[0] == "m" for row in rows) == 1:
        return  # without the only row of a group there is no share to compare with
    columns = zip(*rows, strict=True)
    counts = CountTable.of(dict(zip(["sex", "job", "town", "hired"], columns, strict=True)))
    known, expected = measured(certify(counts, HIRING, ASKED)), by_rows(rows)
    for key in ("ratio", "gap", "explained", "unexplained"):
        value = known[key].value
        assert (value is None) == (expected[key] is None)
        assert value is None or float(value) == pytest.approx(expected[key], abs=1e-12)
    assert (known["slift"].value, known["slift"].of) == expected["slift"]
    assert known["ber"].value == expected["ber"]


def test_each_has_a_name_a_formula_and_one_sentence():
    for kind in KINDS.values():
        assert kind.unseen.startswith("It ")
        assert kind.unseen.endswith(".")
        assert ". " not in kind.unseen
        assert not {"fair", "unfair", "compliant"} & {*kind.unseen.lower().split()}


def test_the_page_says_of_each_what_the_code_says():
    page = Path(__file__).parents[3].joinpath("docs/known-measures.md").read_text("utf-8")
    text = page.replace("\\", "")
    for kind in KINDS.values():
        assert f"| {kind.name} | {kind.formula} | {kind.unseen} |" in text


def test_equal_groups_cannot_be_told_apart():
    assert balanced_error(np.array([9, 4]), np.array([9, 4])) == Fraction(1, 2)
    assert balanced_error(np.array([9, 0]), np.array([0, 4])) == 0


def test_a_unique_person_is_not_recognized():
    """Told by all rows, everybody would be: by the others alone one can only guess."""
    assert balanced_error(np.repeat([1, 0], 50), np.repeat([0, 1], 50)) == Fraction(1, 2)


def test_large_counts_do_not_overflow():
    huge = 2**60
    assert balanced_error(np.array([huge, 1]), np.array([1, huge])) == Fraction(1, huge + 1)
    assert lifted(np.array([[huge // 4], [huge // 2]]), np.array([[huge], [huge]])) == 1
    assert lifted(np.array([[0], [huge // 5]]), np.array([[huge], [huge]])) == 0


def test_the_limit_is_never_rounded_away():
    below = KnownMeasure(key="ratio", value=Fraction(79999, 100000), limit=Fraction(4, 5))
    assert below.sentence == "0.79999, under 0.800"
    at = KnownMeasure(key="ratio", value=Fraction(4, 5), limit=Fraction(4, 5))
    assert at.sentence == "0.800, not under 0.800"
    assert decimal(-0.0001) == "0.000"
    assert decimal(Fraction(-1, 8)) == "−0.125"


def test_a_balanced_error_under_its_limit_does_not_say_that_some_rule_has_an_impact():
    """Of the rules on ``x`` none has a ratio under .96, though the table's rate is small."""
    cells = [("f", "1", 480), ("f", "0", 520), ("m", "1", 500), ("m", "0", 500)]
    lines = [(s, x, h, n // 20 * (1 if h == "yes" else 19)) for s, x, n in cells for h in HIRED]
    sex, x, hired, rows = zip(*lines, strict=True)
    counts = CountTable.of({"sex": [*sex], "x": [*x], "hired": [*hired]}, [*rows])
    known = measured(certify(counts, CausalGraph.parse("sex -> hired; x -> hired"), ASKED))
    assert known["ber"].value == Fraction(49, 100) < known["ber"].limit == Fraction(79, 160)
    favored = np.linspace(0, 1, 21)  # among people with x, and among those without
    with_x, without = np.meshgrid(favored, favored)
    group, other = 0.48 * with_x + 0.52 * without, 0.5 * with_x + 0.5 * without
    assert (group[other > 0] / other[other > 0]).min() == pytest.approx(0.96)
    assert known["ber"].sentence.endswith("impact is not excluded")


def test_a_rate_of_zero_gives_no_ratio():
    counts = CountTable.of({"sex": ["f", "f", "m"], "hired": ["yes", "no", "no"]}, [2, 2, 4])
    known = measured(certify(counts, CausalGraph.parse("sex -> hired"), ASKED))
    assert known["ratio"].value is None
    assert known["ratio"].sentence == "not measured"
    assert known["ratio"].to_dict()["value"] is None
    assert known["gap"].value == Fraction(-1, 2)


def test_where_nothing_is_comparable_slift_is_not_measured():
    counts = CountTable.of(
        {"sex": [*"ffmm"], "job": [*"aabb"], "hired": ["yes", "no"] * 2}, [2, 2, 3, 1]
    )
    graph = CausalGraph.parse("sex -> hired; job -> hired")
    known = measured(certify(counts, graph, ASKED))
    assert known["slift"].text == "not measured"
    # Nobody has a comparator, so all of the gap counts as explained.
    assert known["explained"].value == pytest.approx(0.25)
    assert known["unexplained"].value == pytest.approx(0)
    assert known["ber"].value == 0


def test_small_groups_are_left_out_where_the_criterion_leaves_them_out():
    certificate = certify(datasets.admissions(2), GRAPH, replace(QUESTION, min_rows=300))
    assert measured(certificate)["slift"].of == int(certificate.partition.measured.sum())


def test_of_many_groups_the_pair_is_named():
    certificate = hiring_audit().certificate
    known = measured(certificate)
    assert (known.pair.group, known.pair.other) == certificate.partition.leading_labels
    assert known.pair.pairs == len(certificate.partition.pairs)
    assert "of 6 comparisons the clearest" in known.pair.sentence
    values = known.to_dict()
    assert (values["group"], values["other"]) == certificate.partition.leading_labels
    assert [one["key"] for one in values["measures"]] == [*KINDS]


def test_a_pair_of_which_one_group_is_gone_is_not_measured():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    pair = ComparedPair.of(certificate.partition)
    gone = replace(pair, other="nobody")
    known = known_measures(
        certificate.examined, [], causes=certificate.partition.names, pair=gone
    )
    assert {one.text for one in known.measures} == {"not measured"}
