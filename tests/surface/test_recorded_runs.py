"""Fixed runs print and write what was reviewed; see ``tests/recorded_runs.py``."""

import json

import pytest
from tests.recorded_runs import DIGESTS, RUNS, digests, dutch_file, run

RECORDED = json.loads(DIGESTS.read_text())


@pytest.mark.parametrize("name", RUNS)
def test_outputs_are_the_recorded_ones(name):
    if name == "dutch" and dutch_file() is None:
        pytest.skip("no Dutch census: it may not be redistributed")
    assert digests(run(name)) == RECORDED[name], "reviewed? then --record"
