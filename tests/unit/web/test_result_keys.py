"""Which choices need a graph to be learned again, and which only another verdict."""

from evenhand.question import QuestionFile
from evenhand.web.results import audit_key, learning_key

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
