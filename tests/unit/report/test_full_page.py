"""The full page: a first part that stands alone, and an appendix for experts."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape

import pyarrow as pa
import pytest
from tests.many_groups import hiring_audit, score_audit
from tests.report_pages import (
    CASES,
    GRAPH,
    QUESTION,
    admissions_audit,
    page_text,
    report_text,
    shown_on_average,
)

import evenhand as eh
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.report import report
from evenhand.wording import Words
from evenhand.wording.answer_words import answer_statements
from evenhand.wording.premises import not_examined

TOWNS = eh.CausalGraph.parse("town -> admission; gender -> admission")
SECTIONS = ["graph", "evidence", "statistics", "comparisons", "assumptions", "overlap", "check"]


def towns(*cells):
    """Women admitted and rejected, men admitted and rejected, for each town."""
    columns = {"gender": [], "town": [], "admission": []}
    for town in range(len(cells)):
        columns["gender"] += ["female", "female", "male", "male"]
        columns["town"] += [f"town {town:02}"] * 4
        columns["admission"] += ["admitted", "rejected"] * 2
    return eh.CountTable.of(columns, [many for four in cells for many in four])


SHOWN = towns((300, 700, 600, 400), (0, 1, 1, 0))
LITTLE = towns(*[(0, 1, 1, 0)] * 3, *[(1, 0, 0, 1)] * 3, (700, 700, 0, 0))
NOT_SHOWN = {name: case for name, case in CASES.items() if name != "no causes"}
RED = re.compile(r'class="[^"]*(?:[vcsp]-shown|is-shown)')


def html_of(counts, graph):
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    return audit, report(audit, labels=QUESTION.labels).html


def summary(html):
    """The part for whoever pays for it."""
    return page_text(html.partition('<p class="appendix">')[0])


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_page_has_its_sections_in_the_same_order(name, share):
    counts, graph = CASES[name]
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    html = report(audit, share=share, generated="today").html
    expected = ["graph", "groups", "assumptions", "check"] if share else SECTIONS
    assert re.findall(r'<section class="sec" id="(\w+)"', html) == expected


@pytest.mark.parametrize("name", CASES)
def test_no_page_uses_a_word_that_promises_more_than_was_shown(name):
    text = report_text(*CASES[name]).casefold()
    for word in ("fair", "compliant", "unbiased", "privileged"):
        assert word not in text


def test_a_page_names_the_file_but_not_its_folder(tmp_path):
    path = tmp_path / "people's.csv"
    path.write_text("gender,admission\n" + "female,admitted\nmale,rejected\n" * 20)
    graph = eh.CausalGraph.parse("gender -> admission")
    html = report(
        eh.audit(path, QUESTION.question, graph=graph),
        certificate_file=tmp_path / "people's.json",
    ).html
    assert str(tmp_path) not in html
    assert "evenhand verify 'people'\"'\"'s.json' 'people'" in unescape(html)


@pytest.mark.parametrize("case", [*CASES.values(), (SHOWN, TOWNS), (LITTLE, TOWNS)])
def test_the_question_is_answered_in_the_headline_and_the_sentence_below_it(case):
    audit, html = html_of(*case)
    words = Words.of(audit.certificate, QUESTION.labels)
    word, said = audit.answer.word, answer_statements(audit.answer, words).sentence
    text = summary(html)
    assert f"Does gender itself change admission? {word}." in text
    assert text.partition(f"{word}. ")[2].casefold().startswith(said.casefold())
    for part in ("As recorded: ", "What was not examined"):
        assert part in text


@pytest.mark.parametrize("case", [*NOT_SHOWN.values(), (LITTLE, TOWNS)])
def test_nothing_is_red_where_nothing_is_significant(case):
    audit, html = html_of(*case)
    assert audit.certificate.population.verdict is not eh.StatisticalVerdict.SHOWN
    assert not RED.search(html)
    assert "red: significantly" not in page_text(html)


def test_what_is_significant_is_red_in_the_answer_pictures_and_tables():
    _, html = html_of(SHOWN, TOWNS)
    assert 'class="verdict v-shown"' in html
    assert len(re.findall(r'class="dot c-shown"', html)) > 1
    assert html.count('class="is-shown"') == 1  # one of two groups
    assert "red: significantly beyond the threshold" in page_text(html)


def test_a_difference_that_is_significant_on_average_alone_makes_the_answer_red():
    _, html = html_of(*shown_on_average())
    assert 'class="verdict v-shown"' in html
    assert "dot c-shown" not in html
    assert "is-shown" not in html.partition("</style>")[2]


def many_towns(first):
    """Twenty towns that differ by chance, and one before them."""
    return towns(first, *[(5, 5, 6, 4), (6, 4, 5, 5)] * 10)


CALM = towns((50_000, 50_000, 50_100, 49_900))


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ((SHOWN, TOWNS), "The 2 clearest differences; 1 of them significant after"),
        ((towns(*[(300, 700, 600, 400)] * 4), TOWNS), "The 3 clearest of 4 significant"),
        ((towns((300, 700, 600, 400)), TOWNS), "The one significant difference"),
        (CASES["not certified"], "The 3 clearest differences; none is significant after"),
        ((LITTLE, TOWNS), "not certified, in the 0.8 % of the rows that could be compared"),
        ((SHOWN, TOWNS), "Of 1,000 women (town = town 00), 300 (30.0%) were admitted; of"),
        ((SHOWN, TOWNS), "30.0 points (95% interval 25.8 to 34.1), significant after"),
        (CASES["certified"], "The largest difference is 0.0 points, under 5 points."),
        (CASES["certified"], "No comparable group differs by 5 points or more."),
        (
            (CALM, TOWNS),
            "In the one comparable group women and men differ by less than 5 points",
        ),
        (
            CASES["nothing comparable"],
            "2 of 2 groups, with 100 people (100% of the rows), hold",
        ),
        (CASES["nothing comparable"], "only women or only men. They count neither"),
        (CASES["nothing comparable"], "there is no benchmark for an unrecorded one"),
        (CASES["open edge"], "perhaps a cause"),
        (
            CASES["open edge"],
            "According to the graph, this may also cause admission (one of 2 possible",
        ),
        (CASES["not certified"], "More groups differ than chance explains."),
        ((towns(*[(20, 20, 20, 20)] * 8), TOWNS), "chance explains what was seen."),
        ((towns(*[(20, 20, 21, 19)] * 200), TOWNS), "but not the average difference."),
        ((many_towns((300, 700, 600, 400)), TOWNS), "Differences by size of group"),
    ],
)
def test_each_case_is_told(case, said):
    assert said in report_text(*case)


def test_adult_takes_at_most_2500_words(adult):
    html = eh.audit(adult, eh.datasets.question("adult")).report().html
    text = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", html.partition("</style>")[2], flags=re.DOTALL)
    assert len(text.split()) <= 2500


def test_what_the_groups_share_is_said_once():
    cells = [(20, 40, 40, 20), (40, 20, 20, 40)]
    columns = {"gender": ["female", "female", "male", "male"] * 2, "major": ["CS"] * 8}
    columns |= {"test_score": ["L"] * 4 + ["H"] * 4, "admission": ["admitted", "rejected"] * 4}
    counts = eh.CountTable.of(columns, [many for four in cells for many in four])
    text = report_text(counts)
    assert "All of them share: applying to CS." in text
    assert "Of 60 women (with a low score), 20 (33.3%) were admitted; of" in text
    assert "All of them share" not in report_text(SHOWN, TOWNS)


def test_people_who_are_not_counted_are_recorded_all_the_same():
    counts = towns((30, 70, 60, 40))
    assert "200 people are recorded." in report_text(counts, TOWNS)
    columns = {
        "gender": ["female", "female", "male", "male", "other"],
        "town": ["A"] * 5,
        "admission": ["admitted", "rejected", "admitted", "rejected", "admitted"],
    }
    third = eh.CountTable.of(columns, [30, 70, 60, 40, 7])
    asked = replace(QUESTION.question, other="male")
    text = page_text(report(eh.audit(third, asked, graph=TOWNS)).html)
    assert "Of 207 people recorded, 200 are counted." in text
    assert "7 rows of groups that are not compared (gender = other) were left out." in text
    shared = page_text(report(eh.audit(third, asked, graph=TOWNS), share=True).html)
    assert "gender = other" not in shared
    pooled = page_text(report(eh.audit(third, replace(asked, other="rest"), graph=TOWNS)).html)
    assert "Everybody but people with “gender = female” (gender = male and gender = " in pooled


def people(group, decision, race="race", decided="hired", favorable="yes"):
    """The page on people of two groups, whose names have no labels."""
    columns = {race: [group] * 2 + ["Caucasian"] * 2, decided: [favorable, decision] * 2}
    counts = eh.CountTable.of(columns, [10, 30, 20, 20])
    asked = eh.Question(
        protected=race, group=group, other="Caucasian", decision=decided, favorable=favorable
    )
    graph = eh.CausalGraph((race, decided), [(race, decided)])
    return page_text(eh.audit(counts, asked, graph=graph).report().html)


def test_without_labels_sentences_have_quoted_names():
    text = people("African-American", "0", decided="two_year_recid", favorable="1")
    assert "Does race itself change “two_year_recid”?" in text
    who = "people with “race = African-American”"
    assert f"Of 40 {who}, 10 (25.0%) had “two_year_recid = 1”; of" in text
    assert f"On average {who} are 25.0 points behind people with “race = Caucasian”" in text
    assert "Does race itself change Released?" in people("b", "no", decided="Released?")[:200]


def test_with_labels_sentences_have_words():
    text = report_text(SHOWN, TOWNS)
    assert "On average women are 30.1 points behind men" in text
    assert "The rate is the share who were admitted." in text


def test_of_many_groups_the_page_says_who_is_compared_and_how_much_of_each():
    text = page_text(report(hiring_audit()).html)
    assert (
        "People who are alike in town are compared across all values of race (blue, gray, "
        "green, red)." in text
    )
    # 22 of 1,072 red people live in town D, where nobody else does.
    assert "(99.3%) could be compared: 97.9% of people with “race = red”, 100% of" in text
    assert "differ by 5 points or more in all 3 comparable groups, up to 22.0 points." in text
    assert "Yes. In 2 of 7 comparisons the two groups differ by more than 5 points" in text
    assert "between blue and green and between blue and red." in text
    assert (
        "1 of 4 groups, with 22 people (0.7% of the rows), holds no two values of race." in text
    )
    # Gray people of town B are farther behind than the pair that is told, but they are few.
    assert "Widest gap: 12.2 points, 30 of 50 red and 11 of 23 gray." in text
    assert "race (blue; gray; green; red), in pairs; hired = yes; τ = 1/20." in text
    assert "share of the group ahead minus share of the group behind. Never negative." in text


def test_with_a_reference_everybody_is_compared_with_it():
    text = page_text(report(hiring_audit(other="blue")).html)
    assert "Gray, green and red are compared with people with “race = blue” who are" in text
    assert "Others are ahead by 19.3 to 22.0 points in both comparable groups." in text


def test_with_least_rows_a_group_with_few_of_each_is_not_compared():
    text = page_text(report(hiring_audit(min_rows=200)).html)
    assert "3 of 4 groups" in text
    assert "no two values of race with at least 200 people" in text


def test_of_very_many_groups_ten_are_listed_and_the_rest_counted():
    everywhere = {f"race {n:02}": (4, 6) for n in range(50)}
    cells = {"x": everywhere, "y": everywhere}
    # Few of the first twelve live beside others.
    cells |= {f"own {n:02}": {f"race {n:02}": (200 - n, 100)} for n in range(12)}
    text = page_text(report(hiring_audit(cells)).html)
    assert "6.2% of people with “race = race 00”, 6.3% of people with “race = race 01”" in text
    assert "race 09; 40 more), in pairs" in text


def test_of_several_values_each_pair_names_its_own():
    text = page_text(report(score_audit(criterion="every")).html)
    assert "had “score = high” 19.1 points more often than" in text


def premises(audit, **options):
    """The assumptions: their status and reason by what they are about."""
    return {
        premise.what: (premise.status, "".join(premise.why or ()))
        for premise in report(audit, **options).page.premises
    }


def test_the_threshold_stands_beside_the_largest_difference_of_all_comparisons_examined():
    what = "The threshold of 5 points."
    largest = max(map(abs, admissions_audit().certificate.partition.extremes))
    assert largest == Fraction(1, 10)
    assert premises(admissions_audit())[what][1].endswith(
        "only above a threshold of 10.0 points."
    )
    counts, graph = CASES["nothing comparable"]
    assert "above" not in premises(eh.audit(counts, QUESTION.question, graph=graph))[what][1]
    audit = admissions_audit(scope="all")
    largest = max(abs(end) for one in audit.certificate.partitions for end in one.extremes)
    assert f"{100 * float(largest):.1f} points" in premises(audit)[what][1]


def test_what_passes_the_effect_on_is_named():
    what = "Only the direct effect of gender is measured."
    audit = admissions_audit()
    through = [*not_examined(audit.certificate, Words.of(audit.certificate))]
    assert "other attributes (here major) are not" in through[0]
    alone = eh.CausalGraph.parse("major -> admission; gender -> admission")
    assert "other attributes are not" in premises(admissions_audit(graph=alone))[what][1]


def test_what_no_table_can_tell_is_listed():
    found = premises(admissions_audit())
    status, why = found["What came before the table."]
    assert status == "Cannot be tested"
    assert "Gender and admission together do not determine who is in the table." in why
    assert "Each row is one person, recorded once and independently of the others." in found


def test_a_learned_graph_says_what_it_may_lack():
    status, why = premises(eh.audit(eh.datasets.admissions(2), QUESTION.question))[
        "The causal graph."
    ]
    assert status == "Learned, not given"
    assert "Links too weak to show in these rows are missing." in why
    _, given = premises(admissions_audit())["The causal graph."]
    assert "too weak" not in given
    assert "Every common cause of two attributes must be recorded." in given


def test_arrows_that_were_required_or_forbidden_are_told():
    known = eh.Knowledge(required=["gender -> admission"], forbidden=["major -> test_score"])
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, knowledge=known)
    status, why = premises(audit)["The order of events."]
    assert status == "Given"
    assert "Required: gender → admission. Forbidden: major → “test_score”." in why


def test_an_order_that_was_assumed_is_not_tagged_as_given():
    what = "The order of events."
    assert what not in premises(admissions_audit())
    learned = eh.audit(eh.datasets.admissions(2), QUESTION.question)
    assert what not in premises(learned)
    assert "No tiers were given" in page_text(learned.report().html)
    tiers = eh.Tiers(..., ["admission"])  # the same order, but somebody gave it
    given = eh.audit(eh.datasets.admissions(2), QUESTION.question, knowledge=tiers)
    assert premises(given)[what][0] == "Given"


def test_a_search_that_ended_early_is_told():
    early = eh.audit(eh.datasets.admissions(2), QUESTION.question, max_depth=0)
    text = page_text(early.report().html)
    assert "Sets of more than 0 attributes were not tried. Larger sets could separate" in text


def test_how_the_table_was_read_is_told():
    table = pa.table(
        {
            "gender": ["female", "male"] * 50,
            "score": [*range(99), None],
            "note": ["x"] * 100,
            "many": [2] * 100,
            "admission": ["admitted", "rejected", "rejected", "admitted"] * 25,
        }
    )
    codings = eh.Codings.of(
        columns=["gender", "score", "admission"],
        bins={"score": [30, 60]},
        frequency="many",
        missing="level",
    )
    graph = eh.CausalGraph.parse("gender -> admission; score -> admission")
    told = premises(eh.audit(table, QUESTION.question, codings=codings, graph=graph))
    assert "Only chosen columns were counted: no other cause is held equal." in told
    assert "Each line counts for as many people as its many says." in told
    assert "A missing value counts as a value of its own." in told
    _, why = told["Values were divided into classes before counting."]
    assert "score (up to 30; 31 to 60; 61 or more)" in why
    plain = premises(admissions_audit())
    assert not {one for one in plain if "counted" in one or "counts" in one}


def test_rows_that_were_dropped_may_be_unlike_the_others():
    columns = {"gender": ["female", "male", None, "male"] * 25}
    columns |= {"admission": ["admitted", "rejected", "rejected", "admitted"] * 25}
    audit = eh.audit(
        pa.table(columns),
        QUESTION.question,
        codings=eh.Codings.of(missing="drop"),
        graph=eh.CausalGraph.parse("gender -> admission"),
    )
    assert (
        "25 rows with missing values were dropped. Whether such people fare like the others is "
        "not known."
    ) in premises(audit)


def test_what_a_look_at_the_table_found_is_told_to_the_owner_alone():
    lines = (
        *(("f", "ba", "yes", 40), ("f", "ba", "no", 60), ("m", "ba", "yes", 50)),
        *(("m", "ba", "no", 50), ("f", "ma", "yes", 30), ("m", "ma", "no", 30)),
    )
    sex, degree, hired, often = map(list, zip(*lines, strict=True))
    columns = {"sex": sex, "degree": degree, "hired": hired}
    columns["title"] = [{"f": "Ms", "m": "Mr"}[value] for value in sex]
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("degree -> hired; sex -> hired; title -> hired")
    audit = eh.audit(eh.CountTable.of(columns, often), asked, graph=graph)
    text = page_text(audit.report().html)
    assert "The same column in other words: 'sex' = 'title'." in text
    assert "Keep one of them" in text
    assert "exclude = " not in text  # readers of the page cannot type
    assert "Found in the table" not in page_text(audit.report(share=True).html)
    counts = eh.datasets.admissions(2).recoded("major", {"EE": "?"})
    marked = eh.audit(counts, QUESTION.question, graph=GRAPH)
    assert "Found in the table" in page_text(marked.report().html)


def test_trials_are_told_if_they_were_made():
    again = bootstrap(
        eh.datasets.admissions(2), QUESTION.question, graph=GRAPH, resamples=3, seed=1
    )
    text = page_text(report(admissions_audit(), resampled=again).html)
    assert "3 resamples, all with the given graph" in text


def test_a_key_shows_each_mark_once_and_no_group_has_the_color_of_a_difference():
    audit = admissions_audit()
    html = report(audit, audit.release(seed=7)).html
    keys = re.findall(r'<ul class="key">(.*?)</ul>', html, re.DOTALL)
    assert len(keys) == 3
    for key in keys:
        entries = re.findall(r"<li[^>]*>(.*?)</li>", key, re.DOTALL)
        drawn = [re.findall(r'<(circle|path|rect|line) class="([^"]*)"', e) for e in entries]
        marks = [tuple(shapes) for shapes in drawn if shapes]
        assert len(marks) == len({*marks}) > 1
    cells = re.findall(r'<td class="difference">(.*?)</td>', html, re.DOTALL)
    assert cells
    assert not [cell for cell in cells if "c-group" in cell or "c-other" in cell]


def test_labels_and_columns_can_be_found_again():
    columns = {
        "sex": ["f", "f", "m", "m"] * 2,
        "job_kind": ["a_b"] * 4 + ["c"] * 4,
        "hired": ["yes", "no"] * 4,
    }
    counts = eh.CountTable.of(columns, [10, 30, 20, 20, 15, 15, 16, 14])
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("sex -> hired; job_kind -> hired")
    labels = eh.QuestionFile(question=asked).labels
    labels = replace(labels, columns={"job_kind": "kind of job"})
    text, fine = page_text(
        report(eh.audit(counts, asked, graph=graph), labels=labels).html
    ).split("Small print")
    assert "kind of job = a_b" in text
    assert "job_kind" not in text
    assert "Columns: kind of job = job_kind." in fine
