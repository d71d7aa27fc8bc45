"""Findings in plain words."""

import re
from fractions import Fraction

import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import Question, datasets
from evenhand.evidence import certify
from evenhand.evidence.sentences import finding
from evenhand.evidence.subpopulations import Subpopulation
from evenhand.graph import CausalGraph
from evenhand.question.group_words import decision_phrase
from evenhand.question.question_file import Labels

WORDS = Labels(
    values={
        "gender": {"female": "women", "male": "men"},
        "major": {"EE": "applying to EE", "CS": "applying to CS"},
        "test_score": {"L": "with a low score", "H": "with a high score"},
        "admission": {"admitted": "were admitted"},
    }
)


def told(labels=WORDS, **where):
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    (found,) = (one for one in certificate.subpopulations if one.where == where)
    return finding(found, certificate.question, labels)


def counted(group_yes, group, other_yes, other, *, interval=(-0.1, 0.2), shown=False):
    return Subpopulation(
        where={},
        group_yes=group_yes,
        group_no=group - group_yes,
        other_yes=other_yes,
        other_no=other - other_yes,
        risk_difference=Fraction(other_yes, other) - Fraction(group_yes, group),
        interval=interval,
        p_zero=0.2,
        p_threshold=0.0004,
        p_adjusted=0.012,
        discovery_rate=0.01,
        shown=shown,
    )


def asked(threshold="0.05"):
    return Question(
        protected="gender",
        group="female",
        other="male",
        decision="admission",
        favorable="admitted",
        threshold=threshold,
    )


@pytest.mark.paper("tab:toy2")
def test_the_papers_evidence_reads_as_a_sentence():
    assert told(major="EE", test_score="L") == (
        "Of 600 women applying to EE with a low score 240 were admitted, of 200 men 90: "
        "5.0 points fewer (95 % interval −2.8 to 12.9)."
    )


def test_where_the_group_does_better_the_interval_is_turned_with_the_words():
    assert told(major="EE", test_score="H").endswith(
        "10.0 points more (95 % interval −1.1 to 21.0)."
    )


def test_without_labels_columns_and_values_are_named():
    assert told(Labels(), major="EE", test_score="L").startswith(
        "Of 600 people with gender female with major EE and test_score L 240 were admitted, "
        "of 200 people with gender male 90:"
    )


def test_no_difference_is_neither_fewer_nor_more():
    said = finding(counted(10, 100, 10, 100), asked(), WORDS)
    assert said.endswith("0.0 points of difference (95 % interval −10.0 to 20.0).")


@pytest.mark.parametrize(
    ("favored", "written"), [(4980, "4.98"), (4998, "4.99"), (5000, "5.0")]
)
def test_a_number_is_never_rounded_across_the_threshold(favored, written):
    said = finding(counted(0, 100_000, favored, 100_000), asked(), WORDS)
    assert f": {written} points fewer" in said


def test_an_absent_group_is_said_to_be_absent():
    alone = Subpopulation(
        where={}, group_yes=3, group_no=2, other_yes=0, other_no=0, risk_difference=None,
        interval=None, p_zero=None, p_threshold=None, p_adjusted=None, discovery_rate=None,
        shown=False,
    )  # fmt: skip
    assert (
        finding(alone, asked(), WORDS) == "women: nobody to compare with, as there are no men."
    )


def test_no_word_of_judgement_is_ever_used(adult):
    question = datasets.question("adult")
    causes = [name for name in adult.names if name != "income"]
    graph = CausalGraph(adult.names, frozenset((name, "income") for name in causes))
    certificate = certify(adult, graph, question.question)
    texts = [
        finding(piece, certificate.question, question.labels) for piece in certificate.evidence
    ] + [str(certificate.population)]
    assert not [
        text for text in texts if re.search(r"\b(un)?fair|complian", text, re.IGNORECASE)
    ]


@pytest.mark.parametrize(
    ("column", "value", "phrase"),
    [
        ("hired", "hired", "were hired"),
        ("Approved", "approved", "were approved"),
        ("hired", "yes", "had hired yes"),
        ("income", "income >50K", "had income >50K"),
        ("admission", "admitted", "were admitted"),
        ("offer", "offer", "had offer"),
        ("grade", "need", "had grade need"),
    ],
)
def test_a_value_that_is_a_participle_is_what_was_done_to_people(column, value, phrase):
    asked = Question(protected="sex", group="f", decision=column, favorable=value)
    assert decision_phrase(asked, Labels()) == phrase
