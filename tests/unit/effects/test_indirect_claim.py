"""Effects as steps that add up, and in resamples."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.loans import CELLS, INCOME_FIRST, QUESTION, ZIP_FIRST, asking, loans
from tests.path_states import MEASURED

from evenhand import audit
from evenhand.effects.indirect_claim import PathSteps, ResampledEffects
from evenhand.effects.measure import measure_paths
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.verdict import StatisticalVerdict


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("state", MEASURED)
def test_steps_add_up_within_the_bounds(state, direction):
    indirect = measure_paths(*MEASURED[state])
    steps = PathSteps.of(indirect, direction)
    values = {name: effect.value for name, effect in steps.effects.items()}
    parts = ("direct", "through", "explained", "not judged", "combination")
    total = sum(values.get(name, 0) for name in parts)
    assert total == values["total"]
    assert steps.start.value + total == steps.reached.value
    assert steps.own.value + total + values["spurious"] == steps.others.value
    for effect in (*steps.effects.values(), steps.start, steps.reached, steps.others):
        assert effect.lower <= effect.value <= effect.upper
    for name, effect in indirect.effects[direction].items():
        assert steps.effects[name].bounds == effect.bounds
        assert steps.effects[name].standard_error == effect.standard_error


def test_the_steps_of_the_loans_are_those_of_pencil_and_paper():
    steps = PathSteps.of(measure_paths(*MEASURED["identified"]), "forward")
    assert steps.start.value == steps.own.value == Fraction(6, 25)
    assert steps.reached.value == steps.others.value == Fraction(1, 2)
    assert steps.effects["through"].value == Fraction(1, 150)
    assert steps.effects["combination"].value == Fraction(59, 1500)


def test_an_effect_with_bounds_alone_is_drawn_in_their_middle():
    steps = PathSteps.of(measure_paths(*MEASURED["witness"]), "forward")
    assert steps.effects["through"].value == (Fraction(1, 100) + Fraction(1, 60)) / 2


def test_of_several_graphs_the_numbers_are_those_of_one():
    several = PathSteps.of(measure_paths(*MEASURED["several graphs"]), "forward")
    alone = [
        PathSteps.of(measure_paths(loans(), graph, QUESTION), "forward")
        for graph in (ZIP_FIRST, INCOME_FIRST)
    ]
    values = [
        {name: effect.value for name, effect in one.effects.items()}
        for one in (several, *alone)
    ]
    assert values[0] in values[1:]
    for name, effect in several.effects.items():
        assert effect.lower == min(one.effects[name].lower for one in alone)
        assert effect.upper == max(one.effects[name].upper for one in alone)


def test_on_everybodys_rows_the_start_is_not_the_groups_own_rate():
    steps = PathSteps.of(measure_paths(*MEASURED["everybody"]), "forward")
    assert steps.start.value != steps.own.value
    group = PathSteps.of(measure_paths(*MEASURED["spurious"]), "forward")
    assert group.start.value == group.own.value


def test_the_spread_of_resamples_is_near_the_standard_error():
    resampled = bootstrap(loans(), QUESTION, graph=ZIP_FIRST, resamples=100, seed=1)
    error = measure_paths(loans(), ZIP_FIRST, QUESTION).forward["through"].standard_error
    lower, upper = resampled.indirect.ends["forward"]
    assert lower == pytest.approx(upper)
    assert lower == pytest.approx(error, rel=0.3)
    assert sum(resampled.indirect.verdicts.values()) == 100 - resampled.failed
    assert "  through zip " in str(resampled)
    assert "  from race b to race w  standard error 3.1 points\n" in str(resampled)
    assert resampled.to_dict()["indirect"]["standard_errors"]["forward"]["lower"] == lower


def test_without_a_claim_nothing_is_said_of_effects():
    resampled = bootstrap(loans(), asking(redlining=()), graph=ZIP_FIRST, resamples=2, seed=1)
    assert resampled.indirect is None
    assert "indirect" not in resampled.to_dict()


def test_one_resample_has_no_spread():
    one = ResampledEffects.of([measure_paths(loans(), ZIP_FIRST, QUESTION)])
    assert one.ends == {}
    assert len(one.facts) == 1


def test_resamples_give_an_interval_around_both_bounds():
    resampled = bootstrap(loans(), QUESTION, graph=INCOME_FIRST, resamples=20, seed=1).indirect
    indirect = measure_paths(loans(), INCOME_FIRST, QUESTION)
    assert indirect.interval("forward") is None
    low, high = replace(indirect, resampled=resampled.ends).interval("forward")
    lower, upper = resampled.ends["forward"]
    assert low == pytest.approx(1 / 100 - 1.959964 * lower)
    assert high == pytest.approx(1 / 60 + 1.959964 * upper)


@pytest.mark.parametrize(
    ("threshold", "verdict"),
    [
        ("0.02", StatisticalVerdict.SHOWN),
        ("0.035", StatisticalVerdict.INCONCLUSIVE),
        ("0.2", StatisticalVerdict.WITHIN),
    ],
)
def test_with_resamples_bounds_are_judged_of_the_population(threshold, verdict):
    many = loans({where: (1000 * n, 1000 * yes) for where, (n, yes) in CELLS.items()})
    asked = asking(redlining_threshold=threshold)
    before = audit(many, asked, graph=INCOME_FIRST, judge="answer")
    assert before.indirect.population_verdict is StatisticalVerdict.INCONCLUSIVE
    assert "inconclusive: bounds have no interval unless" in str(before.indirect)
    after = before.with_resamples(before.bootstrap(20, seed=1))
    assert after.indirect.population_verdict is verdict
    assert after.deciding_verdicts["through zip"] is verdict
    assert after.certificate == before.certificate
    (line,) = (x for x in str(after.indirect).splitlines() if x.startswith("  through zip "))
    assert line.count(" ± 0.") == 2


def test_resamples_that_never_move_show_nothing():
    indirect = measure_paths(loans(), INCOME_FIRST, QUESTION)
    still = replace(indirect, resampled={"forward": (0.0, 0.0), "backward": (0.0, 0.0)})
    assert still.population_verdict is StatisticalVerdict.INCONCLUSIVE
    assert "do not tell by how much the effect moves" in still.why_inconclusive
