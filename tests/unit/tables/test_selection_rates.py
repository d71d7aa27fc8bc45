"""Rates and ratios against pandas, intervals against their definition and simulation."""

import csv
import io
import json
from html import escape
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import evenhand as eh
from evenhand.errors import QuestionError
from evenhand.tables import audited_rates
from evenhand.tables.ratio_intervals import ratio_among_alike, ratio_interval


def people(rows=3000, seed=1):
    rng = np.random.default_rng(seed)
    grade = rng.choice(["low", "mid", "high"], rows)
    sex = np.where(rng.random(rows) < 0.4 + 0.2 * (grade == "low"), "f", "m")
    race = rng.choice(["a", "b", "rare", "?"], rows, p=[0.6, 0.36, 0.015, 0.025])
    chance = 0.2 + 0.3 * (grade == "high") + 0.1 * (sex == "m")
    return pd.DataFrame(
        {
            "sex": sex,
            "race": race,
            "grade": grade,
            "hired": np.where(rng.random(rows) < chance, "yes", "no"),
        }
    )


TABLE = people()
GRAPH = eh.CausalGraph.parse("sex -> grade; sex -> hired; grade -> hired; race")
ASKED = eh.Question(protected=("sex", "race"), decision="hired", favorable="yes")


@pytest.fixture(scope="module")
def audit():
    return eh.audit(TABLE, ASKED, graph=GRAPH)


@pytest.fixture(scope="module")
def made(audit):
    return audit.tables()


def test_rates_and_ratios_are_those_of_pandas(made):
    assert [table.names for table in made.tables] == [("sex",), ("race",), ("sex", "race")]
    for table in made.tables:
        known = TABLE[TABLE["race"] != "?"] if "race" in table.names else TABLE
        assert table.unknown == len(TABLE) - len(known)
        by = known.groupby([*table.names])["hired"].agg(
            people="size", selected=lambda of: (of == "yes").sum()
        )
        by["rate"] = by["selected"] / by["people"]
        small = by["people"] < 0.02 * len(known)
        top = by.loc[~small, "rate"].max()
        assert len(by) == len(table.lines)
        for line in table.lines:
            expected = by.loc[line.category if len(line.category) > 1 else line.category[0]]
            assert (line.people, line.selected) == (expected["people"], expected["selected"])
            assert line.ratio == pytest.approx(expected["rate"] / top)
            assert line.is_small == (line.people < 0.02 * len(known))
            assert line.is_under == (expected["rate"] / top < 0.8)


def test_what_remains_is_the_ratio_of_mantel_and_haenszel(made):
    line = next(one for one in made.tables[0].lines if not one.is_highest)
    over = under = 0
    for _, stratum in TABLE.groupby("grade"):
        f, m = (stratum[stratum["sex"] == sex] for sex in "fm")
        over += (f["hired"] == "yes").sum() * len(m) / len(stratum)
        under += (m["hired"] == "yes").sum() * len(f) / len(stratum)
    ratio, (low, high) = line.alike
    assert (line.category, line.compared) == (("f",), (TABLE["sex"] == "f").sum())
    assert ratio == pytest.approx(over / under)
    assert low < ratio < high
    assert line.ratio < ratio < 1  # grades explain a part of it


def test_a_ratio_of_one_stratum_has_the_interval_of_katz():
    a, n, c, m = (np.array([one]) for one in (30, 100, 50, 120))
    ratio, (low, high) = ratio_among_alike(a, n, c, m)
    spread = 1 / 30 - 1 / 100 + 1 / 50 - 1 / 120
    assert ratio == pytest.approx(0.3 / (50 / 120))
    assert log(high / low) / 2 == pytest.approx(1.959964 * spread**0.5)
    assert ratio_among_alike(a, n, 0 * c, m) is None


@pytest.mark.parametrize(
    "counts", [(30, 100, 50, 120), (0, 20, 9, 30), (5, 5, 40, 50), (3, 9, 0, 8)]
)
def test_the_ends_of_a_score_interval_are_where_the_likeliest_rates_are_just_rejected(counts):
    yes, total, other_yes, other_total = counts
    low, high = ratio_interval(*counts)
    rates = np.linspace(1e-6, 1 - 1e-6, 400_001)

    def statistic(ratio):
        """By a search over the other rate for the likeliest one."""
        mine = ratio * rates
        fits = mine < 1
        other, mine = rates[fits], mine[fits]
        likelihood = yes * np.log(mine) + (total - yes) * np.log1p(-mine)
        likelihood += other_yes * np.log(other) + (other_total - other_yes) * np.log1p(-other)
        at = likelihood.argmax()
        spread = mine[at] * (1 - mine[at]) / total
        spread += ratio**2 * other[at] * (1 - other[at]) / other_total
        return (yes / total - ratio * other_yes / other_total) ** 2 / spread

    for end in (low, high):
        if end:
            assert statistic(end) == pytest.approx(chi2.ppf(0.95, 1), rel=2e-3)
    assert (low == 0, high is None) == (yes == 0, other_yes == 0)
    assert ratio_interval(0, 5, 0, 5) is None


def test_an_interval_covers_the_ratio_as_often_as_it_says():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(600):
        low, high = ratio_interval(rng.binomial(60, 0.3), 60, rng.binomial(80, 0.5), 80)
        hits += low <= 0.6 <= (high or 9)
    assert 0.92 < hits / 600 < 0.98


def test_every_format_has_every_category(made, tmp_path):
    for ending in (".csv", ".md", ".html", ".txt"):
        path = made.write(tmp_path / f"rates{ending}")
        text = path.read_text("utf-8")
        assert "rare" in text
        assert ending == ".csv" or "29 CFR 1607.4(D)" in text
    read = list(csv.DictReader(io.StringIO((tmp_path / "rates.csv").read_text())))
    assert [one["people"] for one in read if one["sex"] == "all" and one["race"] == "unknown"]
    assert json.loads(json.dumps(made.to_dict()))["tables"][0]["lines"][0]["people"]
    with pytest.raises(QuestionError, match=r"end in '\.xlsx'"):
        made.write(tmp_path / "rates.xlsx")


def test_new_york_s_layout_has_its_columns_and_no_ratio_of_a_small_category(audit):
    made = audit.tables(layout="nyc-144")
    race = made.summaries()[1]
    assert race.columns[1:] == (
        "# of applicants",
        "# selected",
        "selection rate",
        "impact ratio",
    )
    assert {line[0]: line[-1] for line in race.lines}["rare"] == "N/A"
    assert "unknown race category are not included" in race.notes[0]
    assert "§ 5-301" in made.notes[0]
    with pytest.raises(QuestionError, match="layout"):
        audit.tables(layout="nyc")


def test_without_a_favorable_value_there_is_no_rate():
    every = eh.Question(protected="sex", decision="grade", criterion="every")
    with pytest.raises(QuestionError, match="which decision is favorable"):
        eh.audit(TABLE[["sex", "grade", "hired"]], every).tables()


def test_no_cell_is_a_formula():
    odd = TABLE.assign(sex=TABLE["sex"].map({"f": "=1+1", "m": "-m"}))
    asked = eh.Question(protected="sex", decision="hired", favorable="yes")
    text = eh.audit(odd[["sex", "hired"]], asked).tables().text(".csv")
    assert "\r\n'=1+1," in text
    assert "\r\n'-m," in text


def test_a_report_has_them_if_asked_and_a_copy_for_others_never(audit):
    rates = audited_rates(audit.counts, audit.certificate)
    assert [one.title for one in rates] == [one.title for one in audit.tables().summaries()]
    for asked, shown in (
        ({}, False),
        ({"rates": True}, True),
        ({"rates": True, "share": True}, False),
    ):
        html = audit.report(**asked).html
        assert all((escape(one.title[1:]) in html) == shown for one in rates)


def test_where_nothing_is_favorable_there_are_none():
    asked = eh.Question(protected="sex", decision="hired", criterion="every")
    audit = eh.audit(TABLE, asked, graph=GRAPH)
    assert audited_rates(audit.counts, audit.certificate) == ()
