"""Which certificates allow a change of decisions."""

from dataclasses import replace

import pytest

from evenhand import Codings, CountTable, Question, datasets
from evenhand.errors import CannotReleaseError
from evenhand.evidence import certify
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.removal.preconditions import check_releasable, check_two_groups

HIRED = Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = CausalGraph.parse("sex -> hired")


def test_two_stored_decisions_and_known_causes_can_be_changed():
    counts = CountTable.of({"sex": ["f", "m"], "hired": ["no", "yes"]})
    certificate = certify(counts, GRAPH, HIRED)
    assert check_releasable(certificate) is certificate.partition


def test_ambiguous_causes_are_refused_with_the_open_edge():
    graph = PartialGraph.parse("gender -> admission; gender -> major; major - admission")
    certificate = certify(
        datasets.admissions(2), graph, datasets.question("admissions").question
    )
    with pytest.raises(CannotReleaseError, match="ambiguous") as caught:
        check_releasable(certificate)
    assert caught.value.exit_status == 3
    (problem,) = caught.value.problems
    assert problem.found == "The graph does not direct major - admission."
    assert [one.value for one in problem.remedies[:2]] == [
        ["major -> admission"],
        ["admission -> major"],
    ]


def test_the_open_edge_is_named_also_where_no_verdict_hangs_on_it():
    counts = CountTable.of(
        {"sex": ["f", "m"] * 2, "town": ["a", "a", "b", "b"], "hired": ["no", "yes"] * 2},
        [50, 50, 60, 60],
    )
    graph = PartialGraph.parse("sex -> hired; sex -> town; town - hired")
    certificate = certify(counts, graph, HIRED)
    assert certificate.ambiguous
    assert not certificate.deciding_edges
    with pytest.raises(CannotReleaseError, match="does not direct town - hired") as caught:
        check_releasable(certificate)
    assert caught.value.problems[0].remedies[0].value == ["town -> hired"]


def test_a_method_for_two_groups_and_decisions_refuses_three():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "x"], "hired": ["yes", "no", "no", "yes"]}, [5, 5, 5, 5]
    )
    pairs = certify(counts, GRAPH, replace(HIRED, group=None))
    with pytest.raises(CannotReleaseError, match="There are 3 groups and 2 kinds"):
        check_two_groups(check_releasable(pairs), "This method")
    check_two_groups(check_releasable(certify(counts, GRAPH, replace(HIRED, other="m"))), "")


def test_groups_that_are_pooled_and_defined_by_two_columns_are_refused():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "town": ["a", "b"] * 2, "hired": ["yes", "no"] * 2}
    )
    question = replace(HIRED, protected=("sex", "town"), group=("f", "a"), other="rest")
    certificate = certify(counts, CausalGraph.parse("sex -> hired; town -> hired"), question)
    with pytest.raises(
        CannotReleaseError, match="are pooled, and several columns define groups"
    ):
        check_releasable(certificate)


def test_a_decision_of_merged_values_is_refused():
    counts = CountTable.of({"sex": ["f", "m"], "hired": ["no", "yes"]})
    codings = Codings.of(merge={"hired": {"no": ["never", "later"]}})
    certificate = certify(counts, GRAPH, HIRED, codings=codings)
    with pytest.raises(CannotReleaseError, match="merged values.*name several as favorable"):
        check_releasable(certificate)
