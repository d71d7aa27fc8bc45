from fractions import Fraction

import pytest
from tests.path_states import MEASURED

import evenhand as eh
from evenhand.effects.worlds import Bounds
from evenhand.question.display_labels import Labels
from evenhand.wording import Words
from evenhand.wording.effect_words import PathWords, claim_words, signed, span_text

LABELS = Labels(columns={"zip": "district"}, values={"race": {"b": "blacks", "w": "whites"}})


def named(state, direction="forward", labels=None):
    counts, graph, asked = MEASURED[state]
    certificate = eh.certify(counts, graph, asked)
    words = Words.of(certificate, labels)
    return PathWords.of(certificate.indirect, direction, words)


def test_the_people_are_named_by_their_labels():
    words = named("identified", labels=LABELS)
    assert (words.start, words.reached) == ("Blacks", "Blacks, had they been whites")
    assert words.way("through") == ("Through district", "asked about")
    back = named("identified", "backward", labels=LABELS)
    assert (back.start, back.reached) == ("Whites", "Whites, had they been blacks")
    assert back.sides == words.sides[::-1]


def test_on_everybodys_rows_everybody_is_taken_to_be_one_or_the_other():
    words = named("everybody", labels=LABELS)
    assert (words.start, words.reached) == ("Everybody as blacks", "Everybody as whites")


def test_ways_name_where_they_go():
    assert named("identified").way("explained") == (
        "On other paths",
        "explained: through income",
    )
    assert named("explained").way("explained")[0] == "Through income"
    assert named("explained").way("not judged") == ("Not judged", "through job")
    assert named("witness").way("explained")[1] == "explained: no such path"
    assert named("several graphs").way("explained")[1] == "explained: depends on the open links"
    assert "witnesses" in named("witness").way("combination")[1]
    assert "witnesses" not in named("identified").way("combination")[1]
    assert named("spurious").way("spurious") == ("Spurious", "by common causes")
    assert named("identified").way("spurious") == ("Spurious", "no common causes")


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Fraction(1, 20), "+5.0"),
        (Fraction("0.049998"), "+4.99"),
        (Fraction("-0.0500001"), "−5.0"),
        (Fraction(1, 100000), "0.0"),
    ],
)
def test_a_number_keeps_its_sign_and_its_side_of_the_threshold(difference, text):
    assert signed(difference, named("identified").words) == text


def test_both_ends_are_said_where_they_differ():
    words = named("identified").words
    assert span_text(Bounds(Fraction(1, 100), Fraction(1, 60)), words) == "+1.0 to +1.7"
    assert span_text(Bounds(Fraction(1, 100), Fraction(1, 100)), words) == "+1.0"


def test_the_words_have_the_threshold_of_this_claim():
    counts, graph, asked = MEASURED["own threshold"]
    certificate = eh.certify(counts, graph, asked)
    words = Words.of(certificate, None)
    assert words.threshold_points == "5 points"
    assert claim_words(certificate.indirect, words).threshold_points == "20 points"
