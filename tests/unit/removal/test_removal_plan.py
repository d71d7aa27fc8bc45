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
from evenhand.graph.conditional_tables import Network
from evenhand.removal import (
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    Move,
    RemovalPlan,
    ShuffleProtected,
    changeable_columns,
    changed_columns,
    plan_removal,
)
from evenhand.removal.removal_plan import (
    ByDirection,
    ChangedDecisions,
    DecisionChanges,
    StoredDecisions,
)


def random_changes(seed, *, values=4, groups=3, lines=5):
    rng = np.random.default_rng(seed)
    old, new = rng.integers(0, values, (2, 40))
    other = np.where(old == new, (new + 1) % values, new)
    return DecisionChanges(
        group=rng.integers(0, groups, 40),
        line=rng.integers(0, lines, 40),
        old=old,
        new=other,
        rows=rng.integers(1, 9, 40),
    )


def listed(changes):
    columns = (changes.group, changes.line, changes.old, changes.new, changes.rows)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_who_gains_and_who_loses_is_counted_group_by_group(seed):
    changes = random_changes(seed)
    rank = np.random.default_rng(seed).permutation(4)
    expected = [[0, 0] for _ in range(3)]
    for group, _, old, new, rows in listed(changes):
        expected[group][0 if rank[new] < rank[old] else 1] += rows
    assert changes.by_group(rank, 3) == tuple(ByDirection(*ways) for ways in expected)


def test_values_of_one_rank_gain_nothing():
    changes = DecisionChanges(**{name: np.array([1]) for name in ("group", "line", "rows")},
                              old=np.array([0]), new=np.array([2]))  # fmt: skip
    assert changes.by_group(np.array([0, 1, 0]), 2) == (ByDirection(0, 0), ByDirection(0, 0))


@pytest.mark.parametrize("seed", range(5))
def test_counts_lose_what_they_give_and_get_what_they_take(seed):
    changes = random_changes(seed)
    kinds = np.array([0, 1, 1, 0])
    expected = np.zeros((2, 3, 5), int)
    for group, line, old, new, rows in listed(changes):
        expected[kinds[old], group, line] -= rows
        expected[kinds[new], group, line] += rows
    assert changes.count_change(kinds, (2, 3, 5)).tolist() == expected.tolist()


GROUPS = (ByDirection(3, 0), ByDirection(0, 2), ByDirection(1, 1))


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
        groups=(ByDirection(0, 0),) * 2,
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


def named(changes, found, groups):
    """Rows by place, group, old and new decision."""
    values = found.examined.counts.attribute("score").values
    places = [found.partition.where(at)["place"] for at in range(len(found.partition))]
    rows = Counter()
    columns = (changes.line, changes.group, changes.old, changes.new, changes.rows)
    for line, group, old, new, many in zip(*(c.tolist() for c in columns), strict=True):
        rows[places[line], groups[group], values[old], values[new]] += many
    return rows


@pytest.mark.parametrize("number", range(8))
def test_counts_are_those_of_the_cells_in_the_order_of_values(number):
    cells, found, groups, values = certified(1, number)
    stored = StoredDecisions.of(found)
    question = found.question
    order = question.order or tuple(sorted(naive_groups.VALUES[:values]))
    places = sorted({place for place, _, _ in cells})
    assert stored.counts.tolist() == [
        [
            [cells.get((place, label, value), 0) for place in places]
            for label in naive_groups.GROUPS[:groups]
        ]
        for value in order
    ]
    assert stored.is_ordered == bool(question.order)
    column = found.examined.counts.attribute("score").values
    assert [column[at] for at in stored.place] == [*order]
    kinds = found.partition.decisions
    for value, kind in zip(order, stored.kinds, strict=True):
        expected = value
        if question.favorable:
            expected = kinds[0] if value in question.favorable_values else kinds[1]
        assert kinds[kind] == expected


@pytest.mark.parametrize("seed", range(12))
def test_so_many_decisions_become_favorable_and_no_more_move(seed):
    cells, found, groups, _ = certified(seed, 3 if seed % 2 else 0)
    favorable = {*found.question.favorable_values}
    rng = np.random.default_rng(seed)
    partition = found.partition
    yes, rows = partition.favorable[0], partition.rows
    change = rng.integers(-yes, rows - yes + 1)
    moves = named(StoredDecisions.of(found).changes_across(change), found, partition.groups)
    for line in range(len(partition)):
        place = partition.where(line)["place"]
        for at, label in enumerate(naive_groups.GROUPS[:groups]):
            own = {key[2:]: n for key, n in moves.items() if key[:2] == (place, label)}
            gained = sum(n for (old, new), n in own.items() if new in favorable)
            lost = sum(n for (old, new), n in own.items() if old in favorable)
            assert gained - lost == change[at, line]
            assert sum(own.values()) == abs(change[at, line])
            for value in naive_groups.VALUES:
                left = sum(n for (old, _), n in own.items() if old == value)
                assert left <= cells.get((place, label, value), 0)


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
    moves = named(StoredDecisions.of(found).changes_to(new), found, partition.groups)
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


def planned(group_change, other_change, **further):
    """A plan for Example 2, whose subpopulations are CS-H, CS-L, EE-H and EE-L."""
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    return RemovalPlan(
        method="by-hand",
        policy="none",
        certificate=certificate,
        changes=changes_of(certificate, group_change, other_change),
        **further,
    )


def changes_of(certificate, *change):
    return StoredDecisions.of(certificate).changes_across(np.array(change))


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


def test_a_single_changed_decision_is_a_move_in_its_direction():
    moves = planned([1, 0, 0, 0], [0, -1, 0, 0]).moves
    assert [(move.row_count, move.becomes["admission"]) for move in moves] == [
        (1, "admitted"),
        (1, "rejected"),
    ]


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
    assert (after.group_yes - before.group_yes).tolist() == [3, 0, 0, 0]
    assert (after.other_yes - before.other_yes).tolist() == [0, -2, 0, 0]
    assert (after.group + after.other).tolist() == before.row_counts.tolist()


def test_plain_values_and_words_tell_every_move():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    values = plan.to_dict()
    assert values["changed_rows"] == sum(move["rows"] for move in values["moves"]) == 5
    assert not values["reaches_criterion"]
    assert values["still_violating"] == plan.after.violating
    assert "5 of 2,200 decisions would change" in str(plan)


def test_who_gains_and_who_loses_is_told_by_group_and_direction():
    plan = planned([3, -4, 0, 0], [0, -2, 1, 5])
    expected = {
        "group": {"to_favorable": 3, "to_unfavorable": 4},
        "other": {"to_favorable": 6, "to_unfavorable": 2},
    }
    assert plan.to_dict()["changed_decisions"] == expected
    facts = dict(plan.summary().facts)
    assert facts["to favorable"] == "9 (gender=female: 3, gender=male: 6)"
    assert facts["to unfavorable"] == "6 (gender=female: 4, gender=male: 2)"
    assert facts["subpopulations changed"] == "4"
    raised = dict(planned([3, 0, 0, 0], [0] * 4).summary().facts)
    assert raised["to favorable"] == "3 (gender=female: 3, gender=male: 0)"
    assert raised["to unfavorable"] == "none: nobody loses"
    assert raised["subpopulations changed"] == "1"
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
    network = Network.estimate(datasets.admissions(2), GRAPH)
    plan = planned([3, 0, 0, 0], [0] * 4, redrawn=(network.tables["major"],))
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
    change = np.ones(lines, int), (np.arange(lines) < moves - lines).astype(int)
    plan = RemovalPlan(
        method="by-hand",
        policy="none",
        certificate=found,
        changes=changes_of(found, *change),
    )
    assert len(plan.summary().lines) == 10
    assert ("smaller moves" in str(plan)) == (moves > 10)
    assert (f"… and {moves - 10} smaller moves" in str(plan)) == (moves > 10)


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
        table = plan.network.tables[node.name]
        assert parents == table.names[:-1]
        assert np.array_equal(shares, table.shares) is (node.name != "admission")


def test_the_columns_that_change_and_those_that_can():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    every = tuple(certificate.examined.counts.names)
    assert {*changed_columns(generated(generate=True))} == {*every}
    shuffled = plan_removal(certificate, method=ShuffleProtected())
    assert changed_columns(shuffled) == changeable_columns(shuffled) == ("gender",)
    left_out = plan_removal(certificate, method=LocalPreferentialSampling())
    assert changed_columns(left_out) == changeable_columns(left_out) == ()
    plan = plan_removal(certificate)
    assert changed_columns(plan) == changeable_columns(plan) == ("admission",)
    nothing = plan_removal(certify(datasets.admissions(1), GRAPH, QUESTION))
    assert changed_columns(nothing) == ()
    assert changeable_columns(nothing) == ("admission",)
