"""Results are kept by what they were made from; graphs are counted once."""

import tomllib
from pathlib import Path
from secrets import token_hex

import pytest
from tests.web_sessions import adult_session, learn_now, open_session

from evenhand.graph import CausalGraph
from evenhand.question import QuestionFile
from evenhand.web.graph_links import audit_to_publish, choose_link, give_reason, previews
from evenhand.web.open_table import Recent
from evenhand.web.question_store import (
    JudgedGraphs,
    audit_key,
    key_of,
    learning_key,
    without_number,
)


def test_what_was_not_asked_for_longest_is_forgotten():
    recent = Recent[int](2)
    made = []

    def make(number):
        made.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        assert recent.get(str(number), lambda number=number: make(number)) == number
    assert made == [1, 2, 3, 2]
    assert recent.find("3") is None


def test_equal_values_have_one_key():
    assert key_of({"a": [1], "b": None}) == key_of({"b": None, "a": [1]})
    assert key_of({"a": "1"}) != key_of({"a": 1})


TABLES = {
    "question": {"protected": "sex", "decision": "hired", "favorable": "yes"},
    "data": {"exclude": ["id"]},
}


def test_a_threshold_needs_no_new_graph_and_columns_do() -> None:
    asked = {**TABLES["question"], "threshold": "1/7"}
    other = {**TABLES, "question": asked}
    assert learning_key("a", TABLES) == learning_key("a", other)
    assert learning_key("a", TABLES) != learning_key("b", TABLES)
    assert learning_key("a", TABLES) != learning_key("a", {"question": TABLES["question"]})
    assert learning_key("a", TABLES) != learning_key(
        "a", {**TABLES, "knowledge": {"tiers": []}}
    )


def test_a_verdict_depends_on_threshold_words_and_effects_through_others() -> None:
    asked = {**TABLES["question"], "redlining": ["town"]}
    tables = {**TABLES, "question": asked}
    file = QuestionFile.from_tables(tables)
    keys = {
        audit_key("a", tables, file),
        audit_key("a", tables, file, direct=True),
        audit_key("a", {**tables, "question": {**asked, "threshold": "1/7"}}, file),
        audit_key("a", {**tables, "labels": {"columns": {"sex": "gender"}}}, file),
    }
    assert len(keys) == 4


ENDS = ("marital_status", "income")


def test_previews_count_and_undoing_does_not_take_them_back(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    assert session.audit is not None
    assert session.file.graphs_judged == 0
    list(previews(session, ENDS))
    assert session.file.graphs_judged == 4  # as learned, and three other states
    choose_link(session, ENDS, "to", None)
    session.step(-1)
    assert session.file.graphs_judged == 4
    session.step(1)
    give_reason(session, ENDS, "known", None)
    assert audit_to_publish(session).certificate.variants["graphs"] == 4


def test_the_number_is_kept_in_the_file_and_goes_on_there(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    list(previews(session, ENDS))
    choose_link(session, ENDS, "to", None)
    give_reason(session, ENDS, "known", None)
    session.save()
    text = (tmp_path / "adult.toml").read_text("utf-8")
    assert len({*tomllib.loads(text)["graph"]["judged"]}) == 4
    assert QuestionFile.parse(text).graphs_judged == 4
    session.close()
    again = open_session(tmp_path, "adult.csv")
    learn_now(again)
    assert again.audit is not None
    list(previews(again, ENDS))  # looked at once more, and not counted once more
    assert again.file.graphs_judged == 4
    list(previews(again, ("race", "income")))
    assert again.file.graphs_judged > 4
    assert "judged" not in again.tables["graph"]


def test_graphs_can_be_counted_while_others_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = JudgedGraphs()

    class Known(int):
        """A mark that judges one more graph while it is counted."""

        def __bool__(self) -> bool:
            judged.add(CausalGraph.parse(f"{token_hex(4)} -> b"), is_known=False)
            return False

    for number in range(3):
        graph = CausalGraph.parse(f"a{number} -> b")
        monkeypatch.setitem(judged._seen, str(graph.arrows), Known())
    assert judged.number == 3


def test_one_graph_is_not_worth_a_word() -> None:
    assert JudgedGraphs().stated({"question": {}}) == {"question": {}}
    assert without_number({"graph": {"judged": 3}, "data": {}}) == {"data": {}}
    assert JudgedGraphs({"graph": {"judged": 3}}).stated({}) == {"graph": {"judged": 3}}
