"""Effects of the loan table, computed by hand from its definition."""

from fractions import Fraction

import pytest
from tests.loans import APART, INCOME_FIRST, ZIP_FIRST, asking, loans

from evenhand import CountTable, Question, Verdict
from evenhand.counts import examined_counts
from evenhand.effects.effects import GraphEffects
from evenhand.effects.worlds import compared_counts
from evenhand.graph import CausalGraph

NAMES = ("direct", "through", "explained", "combination", "total")


def effects_of(graph, question=None, counts=None):
    examined = examined_counts(counts or loans(), question or asking())
    return GraphEffects.of(compared_counts(examined).cube, graph, examined.question)


def values(direction):
    return [str(direction.effects[name].value) for name in NAMES]


def test_effects_are_exact():
    effects = effects_of(ZIP_FIRST)
    assert effects.forward.reference == (Fraction(6, 25),) * 2
    assert values(effects.forward) == ["11/100", "1/150", "13/125", "59/1500", "13/50"]
    assert values(effects.directions["backward"]) == [
        "-19/125",
        "-1/20",
        "-2/15",
        "113/1500",
        "-13/50",
    ]
    assert all(effect.lower == effect.upper for effect in effects.forward.effects.values())


def test_a_missing_edge_changes_the_model():
    effects = effects_of(APART)
    assert effects.forward.reference == (Fraction(59, 250),) * 2
    assert values(effects.forward) == ["23/200", "2/125", "84/625", "-13/5000", "657/2500"]
    assert effects.forward.gap == (Fraction(657, 2500),) * 2


def test_a_witness_leaves_bounds_that_a_transport_problem_gives():
    effects = effects_of(INCOME_FIRST)
    assert effects.forward.through.bounds == (Fraction(1, 100), Fraction(1, 60))
    assert effects.directions["backward"].through.bounds == (
        Fraction(-9, 250),
        Fraction(-13, 375),
    )
    assert effects.forward.through.value is None
    assert effects.forward.effects["direct"].value == Fraction(11, 100)


def test_an_effect_of_exactly_the_threshold_is_not_smaller():
    effects = effects_of(ZIP_FIRST)
    assert effects.forward.verdict(Fraction(1, 20)) is Verdict.CERTIFIED
    assert effects.directions["backward"].verdict(Fraction(1, 20)) is Verdict.NOT_CERTIFIED
    assert effects.directions["backward"].verdict(Fraction(501, 10000)) is Verdict.CERTIFIED
    assert effects.verdict(Fraction(1, 20)) is Verdict.NOT_CERTIFIED


def cause(where, rows, yes):
    """Lines of a table with a cause of the group: age, sex, job, hired."""
    return [(*where, "yes", yes), (*where, "no", rows - yes)]


@pytest.fixture
def by_age():
    """Age causes sex, job and hiring; all cells occur."""
    lines = [
        *cause(("old", "f", "a"), 10, 2),
        *cause(("old", "f", "b"), 30, 3),
        *cause(("old", "m", "a"), 20, 12),
        *cause(("old", "m", "b"), 20, 6),
        *cause(("new", "f", "a"), 40, 20),
        *cause(("new", "f", "b"), 40, 4),
        *cause(("new", "m", "a"), 24, 16),
        *cause(("new", "m", "b"), 16, 8),
    ]
    *columns, counts = zip(*lines, strict=True)
    return CountTable.of(
        dict(zip(("age", "sex", "job", "hired"), columns, strict=True)), counts
    )


AGE = CausalGraph.parse(
    "age -> sex; age -> job; age -> hired; sex -> job; sex -> hired; job -> hired"
)
HIRING = Question(
    protected="sex", group="f", decision="hired", favorable="yes", redlining=["job"]
)


def test_effects_on_the_rows_of_a_group_weigh_its_causes(by_age):
    # Of 120 women 40 are old; of 200 people 80.
    through = {"old": Fraction(20, 40), "new": Fraction(24, 40)}
    rate = {
        ("old", "a"): Fraction(2, 10),
        ("old", "b"): Fraction(3, 30),
        ("new", "a"): Fraction(20, 40),
        ("new", "b"): Fraction(4, 40),
    }
    own = {"old": Fraction(10, 40), "new": Fraction(40, 80)}

    def by_hand(weights):
        return sum(
            weight * (through[age] - own[age]) * (rate[age, "a"] - rate[age, "b"])
            for age, weight in weights.items()
        )

    group = effects_of(AGE, HIRING, by_age).forward
    assert group.through.value == by_hand({"old": Fraction(1, 3), "new": Fraction(2, 3)})
    both = effects_of(AGE, Question(**{**HIRING.to_dict(), "basis": "all"}), by_age).forward
    assert both.through.value == by_hand({"old": Fraction(2, 5), "new": Fraction(3, 5)})
    assert group.effects["spurious"].value != 0
    for direction in (group, both):
        effects = direction.effects
        gap = Fraction(42, 80) - Fraction(29, 120)
        assert effects["total"].value + effects["spurious"].value == gap
        assert direction.gap == (gap, gap)


def test_unseen_people_make_an_interval():
    cells = {
        ("b", "1", "lo"): (10, 2),
        ("b", "2", "lo"): (10, 8),
        ("w", "1", "lo"): (10, 5),
        ("w", "3", "lo"): (30, 5),  # no black applicant lives there
    }
    graph = CausalGraph.parse("race -> zip; zip -> loan; race -> loan")
    forward = effects_of(graph, counts=loans(cells)).forward
    # With the whites' districts a quarter has the rate of district 1; of the rest nothing is
    # known.
    assert forward.through.bounds == (Fraction(1, 20) - Fraction(1, 2), Fraction(3, 10))
    assert forward.through.value == Fraction(1, 20) - Fraction(1, 2)
    assert forward.unseen == Fraction(3, 4)
    assert forward.limits(Fraction(9, 10)) == (Fraction(-9, 10), Fraction(3, 20))


def test_the_effect_is_linear_in_the_rates():
    effects = effects_of(ZIP_FIRST)
    for direction, start in zip(effects.directions.values(), ("b", "w"), strict=True):
        rates = effects_of(ZIP_FIRST).tables.swapped() if start == "w" else effects.tables
        read = rates.read("loan", 0).table[..., 0]
        assert (direction.weights * read).sum() == direction.through.value


def test_floats_are_near_the_exact_numbers():
    for graph in (ZIP_FIRST, INCOME_FIRST):
        examined = examined_counts(loans(), asking())
        source = compared_counts(examined).cube
        exact = GraphEffects.of(source, graph, examined.question).forward
        near = GraphEffects.of(source, graph, examined.question, exact=False).forward
        for name, effect in exact.effects.items():
            assert near.effects[name].lower == pytest.approx(float(effect.lower))
            assert near.effects[name].upper == pytest.approx(float(effect.upper))
