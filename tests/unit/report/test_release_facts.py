"""What a report says of a release, for its owner and for others."""

from tests.report_pages import admissions_audit

import evenhand as eh
from evenhand.report.release_facts import ReleaseFacts, changes_by_line, same_lines


def test_the_changes_by_group_are_those_of_the_plan():
    release = admissions_audit().release(seed=7)
    facts = ReleaseFacts.of(release)
    partitions = facts.before.partition, facts.after.partition
    assert same_lines(*partitions)
    group, other = changes_by_line(*partitions)
    assert group.tolist() == release.plan.group_change.tolist()
    assert other.tolist() == release.plan.other_change.tolist()
    assert (facts.changed, facts.changed_rows) == (release.plan.changed_decisions, 15)


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


def test_of_new_rows_others_are_told_no_changes():
    release = admissions_audit().release(method=eh.ModifyGraph(generate=True), seed=7)
    assert ReleaseFacts.of(release).changed_rows == 2200
    part = ReleaseFacts.for_others(release, least_count=10)
    assert (part.changed, part.changed_rows) == (None, 0)
