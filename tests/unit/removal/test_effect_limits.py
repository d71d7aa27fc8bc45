"""Joint removal: effects as exact sums, fewest changes against brute force, what is refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import loans
from tests.joint_brute_force import (
    LOAN_FAVORABLE,
    LOAN_ROWS,
    fewest_changes,
    larger_problem,
    loan_effects,
    meets,
    random_problem,
)
from tests.measured_models import asked, graph_of, some_models, table

from evenhand import CausalGraph, CountTable, PartialGraph, Verdict
from evenhand.effects import measure_paths
from evenhand.errors import CannotReleaseError, ResourceError
from evenhand.evidence import certify
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.removal import RemovalPlan
from evenhand.removal import effect_limits as module
from evenhand.removal.effect_limits import (
    JointProblem,
    LinearEffect,
    fewest_with_effects,
    identified_graph,
    through_effects,
)
from evenhand.removal.moves import changes_to

TAU = Fraction(1, 20)


def test_the_loan_tables_effects_through_zip_and_direct():
    through = loan_effects(Fraction(1, 20))
    direct = loan_effects(Fraction(1, 20), direct=True)
    values = [effect.value(LOAN_FAVORABLE, LOAN_ROWS) for effect in (*through, *direct)]
    assert values == [
        Fraction(1, 150),
        Fraction(-1, 20),
        Fraction(11, 100),
        Fraction(-19, 125),
    ]
    within = [effect.within_limits(LOAN_FAVORABLE, LOAN_ROWS) for effect in through]
    assert within == [True, False]  # exactly at the threshold is not within


def one_effect(weight, lower, upper, other=0):
    weights = np.array([[Fraction(weight)], [Fraction(other)]])
    return LinearEffect(weights=weights, lower=Fraction(lower), upper=Fraction(upper))


def test_a_cell_without_rows_adds_nothing():
    weights = np.array([[Fraction(1, 2), Fraction(1, 2)], [Fraction(0)] * 2])
    effect = LinearEffect(weights=weights, lower=Fraction(0), upper=Fraction(1))
    favorable, rows = np.array([[1, 0], [0, 0]]), np.array([[2, 0], [0, 1]])
    assert effect.value(favorable, rows) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("weight", "lower", "upper", "rows", "closed"),
    [
        ("1/3", "-1/30", "2/30", (10, 7), ("0", "1/30")),
        (Fraction(1, 3 * 2**50), "0", "1/30", (10, 7), ("0", "1/30")),  # too fine for floats
        ("1/3", "-1/30", "1/20", (5, 1), ("0", "0")),
        ("1/3", "1/15", "1/5", (5, 1), ("2/15", "2/15")),
        ("1/3", "-1", "1", (5, 1), ("-14/15", "14/15")),
    ],
)
def test_closed_limits_are_values_within_that_counts_can_give(
    weight, lower, upper, rows, closed
):
    """Each rate of the group is a multiple of 1 / rows."""
    effect = one_effect(weight, lower, upper)
    assert effect.closed_limits(np.array(rows)[:, None]) == tuple(map(Fraction, closed))


@pytest.mark.parametrize(
    ("lower", "upper", "within"),
    [("0", "1/2", True), ("1/3", "1/2", False), ("0", "1/3", False)],
)
def test_both_limits_are_strict(lower, upper, within):
    effect = one_effect("1/3", lower, upper, other=1)
    assert effect.within_limits(np.array([[1], [0]]), np.array([[1], [1]])) is within


def test_the_check_is_that_of_fractions_one_by_one():
    rng = np.random.default_rng(3)
    answers = set()
    for _ in range(300):
        problem = random_problem(rng)
        counts = rng.integers(problem.lowest, problem.highest + 1)
        answers.add(problem.is_met(counts))
        assert problem.is_met(counts) == meets(problem, counts)
    assert answers == {True, False}


def test_counts_outside_their_limits_are_refused():
    problem = of_loans((), NONE, only_raise=True)
    assert problem.is_met(LOAN_FAVORABLE)
    assert not problem.is_met(LOAN_FAVORABLE - 1)
    assert not problem.is_met(LOAN_ROWS + 1)


FINE = Fraction(1, 3 * 2**50)
ROOM, NO_ROOM = one_effect(FINE, 0, "1/9"), one_effect(FINE, "1/9", "1/9")


@pytest.mark.parametrize(
    ("effects", "leaves"),
    [
        ([], True),
        ([one_effect("1/3", "1/60", "1/20")], True),
        ([one_effect("1/3", "1/60", "1/40")], False),
        ([one_effect("1/3", "1/9", "1/9")], False),
        ([ROOM], True),
        ([ROOM, NO_ROOM], False),
        ([NO_ROOM, ROOM], False),
    ],
)
def test_limits_can_leave_no_value(effects, leaves):
    rows = np.array([[10], [7]])
    both = np.array([True])
    problem = JointProblem(
        favorable=rows // 2, rows=rows, compared=both, threshold=TAU, effects=effects
    )
    assert problem.leaves_values is leaves


def three_lines(**options):
    """Differences of a tenth in the first two, of which the second is not compared."""
    old, rows = np.array([[4, 4, 5], [5, 5, 5]]), np.full((2, 3), 10)
    compared = np.array([True, False, True])
    return JointProblem(favorable=old, rows=rows, compared=compared, threshold=TAU, **options)


@pytest.mark.parametrize(
    ("options", "first", "possible"),
    [
        ({}, [4, 4], True),  # the group asked about changes last
        ({"only_raise": True}, [5, 5], True),
        ({"may_change": np.array([True, False])}, [5, 5], True),
        ({"may_change": np.array([False, True])}, [4, 4], True),
        ({"may_change": np.array([False, False])}, [4, 5], False),
    ],
)
def test_without_effects_each_compared_line_is_solved_by_itself(options, first, possible):
    problem = three_lines(**options)
    counts, where = problem.without_effects()
    assert counts.T.tolist() == [first, [4, 5], [5, 5]]
    assert where.tolist() == [possible, True, True]
    assert problem.changed(counts) == (first != [4, 5])


THROUGH, DIRECT = loan_effects(TAU), loan_effects(TAU, direct=True)
ALL, NONE = np.full(4, fill_value=True), np.full(4, fill_value=False)
LOANS = {
    "per cell": ((), ALL, 5),
    "averages": ((*THROUGH, *DIRECT), NONE, 5),
    "per cell and through zip": (THROUGH, ALL, 7),
    "through zip alone": (THROUGH, NONE, 1),
}


def of_loans(effects, compared, **options):
    return JointProblem(
        favorable=LOAN_FAVORABLE,
        rows=LOAN_ROWS,
        compared=compared,
        threshold=TAU,
        effects=effects,
        **options,
    )


def loan_problem(kind):
    effects, compared, rows = LOANS[kind]
    return of_loans(effects, compared), rows


@pytest.mark.parametrize("kind", LOANS)
def test_the_loan_table_needs_its_published_rows(kind):
    problem, rows = loan_problem(kind)
    counts, at_least = fewest_with_effects(problem)
    assert problem.changed(counts) == at_least == rows
    assert meets(problem, counts)


OPTIONS = [
    {},
    {"only_raise": True},
    {"may_change": np.array([True, False])},
    {"may_change": np.array([False, True])},
]


def test_many_lines_are_solved_and_nothing_is_printed(capfd):
    problem = larger_problem(np.random.default_rng(1), 2_500, 5)
    counts, at_least = fewest_with_effects(problem)
    assert problem.is_met(counts)
    assert problem.changed(counts) == at_least
    assert not capfd.readouterr().out


def test_the_same_problem_has_the_same_answer():
    first, second = (
        fewest_with_effects(larger_problem(np.random.default_rng(2), 200, 20))[0]
        for _ in range(2)
    )
    assert (first == second).all()


def test_limits_that_leave_nothing_are_refused():
    effect = replace(THROUGH[0], lower=Fraction(0), upper=Fraction(0))
    problem = of_loans([effect], ALL)
    with pytest.raises(CannotReleaseError, match="meet the criterion with the effects"):
        fewest_with_effects(problem)


def test_a_line_that_one_group_cannot_mend_is_refused():
    problem = JointProblem(
        favorable=np.array([[0], [1]]),
        rows=np.array([[1], [2]]),
        compared=np.array([True]),
        threshold=TAU,
        may_change=np.array([True, False]),
    )
    with pytest.raises(CannotReleaseError, match="may change"):
        fewest_with_effects(problem)


def test_answers_that_the_exact_check_refuses_are_no_answers(monkeypatch):
    monkeypatch.setattr(JointProblem, "is_met", lambda *_: False)
    margins = []
    programme = module._programme

    def counted(problem, margin):
        margins.append(margin)
        return programme(problem, margin)

    monkeypatch.setattr(module, "_programme", counted)
    with pytest.raises(CannotReleaseError, match="exact check"):
        fewest_with_effects(loan_problem("per cell and through zip")[0])
    assert margins == [0.0, 1e-7, 1e-6, 1e-5]


@pytest.mark.parametrize("options", OPTIONS)
def test_no_counts_change_fewer_decisions(options):
    rng = np.random.default_rng([len(options), 1])
    changed, infeasible = 0, 0
    for _ in range(30):
        problem = random_problem(rng, **options)
        least = fewest_changes(problem)
        if least is None:
            infeasible += 1
            with pytest.raises(CannotReleaseError):
                fewest_with_effects(problem)
            continue
        counts, at_least = fewest_with_effects(problem)
        changed += at_least > problem.changed(problem.without_effects()[0])
        assert meets(problem, counts)
        assert problem.changed(counts) == at_least == least
    assert changed
    assert infeasible or not options


def test_more_counts_than_are_solved_together_are_refused(monkeypatch):
    problem = larger_problem(np.random.default_rng(2), 200, 20)
    monkeypatch.setattr(module, "MOST_CELLS", problem.cells - 1)
    with pytest.raises(ResourceError, match=r"are solved together.*coarser bins"):
        fewest_with_effects(problem)


def test_many_counts_may_leave_a_small_gap(monkeypatch):
    monkeypatch.setattr(module, "PROVEN_CELLS", 0)
    problem = larger_problem(np.random.default_rng(300), 300, 100)
    counts, at_least = fewest_with_effects(problem)
    assert problem.is_met(counts)
    assert at_least <= problem.changed(counts) <= 1.001 * at_least


def identified_models(seed, many, **options):
    """Certificates of models in which the effect is identified, some with rows unseen."""
    found = 0
    for model, chosen in some_models(seed, positive=bool(seed % 2)):
        question = asked(chosen, **options)
        certificate = certify(table(model), graph_of(model.parents), question)
        if certificate.indirect.identified:
            found += 1
            yield certificate
        if found == many:
            return


@pytest.mark.parametrize("basis", ["group", "all"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_weighted_rates_are_the_effect_and_the_limits_its_verdict(seed, basis):
    """Also where the protected attribute has causes, or does not cause the decision itself."""
    seen = set()
    for certificate in identified_models(seed, 40, basis=basis):
        (graph,) = certificate.indirect.graphs
        partition = certificate.partition
        counts = partition.favorable[0], partition.rows
        thresholds = [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)]
        for direction in ("forward", "backward"):
            for at in thresholds:
                effects = through_effects(certificate, at)
                if not effects:
                    assert not graph.sides.in_use
                    continue
                effect = effects[direction == "backward"]
                measured = graph.directions[direction]
                assert effect.value(*counts) == measured.through.value
                met = measured.verdict(at) is Verdict.CERTIFIED
                assert effect.within_limits(*counts) == met
                seen.add((met, measured.through.lower == measured.through.upper))
    assert {met for met, _ in seen} == {True, False}
    assert (False, False) in seen or seed


def test_the_loan_tables_weights_are_those_of_brute_force():
    certificate = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    lines = [
        (zip_, income)
        for zip_, income in (
            tuple(certificate.partition.where(at)[name] for name in ("zip", "income"))
            for at in range(4)
        )
    ]
    order = [lines.index(cell) for cell in (("1", "lo"), ("1", "hi"), ("2", "lo"), ("2", "hi"))]
    effects = through_effects(certificate, TAU)
    for ours, brute in zip(effects, loan_effects(TAU), strict=True):
        assert (ours.weights[:, order] == brute.weights).all()
        assert (ours.lower, ours.upper) == (brute.lower, brute.upper)
    assert certificate.partition.rows[:, order].tolist() == LOAN_ROWS.tolist()
    assert certificate.partition.favorable[0][:, order].tolist() == LOAN_FAVORABLE.tolist()


@pytest.mark.parametrize("graph", [loans.ZIP_FIRST, loans.INCOME_FIRST, loans.APART])
def test_planned_decisions_have_the_effects_that_are_measured_after_the_change(graph):
    """Also bounds, where the effect is not identified."""
    counts = loans.loans()
    certificate = certify(counts, graph, loans.QUESTION)
    rng = np.random.default_rng(1)
    for _ in range(5):
        partition = certificate.partition
        new = rng.integers(0, partition.rows + 1)
        changes = changes_to(certificate, np.stack([new, partition.rows - new]))
        plan = RemovalPlan(method="m", policy="p", certificate=certificate, changes=changes)
        planned = plan.indirect
        measured = measure_paths(change_counts(counts, plan, rng), graph, loans.QUESTION)
        assert planned.to_dict_of_change() == measured.to_dict_of_change()
        assert planned.verdict is measured.verdict
        assert planned.data_gap == measured.data_gap


def refusal(graph, question=loans.QUESTION):
    with pytest.raises(CannotReleaseError) as caught:
        identified_graph(certify(loans.loans(), graph, question))
    return caught.value


def test_a_witness_is_named_with_what_helps():
    (problem,) = refusal(loans.INCOME_FIRST).problems
    assert "'income' both causes what is asked about" in problem.what
    assert problem.remedies[0].value == ["zip", "income"]


def test_an_open_edge_is_named_with_what_helps():
    edge, *others = refusal(loans.OPEN).problems
    assert edge.found == "The graph does not direct income - zip."
    assert edge.remedies[0].value == ["income -> zip"]
    further = PartialGraph.parse(f"{loans.OPEN}; rent - color")  # leads nowhere
    *columns, people = zip(*loans.lines(), strict=True)
    more = (("a", "b") * 8, ("a", "a", "b", "b") * 4)
    names = (*loans.NAMES, "rent", "color")
    table = CountTable.of(dict(zip(names, (*columns, *more), strict=True)), people)
    with pytest.raises(CannotReleaseError) as caught:
        identified_graph(certify(table, further, loans.QUESTION))
    named = [one.found for one in caught.value.problems if "direct" in one.found]
    assert named == [edge.found]
    assert "not identified" in others[0].what  # by one of the two graphs


def test_a_decision_of_which_nothing_is_favorable_is_refused():
    question = replace(loans.QUESTION, favorable=None, criterion="every")
    assert "favorable" in str(refusal(loans.ZIP_FIRST, question))


def test_what_cannot_be_measured_cannot_be_removed():
    question = replace(loans.QUESTION, group=None, other=None, protected=["race", "income"])
    graph = CausalGraph.parse("race -> zip -> loan; race -> loan; income -> loan")
    assert "one protected attribute" in str(refusal(graph, question))


def test_no_path_has_no_effect_to_limit():
    graph = CausalGraph.parse("race -> loan; zip -> loan; income -> loan")
    certificate = certify(loans.loans(), graph, loans.QUESTION)
    assert through_effects(certificate, TAU) == ()
