"""Methods to compare with, their random rows and their ranker."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import several_groups
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, Question, datasets, release
from evenhand.errors import CannotReleaseError, ColumnError, ResourceError
from evenhand.evidence import Partition, certify
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.compare import compare
from evenhand.removal import (
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ShuffleProtected,
    plan_removal,
)
from evenhand.removal.baselines import choose_rows, favorable_scores

HIRED = Question(protected="sex", group="f", decision="hired", favorable="yes")


def audited(scale, **columns):
    table = {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes"] * 2} | columns
    counts = CountTable.of(table, [n * scale for n in (6, 4, 5, 5)])
    return certify(counts, CausalGraph.parse("sex -> hired"), HIRED)


def test_as_many_rows_are_chosen_as_were_asked_for_and_no_more_than_there_are():
    counts = np.array([5, 0, 7])
    chosen = choose_rows(counts, 9, np.random.default_rng(1))
    assert chosen.sum() == 9
    assert (chosen <= counts).all()


@pytest.mark.parametrize("scale", [1, 10**9, 10**12, 10**15])
def test_rows_alike_in_every_column_are_released_however_many(scale):
    certificate = audited(scale * 100)
    released = release(certificate.examined.counts, ModifyData().plan(certificate), seed=1)
    assert str(released.certificate.verdict) == "certified"
    # 10 points apart and less than 5 allowed: 5 of 100 in the smaller group, and one.
    assert released.changed_rows == 50 * scale + 1


def test_a_choice_among_too_many_rows_is_refused_in_words():
    with pytest.raises(ResourceError, match="chosen at random"):
        choose_rows(np.array([10**9, 1]), 5, np.random.default_rng(1))


def test_methods_that_cannot_choose_are_left_out_of_a_comparison():
    compared = compare(audited(10**12))
    assert any("chosen at random" in note for note in compared.skipped)
    assert "minimal" in {outcome.policy for outcome in compared.outcomes}


def people(rng, lines=40):
    columns = {"a": rng.integers(0, 2, lines), "b": rng.integers(0, 4, lines)}
    table = CountTable.of({name: [str(c) for c in codes] for name, codes in columns.items()})
    rows = rng.integers(1, 30, len(table))
    return table, rng.binomial(rows, 0.3 + 0.4 * (table.codes[0] == 1)), rows


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_penalised_maximum_likelihood(seed):
    from scipy.optimize import minimize  # noqa: PLC0415

    table, yes, rows = people(np.random.default_rng(seed))
    lines = [
        [1.0, *(float(a == v) for v in range(table.cards[0]))]
        + [float(b == v) for v in range(table.cards[1])]
        for a, b in zip(*table.codes, strict=True)
    ]
    design = np.array(lines)

    def loss(weights):
        odds = design @ weights
        likelihood = (yes * odds - rows * np.log1p(np.exp(odds))).sum()
        return (weights[1:] ** 2).sum() / 2 - likelihood

    best = minimize(loss, np.zeros(design.shape[1]), tol=1e-12, options={"gtol": 1e-7})
    assert favorable_scores(table, yes, rows) == pytest.approx(design @ best.x, abs=1e-4)


def test_an_attribute_that_settles_the_decision_leaves_the_scores_finite():
    table = CountTable.of({"a": ["0", "1"]})
    scores = favorable_scores(table, np.array([0, 1000]), np.array([1000, 1000]))
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


@pytest.mark.parametrize("yes", [0, 7])
def test_decisions_that_are_all_alike_rank_nobody(yes):
    table = CountTable.of({"a": ["0", "1"]})
    scores = favorable_scores(table, np.array([yes, yes]), np.array([7, 7]))
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(scores[1])


BASELINES = [ShuffleProtected(), LocalMassaging(), LocalPreferentialSampling()]


@pytest.fixture
def example_2():
    return certify(datasets.admissions(2), GRAPH, QUESTION)


def carried_out(certificate, method, seed=0):
    plan = plan_removal(certificate, method=method, seed=seed)
    return change_counts(certificate.examined.counts, plan, np.random.default_rng(seed))


def rates(certificate, counts, name):
    """The favorable rates of the group and of the others for each value of an attribute."""
    found = Partition.of(replace(certificate.examined, counts=counts), [name])
    pairs = zip(found.favorable[0].T.tolist(), found.rows.T.tolist(), strict=True)
    return [tuple(map(Fraction, favorable, rows)) for favorable, rows in pairs]


@pytest.mark.paper("table:comparison")
@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_a_baseline_promises_nothing_and_says_so(example_2, method):
    plan = plan_removal(example_2, method=method)
    assert not method.guaranteed
    assert not plan.reaches_criterion
    assert "no guarantee" in str(plan)
    assert plan.to_dict()["changed_rows"] == plan.changed_rows


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_the_same_seed_gives_the_same_plan(method, adult):
    graph = CausalGraph.parse("; ".join(f"{n} -> income" for n in adult.names if n != "income"))
    certificate = certify(adult, graph, datasets.question("adult").question)
    assert method.plan(certificate, seed=5) == method.plan(certificate, seed=5)
    assert method.plan(certificate, seed=5) == method.plan(
        certificate, seed=np.random.default_rng(5)
    )


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_patterns_give_every_value_and_do_not_overlap(example_2, method):
    plan = plan_removal(example_2, method=method)
    patterns = Counter(tuple(sorted(move.where.items())) for move in plan.moves)
    assert set(patterns.values()) == {1}
    assert {frozenset(move.where) for move in plan.moves} == {
        frozenset(example_2.examined.counts.names)
    }
    for move in plan.moves:
        assert 0 < move.row_count <= example_2.examined.counts.count(**move.where)


def test_shuffling_moves_nothing_but_the_protected_attribute(example_2):
    before = example_2.examined.counts
    after = carried_out(example_2, ShuffleProtected())
    rest = ["major", "test_score", "admission"]
    assert after.marginal(rest) == before.marginal(rest)
    assert after.values("gender") == before.values("gender")
    assert after != before


def test_after_shuffling_the_groups_share_is_the_same_everywhere_on_average(example_2):
    """A quarter of example 2 is male, also among the admitted."""
    males = [
        carried_out(example_2, ShuffleProtected(), seed).count(
            gender="male", admission="admitted"
        )
        for seed in range(60)
    ]
    admitted = datasets.admissions(2).count(admission="admitted")
    assert np.mean(males) == pytest.approx(admitted / 4, rel=0.02)


def test_massaging_meets_in_the_middle_of_the_two_rates(example_2):
    before = rates(example_2, example_2.examined.counts, "test_score")
    after = rates(
        example_2,
        carried_out(example_2, LocalMassaging(explanatory=("test_score",))),
        "test_score",
    )
    for pair, new in zip(before, after, strict=True):
        assert [*map(float, new)] == pytest.approx([float(sum(pair) / 2)] * 2, abs=0.003)


def test_massaging_changes_decisions_only(example_2):
    before = example_2.examined.counts
    rest = ["gender", "major", "test_score"]
    assert carried_out(example_2, LocalMassaging()).marginal(rest) == before.marginal(rest)


def test_sampling_takes_the_rates_half_the_way(example_2):
    before = rates(example_2, example_2.examined.counts, "test_score")
    method = LocalPreferentialSampling(explanatory=("test_score",))
    after = rates(example_2, carried_out(example_2, method), "test_score")
    for (group, other), (new_group, new_other) in zip(before, after, strict=True):
        assert float(new_other - new_group) == pytest.approx(
            float(other - group) / 2, abs=0.005
        )


def test_sampling_leaves_rows_out_and_doubles_others(example_2):
    plan = plan_removal(example_2, method=LocalPreferentialSampling())
    assert {move.times for move in plan.moves} == {0, 2}
    assert not any(move.becomes for move in plan.moves)
    gone = sum(move.row_count for move in plan.moves if move.times == 0)
    doubled = sum(move.row_count for move in plan.moves if move.times == 2)
    after = carried_out(example_2, LocalPreferentialSampling())
    assert after.row_count == example_2.row_count - gone + doubled


def test_those_nearest_to_the_other_decision_change_first():
    """Of the women with and without a degree, those with one are raised; of the men, the
    others are lowered."""
    lines = [
        ("f", "law", "no", 40, 2),
        ("f", "law", "yes", 40, 10),
        ("m", "law", "no", 40, 20),
        ("m", "law", "yes", 40, 36),
    ]
    columns, counts = {name: [] for name in ("sex", "field", "degree", "hired")}, []
    for sex, field, degree, rows, yes in lines:
        for hired, count in (("yes", yes), ("no", rows - yes)):
            for name, label in zip(columns, (sex, field, degree, hired), strict=True):
                columns[name].append(label)
            counts.append(count)
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = CausalGraph.parse("sex -> hired; degree -> hired; field -> hired")
    certificate = certify(CountTable.of(columns, counts), graph, asked)
    plan = LocalMassaging(explanatory=("field",)).plan(certificate)
    changed = {
        (move.where["sex"], move.where["degree"], move.where["hired"]): move.row_count
        for move in plan.moves
    }
    assert changed == {("f", "yes", "no"): 22, ("m", "no", "yes"): 20, ("m", "yes", "yes"): 2}


@pytest.mark.paper("tab:toy2")
def test_an_attribute_that_forms_no_meaningful_partition_hides_every_difference(example_2):
    """Given the major alone the rates hardly differ, so next to nothing is done."""
    after = carried_out(example_2, LocalMassaging(explanatory=("major",)))
    found = Partition.of(replace(example_2.examined, counts=after), example_2.partition.names)
    assert found.violating == example_2.partition.violating == 4


def test_without_other_attributes_the_whole_table_is_one_part():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes", "no", "yes"]}, [80, 20, 40, 60]
    )
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    certificate = certify(counts, CausalGraph.parse("sex -> hired"), asked)
    after = carried_out(certificate, LocalMassaging())
    assert after.count(sex="f", hired="yes") == after.count(sex="m", hired="yes") == 40


def test_a_part_with_one_group_only_stays_as_it_is():
    counts = CountTable.of(
        {
            "sex": ["f", "f", "m", "m"],
            "job": ["a", "a", "b", "b"],
            "hired": ["no", "yes", "no", "yes"],
        },
        [8, 2, 5, 5],
    )
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), asked)
    assert not plan_removal(certificate, method=LocalMassaging()).moves


def test_an_unknown_attribute_is_refused(example_2):
    with pytest.raises(ColumnError, match="explanatory: There is no column 'majr'.*'major'"):
        LocalMassaging(explanatory=("majr",)).plan(example_2)


def test_ambiguous_causes_give_no_plan():
    graph = PartialGraph.parse("gender -> admission; gender -> major; major - admission")
    certificate = certify(datasets.admissions(2), graph, QUESTION)
    with pytest.raises(CannotReleaseError):
        ShuffleProtected().plan(certificate)


def test_more_values_than_can_be_ranked_are_refused_and_left_out_of_a_comparison():
    values = [str(number) for number in range(1300)]
    counts = CountTable.of(
        {
            "sex": ["f", "m"] * 1300,
            "job": [value for value in values for _ in range(2)],
            "town": ["x"] * 2600,
            "hired": ["no", "yes"] * 1300,
        }
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = CausalGraph(("sex", "job", "town", "hired"), frozenset({("sex", "hired")}))
    found = certify(counts, graph, question)
    with pytest.raises(ResourceError, match="Merge values"):
        LocalMassaging(explanatory=("town",)).plan(found)
    compared = compare(found, methods=[ModifyData(), LocalMassaging(explanatory=("town",))])
    assert len(compared.outcomes) == 1
    assert "local-massaging (given town) was left out" in str(compared)


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
@pytest.mark.parametrize(
    "question",
    [
        {"protected": ("sex", "race"), "group": ("f", "a"), "other": ("m", "a")},
        {"protected": "sex", "group": "f"},
    ],
)
def test_a_baseline_refuses_intersections_and_decisions_of_three_values(method, question):
    """It writes one protected attribute, and one value or the other of the decision."""
    asked = Question(decision="score", favorable="Low", **question)
    certificate = certify(several_groups.counted(), several_groups.GRAPH, asked)
    with pytest.raises(CannotReleaseError, match="of one attribute, and a decision"):
        plan_removal(certificate, method=method)
