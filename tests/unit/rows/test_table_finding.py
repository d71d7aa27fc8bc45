"""A finding is plain data, and its text names a few examples."""

from evenhand.rows.table_finding import FindingKind, first_rows, leave_out, some, unreadable


def test_one_column_and_many_are_told_in_their_number():
    (one,) = unreadable(["a"])
    (remedy,) = one.problem.remedies
    assert remedy.words == "Leave it out"
    (many,) = leave_out(FindingKind.DEPENDENT, [f"c{at}" for at in range(9)], "odd.")
    assert str(many.problem).startswith("'c0', 'c1', 'c2', 'c3', 'c4' and 4 more are odd. ")
    assert many.problem.remedies[0].value == [f"c{at}" for at in range(9)]
    assert not [*unreadable([])]


def test_a_finding_is_plain_data():
    content = first_rows(7).to_dict()
    assert content["kind"] == "looked at in part"
    assert content["numbers"] == {"rows": 7}
    assert content["remedies"] == [{"words": "Allow more memory", "argument": "memory"}]


def test_examples_are_few():
    assert some(["a", "b"]) == "a, b"
    assert some([*"abcdefgh"]) == "a, b, c, d, e and 3 more"
