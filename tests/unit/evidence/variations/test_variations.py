"""What hangs on each arrow is what the definitions give, counted line by line."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import brute_force

import evenhand as eh
from evenhand.question import GraphEdit
from evenhand.verdict import StatisticalVerdict

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
def test_every_variant_is_what_the_definitions_give(arrows):
    counts = table(len(arrows))
    knowledge = eh.Knowledge(forbidden=[("b", "hired")] if len(arrows) % 2 else [])
    if any(arrow in arrows for arrow in knowledge.forbidden):
        knowledge = eh.Knowledge()
    graph = eh.CausalGraph(NAMES, arrows)
    found = eh.audit(counts, QUESTION, graph=graph, knowledge=knowledge).arrows()
    causes = {cause for cause, effect in arrows if effect == "hired"} - {"sex"}
    candidates = {
        name
        for name in {"a", "b", "c"} - causes
        if brute_force.is_acyclic(arrows - {("hired", name)} | {(name, "hired")})
        and (name, "hired") not in knowledge.forbidden
    }
    ways = {(way.name, way.is_cause): way for way in found.ways}
    assert {*ways} == {(name, False) for name in causes} | {(one, True) for one in candidates}
    assert found.candidates == len(candidates)
    for (name, is_cause), way in ways.items():
        expected = judged(counts, causes | {name} if is_cause else causes - {name})
        assert (str(way.verdict), way.measured, way.violating, way.coverage) == expected
    audited = found.audited
    assert (str(audited.verdict), audited.measured, audited.violating) == judged(
        counts, causes
    )[:3]


def test_a_variant_is_what_the_edited_graph_gives():
    counts = table(1)
    graph = eh.CausalGraph.parse("sex -> hired; a -> hired; b -> hired; sex -> a; b -> c")
    found = eh.audit(counts, QUESTION, graph=graph).arrows()
    for way in found.ways:
        kind = "add" if way.is_cause else "remove"
        edits = [GraphEdit(kind=kind, arrow=(way.name, "hired"), reason="to see")]
        again = eh.audit(counts, QUESTION, graph=graph, edits=edits).certificate
        assert way.verdict is again.verdict
        assert way.population is again.population.verdict
        assert way.common_difference == pytest.approx(
            again.population.common.difference, abs=1e-15
        )
    differing = [
        way
        for way in found.ways
        if (way.verdict, way.population) != (found.audited.verdict, found.audited.population)
    ]
    assert found.deciding == tuple(differing)
    assert all(f"{way.change()}: " in found.sentence() for way in differing)


def test_an_open_edge_is_judged_both_ways_among_the_admissible_sets():
    counts = table(2)
    graph = eh.PartialGraph.parse("sex -> hired; sex -> b; b - hired; a; c")
    audit = eh.audit(counts, QUESTION, graph=graph, knowledge=eh.Knowledge())
    sets = audit.certificate.possible_decision_causes
    assert {*sets} == {(), ("b",)}
    ways = {(way.name, way.is_cause): way for way in audit.arrows().ways}
    assert [*ways].count(("b", True)) == [*ways].count(("b", False)) == 1
    for is_cause, causes in ((False, set()), (True, {"b"})):
        assert str(ways["b", is_cause].verdict) == judged(counts, causes)[0]
    both = {judged(counts, {"c", *causes})[0] for causes in sets}
    assert str(ways["c", True].verdict) == (both.pop() if len(both) == 1 else "cannot decide")


def test_the_least_independent_candidates_come_first_and_the_bound_is_told():
    counts = table(3)
    graph = eh.CausalGraph.parse("sex -> hired; sex -> a; b; c")
    audit = eh.audit(counts, QUESTION, graph=graph)
    every = [way for way in audit.arrows().ways if way.is_cause]
    assert [way.p for way in every] == sorted(way.p for way in every)
    few = audit.arrows(limit=1)
    assert [way.name for way in few.ways] == [every[0].name]
    assert few.candidates == 3
    assert "Of 3 candidates the 1 least independent" in " ".join(few.notes)
    assert "\n  with " in str(few)
    assert few.to_dict()["variants"][0]["cause"] is True


def test_what_determines_the_decision_leaves_nothing_to_decide():
    """A turned arrow can make a consequence a cause: what it determines is not judged."""
    lines = [labels for labels, many in table(4) for _ in range(many)]
    names = table(4).names
    columns = dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))
    counts = eh.CountTable.of(columns | {"copy": columns["hired"]})
    graph = eh.CausalGraph.parse("sex -> hired; a -> hired; hired -> copy; b; c")
    found = eh.audit(counts, QUESTION, graph=graph).arrows()
    copied = next(way for way in found.ways if way.name == "copy")
    assert copied.verdict is eh.Verdict.CANNOT_DECIDE
    assert copied.population is StatisticalVerdict.INCONCLUSIVE
    ruled = eh.audit(
        counts,
        replace(QUESTION, rule=("copy",)),
        graph=eh.CausalGraph.parse("copy -> hired; sex; a"),
    )
    with pytest.raises(eh.EvenhandError, match="nothing is measured"):
        ruled.arrows()
    with pytest.raises(eh.EvenhandError, match="At most -1"):
        eh.audit(counts, QUESTION, graph=graph).arrows(limit=-1)


def test_a_graph_with_nothing_to_change_says_so():
    counts = table(5).marginal(["sex", "hired"])
    graph = eh.CausalGraph.parse("sex -> hired")
    found = eh.audit(counts, QUESTION, graph=graph).arrows()
    assert found.ways == ()
    assert "no cause to leave out" in found.sentence()
    assert "as audited" in str(found)
