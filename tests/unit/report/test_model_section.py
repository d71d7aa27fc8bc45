from dataclasses import replace
from itertools import combinations

import pytest
from tests.predictions import ASKED, PAY, audited, people, teams, teams_audited

from evenhand import CausalGraph
from evenhand.errors import QuestionError
from evenhand.report.model_section import models
from evenhand.wording import Words

OTHER = CausalGraph.parse("sex -> hired")


def shown(result, **beside):
    words = Words.of(result.certificate, result.labels, result.counts.names)
    return models({"said": result, **beside}, words)


def number(cell):
    return float(cell.replace("−", "-"))


def by_job(table, value):
    """The rates of a value in each job, and the people, by team or sex."""
    said, place = table["said"].eq(value), [table["job"], table.iloc[:, 0]]
    return said.groupby(place).mean().unstack(), said.groupby(place).size().unstack()


def on_average(table, value, pair):
    """The mean difference of a pair, weighed after Mantel and Haenszel."""
    rates, sizes = (one[[*pair]].dropna() for one in by_job(table, value))
    weights = sizes.prod(axis=1) / sizes.sum(axis=1)
    return ((rates[pair[1]] - rates[pair[0]]) * weights).sum() / weights.sum()


def test_a_row_of_a_model_has_what_pandas_counts():
    table = people()
    result = audited(table)
    judged, figures, *_ = shown(result).tables
    ((name, *verdicts, reached, seen),) = judged.rows
    ((same, average, gap, accuracy),) = figures.rows
    rates = table["said"].eq("yes").groupby(table["sex"]).mean()
    assert name == same == "said"
    assert verdicts == [str(result.verdict), "inconclusive"]
    assert reached.endswith(" of 3")
    assert seen == "0"
    assert number(gap) == pytest.approx(100 * (rates["m"] - rates["f"]), abs=0.05)
    mean = 100 * on_average(table, "yes", ("f", "m"))
    assert number(average) == pytest.approx(mean, abs=0.06)
    assert accuracy == f"{(table['said'] == table['hired']).mean():.1%}"


def test_of_three_groups_and_values_a_row_is_about_the_clearest_pair_as_pandas_counts():
    table = teams()
    means = {
        (value, pair): on_average(table, value, pair)
        for value in PAY
        for pair in combinations("abc", 2)
    }
    clearest = max(means, key=lambda one: abs(means[one]))
    assert clearest == ("mid", ("b", "c"))
    differences = {
        (job, pair, value): rates.loc[job, pair[1]] - rates.loc[job, pair[0]]
        for value in PAY
        for rates in [by_job(table, value)[0]]
        for pair in combinations("abc", 2)
        for job in rates[[*pair]].dropna().index
    }
    large = [where for where, difference in differences.items() if abs(difference) >= 0.2]
    reached, measured = (len({job for job, *_ in some}) for some in (large, differences))
    overall = table["said"].eq("mid").groupby(table["team"]).mean()
    judged, figures, *_ = shown(teams_audited(table)).tables
    (_, average, gap, accuracy), row = figures.rows[0], [*judged.rows[0][-2:]]
    assert row == [f"{reached} of {measured}", str(len(large))] == ["2 of 3", "9"]
    assert number(average) == pytest.approx(100 * means[clearest], abs=0.06)
    assert number(gap) == pytest.approx(100 * (overall["c"] - overall["b"]), abs=0.06)
    assert accuracy == f"{(table['said'] == table['pay']).mean():.1%}"


def test_errors_are_told_in_total_and_by_group():
    _, _, totals, groups = shown(audited(people(seed=2))).tables
    assert [row[0] for row in totals.rows] == ["All rows", "People alike, on average"]
    assert len(groups.rows) == 3
    for row in (*totals.rows, *groups.rows):
        labels, errors, predictions = (float(cell.replace("−", "-")) for cell in row[-3:])
        assert predictions == pytest.approx(labels + errors, abs=0.16)


def test_without_labels_no_errors_are_told():
    _, table = shown(audited(people(), labels=None)).tables
    assert table.rows[0][-1] == "no labels"


def test_models_that_were_asked_otherwise_are_not_put_beside():
    with pytest.raises(QuestionError, match="cannot stand beside each other"):
        shown(audited(people()), other=audited(people(), min_coverage="0.5", graph=OTHER))


@pytest.mark.parametrize("change", [{"threshold": "1/10"}, {"min_rows": 2}])
def test_models_with_other_limits_are_not_put_beside(change):
    other = audited(people(), asked=replace(ASKED, **change))
    with pytest.raises(QuestionError, match="cannot stand beside each other"):
        shown(audited(people()), other=other)


def test_models_with_other_unfavorable_values_stand_beside_each_other():
    table = people()
    words = table["said"].replace("no", "later").where(table.index % 3 > 0, table["said"])
    judged, figures, *_ = shown(audited(table), other=audited(table, words.tolist())).tables
    for tab in (judged, figures):
        (_, *first), (_, *second) = (row[:-1] for row in tab.rows)
        assert first == second


def test_of_each_value_models_with_other_values_are_not_put_beside():
    table = people()
    every = replace(ASKED, group=None, favorable=None, criterion="every")
    words = table["said"].replace("no", "later").tolist()
    one, other = (audited(table, said, every, labels=None) for said in ("said", words))
    with pytest.raises(QuestionError, match="cannot stand beside each other"):
        shown(one, other=other)
