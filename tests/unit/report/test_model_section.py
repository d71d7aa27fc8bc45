import pytest
from tests.predictions import audited, people

from evenhand import CausalGraph
from evenhand.errors import QuestionError
from evenhand.report.model_section import models
from evenhand.report.phrases import Words

OTHER = CausalGraph.parse("sex -> hired")


def shown(result, **beside):
    words = Words.of(result.certificate, result.labels, result.counts.names)
    return models({"said": result, **beside}, words)


def test_a_row_of_a_model_has_what_pandas_counts():
    table = people()
    (name, reached, seen, average, gap, accuracy), *_ = shown(audited(table)).tables[0].rows
    rates = table["said"].eq("yes").groupby(table["sex"]).mean()
    assert name == "said"
    assert reached.endswith(" of 3")
    assert seen == "0"
    assert float(gap.replace("−", "-")) == pytest.approx(
        100 * (rates["m"] - rates["f"]), abs=0.05
    )
    assert abs(float(average.replace("−", "-"))) < 20
    assert accuracy == f"{(table['said'] == table['hired']).mean():.1%}"


def test_errors_are_told_in_total_and_by_group():
    _, totals, groups = shown(audited(people(seed=2))).tables
    assert [row[0] for row in totals.rows] == ["All rows", "People alike, on average"]
    assert len(groups.rows) == 3
    for row in (*totals.rows, *groups.rows):
        labels, errors, predictions = (float(cell.replace("−", "-")) for cell in row[-3:])
        assert predictions == pytest.approx(labels + errors, abs=0.16)


def test_without_labels_there_is_one_table():
    (table,) = shown(audited(people(), labels=None)).tables
    assert table.rows[0][-1] == "no labels"


def test_models_that_were_asked_otherwise_are_not_put_beside():
    with pytest.raises(QuestionError, match="cannot stand beside each other"):
        shown(audited(people()), other=audited(people(), min_coverage="0.5", graph=OTHER))
