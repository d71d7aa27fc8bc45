"""What a certificate says of a release, as far as the rest of it can contradict that."""

import json

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import CERTIFIED, forged, verify

import evenhand as eh
from evenhand import datasets
from evenhand.checker.row_claims import row_errors
from evenhand.evidence import certify
from evenhand.graph import CausalGraph

COUNTS = datasets.admissions(2)
WITH_EFFECT = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; admission -> test_score"
)


def released(method, graph=GRAPH, **options):
    plan = method.plan(certify(COUNTS, graph, QUESTION))
    return eh.release(COUNTS, plan, seed=1, **options).certificate


RELEASES = {
    "edited": released(eh.ModifyData()),
    "redrawn": released(eh.ModifyGraph(), WITH_EFFECT),
    "generated": released(eh.ModifyGraph(generate=True)),
    "resampled": released(eh.LocalPreferentialSampling(), uncertified=True),
    "shuffled": released(eh.ShuffleProtected(), uncertified=True),
}


@pytest.mark.parametrize("name", RELEASES)
def test_records_of_releases_are_true(name):
    assert verify(RELEASES[name].to_json()) == (0, [])
    assert verify(RELEASES[name].to_shared_json())[0] == 3


@pytest.mark.parametrize(
    ("name", "part", "value", "where"),
    [
        ("edited", "notice", "Nothing was changed.", "assumptions"),
        ("edited", "change", "mended", "release.change"),
        ("edited", "changed_rows", 2201, "release.changed_rows"),
        ("edited", "changed_rows", 0, "release.changed_rows"),
        ("edited", "changed_columns", [], "release.changed_rows"),
        ("edited", "changed_columns", ["admission", "major"], "release.changed_columns"),
        ("edited", "left_out_before", 1, "release.left_out_before"),
        ("edited", "changed_columns", ["major"], "release.changed_columns"),
        ("edited", "changed_columns", ["gender", "major"], "release.changed_columns"),
        ("shuffled", "changed_columns", ["gender", "gender"], "release.changed_columns"),
        ("edited", "changed_columns", ["admission", "admission"], "release.changed_columns"),
        ("edited", "changed_columns", "", "malformed: release.changed_columns"),
        ("generated", "changed_columns", ["admission"], "release.changed_columns"),
        ("resampled", "changed_rows", 0, "release.changed_rows"),
        ("redrawn", "changed_columns", ["admission", "test_score"] * 2, "release.changed_col"),
        ("redrawn", "changed_columns", ["admission", "gender"], "release.changed_columns"),
        ("resampled", "changed_columns", ["admission"], "release.changed_columns"),
        ("generated", "changed_rows", 2199, "release.changed_rows"),
        ("shuffled", "changed_columns", ["gender", "score"], "release.changed_columns"),
        ("edited", "dropped_columns", ["major"], "release.dropped_columns"),
        ("shuffled", "changed_rows", -1, "malformed"),
        ("shuffled", "dropped_before", True, "malformed"),
        ("edited", "surprise", "x", "release.surprise"),
    ],
)
def test_what_cannot_be_true_is_found(name, part, value, where):
    status, notes = forged(
        lambda document: document["release"].update({part: value}), RELEASES[name].to_json()
    )
    assert status == 1
    assert any(note.startswith(where) for note in notes)


def test_released_rows_have_no_missing_values():
    def change(document):
        document["rows"]["dropped"] += 1
        document["rows"]["read"] += 1

    status, notes = forged(change, RELEASES["edited"].to_json())
    assert (status, notes[0].split(":")[0]) == (1, "rows.dropped")


def test_a_generated_release_left_nobody_out():
    def change(document):
        document["rows"]["left_out"] += 1
        document["rows"]["read"] += 1

    assert forged(change, RELEASES["generated"].to_json())[0] == 1


def test_a_shared_copy_does_not_tell_how_many_rows_changed():
    status, notes = forged(
        lambda document: document["release"].update(changed_rows=15),
        RELEASES["edited"].to_shared_json(),
    )
    assert (status, notes[0].split(":")[0]) == (1, "release")


def test_a_release_forged_onto_original_rows_needs_more_than_the_block():
    block = json.loads(RELEASES["edited"].to_json())["release"]
    status, notes = forged(lambda document: document.update(release=block), CERTIFIED.to_json())
    assert status == 1
    assert {note.split(":")[0] for note in notes} == {
        "assumptions",
        "partitions[0].subpopulations.by_chance",
    }


@pytest.mark.parametrize(
    ("columns", "changed", "is_false"),
    [
        ([], 0, False),
        ([], 1, True),
        (["hired"], 0, True),
        (["hired"], 1, False),
        (["hired"], 10, False),
        (["hired"], 11, True),
    ],
)
def test_rows_change_where_columns_do_and_no_more_than_there_are(columns, changed, is_false):
    release = {"change": "edited", "changed_columns": columns, "changed_rows": changed}
    release |= {"dropped_before": 0, "left_out_before": 0}
    errors = row_errors(release, {"examined": 10, "dropped": 0, "left_out": 0})
    assert any(errors.values()) == is_false
