"""Fixed runs print and write what was reviewed; see ``tests/recorded_runs.py``."""

import json

import pytest
from tests import recorded_runs
from tests.data_folder import ABSENT, DUTCH
from tests.readable import readable
from tests.recorded_runs import (
    DATA_NEEDED,
    GOLDEN,
    PAGE,
    RUNS,
    differences,
    golden_file,
    golden_page,
    golden_text,
    record,
    run,
)

REVIEWED = "Was it reviewed? Then `make goldens` records it.\n"


@pytest.mark.parametrize("name", RUNS)
def test_outputs_are_the_recorded_ones(name):
    if name == DATA_NEEDED and not DUTCH.is_file():
        pytest.skip(ABSENT)
    if changed := differences(golden_file(name), golden_text(run(name))):
        pytest.fail(REVIEWED + changed, pytrace=False)


def test_the_report_on_the_papers_second_example_is_the_recorded_one():
    if changed := differences(PAGE, golden_page()):
        pytest.fail(REVIEWED + changed, pytrace=False)


def test_every_file_is_of_a_group_and_all_are_small():
    kept = {path.name: path.stat().st_size for path in GOLDEN.iterdir()}
    assert kept.keys() == {PAGE.name, "runs.txt", *(golden_file(name).name for name in RUNS)}
    assert sum(kept.values()) <= 400 * 1024


def test_every_verdict_and_every_status_is_recorded():
    texts = "".join(golden_file(name).read_text("utf-8") for name in RUNS)
    for verdict in ("certified", "not certified", "cannot decide"):
        assert f'"verdict": "{verdict}"' in texts
    for status in (0, 1, 2, 3):
        assert f"--- status {status}\n" in texts


def test_without_the_census_nothing_is_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded_runs, "DUTCH", tmp_path / "absent.arff")
    monkeypatch.setattr(recorded_runs, "GOLDEN", tmp_path)
    with pytest.raises(SystemExit, match="Nothing was recorded: no Dutch census"):
        record()
    assert not [*tmp_path.iterdir()]


def test_a_change_is_told_as_a_diff(tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("one\ntwo\n", "utf-8")
    assert not differences(kept, "one\ntwo\n")
    assert differences(kept, "one\n2\n").splitlines()[-3:] == [" one", "-two", "+2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("out.csv", "a\n1\n2\n3\n4\n5\n"),
        ("r.html", "<h1>A</h1><p>b<p>c<p>d<p>e<p>5<style>p {}</style>"),
        ("c.json", json.dumps({"a": [*"12345"] * 9})),
        ("c.json", json.dumps({"a": {"b": {"c": ["x" * 120, "5"]}}})),
    ],
)
def test_what_is_shortened_still_shows_that_it_changed(name, text):
    assert "sha256" in readable(name, text)
    assert readable(name, text) != readable(name, text.replace("5", "6"))
