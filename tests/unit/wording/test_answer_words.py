"""The answer in words: one table for each word and each reason."""

from dataclasses import replace

import numpy as np
import pytest
from tests.known_answers import (
    QUESTION,
    coin,
    counted,
    hours,
    leak,
    mediators,
    postcodes,
    proxy,
    proxy_as_counted,
)

from evenhand import CausalGraph, CountTable, Question, Tiers, audit, datasets
from evenhand.evidence import Word
from evenhand.wording import Words
from evenhand.wording.answer_words import answer_statements

BEFORE = Tiers(["c"], ..., ["e"])


def answered(table, question=QUESTION, **settings):
    return audit(table, question, **settings).answer


def headline(table, **settings):
    return answered(table, **settings).statements[0]


def drawn(make, seed=1, **settings):
    return make(np.random.default_rng(seed), **settings)


def nothing_differs(generator, rows, *, causes=1):
    c = coin(generator, 0.5, rows)
    names = {f"a{at}": coin(generator, 0.5, rows) for at in range(causes)}
    return counted(c=c, **names, e=coin(generator, 0.3 + 0.3 * names["a0"]))


def test_where_the_search_of_the_graph_ended_is_said_at_once():
    answer = answered(datasets.adult(), datasets.question("adult"), max_depth=2)
    said = "came before the decision. The search ended with sets of 2 attributes"
    assert any(said in line for line in answer.statements)


def test_yes_in_named_groups():
    table = drawn(mediators, rows=8000, direct=0.25)
    said = headline(table, knowledge=BEFORE)
    assert said.startswith("Yes: in ")
    assert said.endswith(
        " people with “c = 1” and people with “c = 0” differ by more than 5 points, which is "
        "statistically significant after correction."
    )


def test_few_rows_that_show_a_large_difference_are_not_called_too_few():
    answer = answered(drawn(mediators, rows=300, direct=0.45), knowledge=BEFORE)
    assert answer.word is Word.YES
    assert answer.underpowered == 1
    assert not any("too few" in line or "80% power" in line for line in answer.statements)


@pytest.mark.parametrize(("unsure", "said"), [([], "behind"), (["favorable"], "had “e = 1”")])
def test_nobody_is_ahead_by_a_value_for_which_nothing_speaks(unsure, said):
    guesses = {"favorable": ["1"], "unsure": unsure}
    for direct in (0.25, 0.0):
        found = audit(drawn(mediators, rows=2000, direct=direct), QUESTION)
        certificate = replace(found.certificate, guesses=guesses)
        words = " ".join(answer_statements(found.answer, Words.of(certificate)).lines)
        assert said in words or not direct
        assert ("behind" in words or "ahead" in words) is (not unsure)


def test_where_one_column_determines_the_decision_no_differences_are_counted():
    generator = np.random.default_rng(3)
    c, a = coin(generator, 0.5, 900), coin(generator, 0.5, 900)
    answer = answered(counted(c=c, a=a, e=~a))
    assert answer.reason.kind == "determined"
    assert not any("comparable group" in line for line in answer.statements)


def test_yes_on_average():
    generator = np.random.default_rng(4)
    c, causes = coin(generator, 0.5, 9000), [coin(generator, 0.5, 9000) for _ in range(5)]
    e = coin(generator, 0.3 + 0.1 * sum(causes) - 0.085 * c)
    table = counted(c=c, **dict(zip("mnopq", causes, strict=True)), e=e)
    said = headline(table, knowledge=BEFORE)
    assert said.startswith("Yes: on average people with “c = 1” are ")
    assert "points behind people with “c = 0” with the same values of" in said


def test_no():
    table = drawn(nothing_differs, rows=60_000)
    answer = answered(table, knowledge=Tiers(["c", "a0"], ["e"]))
    assert answer.word is Word.NO
    assert answer.statements[0] == (
        "No: in both comparable groups people with “c = 1” and people with “c = 0” differ by "
        "less than 5 points."
    )
    assert "every compared column is known to come before the decision." in answer.statements[2]
    assert answer.statements[-1] == "For release: certified."


def test_not_shown():
    said = headline(drawn(nothing_differs, rows=4000), knowledge=BEFORE)
    assert said.startswith(
        "Not shown: these rows neither show nor exclude a difference of 5 points; on average "
    )
    assert said.endswith(" points remain possible.")


GIVEN = {"graph": CausalGraph.parse("c -> m; a -> e; c -> e")}


@pytest.mark.parametrize(
    ("table", "settings", "said"),
    [
        pytest.param(
            proxy_as_counted(None),
            {},
            "the difference depends on whether m is held equal.",
            id="depends on",
        ),
        pytest.param(
            drawn(leak, rows=5000, slips=(0.01,)),
            {},
            "was form0 written after the decision? Without it the groups differ.",
            id="written after",
        ),
        pytest.param(
            drawn(proxy, rows=5000, loyalty=0.9),
            GIVEN,
            "the rows reject the graph: e depends on m, which the graph rules out, and the ",
            id="graph refuted",
        ),
        pytest.param(
            drawn(hours, seed=5, rows=10_000),
            {"knowledge": BEFORE, "bins": {"hours": 2}},
            "the answer depends on how hours is divided into classes.",
            id="classes",
        ),
        pytest.param(
            drawn(nothing_differs, rows=300),
            {"knowledge": BEFORE},
            "there are too few rows to detect an average difference of less than ",
            id="too few rows",
        ),
        pytest.param(
            counted(c=[0, 0, 1, 1] * 50, e=[0, 1, 0, 1] * 50),
            {},
            "the graph shows no cause of e other than c, so it does not say which people",
            id="no cause",
        ),
        pytest.param(
            drawn(postcodes, rows=2000),
            {"graph": CausalGraph.parse("x -> e; x -> c; c -> e; a -> e")},
            "",
            id="postcodes",
        ),
    ],
)
def test_cannot_tell(table, settings, said):
    assert headline(table, **settings).startswith(f"Cannot tell: {said}")


def test_a_column_that_determines_the_decision_leaves_nothing():
    c = np.arange(400) % 2
    passed = np.arange(400) // 2 % 2
    table = counted(c=c, passed=passed, e=passed)
    assert headline(table, knowledge=BEFORE) == (
        "Cannot tell: passed alone determines the decision, so nothing is left to measure."
    )


def test_of_many_groups_the_pairs_are_named():
    generator = np.random.default_rng(6)
    c, a = generator.integers(0, 3, 30_000), coin(generator, 0.5, 30_000)
    table = counted(c=c, a=a, e=coin(generator, 0.3 + 0.2 * a + 0.3 * (c == 2)))
    asked = Question(protected="c", decision="e", favorable="1", threshold="0.05")
    answer = answered(table, asked, knowledge=BEFORE)
    assert answer.word is Word.YES
    assert answer.statements[0] == (
        "Yes: in 4 of 6 comparisons the two groups differ by more than 5 points, which is "
        "statistically significant after correction: between c = 0 and c = 2 and between "
        "c = 1 and c = 2."
    )


def test_what_is_within_awaits_a_person_who_confirms_the_order():
    said = headline(drawn(nothing_differs, rows=60_000))
    assert said == (
        "Not shown: in both comparable groups people with “c = 1” and people with “c = 0” "
        "differ by less than 5 points, provided that a0 came "
        "before the decision, which nobody has confirmed."
    )


def test_of_many_groups_the_widest_interval_remains_possible():
    lines = [
        (c, a, e, round(rows * (rate if e else 1 - rate)))
        for c, rows, offset in ((0, 2850, -0.0225), (1, 2850, 0.0225), (2, 150, 0.0))
        for a, rate in ((0, 0.3 + offset), (1, 0.6 + offset))
        for e in (0, 1)
    ]
    *columns, rows = zip(*lines, strict=True)
    labels = {name: [*map(str, of)] for name, of in zip("cae", columns, strict=True)}
    question = Question(protected="c", decision="e", favorable="1", threshold="0.05")
    answer = answered(CountTable.of(labels, rows), question, knowledge=BEFORE)
    means = answer.certificate.partition.statistics.means
    widest = max(abs(end) for mean in means for end in mean.interval)
    assert answer.word is Word.NOT_SHOWN
    assert widest > max(map(abs, answer.certificate.population.common.interval))
    assert f"on average up to {100 * widest:.1f} points remain possible" in answer.statements[0]
