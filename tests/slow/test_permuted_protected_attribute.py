"""With the protected column permuted, the first sentence says that chance explains it.

Two tests at 5 % may each fail: at least 85 of 100 permutations must be called chance.
"""

import pytest
from tests.permuted import explained

from evenhand import Tiers, datasets

pytestmark = pytest.mark.slow


def test_adult():
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    asked = datasets.question("adult")
    assert explained(datasets.adult(), asked, tiers, range(100)) >= 85


def test_dutch(dutch):
    asked = datasets.question("dutch")
    assert explained(dutch, asked, asked.knowledge, range(100)) >= 85
