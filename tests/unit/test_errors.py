"""Hints in messages: lists, similar names, similar paths."""

import pytest

from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    EvenhandError,
    GraphError,
    Problem,
    Remedy,
    ResourceError,
    UnconfirmedError,
    did_you_mean,
    keeping,
    listed,
    nearest_path,
    optional_library,
    words_only,
)

LEAVE_OUT = Remedy("Leave it out", "exclude", ["a"])


def test_long_lists_and_long_values_are_shortened():
    assert listed(["x" * 100]) == listed(["x" * 61]) == repr("x" * 59 + "…")
    assert listed(["x" * 60]) == repr("x" * 60)
    assert listed("abcd", limit=2) == "'a', 'b' and 2 more"


def test_nothing_near_gives_no_guess():
    assert did_you_mean("zzz", ["sex", "age"]) == ""


def test_the_nearest_path_has_a_similar_stem_and_may_lie_in_a_misspelt_folder(tmp_path):
    (tmp_path / "hiring").mkdir()
    for name in ("Data.csv", "date.csv", "other.csv"):
        (tmp_path / "hiring" / name).touch()
    wrong = tmp_path / "hiring" / "data.csv"
    assert nearest_path(wrong) == tmp_path / "hiring" / "Data.csv"
    assert nearest_path(wrong, excluded=[tmp_path / "hiring" / "Data.csv"]).name == "date.csv"
    assert nearest_path(tmp_path / "hirng" / "other.csv") == tmp_path / "hiring" / "other.csv"
    assert nearest_path(tmp_path / "hiring" / "x.csv") is None


def test_a_guess_names_up_to_three_and_takes_no_long_name():
    known = ["town1", "town2", "town3", "town4", "sex"]
    assert did_you_mean("Town", known).count("town") == 3
    assert did_you_mean(" SEX ", known) == "Did you mean 'sex'?"
    assert did_you_mean("x" * 200, ["x" * 199]) != ""
    assert did_you_mean("x" * 201, ["x" * 199]) == ""


@pytest.mark.parametrize(
    ("remedy", "text", "words"),
    [
        ("Do that.", "Do that.", ["Do that"]),
        ("", "", []),
        (LEAVE_OUT, "Leave it out (exclude=['a']).", ["Leave it out"]),
        ((), "", []),
        (
            (LEAVE_OUT, Remedy("merge it", "merge"), Remedy("stop")),
            "Leave it out (exclude=['a']), merge it (merge=…), or stop.",
            ["Leave it out", "merge it", "stop"],
        ),
    ],
)
def test_a_problem_is_a_line_of_its_parts_and_plain_values(remedy, text, words):
    problem = Problem("No.", "Found.", remedy, "a.csv")
    assert str(problem) == f"a.csv: No. Found. {text}".strip()
    assert Problem("No.").text() == "No."
    plain = problem.to_dict()
    assert (plain["remedy"], [one["words"] for one in plain["remedies"]]) == (text, words)
    assert "(" not in problem.remedy_text(words_only)
    assert ("exclude" in str(plain["remedies"])) == ("Leave" in text)


def test_a_choice_of_the_user_has_no_value():
    assert Remedy("merge", "merge").to_dict() == {"words": "merge", "argument": "merge"}
    assert Remedy("so", "x", None).to_dict() == {"words": "so", "argument": "x", "value": None}
    assert Remedy("stop").to_dict() == {"words": "stop"}


@pytest.mark.parametrize(
    ("remedy", "stays"),
    [
        (LEAVE_OUT, False),
        (Remedy("Leave out", "exclude", ["b", "a"]), False),
        (Remedy("Leave out", "exclude", ["b"]), True),
        (Remedy("Leave out", "exclude", "a"), True),
        (Remedy("Name it", "columns", ["a"]), True),
    ],
)
def test_no_remedy_leaves_out_a_column_that_is_needed(remedy, stays):
    with pytest.raises(ColumnError) as raised, keeping(["a"]):
        raise ColumnError.of("No.", remedy=(remedy, Remedy("Stop")))
    assert len(raised.value.problems[0].remedies) == 1 + stays


@pytest.mark.parametrize(
    ("kind", "status"),
    [(EvenhandError, 2), (CannotReleaseError, 3), (ResourceError, 4), (UnconfirmedError, 5)],
)
def test_each_kind_of_error_ends_with_its_status(kind, status):
    assert kind.of("No.").exit_status == status


def test_each_unknown_name_is_a_problem_with_those_that_there_are():
    one, other = ColumnError.unknown(["Sex", "q" * 300], ["sex"], where="t.csv").problems
    assert str(one).startswith("t.csv: There is no column 'Sex'. Did you mean 'sex'?")
    assert other.found == "The columns are 'sex'."
    assert other.what == f"There is no column '{'q' * 199}…'."
    assert "no node 'b'. Its nodes are 'a'" in str(GraphError.unknown(["b"], ["a"]))


def test_a_library_that_is_absent_is_a_problem():
    with (
        pytest.raises(ResourceError, match="polars is not installed"),
        optional_library("polars"),
    ):
        raise ImportError
