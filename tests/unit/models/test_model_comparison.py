from dataclasses import replace
from itertools import combinations

import pytest
from tests.predictions import ASKED, PAY, audited, people, teams, teams_audited

from evenhand import CausalGraph
from evenhand.errors import QuestionError
from evenhand.models.predictions import compare_models

OTHER = CausalGraph.parse("sex -> hired")


def shown(result, **beside):
    return compare_models({"said": result, **beside}).lines


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
    ((name, *verdicts, reached, seen, average, gap, accuracy),) = shown(result)
    rates = table["said"].eq("yes").groupby(table["sex"]).mean()
    assert name == "said"
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
    ((_, _, _, *row, average, gap, accuracy),) = shown(teams_audited(table))
    assert row == [f"{reached} of {measured}", str(len(large))] == ["2 of 3", "9"]
    assert number(average) == pytest.approx(100 * means[clearest], abs=0.06)
    assert number(gap) == pytest.approx(100 * (overall["c"] - overall["b"]), abs=0.06)
    assert accuracy == f"{(table['said'] == table['pay']).mean():.1%}"


def test_without_labels_no_errors_are_told():
    ((*_, accuracy),) = shown(audited(people(), labels=None))
    assert accuracy == "no labels"


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (people(), {"min_coverage": "0.5", "graph": OTHER}),
        (people(), {"asked": replace(ASKED, threshold="1/10")}),
        (people(), {"asked": replace(ASKED, min_rows=2)}),
        (people(seed=2), {}),  # as many other people
        (people()[:200], {}),
    ],
)
def test_models_that_were_asked_otherwise_or_of_others_are_not_put_beside(table, change):
    with pytest.raises(QuestionError, match=r"cannot be compared.*about the same people"):
        shown(audited(people()), other=audited(table, **change))


def test_models_with_other_unfavorable_values_stand_beside_each_other():
    table = people()
    words = table["said"].replace("no", "later").where(table.index % 3 > 0, table["said"])
    first, second = shown(audited(table), other=audited(table, words.tolist()))
    assert first[1:-1] == second[1:-1]


def test_of_each_value_models_with_other_values_are_not_put_beside():
    table = people()
    every = replace(ASKED, group=None, favorable=None, criterion="every")
    words = table["said"].replace("no", "later").tolist()
    one, other = (audited(table, said, every, labels=None) for said in ("said", words))
    with pytest.raises(QuestionError, match="cannot be compared"):
        shown(one, other=other)
