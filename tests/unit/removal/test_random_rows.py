"""Rows chosen at random among more rows than NumPy can choose from."""

import numpy as np
import pytest

from evenhand import CausalGraph, CountTable, ModifyData, Question, compare, release
from evenhand.errors import ResourceError
from evenhand.evidence import certify
from evenhand.removal.random_rows import choose_rows

QUESTION = Question(protected="sex", group="f", decision="hired", favorable="yes")


def audited(scale, **columns):
    table = {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes"] * 2} | columns
    counts = CountTable.of(table, [n * scale for n in (6, 4, 5, 5)])
    return certify(counts, CausalGraph.parse("sex -> hired"), QUESTION)


def test_as_many_rows_are_chosen_as_were_asked_for_and_no_more_than_there_are():
    counts = np.array([5, 0, 7])
    chosen = choose_rows(counts, 9, np.random.default_rng(1))
    assert chosen.sum() == 9
    assert (chosen <= counts).all()


@pytest.mark.parametrize("scale", [1, 10**9, 10**12, 10**15])
def test_rows_alike_in_every_column_are_released_however_many(scale):
    certificate = audited(scale * 100)
    released = release(certificate.examined.counts, ModifyData().plan(certificate), seed=1)
    assert str(released.certificate.verdict) == "certified"
    # 10 points apart and less than 5 allowed: 5 of 100 in the smaller group, and one.
    assert released.changed_rows == 50 * scale + 1


def test_a_choice_among_too_many_rows_is_refused_in_words():
    with pytest.raises(ResourceError, match="chosen at random"):
        choose_rows(np.array([10**9, 1]), 5, np.random.default_rng(1))


def test_methods_that_cannot_choose_are_left_out_of_a_comparison():
    compared = compare(audited(10**12))
    assert any("chosen at random" in note for note in compared.skipped)
    assert "minimal" in {outcome.policy for outcome in compared.outcomes}
