"""What evenhand measures in structural models, beside what is true in them."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import numpy as np
from tests.structural_models import (
    DECISION,
    EFFECTS,
    PROTECTED,
    random_model,
    random_parents,
    random_sizes,
)

from evenhand import CausalGraph, CountTable, Question
from evenhand.effects.measure import measure_paths

DIRECTIONS = {"forward": (0, 1), "backward": (1, 0)}
# The chosen r causes the witness w; in the second graph it has a witness, v, as a cause.
ABOVE = {"c": (), "r": ("c",), "w": ("c", "r"), "s": ("w",), "e": ("c", "r", "s", "w")}
NESTED = {
    "c": (),
    "v": ("c",),
    "r": ("v",),
    "w": ("c", "r"),
    "s": ("w",),
    "e": ("r", "s", "v", "w"),
}


def table(model):
    """The units of a model as rows."""
    return _table(model.parents, model.counts())


def _table(names, lines):
    return CountTable.of(
        {
            name: [str(value) for value in column]
            for name, column in zip(names, zip(*lines, strict=True), strict=True)
        },
        [*lines.values()],
    )


def graph_of(parents):
    return CausalGraph(
        tuple(parents), frozenset((a, node) for node, causes in parents.items() for a in causes)
    )


def asked(chosen, *, basis="group", group="0", **options):
    return Question(
        protected=PROTECTED,
        group=group,
        decision=DECISION,
        favorable="1",
        redlining=chosen,
        basis=basis,
        **options,
    )


def measure(model, chosen, **options):
    return measure_paths(table(model), graph_of(model.parents), asked(chosen, **options))


def some_models(seed, *, nodes=6, positive=True):
    """Models with chosen attributes, without end; both groups and decisions occur in each."""
    rng = np.random.default_rng(seed)
    while True:
        parents = random_parents(rng, int(rng.integers(3, nodes + 1)))
        cards, levels = random_sizes(rng, parents)
        model = random_model(
            rng, parents=parents, cards=cards, levels=levels, positive=positive
        )
        others = [node for node in parents if node not in (PROTECTED, DECISION)]
        many = int(rng.integers(1, min(3, len(others)) + 1))
        chosen = sorted(rng.permutation(others)[:many].tolist())
        if has_two_of_each(model):
            yield model, chosen


def nested_model(rng):
    """A model in which one witness causes what causes the other, with rows never seen."""
    parents = dict(NESTED)
    for node, cause in ("wv", "sv", "ec", "rc", "sr", "sc"):
        if rng.random() < 0.5:
            parents[node] += (cause,)
    levels = {node: int(rng.integers(2, 4)) for node in parents}
    cards = dict.fromkeys(parents, 2)
    return random_model(rng, parents=parents, cards=cards, levels=levels, positive=False)


def has_two_of_each(model):
    """Whether both groups and both decisions occur."""
    worlds = model.own_worlds
    return all(len({world[end] for world in worlds}) == 2 for end in (PROTECTED, DECISION))


def paths_from(model, start):
    return [*model.paths(start, DECISION)]


def shares_first_edge(model, chosen):
    """Whether one edge begins both a path that meets what is chosen and one that does not."""
    meets = {}
    for path in paths_from(model, PROTECTED):
        meets.setdefault(path[1], set()).add(bool({*path} & {*chosen}))
    return any(len(answers) == 2 for answers in meets.values())


def witnesses(model, chosen):
    """The recanting witnesses, by going through all paths."""
    used = {node for path in paths_from(model, PROTECTED) for node in path if node in {*chosen}}
    inner = {*model.parents} - {*chosen, PROTECTED, DECISION}
    return {
        node
        for node in inner
        if any(not {*path} & used for path in model.paths(PROTECTED, node))
        and any([*model.paths(node, other)] for other in used)
        and any(not {*path} & used for path in model.paths(node, DECISION))
    }


def recoupled(model, witness):
    """The model with the witness's values in the two groups as alike or unlike as can be.

    For each assignment of its other causes one or the other; no share changes.
    """
    rows = model.responses[witness]
    at = model.parents[witness].index(PROTECTED)
    group = [row for row in rows if row[at] == 0]
    for order in product((False, True), repeat=len(group)):
        responses = {}
        for row, backward in zip(group, order, strict=True):
            other = (*row[:at], 1, *row[at + 1 :])
            responses[row] = tuple(sorted(rows[row]))
            responses[other] = tuple(sorted(rows[other], reverse=backward))
        yield replace(model, responses=model.responses | {witness: responses})


def check_truth(model, chosen, basis):
    """Every effect of the model lies where it is measured; exactly, if it is identified."""
    measured = measure(model, chosen, basis=basis)
    for direction, (start, end) in DIRECTIONS.items():
        truth = model.effects(chosen, start, end, basis=basis)
        assert truth["through"] == truth["along paths"]
        for name in EFFECTS:
            effect = measured.effects[direction][name]
            assert effect.lower <= truth[name] <= effect.upper, (name, direction)
            identified = measured.identified or name not in ("through", "combination")
            if identified and model.is_positive:
                assert effect.lower == effect.value == effect.upper, (name, direction)
    return measured


def interval_coverage(rows, *, ternary=0.3, models=20, samples=50, seed=20171117):
    """How often the 95 % interval of each effect holds the truth, in samples of so many rows.

    In the models each of the effects is .01 at least: where one is exactly 0, as without a
    path for it, intervals are wider than they need be. ``ternary`` is the chance that an
    attribute has three values instead of two.
    """
    rng = np.random.default_rng(seed)
    names = [name for name in EFFECTS if name != "combination"]
    hits = dict.fromkeys(names, 0)
    for model, truth in islice(_models_with_every_effect(rng, names, ternary), models):
        graph, lines = graph_of(model.parents), model.counts()
        shares = np.array([*lines.values()]) / sum(lines.values())
        for _ in range(samples):
            drawn = rng.multinomial(rows, shares).tolist()
            sample = {line: many for line, many in zip(lines, drawn, strict=True) if many}
            measured = measure_paths(_table(model.parents, sample), graph, asked(["r"]))
            for name in names:
                low, high = measured.interval("forward", name)
                hits[name] += low <= truth[name] <= high
    return {name: many / (models * samples) for name, many in hits.items()}


def _models_with_every_effect(rng, names, ternary):
    """Models in which the effect through r is one of several, and a confounder is one cause."""
    while True:
        parents = {"a": (), "c": ("a",), "r": ("c",), "m": ("c",), "e": ("c", "m", "r")}
        for node, cause in (("r", "a"), ("m", "a"), ("m", "r"), ("e", "a")):
            if rng.random() < 0.5:
                parents[node] += (cause,)
        cards, levels = random_sizes(rng, parents, ternary=ternary, most_units=5**5)
        model = random_model(rng, parents=parents, cards=cards, levels=levels)
        truth = model.effects(["r"], 0, 1)
        if all(abs(truth[name]) >= Fraction(1, 100) for name in names):
            yield model, truth
