"""Tables too wide for a whole graph are refused before they are counted, with what helps."""

import numpy as np
import pytest

from evenhand.counts import CountTable
from evenhand.errors import ResourceError
from evenhand.graph import width_limit
from evenhand.graph.width_limit import MOST_COLUMNS, check_width


class Wide:
    def __init__(self, table):
        self.table, self.names, self.reads = table, table.names, 0

    def first_rows(self):
        self.reads += 1
        return self.table


def table(columns, rows=200):
    """Two columns go with the decision, one of them less; the others do not."""
    generator = np.random.default_rng(3)
    values = generator.integers(0, 2, (columns, rows))
    values[1] = values[2] ^ (generator.random(rows) < 0.05)
    values[3] = values[2] ^ (generator.random(rows) < 0.2)
    names = ["sex", "hired", "grade", "score", *(f"c{at}" for at in range(columns - 4))]
    labels = np.array(["no", "yes"])
    return CountTable.of({n: list(labels[v]) for n, v in zip(names, values, strict=True)})


def test_a_narrow_table_is_not_even_read(monkeypatch):
    monkeypatch.setattr(width_limit, "MOST_COLUMNS", 10)
    wide = Wide(table(10))
    check_width(wide, "hired")
    assert wide.reads == 0


@pytest.mark.parametrize("make", [Wide, lambda counts: counts])
def test_what_goes_with_the_decision_is_suggested_strongest_first(monkeypatch, make):
    monkeypatch.setattr(width_limit, "MOST_COLUMNS", 29)
    with pytest.raises(ResourceError) as refused:
        check_width(make(table(30)), "hired", ["sex", "hired"])
    (problem,) = refused.value.problems
    assert "30 columns takes 435 tests or more" in problem.what
    local, columns, graph = problem.remedies
    assert (local.argument, local.value) == ("local", True)
    assert columns.argument == "columns"
    assert columns.value[:4] == ["sex", "hired", "grade", "score"]
    assert len(columns.value) < 10
    assert graph.argument == "graph"


def test_without_a_decision_columns_are_to_be_chosen():
    names = tuple(f"c{at}" for at in range(MOST_COLUMNS + 1))
    wide = Wide(CountTable.of({name: ["a"] for name in names}))
    with pytest.raises(ResourceError, match=r"2,001 columns takes 2,001,000 tests"):
        check_width(wide, None)
    assert wide.reads == 0
