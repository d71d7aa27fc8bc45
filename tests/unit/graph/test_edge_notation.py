"""The notation ``a -> b; c - d; e``."""

import pytest

from evenhand.errors import GraphError
from evenhand.graph import PartialGraph


def test_the_notation_knows_chains_both_marks_comments_and_lone_nodes():
    graph = PartialGraph.parse("# mine\nnative-country -> b <- c; d - e -- f\n\n  lone ;")
    assert graph.arrows == {("native-country", "b"), ("c", "b")}
    assert graph.undirected == {("d", "e"), ("e", "f")}
    assert "lone" in graph.nodes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a <-> b", "'a <-> b' stands for a common cause that nobody measured"),
        ("a ->", "Nothing follows 'a ->'"),
        ("a -> b\n-> c", "line 2"),
        ('a "b"', "'b' cannot stand there"),
        ('"a', "cannot stand there"),
    ],
)
def test_what_the_notation_does_not_know_is_named(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
