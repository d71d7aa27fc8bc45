"""The table of groups and the chosen group, beside what the library says of each."""

import re
from fractions import Fraction
from math import ceil

import pytest
from starlette.datastructures import QueryParams
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit, score_audit

import evenhand as eh
from evenhand.evidence import Subpopulations
from evenhand.web.group_table import PAGE_ROWS, GroupQuery, chosen_group, group_table
from evenhand.wording import Words

ADMISSIONS = eh.audit(eh.datasets.admissions(2), QUESTION, graph=GRAPH)


def _words(audit):
    return Words.of(audit.certificate, audit.labels, audit.counts.names)


def _table(audit, query=""):
    return group_table(audit.certificate, QueryParams(query), _words(audit))


def _many(towns):
    """Many towns, one group each: women and men, hired or not."""
    lines = [
        (sex, f"T{town:05}", hired, 1 + (town * 7 + at) % 23)
        for town in range(towns)
        for at, (sex, hired) in enumerate((s, h) for s in "fm" for h in ("yes", "no"))
    ]
    sex, town, hired, rows = zip(*lines, strict=True)
    counts = eh.CountTable.of({"sex": sex, "town": town, "hired": hired}, rows)
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("sex -> hired; town -> hired")
    return eh.audit(counts, asked, graph=graph)


def test_each_row_tells_the_counts_of_its_group():
    table = _table(ADMISSIONS)
    assert table.said == "All 4 groups"
    people = ADMISSIONS.subpopulations
    for row in table.rows:
        one = people[row.line]
        assert row.finding.group == f"{one.group_yes:,} of {one.group:,}"
        assert row.finding.other == f"{one.other_yes:,} of {one.other:,}"
        assert row.people == f"{one.row_count:,}"
        exact = 100 * one.risk_difference
        assert Fraction(row.finding.difference.replace("−", "-")) == exact


def test_ids_and_order_are_those_of_the_report():
    assert [row.finding.id for row in _table(ADMISSIONS).rows] == ["E1", "E2", "E3", "E4"]
    page = ADMISSIONS.report().html
    for row in _table(ADMISSIONS, "sort=name").rows:
        told = re.search(rf'<tr id="{row.finding.id}">.*?</tr>', page, re.DOTALL).group(0)
        assert f"<b>{row.finding.difference}</b>" in told


def test_a_column_sorts_and_then_turns_round():
    columns = _table(ADMISSIONS).columns
    assert columns["strength"].direction == "ascending"
    assert "sort=-strength" in columns["strength"].address
    assert columns["size"].direction == "none"
    turned = _table(ADMISSIONS, "sort=-size&where=violating")
    assert turned.columns["size"].direction == "descending"
    assert "where=violating" in turned.columns["name"].address
    sizes = [int(row.people.replace(",", "")) for row in turned.rows]
    assert sizes == sorted(sizes)


def test_filters_are_kept_in_the_form():
    table = _table(ADMISSIONS, "where=tied&where=major%3DEE&where=some+words")
    assert [one.value for one in table.kinds if one.chosen] == ["tied"]
    chosen = [one.value for _, choices in table.values for one in choices if one.chosen]
    assert chosen == ["major=EE"]
    assert table.words == "some words"
    assert table.said == "0 of 4 groups"
    tied = _table(ADMISSIONS, "where=tied&where=major%3DEE")
    assert [row.finding.difference for row in tied.rows] == ["5.0"]


def test_a_page_has_a_hundred_rows_and_nothing_else_is_read(monkeypatch):
    audit, read = _many(950), []
    original = Subpopulations._read
    monkeypatch.setattr(
        Subpopulations, "_read", lambda self, line: read.append(line) or original(self, line)
    )
    seen = []
    for number in range(1, 11):
        table = _table(audit, f"sort=name&page={number}")
        seen += [row.finding.rows for row in table.rows]
        assert len(read) == len(table.rows) <= PAGE_ROWS
        read.clear()
    assert seen == [f"town T{town:05}" for town in range(950)]
    assert [number for number, _, here in table.pages if here] == ["10"]
    assert [number for number, _, _ in table.pages] == ["1", "8", "9", "10"]


def test_a_page_that_is_not_there_is_the_last():
    audit = _many(150)
    rows = len(_table(audit, "page=99").rows)
    assert rows == 150 - PAGE_ROWS * (ceil(150 / PAGE_ROWS) - 1) == 50
    assert GroupQuery.of({"page": "x"}).page == GroupQuery.of({"page": "0"}).page == 1


def test_values_of_long_attributes_are_searched_for_not_listed():
    assert _table(_many(60)).values == ()
    assert [name for name, _ in _table(ADMISSIONS).values] == ["major", "test score"]


def test_the_chosen_group_is_told_exactly():
    line = next(
        at
        for at, one in enumerate(ADMISSIONS.subpopulations)
        if one.where == {"major": "EE", "test_score": "L"}
    )
    group = chosen_group(ADMISSIONS.certificate, {"group": str(line)}, _words(ADMISSIONS))
    said = "".join(group.difference)
    assert "exactly 1/20, and reaches the threshold of 1/20" in said
    assert "5.0 points" in said
    assert [bar.counts for bar in group.bars] == ["240 of 600", "90 of 200"]
    assert group.counts == (
        ("Gender female", ("240", "360")),
        ("Gender male", ("90", "110")),
    )


@pytest.mark.parametrize("text", ["", "x", "-1", "4", "99999999999999999999999"])
def test_a_group_that_is_not_there_is_not_shown(text):
    assert chosen_group(ADMISSIONS.certificate, {"group": text}, _words(ADMISSIONS)) is None


def test_a_group_without_comparison_says_so():
    audit = hiring_audit()
    (line,) = (at for at, one in enumerate(audit.subpopulations) if one.risk_difference is None)
    group = chosen_group(audit.certificate, {"group": str(line)}, _words(audit))
    assert "no difference to speak of" in "".join(group.difference)
    row = next(row for row in _table(audit).rows if row.line == line)
    assert row.finding.difference == "unmeasured"
    assert row.finding.shown is None


def test_of_many_groups_and_decisions_all_counts_are_told():
    audit = score_audit(criterion="every")
    group = chosen_group(audit.certificate, {"group": "0"}, _words(audit))
    assert len(group.heads) == 3
    told = {who: [int(one) for one in counts] for who, counts in group.counts}
    assert sum(map(sum, told.values())) == int(audit.certificate.partition.row_counts[0])
