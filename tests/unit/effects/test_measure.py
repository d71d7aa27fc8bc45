from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.loans import CELLS, INCOME_FIRST, OPEN, QUESTION, ZIP_FIRST, asking, loans

from evenhand import (
    CausalGraph,
    CountTable,
    PartialGraph,
    Question,
    StatisticalVerdict,
    Verdict,
)
from evenhand.effects.measure import measure_paths
from evenhand.errors import GraphError, QuestionError
from evenhand.evidence import certify
from evenhand.question.display_labels import Labels

WORDS = Labels(
    columns={"zip": "district"},
    values={"race": {"b": "blacks", "w": "whites"}, "loan": {"yes": "got a loan"}},
)


def test_the_direct_verdict_does_not_change():
    asked, plain = certify(loans(), ZIP_FIRST, QUESTION), asking(redlining=())
    direct = certify(loans(), ZIP_FIRST, plain)
    assert direct.indirect is None
    assert (asked.verdict, asked.reasons) == (direct.verdict, direct.reasons)
    assert asked.indirect.verdict is Verdict.NOT_CERTIFIED


@pytest.mark.parametrize(
    ("graph", "asked", "words"),
    [
        (
            ZIP_FIRST,
            asking(redlining_threshold="0.06"),
            "blacks had whites' district, all else as it is: 25 % instead of 24 % got a loan.",
        ),
        (INCOME_FIRST, QUESTION, "25 % to 26 % instead of 24 % got a loan"),
        (  # those whom the effect reaches
            ZIP_FIRST,
            QUESTION,
            "whites had blacks' district, all else as it is: 45 % instead of 50 % got a loan.",
        ),
        (ZIP_FIRST, asking(redlining_threshold="0.006"), "If blacks had whites' district"),
        (
            ZIP_FIRST,
            asking(redlining=["zip", "income"], redlining_threshold="0.9"),
            "had whites' district and income, all else",
        ),
        (
            ZIP_FIRST,
            asking(other="w", basis="all"),
            "If all were whites but had blacks' district",
        ),
    ],
)
def test_the_sentence_says_what_would_be(graph, asked, words):
    assert words in measure_paths(loans(), graph, asked).sentence(WORDS)


def test_the_sentence_without_plain_words():
    measured = measure_paths(loans(), ZIP_FIRST, asking(redlining_threshold="0.06"))
    assert measured.sentence().startswith(
        "If people with “race = b” had the zip of people with"
    )
    asked = asking(criterion="every", favorable=None, redlining_threshold="0.06")
    told = measure_paths(loans(), ZIP_FIRST, asked).sentence()
    assert told.endswith("75 % instead of 76 % had “loan = no”.")  # the value that is measured


def test_the_sentence_tells_small_effects_apart():
    few = {where: (100 * rows, 100 * yes) for where, (rows, yes) in CELLS.items()}
    few["b", "1", "lo"], few["b", "2", "lo"] = (3000, 600), (4000, 800)
    few["b", "1", "hi"], few["b", "2", "hi"] = (1000, 220), (2000, 440)
    measured = measure_paths(loans(few), ZIP_FIRST, asking(redlining_threshold="0.06"))
    assert measured.sentence(WORDS).endswith("20.5 % instead of 20.6 % got a loan.")


def test_an_attribute_on_no_path_has_no_effect_and_meets_the_claim():
    graph = CausalGraph.parse("race -> loan; zip -> loan")
    measured = measure_paths(loans(), graph, QUESTION)
    assert measured.verdict is Verdict.CERTIFIED
    assert measured.forward["through"].bounds == (0, 0)
    assert "No path from race to loan goes through 'zip'" in str(measured.reasons[0])


def test_each_direction_of_an_open_edge_is_measured():
    measured = measure_paths(loans(), OPEN, QUESTION)
    assert len(measured.graphs) == 2
    assert measured.verdict is Verdict.CANNOT_DECIDE
    assert measured.witnesses == ("income",)
    assert measured.sides == {"income": "open", "loan": "direct", "zip": "through"}
    assert measured.forward["through"].bounds == (Fraction(1, 150), Fraction(1, 60))
    assert measured.backward["through"].bounds == (Fraction(-1, 20), Fraction(-13, 375))
    (reason,) = measured.reasons
    assert "hangs on the edge income - zip" in reason.what
    assert "Require income -> zip" in str(reason)


def test_a_graph_that_decides_whatever_its_open_edge_is_decided():
    measured = measure_paths(loans(), OPEN, asking(redlining_threshold="0.03"))
    assert measured.threshold == Fraction(3, 100)
    assert measured.verdict is Verdict.NOT_CERTIFIED
    assert "−5.0 to −3.5 points from race w to race b" in measured.reasons[0].what


def test_bounds_that_straddle_the_threshold_name_the_witness():
    measured = measure_paths(loans(), INCOME_FIRST, asking(redlining_threshold="0.035"))
    assert measured.verdict is Verdict.CANNOT_DECIDE
    assert not measured.identified
    assert "'income' both causes what is asked about and reaches loan" in str(
        measured.reasons[0]
    )


def test_unseen_people_are_told():
    cells = {
        ("b", "1", "lo"): (10, 2),
        ("b", "2", "lo"): (10, 8),
        ("w", "1", "lo"): (10, 5),
        ("w", "3", "lo"): (30, 5),
    }
    graph = CausalGraph.parse("race -> zip; zip -> loan; race -> loan")
    measured = measure_paths(loans(cells), graph, QUESTION)
    assert measured.verdict is Verdict.CANNOT_DECIDE
    assert measured.unseen_mass == Fraction(3, 4)
    assert "For 75.0 % of the people" in measured.reasons[0].what


def test_the_reason_names_the_direction_that_decides_though_the_other_is_wider():
    cells = {
        ("b", "1", "lo"): (90, 45),
        ("b", "2", "lo"): (10, 5),
        ("w", "1", "lo"): (10, 3),
        ("w", "2", "lo"): (10, 0),
        ("w", "3", "lo"): (80, 0),
    }
    graph = CausalGraph.parse("race -> zip; zip -> loan; race -> loan")
    measured = measure_paths(loans(cells), graph, QUESTION)
    assert measured.verdict is Verdict.NOT_CERTIFIED
    assert measured.forward["through"].bounds == (Fraction(-2, 5), Fraction(2, 5))
    assert measured.backward["through"].bounds == (Fraction(6, 25), Fraction(6, 25))
    assert "24.0 points from race w to race b" in measured.reasons[0].what


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"criterion": "every", "favorable": None}, "measured between two groups"),
        ({"group": None}, "measured between two groups"),
    ],
)
def test_more_than_two_groups_are_refused_with_a_remedy(changes, what):
    lines = [(*line, count) for line, count in loans()] + [("a", "1", "hi", "yes", 3)]
    lines += [("a", "1", "hi", "maybe", 3)]
    *columns, counts = zip(*lines, strict=True)
    table = CountTable.of(
        dict(zip(("race", "zip", "income", "loan"), columns, strict=True)), counts
    )
    question = replace(QUESTION, **{"group": None, **changes})
    measured = measure_paths(table, ZIP_FIRST, question)
    assert measured.verdict is Verdict.CANNOT_DECIDE
    assert not measured.graphs
    assert what in measured.reasons[0].what
    assert measured.to_dict()["effects"] == {}
    assert what in str(measured)


def test_a_node_that_the_graph_lacks_is_named():
    graph = CausalGraph.parse("race -> loan; income -> loan")
    with pytest.raises(GraphError, match="no node 'zip'"):
        measure_paths(loans(), graph, QUESTION)


def test_too_many_orientations_are_refused_with_a_remedy():
    names = [f"x{number}" for number in range(8)]
    edges = [f"{a} - {b}" for at, a in enumerate(names) for b in names[at + 1 :]]
    graph = PartialGraph.parse("; ".join([*edges, *(f"{a} - e" for a in names), "c - x0"]))
    generator = np.random.default_rng(0)
    columns = {n: generator.integers(0, 2, 50).astype(str).tolist() for n in graph.nodes}
    question = Question(protected="c", group="0", decision="e", favorable="1", redlining=["x1"])
    measured = measure_paths(CountTable.of(columns), graph, question)
    assert measured.verdict is Verdict.CANNOT_DECIDE
    assert "more than 4,096 ways" in measured.reasons[0].what


def map_text(column):
    return [str(value) for value in column.tolist()]


def test_a_learned_copy_of_the_decision_leaves_nothing_to_decide():
    copied = [(*line, line[3], count) for line, count in loans()]
    *columns, counts = zip(*copied, strict=True)
    names = ("race", "zip", "income", "loan", "letter")
    table = CountTable.of(dict(zip(names, columns, strict=True)), counts)
    graph = CausalGraph.parse(
        "race -> zip; zip -> loan; race -> loan; letter -> loan; income -> loan"
    )
    claim = certify(table, graph, QUESTION).indirect
    assert claim.verdict is Verdict.CANNOT_DECIDE
    assert "letter" in str(claim.reasons[0])


def test_the_population_is_judged_with_intervals():
    def table(times):
        return loans({where: (times * n, times * yes) for where, (n, yes) in CELLS.items()})

    asked = asking(redlining_threshold="0.03")
    few, many = (measure_paths(table(times), ZIP_FIRST, asked) for times in (1, 1000))
    assert few.population_verdict is StatisticalVerdict.INCONCLUSIVE
    assert many.population_verdict is StatisticalVerdict.SHOWN
    wide = measure_paths(table(1000), ZIP_FIRST, asking(redlining_threshold="0.2"))
    assert wide.population_verdict is StatisticalVerdict.WITHIN
    bounded = measure_paths(table(1000), INCOME_FIRST, asked)
    assert bounded.population_verdict is StatisticalVerdict.INCONCLUSIVE
    assert bounded.interval("forward") is None
    low, high = few.interval("backward")
    assert low < -0.05 < high
    assert (low + high) / 2 == pytest.approx(-0.05)


def of_three(graph, lines):
    """The claim through z in a table of r, z and d, given by the counts of its lines."""
    *columns, counts = zip(*((*key.split(), n) for key, n in lines.items()), strict=True)
    asked = Question(
        protected="r", group="a", other="b", decision="d", favorable="y", redlining=["z"]
    )
    table = CountTable.of(dict(zip("rzd", columns, strict=True)), counts)
    return measure_paths(table, CausalGraph.parse(graph), asked)


def test_within_takes_the_chance_of_the_unseen_rows_too():
    """One row of thirty is unseen: in other rows it may be three, more than the threshold."""
    lines = {"a 0 n": 999, "a 0 y": 1, "b 0 n": 28, "b 0 y": 1, "b 1 n": 1}
    measured = of_three("r -> z -> d; r -> d", lines)
    assert measured.verdict is Verdict.CERTIFIED
    assert measured.interval("forward")[1] > 0.05
    assert measured.population_verdict is StatisticalVerdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("graph", "lines"),
    [
        ("r -> z -> d", {"a 0 n": 2, "b 1 y": 2}),
        ("r -> z -> d; r -> d", {"a 0 n": 3, "b 0 n": 1, "b 1 y": 2}),
        ("r -> z -> d; r -> d", {"a 0 n": 1, "a 1 n": 1, "b 0 y": 1, "b 1 y": 1}),
    ],
)
def test_a_handful_of_rows_shows_nothing_though_all_agree(graph, lines):
    measured = of_three(graph, lines)
    assert measured.population_verdict is StatisticalVerdict.INCONCLUSIVE


def test_what_no_row_moves_is_inconclusive_and_what_has_no_path_is_within():
    lines = {"a 0 n": 1, "a 1 n": 1, "b 0 y": 1, "b 1 y": 1}
    still = of_three("r -> z -> d; r -> d", lines)
    assert still.forward["through"].standard_error == 0
    assert "inconclusive: these rows do not tell by how much" in str(still)
    no_path = of_three("r -> d; z -> d", lines)
    assert no_path.population_verdict is StatisticalVerdict.WITHIN
    assert no_path.why_inconclusive == ""


def test_a_question_that_names_no_attribute_is_refused():
    with pytest.raises(QuestionError, match=r"Name some \(redlining=…\)"):
        measure_paths(loans(), ZIP_FIRST, asking(redlining=()))


def test_what_was_not_measured_is_null_and_not_zero():
    asked = Question(
        protected=("race", "income"), decision="loan", favorable="yes", redlining=["zip"]
    )
    values = measure_paths(loans(), ZIP_FIRST, asked).to_dict()
    assert values["gap"] == {"data": None, "model": {"lower": None, "upper": None}}
    assert values["unseen_mass"] is None


def test_a_table_too_large_even_for_floats_leaves_the_direct_verdict():
    generator = np.random.default_rng(0)
    causes = [f"x{number}" for number in range(9)]
    columns = {name: map_text(generator.integers(0, 12, 60)) for name in causes}
    columns |= {name: map_text(generator.integers(0, 2, 60)) for name in "ce"}
    graph = CausalGraph.parse("; ".join(["c -> e", "c -> x0", *(f"{n} -> e" for n in causes)]))
    asked = Question(protected="c", group="0", decision="e", favorable="1", redlining=["x0"])
    certificate = certify(CountTable.of(columns), graph, asked)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert certificate.indirect.verdict is Verdict.CANNOT_DECIDE
    assert not certificate.indirect.graphs
    assert "cells" in certificate.indirect.reasons[0].what


def test_the_claim_of_a_change_in_words():
    claim = certify(loans(), ZIP_FIRST, QUESTION).indirect
    assert claim.fact_of_change("before") == (
        "through zip, before",
        "not certified at 1/20: b to w 0.7, w to b −5.0 points",
    )


def test_the_ends_of_an_effect_over_several_graphs():
    claim = certify(loans(), OPEN, QUESTION).indirect
    assert len(claim.graphs) == 2
    for direction, (lower, upper) in claim.ends.items():
        effect = claim.effects[direction]["through"]
        assert (lower, upper) == (effect.lower, effect.upper)
        assert lower < upper
    assert claim.to_dict_of_change() == {
        "verdict": str(claim.verdict),
        "threshold": "1/20",
        "effects": {
            "forward": [pytest.approx(1 / 150), pytest.approx(1 / 60)],
            "backward": [pytest.approx(-0.05), pytest.approx(-13 / 375)],
        },
    }
