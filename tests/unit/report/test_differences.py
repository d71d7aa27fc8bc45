"""The groups of a report, in their order."""

from fractions import Fraction

from tests.many_groups import TOWNS, hiring_audit
from tests.towns import ASKED, GRAPH, LARGE, table

import evenhand as eh
from evenhand.report.differences import group_names, select_cases, widest_in
from evenhand.wording import Words


def rates(towns, town):
    return {race: Fraction(yes, yes + no) for race, (yes, no) in towns[town].items()}


def test_where_any_group_may_be_ahead_the_one_behind_stands_first():
    for case in select_cases(hiring_audit().certificate.partition):
        rate = rates(TOWNS, case.people.where["town"])
        behind, ahead = case.people.labels
        assert case.difference == rate[ahead] - rate[behind] >= 0
        assert (case.people.group_yes, case.people.group_no) == TOWNS[
            case.people.where["town"]
        ][behind]
        assert case.side in (0, 1)
        low, high = case.people.interval
        assert low <= case.difference <= high


def test_with_a_reference_differences_keep_their_sign():
    cases = select_cases(hiring_audit(other="blue").certificate.partition)
    assert {case.people.labels[1] for case in cases} == {"blue"}
    assert {case.side for case in cases} == {-1}


def test_the_widest_difference_of_a_group_is_that_of_its_ends():
    partition = hiring_audit().certificate.partition
    for line in range(len(partition)):
        people = widest_in(partition, line)
        rate = rates(TOWNS, people.where["town"])
        expected = max(rate.values()) - min(rate.values()) if len(rate) > 1 else None
        assert people.risk_difference == expected


def test_evidence_comes_first_and_has_ids():
    cells = {**LARGE, "Y": (1, 29, 29, 1), "Z": (500, 500, 500, 500)}
    partition = eh.certify(table(cells), GRAPH, ASKED).partition
    every = select_cases(partition)
    assert select_cases(partition, 3) == every[:3]
    assert {case.people.where["town"] for case in every if case.people.shown} == {"A", "Y"}
    ids = [case.id for case in every]
    reaching = partition.violating
    assert ids == [f"E{number + 1}" if number < reaching else "" for number in range(len(ids))]
    assert [case.side != 0 for case in every] == [bool(id_) for id_ in ids]


def test_a_table_in_which_nothing_is_measured_has_no_cases():
    apart = {"A": (3, 4, 0, 0), "B": (0, 0, 5, 2)}
    certificate = eh.certify(table(apart), GRAPH, ASKED)
    assert select_cases(certificate.partition) == []


def test_a_group_counts_all_its_people_not_only_the_two_groups_compared():
    certificate = hiring_audit().certificate
    words = Words.of(certificate, None)
    for case in select_cases(certificate.partition):
        people = sum(map(sum, TOWNS[case.people.where["town"]].values()))
        assert case.rows == people
        _, detail = group_names(case, words)
        assert detail.endswith(f"{people:,}")
