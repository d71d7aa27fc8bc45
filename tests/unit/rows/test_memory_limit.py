"""Amounts of memory as people write them."""

import pytest

from evenhand.errors import QuestionError
from evenhand.rows.memory_limit import memory_in_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), (10**9, 10**9), ("500m", 5 * 10**8)],
)
def test_memory_is_read_as_people_write_it(text, size):
    assert memory_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "1..5GB", "100MB", "2 XB", True])
def test_what_is_no_amount_of_memory_is_refused(text):
    with pytest.raises(QuestionError, match="no amount of memory"):
        memory_in_bytes(text)


def test_without_a_word_half_of_the_memory_may_be_used():
    assert 10**8 < memory_in_bytes(None) < 10**13
