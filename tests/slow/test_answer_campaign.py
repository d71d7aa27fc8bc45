"""How often each answer is given where the right one is known.

``TABLES=40 pytest -m slow tests/slow/test_answer_campaign.py`` has a quick look.
"""

import os

import pytest
from tests.known_answers import cases, failures, tally

pytestmark = pytest.mark.slow
CASES = [case for part in cases().values() for case in part]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_answer_keeps_its_limits(case, record_property):
    tables = min(int(os.environ.get("TABLES", "500")), case.tables)
    told = tally(case, tables)
    record_property("said", dict(told))
    assert failures(case, told, tables) == []
