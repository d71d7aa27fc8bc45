from dataclasses import replace
from fractions import Fraction

from evenhand.evidence import Subpopulation
from evenhand.question import Question
from evenhand.question.display_labels import Labels
from evenhand.wording import Words, count, listing, rate, share

ASKED = Question(
    protected="sex", group="f", other="m", decision="hired", favorable="yes", threshold="0.05"
)
LABELS = Labels(
    columns={"hired": "the job"},
    values={"sex": {"f": "women", "m": "men"}, "age": {"1": "young"}},
)


def found(**counts):
    return Subpopulation(
        where={"age": "1", "town": "A"},
        risk_difference=Fraction(1, 20),
        interval=(-0.01, 0.1),
        p_zero=0.1,
        p_threshold=0.5,
        p_adjusted=1.0,
        discovery_rate=1.0,
        shown=False,
        **counts,
    )


def test_a_labelled_value_speaks_for_itself_and_any_other_names_its_column():
    words = Words(question=ASKED, labels=LABELS)
    assert words.alike({"age": "1", "town": "A"}) == "young, town = A"
    assert Words(question=ASKED, labels=Labels()).group == "sex = f"


def test_a_story_gives_counts_before_percentages_and_both_groups():
    words = Words(question=ASKED, labels=LABELS)
    told = words.story(found(group_yes=8, group_no=12, other_yes=9, other_no=11))
    assert "".join(told).startswith("Of 20 women (young, town = A), 8 (40.0%) ")
    assert "".join(told).endswith("; of 20 such men, 9 (45.0%).")


def test_one_person_is_not_spoken_of_in_the_plural():
    words = Words(question=ASKED, labels=LABELS)
    told = "".join(words.story(found(group_yes=0, group_no=1, other_yes=1, other_no=0)))
    assert "Of 1 of the women" in told
    assert "; of 1 of the men" in told


def test_no_difference_is_rounded_across_the_threshold():
    words = Words(question=ASKED, labels=LABELS)
    assert words.points(Fraction(49998, 1000000)) == "4.99"
    assert words.interval((0.04965, 0.07)) == "4.96 to 7.0"


def test_the_threshold_keeps_its_digits_and_its_number():
    asked = Question(protected="a", group="x", decision="b", favorable="y", threshold="0.01")
    assert Words(question=asked, labels=Labels()).threshold_points == "1 point"
    asked = Question(protected="a", group="x", decision="b", favorable="y", threshold="0.0125")
    assert Words(question=asked, labels=Labels()).threshold_points == "1.25 points"


def test_shares_never_claim_all_or_none_where_that_is_untrue():
    assert [share(part) for part in (0, 1e-6, 0.5, 1 - 1e-6, 1)] == [
        "0%",
        "<0.1%",
        "50.0%",
        ">99.9%",
        "100%",
    ]
    assert rate(0, 0) == "none"


def test_names_that_are_no_words_are_quoted_in_sentences_and_plain_in_tables():
    words = Words(question=replace(ASKED, decision="job_offer"), labels=LABELS)
    assert words.columns(["hired", "job_kind", "age"]) == "the job, “job_kind” and age"
    assert (words.column("job_kind"), words.decision) == ("job_kind", "“job_offer”")
    assert words.did == "had “job_offer = yes”"
    assert words.people_with("x") == "people with “sex = x”"
    assert words.people_with("f") == "women"


def test_lists_and_counts_read_as_people_speak():
    assert listing(["a"]) == "a"
    assert listing(["a", "b"]) == "a and b"
    assert count(1, "person", "people") == "1 person"
    assert count(1234, "person", "people") == "1,234 people"
