"""Effects along paths on Adult and Dutch, as the paper's authors and we computed them."""

from dataclasses import replace

import pytest
from bench.follow_up import FOLLOW_UPS, follow_up, measure_setting

from evenhand import CausalGraph, Verdict, datasets
from evenhand.effects.measure import measure_paths

PARENTS = {
    "education": "age",
    "marital_status": "age sex education",
    "workclass": "age education marital_status",
    "hours": "age sex education marital_status workclass",
    "income": "age sex education marital_status workclass hours",
}
DECLARED = CausalGraph.parse(
    "; ".join(f"{cause} -> {effect}" for effect, of in PARENTS.items() for cause in of.split())
)
NAMES = ("direct", "through", "explained", "combination", "total")


def numbers(effects, names=NAMES):
    return [round(float(effects[name].value), 6) for name in names]


def declared(*redlining):
    question = replace(datasets.question("adult").question, redlining=redlining)
    return measure_paths(datasets.adult(), DECLARED, question)


def test_adult_with_a_declared_graph():
    measured = declared("marital_status")
    forward, backward = measured.forward, measured.backward
    assert numbers(forward) == [0.027368, 0.17388, 0.012435, -0.029886, 0.183797]
    assert numbers(backward) == [0.000467, -0.137722, -0.026234, -0.020308, -0.183797]
    assert forward["spurious"].bounds == (0, 0)
    assert forward["direct"].standard_error == pytest.approx(0.003312, abs=5e-7)
    assert forward["through"].standard_error == pytest.approx(0.004684, abs=5e-7)
    assert float(measured.data_gap) == pytest.approx(0.194516, abs=5e-7)
    assert measured.verdict is Verdict.NOT_CERTIFIED


def test_hours_have_witnesses():
    measured = declared("hours")
    assert measured.witnesses == ("marital_status", "workclass")
    through = measured.forward["through"]
    assert float(through.lower) == pytest.approx(0.015290, abs=5e-7)
    assert float(through.upper) == pytest.approx(0.018165, abs=5e-7)


def test_adult_as_the_follow_up_orders_it(paper_adult):
    published, group, *_ = FOLLOW_UPS["adult"].settings
    forward = measure_setting("adult", paper_adult, published).forward
    assert numbers(forward, ("direct", "through")) == [
        pytest.approx(0.0249, abs=5e-5),
        pytest.approx(0.1773, abs=5e-5),
    ]
    measured = measure_setting("adult", paper_adult, group)
    assert numbers(measured.forward) == [0.021313, 0.166397, 0.007842, -0.029961, 0.16559]
    assert numbers(measured.forward, ("spurious",)) == [0.027517]
    ends = {
        "forward": {"direct": (0.01951, 0.02197), "through": (0.16459, 0.16938)},
        "backward": {"direct": (-0.01004, 0.02964), "through": (-0.14209, -0.13923)},
    }
    for direction, effects in ends.items():
        for name, (lower, upper) in effects.items():
            effect = measured.effects[direction][name]
            assert float(effect.lower) == pytest.approx(lower, abs=1e-5)
            assert float(effect.upper) == pytest.approx(upper, abs=1e-5)


def test_the_census_as_the_follow_up_orders_it(dutch):
    published, group, _, release = FOLLOW_UPS["dutch"].settings
    expected = {published: (0.2320, 0.0007), group: (0.2288, 0.0009)}
    for setting, (direct, through) in expected.items():
        forward = measure_setting("dutch", dutch, setting).forward
        assert float(forward["direct"].value) == pytest.approx(direct, abs=5e-5)
        assert float(forward["through"].value) == pytest.approx(through, abs=5e-5)
    nothing = measure_setting("dutch", dutch, release)
    assert nothing.forward["through"].bounds == (0, 0)
    assert "No path" in nothing.reasons[0].what


@pytest.mark.slow
def test_the_follow_ups_figures_stand_beside_ours(paper_adult):
    effects, education = follow_up("adult", paper_adult)
    assert [line[0] for line in effects.lines][:1] == ["as printed"]
    assert "The printed through 0.175 is given by: marital_status before education" in str(
        effects
    )
    assert "−0.0055 to −0.0005" in str(education)
