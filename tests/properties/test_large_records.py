"""Records of tables of any size, with graphs given or learned, are not called false."""

from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.certificate_records import wrong

from evenhand import CausalGraph, CountTable, Question, Tiers, audit, checker

NAMES = ("C", "v", "w", "E")
GRAPH = CausalGraph.parse("C -> v -> E; C -> E; w -> E")


def random_table(rows, seed):
    """So many rows of four attributes, each of which depends on those before."""
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 2, 2)
    joint = np.ones(())
    for at, size in enumerate(sizes):
        noise = rng.dirichlet(np.full(size, rng.choice([0.5, 5.0, 100.0])), sizes[:at])
        joint = joint[..., np.newaxis] * noise
    counts = np.maximum(rng.multinomial(rows, joint.ravel()), 1)
    codes = np.unravel_index(np.arange(prod(sizes)), sizes)
    labels = {name: [str(c) for c in code] for name, code in zip(NAMES, codes, strict=True)}
    return CountTable.of(labels, counts.tolist())


@pytest.mark.parametrize("is_learned", [False, True])
@given(
    st.floats(2, 6).map(lambda digits: round(10**digits)),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["1/1000", "1/20", "3/10"]),
    st.sampled_from(["causes", "minimal", "all"]),
)
@example(1_000_000, 1, "1/20", "causes")
@example(100_000, 2, "3/10", "all")
@settings(max_examples=15)
def test_no_table_gives_a_record_that_is_called_false(is_learned, rows, seed, threshold, scope):
    counts = random_table(rows, seed)
    question = Question(
        protected="C", group="0", decision="E", favorable="1", threshold=threshold
    )
    known = {"knowledge": Tiers(["C"], ..., ["E"])} if is_learned else {"graph": GRAPH}
    certificate = audit(counts, question, scope=scope, **known).certificate
    text = certificate.to_json()
    status, notes, *_ = checker.verify(text)
    assert status in ((0, 3) if is_learned else (0,)), notes
    assert wrong(text, counts) == []
    assert wrong(certificate.to_shared_json(), counts) == []
