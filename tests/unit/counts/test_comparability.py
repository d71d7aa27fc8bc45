"""What can be compared agrees with dictionaries that are filled row by row."""

from collections import defaultdict

import numpy as np
import pytest

from evenhand import CountTable, Question
from evenhand.counts.compared_groups import compare_alike, question_groups


def rows(seed):
    rng = np.random.default_rng(seed)
    names = ("sex", "town", "degree", "hired")
    values = ("fmx", "abcdefgh", "01", "ny")
    drawn = {n: rng.choice(list(v), 60).tolist() for n, v in zip(names, values, strict=True)}
    return drawn, rng.integers(1, 4, 60).tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("other", ["m", "rest"])
def test_kinds_of_people_are_those_of_a_dictionary(seed, other):
    table, often = rows(seed)
    asked = Question(protected="sex", group="f", other=other, decision="hired", favorable="y")
    kinds = defaultdict(list)
    total = 0
    for sex, town, degree, hired, many in zip(*table.values(), often, strict=True):
        if sex == "f" or other in ("rest", sex):
            kinds[town, degree].append((sex == "f", hired, many))
            total += many
    measured = [kind for kind in kinds.values() if len({side for side, _, _ in kind}) == 2]
    same = [kind for kind in measured if len({hired for _, hired, _ in kind}) == 1]
    counts = CountTable.of(table, often)
    result = compare_alike(counts, ["town", "degree"], "hired", question_groups(counts, asked))
    assert result.to_dict() == {
        "columns": ["town", "degree"],
        "rows": total,
        "occupied": len(kinds),
        "measured": len(measured),
        "without_comparator": total - sum(m for kind in measured for _, _, m in kind),
        "same_decision": sum(many for kind in same for _, _, many in kind),
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protected", ["sex", ("sex", "degree")])
@pytest.mark.parametrize("other", [None, "reference"])
def test_kinds_of_people_of_many_groups_are_those_of_a_dictionary(seed, protected, other):
    """A kind is measured where two groups occur, whichever."""
    table, often = rows(seed)
    names = [protected] if isinstance(protected, str) else [*protected]
    labels = [*zip(*(table[name] for name in names), strict=True)]
    asked = Question(
        protected=protected,
        other=other and labels[0],
        decision="hired",
        favorable="y",
    )
    kinds = defaultdict(list)
    for label, town, hired, many in zip(
        labels, table["town"], table["hired"], often, strict=True
    ):
        kinds[town].append((label, hired, many))
    measured = [kind for kind in kinds.values() if len({label for label, _, _ in kind}) > 1]
    same = [kind for kind in measured if len({hired for _, hired, _ in kind}) == 1]
    counts = CountTable.of(table, often)
    result = compare_alike(counts, ["town"], "hired", question_groups(counts, asked))
    assert result.rows == sum(often)
    assert result.occupied == len(kinds)
    assert result.measured == len(measured)
    assert result.without_comparator == sum(often) - sum(
        many for kind in measured for _, _, many in kind
    )
    assert result.same_decision == sum(many for kind in same for _, _, many in kind)


def test_the_sentence_says_what_is_left():
    counts = CountTable.of({"sex": ["f", "m", "m"], "a": ["x", "x", "y"], "e": ["0", "0", "1"]})
    asked = Question(protected="sex", group="f", decision="e", favorable="1")
    result = compare_alike(counts, ["a"], "e", question_groups(counts, asked))
    assert str(result) == (
        "people alike in 1 column: 2 kinds, 1 with both groups; 33.3 % of the rows have no "
        "comparator, 66.7 % lie where everybody got the same decision"
    )
