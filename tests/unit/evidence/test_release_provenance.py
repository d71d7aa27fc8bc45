"""Statements about releases, and what others are told of them."""

from dataclasses import replace

import pytest

from evenhand.evidence.release_provenance import ReleaseStatement

EDITED = ReleaseStatement(
    change="edited",
    decision="hired",
    method="modify-graph",
    policy="quotas",
    seed_commitment=64 * "0",
    changed_columns=("hired", "pay"),
    changed_rows=15,
    dropped_before=3,
    left_out_before=0,
)
ASKED = {"decision": "hired"}
NODES = ("sex", "hired", "pay", "age")
GENERATED = replace(
    EDITED, change="generated", changed_columns=NODES, changed_rows=100, left_out_before=7
)
RESAMPLED = replace(EDITED, change="resampled", changed_columns=())


SHUFFLED = replace(EDITED, changed_columns=("sex",))
BOTH = replace(EDITED, changed_columns=("sex", "race"))
UNCHANGED = replace(EDITED, changed_columns=(), changed_rows=0)
DROPPED = replace(EDITED, dropped_columns=("copy",))
ACCEPTED = replace(EDITED, accepted_graph="An expert drew it.")


def test_others_are_told_why_a_graph_was_accepted():
    assert ACCEPTED.for_others.acceptance == ("The graph was accepted: An expert drew it.",)
    assert EDITED.acceptance == ()
    assert "accepted_graph" not in EDITED.to_dict()


def test_others_are_told_what_the_method_may_change_and_not_whether_it_had_to():
    told = replace(UNCHANGED, can_change=("hired", "pay")).for_others
    changed = replace(EDITED, changed_columns=("hired", "pay")).for_others
    assert told.to_dict() == replace(changed, can_change=told.can_change).to_dict()


@pytest.mark.parametrize(
    "statement", [EDITED, GENERATED, RESAMPLED, SHUFFLED, BOTH, UNCHANGED, DROPPED, ACCEPTED]
)
def test_blocks_are_read_as_they_were_written(statement):
    assert ReleaseStatement.parse(statement.to_dict(), ASKED) == statement
    shared = ReleaseStatement.parse(statement.for_others.to_dict(), ASKED)
    assert (shared.changed_rows, shared.columns) == (None, statement.changed_columns)
