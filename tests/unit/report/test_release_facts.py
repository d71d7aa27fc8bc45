"""What a report says of a release."""

import pytest
from tests.report_pages import admissions_audit

import evenhand as eh
from evenhand.report.release_section import same_lines
from evenhand.wording.release_words import ReleaseFacts


def test_the_changes_by_group_are_those_of_the_plan():
    release = admissions_audit().release(seed=7)
    facts = ReleaseFacts.of(release)
    partitions = facts.before.partition, facts.after.partition
    assert same_lines(*partitions)
    changes = release.plan.changes
    before, after = (one.favorable[0].sum() for one in partitions)
    assert (after - before, changes.rows.sum()) == (9, 15)
    assert sum(facts.moves.values()) == 15
    assert (facts.changed, facts.changed_rows) == (release.plan.changed_decisions, 15)


def partition(*people, causes="town job"):
    names = ("sex", "hired", *causes.split())
    arrows = "; ".join(f"{name} -> hired" for name in names if name != "hired")
    question = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    columns = {name: [] for name in names}
    for values in people:
        for sex, hired in (("f", "yes"), ("m", "no")):
            for name, value in zip(names, (sex, hired, *values), strict=True):
                columns[name].append(value)
    counts = eh.CountTable.of(columns, [20] * 2 * len(people))
    return eh.certify(counts, eh.CausalGraph.parse(arrows), question).partition


@pytest.mark.parametrize(
    ("people", "causes", "same"),
    [
        (["Ax", "By"], "town job", True),
        (["Ax", "Cy"], "town job", False),
        (["Ax", "Bz"], "town job", False),
        (["Ax", "By", "Bz"], "town job", False),
        (["Ax", "By"], "town post", False),
    ],
)
def test_groups_are_compared_by_columns_values_and_number(people, causes, same):
    assert same_lines(partition("Ax", "By"), partition(*people, causes=causes)) is same
