"""How often random cases are tried: a third of them in the gate, all in `make test-slow`."""

import os

ALL = os.environ.get("EVENHAND_REPETITIONS") == "all"


def repetitions(many):
    """So many, or a third of it in the gate."""
    return many if ALL else -(-many // 3)
