"""Graphs of the libraries that people use, made by these libraries, are read as they are."""

import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.networks import shipped_file

import evenhand
from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph, load_graph

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def test_what_pc_of_causallearn_returns_is_read():
    from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415  # takes seconds

    generator = np.random.default_rng(1)
    a, b, d = generator.normal(size=(3, 2000))
    c = a + b + generator.normal(size=2000) / 2
    e = d + generator.normal(size=2000) / 2
    names = ["a", "b", "c", "d", "e"]
    found = pc(np.column_stack([a, b, c, d, e]), 0.01, node_names=names, show_progress=False)
    graph = PartialGraph.from_causallearn(found)
    assert graph == PartialGraph.parse("a -> c <- b; d - e")
    assert graph == PartialGraph.from_causallearn(found.G)
    assert graph == PartialGraph.parse(str(found.G))


@pytest.fixture(scope="module")
def pgmpy():
    """pgmpy, which is installed for its files; what its graphs do not need may be absent."""
    finder, before = _Empty(), {*sys.modules}
    sys.meta_path.append(finder)
    try:
        yield pytest.importorskip("pgmpy.base", exc_type=ImportError, reason="pgmpy is absent")
    finally:
        sys.meta_path.remove(finder)
        for name in {*sys.modules} - before:
            if name.partition(".")[0] in {"pgmpy", "skbase"}:
                del sys.modules[name]


class _Empty:
    """Stands in for scikit-base where it is not installed; each name in it is a class."""

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        if name.partition(".")[0] == "skbase":
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _EmptyModule(spec.name)

    def exec_module(self, module):
        pass


class _EmptyModule(ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda *_, **__: None})


def test_graphs_of_pgmpy_are_read_through_networkx(pgmpy):
    arrows = [("sex", "job"), ("job", "pay"), ("sex", "pay")]
    assert CausalGraph.from_networkx(pgmpy.DAG(arrows)) == (
        CausalGraph.parse("sex -> job -> pay <- sex")
    )
    partial = pgmpy.PDAG(directed_ebunch=[("a", "b")], undirected_ebunch=[("b", "c")])
    assert PartialGraph.from_networkx(partial) == PartialGraph.parse("a -> b - c")
    with pytest.raises(GraphError, match="measured: 'job'"):
        CausalGraph.from_networkx(pgmpy.DAG(arrows, latents={"job"}))


def test_ancestral_graphs_of_pgmpy_are_read_or_refused_by_the_ends_of_their_edges(pgmpy):
    edges = [("b", "a", ">", "-"), ("b", "c", "-", "-")]
    graph = pgmpy.AncestralBase(ebunch=edges)
    assert PartialGraph.from_networkx(graph) == PartialGraph.parse("a -> b - c")
    graph.add_edge("a", "c", ">", ">")
    with pytest.raises(GraphError, match="'a <-> c' stands for a common cause"):
        PartialGraph.from_networkx(graph)
    with pytest.raises(GraphError, match="multigraph"):
        PartialGraph.from_networkx(pgmpy.ADMG([("a", "b")], [("b", "c")]))


@pytest.mark.parametrize("name", ["Acid_1996", "Polzer_2012", "Sebastiani_2005", "Shrier_2008"])
def test_dagitty_is_read_as_by_pgmpy(pgmpy, name):
    path = shipped_file(f"{name}.txt")
    theirs = pgmpy.DAG.from_dagitty(path.read_text("utf-8"))
    graph = load_graph(path)
    assert graph.arrows == {*theirs.edges}
    assert {*graph.nodes} == {*theirs.nodes}


DOWHY = """
import sys, warnings
import dowhy, pandas
from evenhand.graph import CausalGraph

warnings.simplefilter("ignore")
rows = pandas.DataFrame({name: [0, 1] for name in ("sex", "job", "pay")})
model = dowhy.CausalModel(rows, treatment="sex", outcome="pay", graph=sys.argv[1])
print(CausalGraph.from_networkx(model._graph._graph))
"""


def test_graphs_of_dowhy_are_read_through_networkx():
    """EVENHAND_DOWHY names an interpreter that has DoWhy and what evenhand needs."""
    python = os.environ.get("EVENHAND_DOWHY")
    if python is None:
        pytest.skip("EVENHAND_DOWHY names no interpreter that has DoWhy")

    def read(text):
        return subprocess.run(  # noqa: S603
            [python, "-c", DOWHY, text],
            env={**os.environ, "PYTHONPATH": str(Path(evenhand.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )

    text = "digraph { sex -> job; job -> pay; sex -> pay }"
    expected = CausalGraph.parse("sex -> job -> pay <- sex")
    assert CausalGraph.parse(read(text).stdout) == expected
    assert "measured: 'U'" in read(text.replace("}", "U -> job; U -> pay }")).stderr
