"""Hints in messages: lists, similar names, similar paths."""

from evenhand.errors import did_you_mean, listed, nearest_path


def test_long_lists_and_long_values_are_shortened():
    assert listed(["x" * 100]) == repr("x" * 59 + "…")
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
