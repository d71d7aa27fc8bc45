"""What of the choices is in the question file, and what is told if not all is."""

from pathlib import Path

from evenhand.web.question_store import QuestionStore, SavedQuestion

FIRST = {"question": {"protected": "sex"}}
OTHER = {"question": {"protected": "age"}}


def test_without_a_file_nothing_is_lost() -> None:
    saved = SavedQuestion()
    assert saved.save(FIRST, FIRST, overwrite=False)
    assert (saved.path, saved.has_conflict, saved.lacks(FIRST, "")) == (None, False, None)


def test_what_was_only_suggested_is_no_loss(tmp_path: Path) -> None:
    saved = SavedQuestion(QuestionStore(tmp_path / "t.toml"), FIRST)
    assert saved.lacks(FIRST, "t.toml") is None
    assert saved.save(OTHER, {**OTHER, "graph": {"judged": 3}}, overwrite=False)
    assert "judged = 3" in (tmp_path / "t.toml").read_text()
    assert saved.lacks(OTHER, "t.toml") is None


def test_what_somebody_else_wrote_is_left_unless_asked(tmp_path: Path) -> None:
    saved = SavedQuestion(QuestionStore(tmp_path / "t.toml"), FIRST)
    (tmp_path / "t.toml").write_text("# theirs")
    assert saved.has_conflict
    assert saved.save(FIRST, FIRST, overwrite=False)  # nobody chose these
    assert not saved.save(OTHER, OTHER, overwrite=False)
    problem = saved.lacks(OTHER, "t.toml")
    assert problem is not None
    assert (problem.found, problem.where) == ("It was changed outside the app.", "t.toml")
    assert saved.save(FIRST, FIRST, overwrite=True)
    assert 'protected = "sex"' in (tmp_path / "t.toml").read_text()


def test_a_file_that_cannot_be_written_is_said_with_the_reason(tmp_path: Path) -> None:
    saved = SavedQuestion(QuestionStore(tmp_path / "t.toml"), FIRST)
    (tmp_path / "t.toml").mkdir()
    assert not saved.save(OTHER, OTHER, overwrite=False)
    problem = saved.lacks(OTHER, "t.toml")
    assert problem is not None
    assert "no plain file" in problem.found
    assert not saved.has_conflict
