"""Edits as a question file writes them."""

import pytest

from evenhand.errors import KnowledgeError
from evenhand.question import GraphEdit


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("add", "added a -> b: so"),
        ("remove", "removed a -> b: so"),
        ("reverse", "reversed a -> b: so"),
        ("open", "left open a -> b: so"),
    ],
)
def test_each_kind_has_its_words_and_is_read_back(kind, words):
    edit = GraphEdit.parse(kind, "a -> b: so")
    assert str(edit) == words
    assert GraphEdit.parse(kind, edit.notation) == edit == GraphEdit(**edit.to_dict())
    assert GraphEdit.parse_table({kind: ["a -> b: so", ["a", "b:c", "so"]]}) == (
        edit,
        GraphEdit(kind=kind, arrow=("a", "b:c"), reason="so"),
    )


def test_a_table_is_read_in_an_order_in_which_edits_fit_each_other():
    """What is removed or left open can be added in another direction."""
    table = {"add": ["d -> c: 1"], "open": ["a -> b: 2"], "reverse": ["e -> f: 3"]}
    edits = GraphEdit.parse_table({**table, "remove": ["c -> d: 4"], "judged": 3})
    assert [edit.kind for edit in edits] == ["remove", "reverse", "open", "add"]


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_link_is_left_open_for_a_reason(reason):
    with pytest.raises(KnowledgeError, match="no reason") as refused:
        GraphEdit(kind="open", arrow=("a", "b"), reason=reason)
    assert "add, remove, reverse or open" in str(refused.value)
