"""The table of a certificate as JSON in blocks, beside ``json.dumps`` of its lines."""

import json
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.admission import QUESTION

from evenhand import CountTable, Question, datasets, examined_counts
from evenhand.evidence import Partition, partition

labels = st.text(st.sampled_from('ab"\\/ ,]\t\x01éﬀ😀'), max_size=3).map(
    lambda text: f"x{text}"
)
people = st.lists(
    st.tuples(labels, labels, st.sampled_from("fm"), st.sampled_from("ny"), st.integers(1, 9)),
    max_size=30,
)
# Both groups and both decisions occur, whatever is drawn.
EVERYBODY = [("x", "x", group, decision, 1) for group in "fm" for decision in "ny"]


def partition_of(lines, *, names=("a", "b")) -> Partition:
    *columns, counts = map(list, zip(*lines, *EVERYBODY, strict=True))
    columns = dict(zip(("a", "b", "sex", "hired"), columns, strict=True))
    question = Question(protected="sex", group="f", decision="hired", favorable="y")
    return Partition.of(examined_counts(CountTable.of(columns, counts), question), names)


def text_of(of) -> bytes:
    return b"[" + b",".join(of.table().blocks) + b"]"


def dumped(lines) -> bytes:
    return json.dumps(lines, ensure_ascii=False, separators=(",", ":")).encode()


@given(people.filter(bool), st.sampled_from([("a", "b"), ("b",), ()]))
def test_the_blocks_are_what_json_writes_of_the_lines(lines, names):
    text = text_of(partition_of(lines, names=names))
    assert text == dumped(json.loads(text))


@given(people.filter(bool))
def test_the_lines_are_those_of_a_plain_loop(lines):
    counts = {}
    for a, b, group, decision, many in [*lines, *EVERYBODY]:
        cells = counts.setdefault((a, b), [0, 0, 0, 0])
        cells["fm".index(group) * 2 + "yn".index(decision)] += many
    found = {(a, b): rest for a, b, *rest in json.loads(text_of(partition_of(lines)))}
    assert found == {people: [*n, difference(*n)] for people, n in counts.items()}


def difference(yes: int, no: int, other_yes: int, other_no: int) -> str | None:
    group, other = yes + no, other_yes + other_no
    if not group or not other:
        return None
    top, bottom = other_yes * group - yes * other, group * other
    common = gcd(top, bottom)
    return f"{top // common}/{bottom // common}" if bottom != common else str(top // common)


@pytest.mark.parametrize("block", [1, 2, 5, 6])
def test_the_size_of_blocks_changes_no_byte(monkeypatch: pytest.MonkeyPatch, block: int):
    lines = [(label, "x", "f", "y", at + 1) for at, label in enumerate("pqrst")]
    expected = text_of(partition_of(lines))
    monkeypatch.setattr(partition, "BLOCK", block)
    assert len(partition_of(lines).table().blocks) == -(-6 // block)
    assert text_of(partition_of(lines)) == expected


def test_a_line_has_its_values_then_its_counts_then_its_difference():
    text = text_of(partition_of([("p", "q", "f", "y", 3)]))
    assert json.loads(text)[:1] == [["p", "q", 3, 0, 0, 0, None]]


@pytest.mark.parametrize("further", [False, True])
def test_the_digest_is_that_of_the_counts_whatever_columns_stand_beside(further):
    counts = datasets.admissions(2)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    if further:
        lines["room"] = [str(at % 3) for at in range(len(counts))]
    wider = CountTable.of(lines, [count for _, count in counts])
    examined = examined_counts(wider, QUESTION)
    assert Partition.of(examined, ["major", "test_score"]).digest == counts.digest
