"""Plans, what they change, and what is generated instead."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests import loans, naive_groups
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, Question, datasets
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import fitted_tables
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.removal import (
    ChangedDecisions,
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    Move,
    RemovalPlan,
    ShuffleProtected,
    plan_removal,
    policy_of,
)
from evenhand.removal.moves import changes_to

GROUPS = ((3, 0), (0, 2), (1, 1))


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        (
            {"favorable": "Low"},
            (
                ("to favorable", "4 (race=a: 3, race=b: 0, race=c: 1)"),
                ("to unfavorable", "3 (race=a: 0, race=b: 2, race=c: 1)"),
            ),
        ),
        (
            {"criterion": "cumulative", "order": ("Low", "High")},
            (
                ("to a better value", "4 (race=a: 3, race=b: 0, race=c: 1)"),
                ("to a worse value", "3 (race=a: 0, race=b: 2, race=c: 1)"),
            ),
        ),
        (
            {"criterion": "every"},
            (("to another value", "7 (race=a: 3, race=b: 2, race=c: 2)"),),
        ),
    ],
)
def test_directions_are_told_by_what_was_asked(question, facts):
    changed = ChangedDecisions(
        groups=GROUPS,
        labels=("a", "b", "c"),
        question=Question(protected="race", decision="score", **question),
    )
    assert changed.facts() == facts
    assert changed.row_count == 7
    assert changed.to_dict() == {
        "a": {"to_favorable": 3, "to_unfavorable": 0},
        "b": {"to_favorable": 0, "to_unfavorable": 2},
        "c": {"to_favorable": 1, "to_unfavorable": 1},
    }


@pytest.mark.parametrize("criterion", ["favorable", "every"])
def test_no_change_is_said_in_words(criterion):
    none = ChangedDecisions(
        groups=((0, 0),) * 2,
        labels=("a", "b"),
        question=Question(
            protected="race",
            group="a",
            decision="score",
            criterion=criterion,
            favorable="Low" if criterion == "favorable" else None,
        ),
    )
    told = [text for _, text in none.facts()]
    assert told == (["none", "none: nobody loses"] if criterion == "favorable" else ["none"])
    assert [*none.to_dict()] == ["group", "other"]


SCORE_GRAPH = CausalGraph.parse("race -> score; place -> score")


def certified(seed, number):
    cells, question, groups, values = [*naive_groups.cases(seed, number + 1)][number]
    found = certify(naive_groups.table_of(cells), SCORE_GRAPH, question, min_coverage=0)
    return cells, found, groups, values


def by_hand(certificate, new, **further):
    """A plan by which the people compared get these counts."""
    return RemovalPlan(
        method="by-hand",
        policy="none",
        certificate=certificate,
        changes=changes_to(certificate, new),
        **further,
    )


def moved(plan, rank):
    """Rows by place, group, old and new decision; each group's gains and losses are right."""
    rows, ways = Counter(), Counter()
    for move in plan.moves:
        label, old, new = move.where["race"], move.where["score"], move.becomes["score"]
        rows[move.where["place"], label, old, new] += move.row_count
        ways[label, rank(new) < rank(old)] += move.row_count
    groups = plan.partition.groups
    expected = tuple((ways[label, True], ways[label, False]) for label in groups)
    assert plan.changed_decisions.groups == expected
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_so_many_decisions_become_favorable_and_no_more_move(seed):
    cells, found, _, _ = certified(seed, 3 if seed % 2 else 0)
    favorable = {*found.question.favorable_values}
    rng = np.random.default_rng(seed)
    yes, rows = found.partition.favorable[0], found.partition.rows
    change = rng.integers(-yes, rows - yes + 1)
    new = found.partition.counts + np.stack([change, -change])
    plan = by_hand(found, new)
    moves = moved(plan, lambda value: value not in favorable)
    assert (plan.after.counts == new).all()
    assert sum(moves.values()) == plan.changed_rows == int(abs(change).sum())
    left = Counter(cells)
    for (place, label, old, _), many in moves.items():
        left[place, label, old] -= many
    assert min(left.values()) >= 0


@pytest.mark.parametrize("seed", range(12))
def test_new_counts_of_every_value_are_reached_with_the_fewest_rows(seed):
    cells, found, groups, values = certified(seed, 1 + seed % 2)
    rng = np.random.default_rng(seed)
    partition = found.partition
    new = np.stack(
        [
            [rng.multinomial(n, np.ones(values) / values) for n in line]
            for line in partition.rows.tolist()
        ]
    ).transpose(2, 0, 1)
    plan = by_hand(found, new)
    moves = moved(plan, partition.decisions.index)
    assert (plan.after.counts == new).all()
    after = Counter(cells)
    for (place, label, old, became), n in moves.items():
        after[place, label, old] -= n
        after[place, label, became] += n
    for line in range(len(partition)):
        place = partition.where(line)["place"]
        for at, label in enumerate(naive_groups.GROUPS[:groups]):
            for kind, value in enumerate(partition.decisions):
                assert after[place, label, value] == new[kind, at, line]
    assert sum(moves.values()) == int(abs(new - partition.counts).sum()) // 2


def planned(*change, **further):
    """A plan for Example 2, whose subpopulations are CS-H, CS-L, EE-H and EE-L."""
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    new = certificate.partition.counts + np.stack([change, np.negative(change)])
    return by_hand(certificate, new, **further)


def test_a_positive_change_makes_decisions_favorable_and_a_negative_one_the_reverse():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    first, second = (plan.partition.where(line) for line in (0, 1))
    assert list(plan.moves) == [
        Move(
            first | {"gender": "female", "admission": "rejected"}, 3, {"admission": "admitted"}
        ),
        Move(
            second | {"gender": "male", "admission": "admitted"}, 2, {"admission": "rejected"}
        ),
    ]
    assert [move.times for move in plan.moves] == [1, 1]
    assert plan.changed_rows == 5
    assert plan.names == (*plan.partition.names, "gender", "admission")
    assert plan.pooled is None


def test_the_label_of_pooled_groups_is_that_of_the_certificate():
    counts = CountTable.of(
        {"sex": ["f", "m", "x"] * 2, "hired": ["no"] * 3 + ["yes"] * 3}, [5] * 6
    )
    question = Question(
        protected="sex", group="f", other="rest", decision="hired", favorable="yes"
    )
    certificate = certify(counts, CausalGraph.parse("sex -> hired"), question)
    assert plan_removal(certificate).pooled == "not f"


def test_the_partition_afterwards_has_the_changed_counts_and_the_same_rows():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    before, after = plan.partition, plan.after
    assert (after.favorable - before.favorable)[0].tolist() == [[3, 0, 0, 0], [0, -2, 0, 0]]
    assert after.rows.tolist() == before.rows.tolist()


def test_plain_values_and_words_tell_every_move():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    values = plan.to_dict()
    assert values["changed_rows"] == sum(move["rows"] for move in values["moves"]) == 5
    assert not values["reaches_criterion"]
    assert values["still_violating"] == plan.after.violating
    assert "5 of 2,200 decisions would change" in str(plan)


def test_who_gains_and_who_loses_is_told_by_group_and_direction():
    plan = planned([3, -4, 0, 0], [0, -2, 1, 5])
    facts = dict(plan.summary().facts)
    assert facts["to favorable"] == "9 (gender=female: 3, gender=male: 6)"
    assert facts["to unfavorable"] == "6 (gender=female: 4, gender=male: 2)"
    assert facts["subpopulations changed"] == "4"
    lowered = dict(planned([-1, 0, 0, 0], [1, 0, -1, 0]).summary().facts)
    assert lowered["subpopulations changed"] == "2"


def test_a_plan_that_leaves_differences_is_called_no_plan_for_a_release():
    """What is needed in the four subpopulations; and one decision less in the last."""
    found = plan_removal(certify(datasets.admissions(2), GRAPH, QUESTION))
    needed = (found.after.favorable - found.partition.favorable)[0, 1].tolist()
    plan, short = planned([0] * 4, needed), planned([0] * 4, [*needed[:3], needed[3] + 1])
    assert (plan.after.violating, plan.reaches_criterion) == (0, True)
    assert "no plan for a release" not in str(plan)
    assert (short.after.violating, short.reaches_criterion) == (1, False)
    assert "1 subpopulations would still differ" in str(short)


def test_the_largest_moves_come_first():
    lines = planned([1, 0, 30, 0], [0, -200, 0, 0]).summary().lines
    assert [line[0] for line in lines] == ["200", "30", "1"]


def test_effects_that_are_sampled_again_are_named():
    network = fitted_tables(datasets.admissions(2), GRAPH)
    plan = planned([3, 0, 0, 0], [0] * 4, redrawn=(network["major"],))
    assert "effects are drawn anew: major." in str(plan)


@pytest.mark.parametrize(("lines", "moves"), [(5, 10), (6, 11), (6, 12)])
def test_ten_moves_are_listed_and_the_rest_counted(lines, moves):
    jobs = [str(job) for job in range(lines)]
    counts = CountTable.of(
        {
            "sex": ["f", "f", "m", "m"] * lines,
            "job": [job for job in jobs for _ in range(4)],
            "hired": ["no", "yes"] * 2 * lines,
        },
        [5] * 4 * lines,
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    found = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), question)
    change = np.stack([np.ones(lines, int), np.arange(lines) < moves - lines])
    plan = by_hand(found, found.partition.counts + np.stack([change, -change]))
    assert len(plan.summary().lines) == 10
    assert plan.summary().more == moves - 10


def planned_loans(**options):
    certificate = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    return plan_removal(certificate, method=ModifyData(**options))


def test_a_plan_knows_how_many_rows_are_needed_and_whether_that_is_proven():
    plan = planned_loans()
    values = plan.to_dict()
    assert (values["changed_rows"], values["lower_bound"], values["proven"]) == (7, 7, True)
    assert dict(plan.summary().facts)["fewest rows"] == "7, proven"
    unproven = replace(plan, lower_bound=6)
    assert unproven.to_dict()["proven"] is False
    text = dict(unproven.summary().facts)["fewest rows"]
    assert text == "7, perhaps fewer, but 6 at least"


def test_a_plan_says_what_is_left_of_effects_through_other_attributes():
    plan = planned_loans()
    through = plan.to_dict()["indirect"]
    assert (through["verdict"], through["threshold"]) == ("certified", "1/20")
    assert through["effects"] == {
        "forward": [pytest.approx(0.02)] * 2,
        "backward": [pytest.approx(-0.04)] * 2,
    }
    facts = dict(plan.summary().facts)
    assert facts["through zip, then"] == ("certified at 1/20: b to w 2.0, w to b −4.0 points")


def test_a_plan_that_leaves_only_an_effect_does_not_reach_the_criterion():
    """Fewest rows of the direct claim: no difference is left, but an effect of -17/250."""
    direct = plan_removal(certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION.direct))
    asked = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    plan = replace(direct, certificate=asked)
    assert direct.reaches_criterion
    assert direct.after.violating == plan.after.violating == 0
    assert not plan.reaches_criterion
    assert plan.indirect.verdict is Verdict.NOT_CERTIFIED
    assert "effects through other attributes would not be met" in str(plan.summary().notes)


def test_the_papers_rules_say_what_they_leave_of_effects():
    plan = planned_loans(policy="paper")
    assert plan.lower_bound is None
    assert plan.to_dict()["indirect"]["verdict"] == "not certified"
    assert "lower_bound" not in plan.to_dict()


def test_a_question_without_effects_has_a_plan_without_them():
    plan = plan_removal(certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION.direct))
    assert plan.indirect is None
    assert not {"indirect", "lower_bound", "proven"} & {*plan.to_dict()}


def generated(**options):
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    return plan_removal(certificate, method=ModifyGraph(**options))


@pytest.mark.parametrize(
    ("options", "promises"), [({"generate": True}, True), ({"sample": True}, False)]
)
def test_only_quotas_promise_to_meet_the_criterion(options, promises):
    plan = generated(**options)
    assert plan.reaches_criterion is promises
    assert ("nothing promises" in str(plan)) is not promises
    assert plan.to_dict()["changed_rows"] == plan.row_count == 2200


def test_only_the_decisions_table_is_modified():
    plan = generated(generate=True)
    for node, parents, shares in plan.tables:
        table = plan.fitted[node.name]
        assert parents == table.names[:-1]
        assert np.array_equal(shares, table.shares) is (node.name != "admission")


def test_the_columns_that_change_and_those_that_can():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    every = tuple(certificate.examined.counts.names)
    assert {*generated(generate=True).changed_columns} == {*every}
    shuffled = plan_removal(certificate, method=ShuffleProtected())
    assert shuffled.changed_columns == shuffled.changeable_columns == ("gender",)
    left_out = plan_removal(certificate, method=LocalPreferentialSampling())
    assert left_out.changed_columns == left_out.changeable_columns == ()
    plan = plan_removal(certificate)
    assert plan.changed_columns == plan.changeable_columns == ("admission",)
    nothing = plan_removal(certify(datasets.admissions(1), GRAPH, QUESTION))
    assert nothing.changed_columns == ()
    assert nothing.changeable_columns == ("admission",)


def test_a_baseline_tells_who_gains_and_who_loses():
    """The two counts of favorable decisions move by gains minus losses, and by nothing else."""
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    before = certificate.examined.counts
    plan = plan_removal(certificate, method=LocalMassaging(), seed=3)
    after = change_counts(before, plan, np.random.default_rng(3))
    changed = plan.to_dict()["changed_decisions"]
    for sex, ways in zip(("female", "male"), changed.values(), strict=True):
        more = [one.count(gender=sex, admission="admitted") for one in (after, before)]
        assert more[0] - more[1] == ways["to_favorable"] - ways["to_unfavorable"]
    assert sum(n for ways in changed.values() for n in ways.values()) == plan.changed_rows
    assert "to favorable" in str(plan)


@pytest.mark.parametrize("method", [ShuffleProtected(), LocalPreferentialSampling()])
def test_methods_that_change_other_things_tell_of_no_decisions(method):
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    plan = plan_removal(certificate, method=method)
    assert plan.to_dict()["changed_decisions"] is None
    assert "no guarantee" in str(plan)


def test_a_policy_without_a_name_of_its_own_is_that_of_its_method():
    assert policy_of("modify-data", "raise").takes_groups
    assert policy_of("local-massaging", "given age").method == "local-massaging"


def test_a_plan_has_the_counts_of_the_columns_that_its_patterns_name():
    plan = plan_removal(certify(datasets.admissions(2), GRAPH, QUESTION))
    assert plan.counted.row_count == 2200
    assert plan.counted.names == plan.names
