"""Laws of releases, numbered as the promises they prove: reliability 21 to 31, 39."""

import csv
import io
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hiring import NAMES, QUESTION, audited, csv_text, released
from tests.repetitions import repetitions

from evenhand import checker
from evenhand.releasing.apply import apply
from evenhand.removal import ModifyData, ModifyGraph
from evenhand.rows import batch_source, read

THRESHOLDS = ("0.025", "0.05", "0.1", "0.3")


@st.composite
def some_people(draw, *, most=40):
    """People of both groups and decisions in a few kinds, with texts of any form beside."""
    text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
    notes = draw(st.lists(text, min_size=1, max_size=5))
    kinds = st.tuples(
        st.sampled_from(notes),
        st.sampled_from("fm"),
        st.sampled_from(["none", "some"]),
        st.sampled_from(["no", "yes"]),
        st.sampled_from(["low", "high"]),
    )
    found = draw(st.lists(kinds, min_size=4, max_size=most))
    # Both groups are there everywhere; among people of one degree nothing differs, so that both
    # decisions always remain.
    everyone = [("", sex, degree, "no", "low") for sex in "fm" for degree in ("none", "some")]
    alike = [("", sex, "most", hired, "low") for sex in "fm" for hired in ("no", "yes")]
    return [*everyone, *found, *alike]


def asked(threshold):
    return replace(QUESTION, threshold=threshold)


def released_text(text, **options):
    """The released text of a CSV file, its certificate, and what was released."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "people.csv"
        path.write_text(text, newline="", encoding="utf-8")
        made = released(path, **options)
        written = made.write(Path(name) / "out.csv")
        status, said, *_ = checker.verify(written.certificate.read_text(), str(written.data))
        assert status == 0, said
        assert path.read_bytes() == text.encode()
        return written.data.read_bytes().decode(), made


@settings(max_examples=repetitions(30))
@given(some_people(), st.sampled_from(THRESHOLDS), st.sampled_from(["\n", "\r\n"]))
def test_a_released_text_is_certified_and_differs_only_in_decisions(found, threshold, newline):
    text = csv_text(found, newline=newline)
    after, made = released_text(text, question=asked(threshold))
    old, new = (list(csv.reader(io.StringIO(t, newline=""))) for t in (text, after))
    at = NAMES.index("hired")
    assert [row[:at] + row[at + 1 :] for row in old] == [
        row[:at] + row[at + 1 :] for row in new
    ]
    changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert len(changed) == made.changed_rows
    # Only people alike to others who differ too much are touched (24), none beyond (27, 31).
    violating = {tuple(s.where.values()) for s in made.before.evidence}
    assert {(old[i][NAMES.index("degree")],) for i in changed} <= violating
    for subpopulation in made.certificate.subpopulations:
        assert abs(subpopulation.risk_difference) < asked(threshold).threshold


@settings(max_examples=repetitions(20))
@given(some_people(), st.sampled_from(THRESHOLDS))
def test_releasing_a_release_changes_no_byte(found, threshold):
    once, _ = released_text(csv_text(found), question=asked(threshold))
    twice, made = released_text(once, question=asked(threshold), seed=8)
    assert twice == once
    assert made.changed_rows == 0


@settings(max_examples=repetitions(30))
@given(some_people())
def test_a_lower_threshold_never_changes_fewer_rows(found):
    frame = pd.DataFrame(found, columns=NAMES)
    changed = [released(frame, question=asked(t)).changed_rows for t in THRESHOLDS]
    assert changed == sorted(changed, reverse=True)


@settings(max_examples=repetitions(40))
@given(some_people(), st.integers(1, 40), st.integers(0, 2**128 - 1), st.booleans())
def test_the_same_seed_gives_the_same_bytes_for_any_batches(found, batch, seed, effects):
    by = ModifyGraph() if effects else ModifyData()
    table = pa.table(dict(zip(NAMES, map(list, zip(*found, strict=True)), strict=True)))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        pq.write_table(table, folder / "people.parquet", row_group_size=max(1, batch // 2))
        whole = released(table, seed=seed, method=by).rows
        for module in ("rows.file_sources", "rows.frame_sources", "releasing.writer"):
            patch.setattr(f"evenhand.{module}.BATCH_ROWS", batch)
        made = released(folder / "people.parquet", seed=seed, method=by)
        made.write(folder / "out.parquet")
        assert pq.read_table(folder / "out.parquet").equals(whole)
        assert pa.Table.from_batches(made.rows.batches()).equals(whole)
    assert batch < batch_source.BATCH_ROWS


def test_changed_rows_are_uniform_among_those_alike():
    found = [("", *kind) for kind in [("f", "none", "no", "low"), ("m", "none", "yes", "low")]]
    frame = pd.DataFrame(found * 12, columns=NAMES)
    runs = 250
    often = np.zeros(len(frame))
    rows, certificate = audited(frame, question=asked("0.3"))
    plan = ModifyData().plan(certificate)
    for seed in range(runs):
        after = apply(rows, plan, seed).rows
        often += (after["hired"] != frame["hired"]).to_numpy()
    for group in ("f", "m"):
        here = often[(frame["sex"] == group).to_numpy()]
        share = here.sum() / runs / len(here)
        if share:
            chi_square = ((here - runs * share) ** 2).sum() / (runs * share * (1 - share))
            assert 1.5 < chi_square < 38  # eleven degrees of freedom
    assert often.any()


@settings(max_examples=12)
@given(some_people())
def test_every_form_gives_the_rows_back(found):
    made = released(pd.DataFrame(found, columns=NAMES))
    with tempfile.TemporaryDirectory() as name:
        for ending in ("csv", "csv.gz", "parquet", "arrow", "arrows"):
            path = Path(name) / f"out-{ending.replace('.', '-')}.{ending}"
            made.write(path)
            batches = read(path, columns=NAMES[1:]).batches()
            back = pa.Table.from_batches(batches).to_pydict()
            for column in NAMES:
                texts = ["" if text is None else text for text in back[column]]
                assert texts == made.rows[column].tolist()
