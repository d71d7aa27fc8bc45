"""What is examined and what is found do not hang on the names or the order of columns."""

import pytest
from tests.renamed_tables import changed_by_renaming
from tests.repetitions import repetitions


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_renamed_and_moved_columns_give_the_same_partitions_and_verdicts(first):
    changed = {
        seed: changed_by_renaming(seed) for seed in range(first, first + repetitions(25))
    }
    assert {seed: scopes for seed, scopes in changed.items() if scopes} == {}
