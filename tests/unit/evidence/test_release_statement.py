"""Statements about releases, and what contradicts them."""

from dataclasses import replace

import pytest

from evenhand.evidence.release_statement import ReleaseStatement

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
NODES = ("sex", "hired", "pay", "age")
GENERATED = replace(
    EDITED, change="generated", changed_columns=NODES, changed_rows=100, left_out_before=7
)
RESAMPLED = replace(EDITED, change="resampled", changed_columns=())


def wrong(statement, *, left_out=0, dropped=0):
    return [
        place.split(":")[0]
        for place in statement.contradictions(
            row_count=100,
            left_out=left_out,
            dropped=dropped,
            protected=("sex", "race"),
            effects={"pay"},
            nodes=NODES,
        )
    ]


SHUFFLED = replace(EDITED, changed_columns=("sex",))
BOTH = replace(EDITED, changed_columns=("sex", "race"))
UNCHANGED = replace(EDITED, changed_columns=(), changed_rows=0)
DROPPED = replace(EDITED, dropped_columns=("copy",))


def test_others_are_told_what_the_method_may_change_and_not_whether_it_had_to():
    told = replace(UNCHANGED, can_change=("hired", "pay")).for_others
    changed = replace(EDITED, changed_columns=("hired", "pay")).for_others
    assert told.to_dict() == replace(changed, can_change=told.can_change).to_dict()


@pytest.mark.parametrize(
    "statement", [EDITED, GENERATED, RESAMPLED, SHUFFLED, BOTH, UNCHANGED, DROPPED]
)
def test_blocks_are_read_as_they_were_written(statement):
    assert ReleaseStatement.parse(statement.to_dict(), "hired") == statement
    shared = ReleaseStatement.parse(statement.for_others.to_dict(), "hired")
    assert (shared.changed_rows, shared.columns) == (None, statement.changed_columns)
    assert wrong(statement) == wrong(shared) == []


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (replace(EDITED, changed_rows=101), "release.changed_rows"),
        (replace(EDITED, changed_rows=0), "release.changed_rows"),
        (replace(EDITED, changed_columns=()), "release.changed_rows"),
        (replace(EDITED, changed_columns=("hired", "age")), "release.changed_columns"),
        (replace(EDITED, left_out_before=1), "release.left_out_before"),
        (replace(RESAMPLED, changed_columns=("hired",)), "release.changed_columns"),
        (replace(EDITED, changed_columns=("age",)), "release.changed_columns"),
        (replace(EDITED, changed_columns=("sex", "pay")), "release.changed_columns"),
        (replace(EDITED, changed_columns=("hired", "pay", "pay")), "release.changed_columns"),
        (replace(GENERATED, changed_columns=("hired",)), "release.changed_columns"),
        (replace(RESAMPLED, changed_rows=0), "release.changed_rows"),
        (replace(GENERATED, changed_rows=99), "release.changed_rows"),
        (replace(SHUFFLED, changed_columns=("sex", "score")), "release.changed_columns"),
        (replace(SHUFFLED, changed_columns=("sex", "sex")), "release.changed_columns"),
        (replace(DROPPED, dropped_columns=("age",)), "release.dropped_columns"),
        (replace(EDITED, changed_columns=("hired", "score")), "release.changed_columns"),
    ],
)
def test_what_cannot_be_true_is_named(statement, place):
    assert wrong(statement) == [place]


def test_rows_that_a_release_cannot_have_are_named():
    assert wrong(EDITED, dropped=1) == ["rows.dropped"]
    assert wrong(GENERATED, left_out=1) == ["rows.left_out"]
    assert wrong(EDITED, left_out=1) == []
