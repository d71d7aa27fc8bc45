"""What a report says of a release, for its owner and for others."""

from dataclasses import replace

from tests.report_pages import admissions_audit

import evenhand as eh
from evenhand.counts import Attribute
from evenhand.evidence import Partition
from evenhand.report.release_facts import ReleaseFacts, changes_by_line, same_lines

QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")


def test_the_changes_by_group_are_those_of_the_plan():
    release = admissions_audit().release(seed=7)
    facts = ReleaseFacts.of(release)
    partitions = facts.before.partition, facts.after.partition
    assert same_lines(*partitions)
    group, other = changes_by_line(*partitions)
    assert group.tolist() == release.plan.group_change.tolist()
    assert other.tolist() == release.plan.other_change.tolist()
    assert (facts.changed, facts.changed_rows) == (release.plan.changed_decisions, 15)


def test_lines_are_the_same_where_columns_values_and_order_are():
    def partition(names, towns):
        columns = {name: [*towns] * 2 for name in ("town", "home")}
        columns |= {"sex": [*"fm"] * len(towns), "hired": ["yes", "no", "no", "yes"]}
        counts = eh.CountTable.of(columns)
        return Partition.of(eh.examined_counts(counts, QUESTION), names)

    both = ["home", "town"]
    assert same_lines(partition(both, "ab"), partition(both, "ab")) is True
    assert same_lines(partition(both, "ab"), partition(both, "ac")) is False
    assert same_lines(partition(["town"], "ab"), partition(["home"], "ab")) is False
    assert same_lines(partition(["town"], "ab"), partition(["town"], "aa")) is False
    towns, homes = partition(["town"], "ab"), partition(both, "ab")
    assert same_lines(towns, homes) is False
    # Of two columns one has the same values.
    other = replace(
        homes,
        assignments=replace(
            homes.assignments,
            attributes=(homes.assignments.attributes[0], Attribute("town", ("a", "c"))),
        ),
    )
    assert same_lines(homes, other) is False


def test_others_are_told_the_changes_in_what_is_shown():
    release = admissions_audit().release(seed=7)
    full = ReleaseFacts.of(release)
    all_shown = ReleaseFacts.for_others(release, least_count=1)
    assert (all_shown.changed, all_shown.changed_rows) == (full.changed, 15)
    part = ReleaseFacts.for_others(release, least_count=60)
    (line,) = (n for n, one in enumerate(full.before.subpopulations) if one.row_count == 800)
    changes = changes_by_line(full.before.partition, full.after.partition)
    assert part.changed_rows == sum(abs(change[line]) for change in changes)
    assert (part.utility, part.relearned) == (None, None)
    statement = release.certificate.release
    assert part.changed_columns == statement.changed_columns == ("admission",)
    assert part.notice == statement.for_others.notice != ""


def test_of_new_rows_others_are_told_no_changes():
    release = admissions_audit().release(method=eh.ModifyGraph(generate=True), seed=7)
    assert ReleaseFacts.of(release).changed_rows == 2200
    part = ReleaseFacts.for_others(release, least_count=10)
    assert (part.changed, part.changed_rows) == (None, 0)
