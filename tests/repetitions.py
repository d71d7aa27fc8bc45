"""How often random cases are tried: a third of them in the gate, all in `make test-slow`."""

import os

ALL = os.environ.get("EVENHAND_REPETITIONS") == "all"


def repetitions(many):
    """The given number of cases, or in the gate a third of it."""
    return many if ALL else -(-many // 3)
