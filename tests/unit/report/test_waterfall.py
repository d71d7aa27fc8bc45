"""What a waterfall draws is where the numbers are."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.loans import loans
from tests.path_states import MEASURED

import evenhand as eh
from evenhand.effects.indirect_claim import PathSteps
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.report.effects_section import Measured, waterfalls
from evenhand.report.rendering import environment
from evenhand.wording import Words
from evenhand.wording.effect_words import claim_words

EFFECTS = ("direct", "through", "explained", "not judged", "combination", "spurious")


def drawn(state, **changes):
    """The claim of a state, and its pictures in both directions."""
    counts, graph, asked = MEASURED[state]
    certificate = eh.certify(counts, graph, asked)
    words = claim_words(certificate.indirect, Words.of(certificate))
    measured = replace(Measured.of(certificate), **changes)
    ((forward, backward),) = waterfalls([measured], words)
    return certificate.indirect, {"forward": forward, "backward": backward}


def percent(rate):
    """A rate as the steps of a picture have it."""
    return 100 * float(rate)


def filled(chart):
    """Where the filled bars of effects begin and how wide they are, on paper, by kind."""
    html = environment().get_template("paths.j2").module.waterfall(chart)
    drawn = re.findall(r'<rect class="w-([\w-]+)" x="(.*?)%" y="[^"]*" width="(.*?)%"', html)
    return {kind: (float(place), float(width)) for kind, place, width in drawn}


def effect_steps(chart, names):
    """The steps that are effects, by name, in the order in which they are told."""
    bars = [step for step in chart.steps if step.start is not None]
    return dict(zip((n for n in EFFECTS if n in names), bars, strict=False))


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("state", MEASURED)
def test_bars_whiskers_and_hatching_lie_where_the_numbers_say(state, direction):
    indirect, charts = drawn(state)
    at, chart = percent, charts[direction]
    steps, on_paper = PathSteps.of(indirect, direction), filled(chart)
    position = steps.start.value
    bars = effect_steps(charts[direction], indirect.effects[direction])
    assert len(bars) >= 5 - (indirect.question.basis == "all")
    for name, bar in bars.items():
        effect = steps.effects[name]
        assert bar.start == pytest.approx(at(position))
        assert bar.at == pytest.approx(at(position + effect.value))
        assert bar.ends == pytest.approx([at(position + end) for end in effect.bounds])
        interval = indirect.interval(direction, name)
        if effect.standard_error:
            ends = [at(float(position) + end) for end in interval]
            assert bar.whisker == pytest.approx(ends, abs=0.01)
        else:
            assert bar.whisker is None
        certain = 0 if effect.lower <= 0 <= effect.upper else min(map(abs, effect.bounds))
        wide = 100 * at(certain) / (chart.axis.high - chart.axis.low)
        place, width = on_paper.get(bar.kind, (0, 0))
        assert width == pytest.approx(wide, abs=0.01)
        left = chart.axis.at(at(position)) - wide * (effect.upper < 0)
        assert not width or place == pytest.approx(left, abs=0.01)
        position += effect.value


@pytest.mark.parametrize("state", MEASURED)
def test_a_picture_begins_and_ends_with_rates(state):
    indirect, charts = drawn(state)
    for direction, chart in charts.items():
        steps = PathSteps.of(indirect, direction)
        rates = [step for step in chart.steps if step.start is None]
        expected = [steps.start, steps.reached]
        if indirect.question.basis == "group":
            expected.append(steps.others)
        assert [step.at for step in rates] == pytest.approx(
            [percent(e.value) for e in expected]
        )
        shapes = ["group", "group-would", "other"]
        if direction == "backward":
            shapes = ["other", "other-would", "group"]
        assert [step.kind for step in rates] == shapes[: len(rates)]


def test_the_gap_of_the_rows_stands_below_that_of_the_graph():
    indirect, charts = drawn("other ways")
    told, rows = charts["forward"].gaps
    assert rows.gap == pytest.approx((24, 50))
    assert rows.number == "+26.0"
    assert told.number == "+26.3"
    assert indirect.model_gap[0] == indirect.model_gap[1]
    assert told.gap[1] - told.gap[0] == pytest.approx(percent(indirect.model_gap[0]))
    assert not charts["backward"].gaps


def test_what_is_linked_is_linked_above_and_below():
    _, charts = drawn("identified")
    for chart in charts.values():
        html = environment().get_template("paths.j2").module.waterfall(chart)
        links = [row.count('class="drop"') for row in html.split("<tr")[2:]]
        inner = [2] * (len(chart.steps) - 2)
        assert links == [1, *inner, 1, *[0] * len(chart.gaps)]


def test_rows_that_chance_did_not_make_have_no_whiskers_and_nothing_red():
    _, charts = drawn("identified", chance=False)
    for chart in charts.values():
        assert not any(step.whisker or step.range for step in chart.steps)
        assert "shown" not in {step.kind for step in chart.steps}
    assert "whisker" not in dict(charts["forward"].key)


def test_only_an_interval_wholly_beyond_the_threshold_is_red():
    cells = {
        (race, zone, income): (1000, 900 if (zone, income) == ("1", "hi") else 100)
        for race in "bw"
        for zone in "12"
        for income in ("lo", "hi")
    }
    cells["b", "2", "lo"] = (30000, 3000)
    cells["w", "1", "hi"] = (30000, 27000)
    _, graph, asked = MEASURED["identified"]
    certificate = eh.certify(loans(cells), graph, asked)
    words = Words.of(certificate)
    ((forward, _),) = waterfalls([Measured.of(certificate)], words)
    low, _ = certificate.indirect.interval("forward")
    assert low > certificate.indirect.threshold
    assert [step.kind for step in forward.steps].count("shown") == 1
    assert "shown" in dict(forward.key)
    _, plain = drawn("identified")
    assert "shown" not in {step.kind for step in plain["forward"].steps}


@pytest.mark.parametrize(
    ("state", "signs"),
    [
        ("identified", {"through", "whisker", "band"}),
        ("witness", {"through", "hatch", "whisker", "band"}),
        ("unseen", {"through", "hatch", "whisker", "band"}),
    ],
)
def test_the_key_names_the_signs_that_occur(state, signs):
    _, charts = drawn(state)
    assert {sign for sign, _ in charts["forward"].key} == signs
    assert charts["backward"].key == ()


def test_the_band_is_the_threshold_of_this_claim():
    indirect, charts = drawn("own threshold")
    (bar,) = (step for step in charts["forward"].steps if step.band)
    start = PathSteps.of(indirect, "forward")
    before = start.start.value + start.effects["direct"].value
    assert bar.kind == "through"
    assert bar.band == pytest.approx((percent(before) - 20, percent(before) + 20))


def test_bounds_get_whiskers_from_resamples():
    counts, graph, asked = MEASURED["witness"]
    resampled = bootstrap(counts, asked, graph=graph, resamples=20, seed=1).indirect
    claim = eh.measure_paths(counts, graph, asked)
    indirect, charts = drawn("witness", indirect=replace(claim, resampled=resampled.ends))
    bar = effect_steps(charts["forward"], indirect.forward)["through"]
    lower, upper = resampled.ends["forward"]
    effect = indirect.forward["through"]
    before = float(PathSteps.of(indirect, "forward").effects["direct"].value) + 0.24
    assert bar.whisker == pytest.approx(
        (
            percent(before + float(effect.lower) - 1.959964 * lower),
            percent(before + float(effect.upper) + 1.959964 * upper),
        ),
        abs=0.01,
    )
    assert bar.kind == "through"  # it may be under the threshold


def test_the_gap_by_the_graph_is_hatched_where_it_is_not_one_number():
    """Of zip 2, all of group b, a table of the graph has no row of one income."""
    lines = {
        "a 0 0 y": 10, "a 0 0 n": 10, "a 1 1 y": 10, "a 1 1 n": 10,
        "b 0 0 y": 15, "b 0 0 n": 5, "b 0 1 y": 5, "b 1 0 n": 5, "b 1 1 n": 10,
    }  # fmt: skip
    *columns, counts = zip(*((*key.split(), n) for key, n in lines.items()), strict=True)
    table = eh.CountTable.of(dict(zip("rzwd", columns, strict=True)), counts)
    graph = eh.CausalGraph.parse("r -> z -> d; r -> w -> d; r -> d")
    asked = eh.Question(
        protected="r", group="a", other="b", decision="d", favorable="y", redlining=["z"]
    )
    certificate = eh.certify(table, graph, asked, min_coverage="0.01")
    indirect = certificate.indirect
    # Half of a is in cells (0, 1) and (1, 0), which by this graph exist and were not seen.
    low, high = indirect.model_gap
    assert high - low == Fraction(1, 2)
    assert indirect.to_dict()["gap"]["model"] == {"lower": float(low), "upper": float(high)}
    words = claim_words(indirect, Words.of(certificate))
    ((forward, _),) = waterfalls([Measured.of(certificate)], words)
    told, rows = forward.gaps
    assert told.ends == pytest.approx((percent(0.25 + low), percent(0.25 + high)))
    assert rows.ends[0] == rows.ends[1]
    assert "from 25.0% to 75.0% to" in told.description


def test_before_and_after_are_drawn_on_one_scale():
    counts, graph, asked = MEASURED["identified"]
    audit = eh.audit(counts, asked, graph=graph)
    after = audit.release(seed=1).certificate
    words = Words.of(audit.certificate)
    both = waterfalls([Measured.of(audit.certificate), Measured.of(after)], words)
    assert len({chart.ticks for pair in both for chart in pair}) == 1


def test_every_step_says_its_number():
    for state in MEASURED:
        for chart in drawn(state)[1].values():
            for step in (*chart.steps, *chart.gaps):
                assert step.number in step.description
                assert step.label[0] in step.description
