"""The same over 2,500 learned tables; docs/theory.md keeps the result of the last campaign.

pytest tests/slow/test_renaming_campaign.py -m slow
"""

import pytest
from tests.renamed_tables import changed_by_renaming

TABLES = 2500


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + TABLES, 250))
def test_renamed_and_moved_columns_give_the_same_partitions_and_verdicts(first):
    changed = {seed: changed_by_renaming(seed) for seed in range(first, first + 250)}
    assert {seed: scopes for seed, scopes in changed.items() if scopes} == {}
