import hashlib
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Attribute, CountTable, Question, examined_counts
from evenhand.counts import count_table
from evenhand.errors import ColumnError, InputError, ResourceError, ValuesError
from evenhand.evidence import Partition
from evenhand.rows import read

NAMES = ("a", "b", "c")
lines = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from(["1", "10", "9"]), st.sampled_from("pq")),
    min_size=1,
    max_size=40,
)


def table(rows, names=NAMES):
    return CountTable.of(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@given(lines)
def test_counts_are_those_of_a_plain_loop(rows):
    assert dict(table(rows)) == Counter(rows)


@given(lines, st.permutations(NAMES))
def test_a_marginal_adds_up_what_it_forgets(rows, order):
    kept = order[:2]
    at = [NAMES.index(name) for name in kept]
    expected = Counter(tuple(row[i] for i in at) for row in rows)
    marginal = table(rows).marginal(kept)
    assert marginal.names == tuple(kept)
    assert dict(marginal) == expected


@given(lines, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_is_forgotten(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert table(shuffled) == table(rows)
    assert table(shuffled).digest == table(rows).digest


@given(lines, st.permutations(NAMES))
def test_the_digest_does_not_depend_on_the_order_of_the_columns(rows, order):
    assert table(rows).marginal(order).digest == table(rows).digest


@given(lines)
def test_one_row_more_changes_the_digest(rows):
    assert table([*rows, rows[0]]).digest != table(rows).digest


@given(lines)
def test_conditioning_keeps_the_rows_that_match(rows):
    value = rows[0][1]
    expected = Counter((a, c) for a, b, c in rows if b == value)
    assert dict(table(rows).given({"b": value})) == expected


@given(lines)
def test_a_cube_holds_every_cell(rows):
    counts = table(rows)
    cube = counts.cube(NAMES)
    assert cube.sum() == len(rows)
    for labels, count in counts:
        cell = tuple(counts.code(n, v) for n, v in zip(NAMES, labels, strict=True))
        assert cube[cell] == count


@given(lines)
def test_merged_values_are_counted_together(rows):
    merged = table(rows).recoded("a", {"x": "z"})
    assert dict(merged) == Counter(("z" if a == "x" else a, b, c) for a, b, c in rows)


@given(lines)
def test_values_can_be_left_out(rows):
    kept = table(rows).without("a", ["x"])
    assert dict(kept) == Counter(row for row in rows if row[0] != "x")


def test_counts_are_exact_beyond_every_float():
    counts = CountTable.of({"a": ["x", "y"], "b": ["p", "p"]}, [2**53, 1])
    assert counts.row_count == 2**53 + 1
    assert counts.marginal(["b"]).counts.tolist() == [2**53 + 1]


@pytest.mark.parametrize("columns", [3, 70])
def test_keys_that_would_overflow_are_ranked(columns):
    """Seventy columns of four values need 140 bits; a naive key wraps at 64."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (300, columns))
    codes = np.concatenate([codes, codes[:50]])
    attributes = [Attribute(f"v{i}", tuple("abcd")) for i in range(columns)]
    built = CountTable.build(attributes, codes.T, np.ones(350, np.int64))
    assert sorted(built.counts.tolist()) == sorted(Counter(map(tuple, codes)).values())
    assert list(map(tuple, np.stack(built.codes, axis=1))) == sorted(set(map(tuple, codes)))


def test_zero_counts_are_no_assignments():
    assert len(CountTable.of({"a": ["x", "y"]}, [0, 3])) == 1


def test_values_are_ordered_as_numbers_where_they_are_numbers():
    assert CountTable.of({"a": ["10", "9", "9"]}).attribute("a").values == ("9", "10")
    assert CountTable.of({"a": ["10", "9", "nan"]}).attribute("a").values == ("10", "9", "nan")


def test_an_unknown_attribute_is_named_with_its_neighbours():
    with pytest.raises(ColumnError, match=r"no column 'education'. Did you mean 'edu'\?|'edu'"):
        CountTable.of({"edu": ["x"]}).marginal(["education"])


def test_an_unknown_value_is_refused_with_the_values_there_are():
    with pytest.raises(ValuesError, match="has no value 'y'. Its values are 'x'"):
        CountTable.of({"a": ["x"]}).count(a="y")


def test_repeated_names_are_refused():
    attribute = Attribute("a", ("x",))
    codes = np.zeros(1, np.int64)
    with pytest.raises(ColumnError, match="'a' occurs 2 times"):
        CountTable.build([attribute, attribute], [codes, codes], np.ones(1, np.int64))


def test_a_cube_too_large_is_refused_before_it_is_made():
    values = tuple(map(str, range(1000)))
    attributes = [Attribute(name, values) for name in NAMES]
    counts = CountTable.build(attributes, [np.arange(5)] * 3, np.ones(5, np.int64))
    with pytest.raises(ResourceError, match="1,000,000,000 cells"):
        counts.cube(NAMES)


@pytest.mark.parametrize(
    ("columns", "counts"),
    [({"a": ["x", "z"]}, [1, 2]), ({"b": ["x", "y"]}, [1, 2]), ({"a": ["x", "y"]}, [2, 1])],
)
def test_tables_are_equal_if_their_names_values_and_counts_are(columns, counts):
    table = CountTable.of({"a": ["x", "y"]}, [1, 2])
    same, other = CountTable.of({"a": ["y", "x"]}, [2, 1]), CountTable.of(columns, counts)
    assert table == same
    assert hash(table) == hash(same)
    assert table not in (other, 5)
    assert hash(table) != hash(other)
    assert table.seed == same.seed == int(table.digest[:12], 16) != other.seed
    assert repr(table) == "<CountTable of 3 rows: a>"
    assert [*table.only(["b", "a"])] == [(("x",), 1), (("y",), 2)]


@pytest.mark.parametrize(("values", "rest"), [(4, ""), (5, ", 1 more"), (7, ", 3 more")])
def test_a_summary_names_four_values_of_each_column(values, rest):
    names = "abcdefg"[:values]
    text = str(CountTable.of({"x": [*names]}, range(10, 10 + values)))
    shown = [f"{name} {10 + names.index(name)}" for name in reversed(names)][:4]
    assert ", ".join(shown) + rest in text
    assert ("more" in text) == bool(rest)


def test_a_table_cannot_be_changed():
    counts = CountTable.of({"a": ["x"]})
    with pytest.raises(ValueError, match="read-only"):
        counts.counts[0] = 2


def test_an_empty_selection_is_one_assignment_of_all_rows():
    assert list(CountTable.of({"a": ["x", "y"]}).marginal([])) == [((), 2)]


def test_values_that_do_not_occur_are_forgotten():
    counts = CountTable.of({"a": ["x", "y"], "b": ["p", "q"]}, [5, 0])
    assert counts == CountTable.of({"a": ["x"], "b": ["p"]}, [5])
    assert counts.values("a") == {"x": 5}


@given(lines)
def test_rows_conditioned_on_equal_the_same_rows_counted(rows):
    value = rows[0][0]
    kept = [(b, c) for a, b, c in rows if a == value]
    assert table(rows).given({"a": value}) == table(kept, ("b", "c"))


@pytest.mark.parametrize("counts", [[1, -3], [1, 2.7], [1]])
def test_counts_that_are_no_numbers_of_rows_are_refused(counts):
    with pytest.raises(InputError, match="whole numbers|one length"):
        CountTable.of({"a": ["x", "y"]}, counts)


FOUR_CELLS = {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes", "no", "yes"]}


@pytest.mark.parametrize(
    "counts",
    [[2**60] * 3 + [2**60 + 1], [2**62, 1, 0, 0], [2**63, 0, 0, 0], [2**64, 2**64, 1, 1]],
)
def test_more_rows_than_fit_are_refused_wherever_they_come_from(counts, tmp_path):
    """The limit and the problem are the same for labels, codes, frames and files."""
    refusals = []
    with pytest.raises(ValuesError) as refused:
        CountTable.of(FOUR_CELLS, counts)
    refusals.append(refused.value)
    lines = zip(*FOUR_CELLS.values(), counts, strict=True)
    path = tmp_path / "people.csv"
    path.write_text("sex,hired,n\n" + "".join(f"{s},{h},{n}\n" for s, h, n in lines))
    with pytest.raises(ValuesError) as refused:
        read(path, frequency="n").count()
    if max(counts) <= 2**62:  # above, the line is named
        refusals.append(refused.value)
    if max(counts) < 2**63:
        attributes = [Attribute(name, tuple(sorted(set(v)))) for name, v in FOUR_CELLS.items()]
        codes = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
        for make in (CountTable, CountTable.build):
            with pytest.raises(ValuesError) as refused:
                make(tuple(attributes), tuple(codes), np.array(counts))
            refusals.append(refused.value)
    for error in refusals:
        assert error.problems[0].what.endswith("add up to more than 2⁶².")
        assert "hardly be numbers of rows" in error.problems[0].remedy_text()


def test_as_many_rows_as_fit_are_counted_and_judged_exactly():
    """1/2 against 1/2 + 1/2⁶¹: a difference that 2⁻⁶¹ reaches and anything above does not."""
    table = CountTable.of(FOUR_CELLS, [2**60, 2**60, 2**60 - 1, 2**60 + 1])
    assert table.row_count == 2**62
    for threshold, violating in ((Fraction(1, 2**61), 1), (Fraction(1, 2**61 - 1), 0)):
        question = Question(
            protected="sex",
            group="f",
            decision="hired",
            favorable="yes",
            threshold=threshold,
        )
        assert Partition.of(examined_counts(table, question), []).violating == violating


@pytest.mark.parametrize("count", [float("inf"), float("nan"), -1, 0.5])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(InputError, match="whole numbers"):
        CountTable.of({"a": ["x"]}, [count])


# Quotes, signs that are escaped, signs beyond the first plane: as text they sort otherwise.
labels = st.text(st.sampled_from('ab"\\/ ,]\t\x01éﬀ😀'), min_size=1, max_size=3).map(
    lambda text: f"x{text}"
)
people = st.lists(st.tuples(labels, labels, st.integers(1, 120)), min_size=1, max_size=30)


def plain_digest(counts: CountTable) -> str:
    """As the docs describe it, line by line."""
    names = sorted(counts.names)
    places = [counts.names.index(name) for name in names]
    lines = [
        json.dumps([*(line[at] for at in places), count], ensure_ascii=False)
        for line, count in counts
    ]
    text = "\n".join([json.dumps(names, ensure_ascii=False), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()


@given(people)
def test_the_digest_is_that_of_sorted_lines(lines):
    first, second, counts = map(list, zip(*lines, strict=True))
    table = CountTable.of({"b": first, "a": second}, counts)
    assert table.digest == plain_digest(table)
    assert table.marginal([]).digest == plain_digest(table.marginal([]))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch):
    columns = {"a": [str(at) for at in range(7)], "b": [*"ppqqpqp"]}
    expected = plain_digest(CountTable.of(columns))
    for block in (1, 3, 7, 8):
        monkeypatch.setattr(count_table, "_BLOCK", block)
        assert CountTable.of(columns).digest == expected


def test_no_lines_have_a_digest():
    table = CountTable.of({"a": ["x"]}, [0])
    assert table.digest == plain_digest(table)
