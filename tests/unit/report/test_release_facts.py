"""What a report says of a release."""

from tests.report_pages import admissions_audit

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
