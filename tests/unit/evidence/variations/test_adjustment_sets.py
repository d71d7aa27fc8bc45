"""What other adjustment sets give is what the definitions give, counted line by line."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import brute_force

import evenhand as eh
from evenhand.question import GraphEdit

NAMES = ("sex", "a", "b", "c", "hired")
QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")


def table(seed, rows=600):
    """People of whom some attributes follow others, and so does the decision."""
    random = np.random.default_rng(seed)
    sex = random.integers(0, 2, rows)
    a = (random.random(rows) < 0.3 + 0.3 * sex).astype(int)
    b = random.integers(0, 3, rows)
    c = (b + random.integers(0, 2, rows)) // 2
    yes = random.random(rows) < 0.3 + 0.2 * a + 0.1 * c - 0.1 * sex
    columns = {"sex": np.array(["m", "f"])[sex], "a": a, "b": b, "c": c}
    texts = {name: list(map(str, column)) for name, column in columns.items()}
    return eh.CountTable.of(texts | {"hired": ["yes" if one else "no" for one in yes]})


def judged(counts, causes, *, least=Fraction(9, 10)):
    """Verdict, measured and violating subpopulations and coverage, by fractions alone."""
    cells = defaultdict(lambda: [0, 0, 0, 0])
    for labels, count in counts:
        line = dict(zip(counts.names, labels, strict=True))
        at = 2 * (line["sex"] != "f") + (line["hired"] != "yes")
        cells[tuple(line[name] for name in sorted(causes))][at] += count
    both = [cell for cell in cells.values() if sum(cell[:2]) and sum(cell[2:])]
    differing = [
        cell
        for cell in both
        if abs(Fraction(cell[2], sum(cell[2:])) - Fraction(cell[0], sum(cell[:2])))
        >= Fraction(1, 20)
    ]
    shares = [
        Fraction(sum(sum(cell[part]) for cell in both), sum(map(sum, of)))
        for part in (slice(0, 2), slice(2, 4), slice(0, 4))
        for of in [[cell[part] for cell in cells.values()]]
    ]
    verdict = "not certified" if differing else "certified"
    if not differing and (not both or min(shares[:2]) < least):
        verdict = "cannot decide"
    return verdict, len(both), len(differing), shares[2]


def graphs():
    """Some of all graphs in which the decision causes neither the group nor everything."""
    every = brute_force.all_dags("sabch")
    full = {"s": "sex", "h": "hired"}
    for at, arrows in enumerate(every):
        named = frozenset((full.get(x, x), full.get(y, y)) for x, y in arrows)
        if at % 401 == 0 and "sex" not in brute_force.descendants(named, "hired"):
            yield named


GRAPHS = [*graphs()]


@pytest.mark.parametrize("arrows", GRAPHS, ids=range(len(GRAPHS)))
def test_every_variation_is_what_the_definitions_give(arrows):
    counts = table(len(arrows))
    knowledge = eh.Knowledge(forbidden=[("b", "hired")] if len(arrows) % 2 else [])
    if any(arrow in arrows for arrow in knowledge.forbidden):
        knowledge = eh.Knowledge()
    graph = eh.CausalGraph(NAMES, arrows)
    found = eh.audit(counts, QUESTION, graph=graph, knowledge=knowledge).arrows()
    causes = {cause for cause, effect in arrows if effect == "hired"} - {"sex"}
    effects = brute_force.descendants(arrows, "hired")
    candidates = {"a", "b", "c"} - causes - effects
    candidates -= {cause for cause, _ in knowledge.forbidden}
    ways = {(way.names[0], way.kind): way for way in found.ways}
    expected = {(one, "without") for one in causes} | {(one, "with") for one in candidates}
    assert {*ways} == expected
    for (name, kind), way in ways.items():
        told = str(way.verdict), way.measured, way.violating, way.coverage
        assert told == judged(counts, causes | {name} if kind == "with" else causes - {name})
    audited = found.as_audited
    assert (audited["verdict"], audited["measured"], audited["violating"]) == judged(
        counts, causes
    )[:3]


def test_a_variation_is_what_the_edited_graph_gives():
    counts = table(1)
    graph = eh.CausalGraph.parse("sex -> hired; a -> hired; b -> hired; sex -> a; b -> c")
    found = eh.audit(counts, QUESTION, graph=graph).arrows()
    for way in found.ways:
        kind = {"with": "add", "without": "remove"}[way.kind]
        edits = [GraphEdit(kind=kind, arrow=(way.names[0], "hired"), reason="to see")]
        again = eh.audit(counts, QUESTION, graph=graph, edits=edits).certificate
        assert way.verdict is again.verdict
        assert way.difference == pytest.approx(again.population.common.difference, abs=1e-15)
    verdict = found.certificate.verdict
    differing = [way for way in found.ways if way.falls or way.verdict is not verdict]
    assert found.deciding == tuple(differing)
    assert all(f"{way.change()}: " in found.sentence() for way in differing)
    assert "\n  with c" in str(found)
    assert found.to_dict()["variants"][-1]["kind"] == "without"


def test_under_a_rule_no_arrow_is_judged():
    columns = {
        "sex": [*"fmfm"] * 50,
        "copy": [*"yynn"] * 50,
        "hired": ["yes", "yes", "no", "no"] * 50,
    }
    ruled = eh.audit(
        eh.CountTable.of(columns),
        replace(QUESTION, rule=("copy",)),
        graph=eh.CausalGraph.parse("copy -> hired; sex"),
    )
    with pytest.raises(eh.EvenhandError, match="nothing is measured"):
        ruled.arrows()


def test_a_graph_with_nothing_to_change_says_so():
    counts = table(5).marginal(["sex", "hired"])
    graph = eh.CausalGraph.parse("sex -> hired")
    found = eh.audit(counts, QUESTION, graph=graph).arrows()
    assert found.ways == ()
    assert "no cause to leave out" in found.sentence()
    assert "as audited" in str(found)
