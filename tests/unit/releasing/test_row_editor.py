"""Which rows and cells change, whatever holds them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.hiring import COLUMNS, NAMES, QUESTION, people, released, table

from evenhand.errors import CannotReleaseError, ResourceError
from evenhand.evidence import Verdict
from evenhand.removal import (
    ModifyGraph,
)


def test_rows_of_groups_outside_the_question_stay():
    frame = pd.DataFrame(table(groups="fmx"))
    rows = released(frame).rows
    others = frame["sex"] == "x"
    assert others.any()
    pd.testing.assert_frame_equal(rows[others], frame[others])


def test_pooled_groups_are_released_under_their_own_names():
    frame = pd.DataFrame(table(groups="fmx"))
    made = released(frame, question=replace(QUESTION, other="rest"))
    assert made.certificate.verdict is Verdict.CERTIFIED
    assert made.rows["sex"].tolist() == frame["sex"].tolist()


def test_rows_with_missing_values_are_absent_and_counted():
    frame = pd.DataFrame(table())
    frame.loc[::7, "degree"] = None
    made = released(frame, missing="drop")
    kept = frame.dropna(subset=["degree"])
    assert made.rows.index.tolist() == kept.index.tolist()
    assert made.certificate.dropped == 0
    assert made.certificate.release.dropped_before == len(frame) - len(kept)


def test_missing_values_may_be_a_level_of_their_own():
    frame = pd.DataFrame(table())
    frame.loc[::3, "degree"] = None
    made = released(frame, missing="level")
    assert made.rows["degree"].isna().sum() == frame["degree"].isna().sum()


def test_codings_do_not_change_what_is_released():
    frame = pd.DataFrame(table())
    frame["degree"] = frame["degree"].map({"none": 1.25, "some": 7.0, "most": 9.5})
    made = released(frame, bins={"degree": [5]})
    assert made.rows["degree"].tolist() == frame["degree"].tolist()


def test_more_rows_than_can_be_drawn_from_are_refused():
    lines = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
    lines["n"] *= 10**9
    with pytest.raises(ResourceError, match="alike"):
        released(lines, frequency="n")


def test_effects_are_drawn_anew_in_changed_rows_only():
    frame = pd.DataFrame(table(3000))
    made = released(frame, method=ModifyGraph())
    changed = frame["hired"] != made.rows["hired"]
    assert made.rows["pay"][~changed].equals(frame["pay"][~changed])
    assert changed.sum() == made.changed_rows
    assert set(made.rows["pay"]) == {"high", "low"}
    # Whoever is hired now is paid as those who were hired before.
    now_hired = made.rows[changed & (made.rows["hired"] == "yes")]
    assert 0.6 < (now_hired["pay"] == "high").mean() < 0.95


def test_effects_counted_in_classes_cannot_be_drawn():
    with pytest.raises(CannotReleaseError, match="'pay'.*modify-data"):
        released(pa.table(table()), method=ModifyGraph(), merge={"pay": {"some": ["high"]}})


def test_people_without_a_difference_stay_as_they_are():
    frame = pd.DataFrame(people(4), columns=NAMES)
    frame = pd.concat([frame.assign(sex="f"), frame.assign(sex="m")])
    frame["hired"] = np.where(np.arange(len(frame)) % 4 < 2, "yes", "no")
    frame["degree"] = "none"
    made = released(frame)
    assert made.changed_rows == 0
    assert made.certificate.release.notice == "Nothing was changed in these rows."
    assert made.rows.equals(frame)
