"""A partition of many groups in words."""

from dataclasses import replace
from string import ascii_lowercase

import pytest
from tests import naive_groups
from tests.many_groups import hiring_audit, score_audit

from evenhand.evidence.decision_rules import met_by_construction
from evenhand.evidence.sentences import partition_facts


def test_comparisons_are_counted_apart_from_subpopulations():
    partition = hiring_audit().certificate.partition
    text = dict(partition_facts(partition))["subpopulations"]
    side = partition.comparisons.side
    assert text.endswith(
        f"{partition.violating} at or beyond the threshold; "
        f"of {len(side)} comparisons {(side != 0).sum()} at or beyond"
    )


def test_of_more_than_ten_groups_those_with_the_smallest_coverage_are_named():
    cells = {("p0", group, value): 5 for group in ascii_lowercase[:12] for value in "uv"}
    cells["p1", "l", "u"] = 10  # beside nobody
    partition = naive_groups.partition_of(cells, naive_groups.question_of())
    text = dict(partition_facts(partition))["coverage"]
    assert text.startswith("92.3 % of the rows; race l 50.0 %, race a 100.0 %")
    assert text.endswith("race i 100.0 % and 2 more")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"criterion": "every", "order": ("low", "medium", "high")}, ", each of 3 values: "),
        (
            {"criterion": "cumulative", "order": ("low", "medium", "high")},
            ", each cut of 3 values: ",
        ),
    ],
)
def test_of_several_values_each_line_of_the_evidence_names_its_own(question, words):
    certificate = score_audit(**question).certificate
    summary = certificate.summary()
    assert words in dict(summary.facts)["question"]
    at = summary.columns.index("decision")
    shown = [line[at] for line in summary.lines]
    assert shown == [one.decision for one in certificate.evidence]
    assert all(shown)
    assert "decision" not in hiring_audit().certificate.summary().columns


def test_where_nothing_is_measured_there_is_one_reason():
    reasons = hiring_audit(min_rows=100_000).certificate.reasons
    assert len([one for one in reasons if "In no subpopulation of" in one.what]) == 1
    assert not any("rows of" in one.what for one in reasons)


def test_a_rule_has_no_exception_in_any_of_many_groups():
    many = naive_groups.question_of()
    assert "no exception in any group;" in met_by_construction(many)
    assert "in either group;" in met_by_construction(replace(many, group="a", other="b"))
