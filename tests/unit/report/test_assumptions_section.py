"""Section 7: what the verdict rests on."""

from fractions import Fraction

import pyarrow as pa
from tests.report_pages import CASES, GRAPH, QUESTION, admissions_audit, page_text, report_text

import evenhand as eh
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.evidence.variations.graph_tests import doubt
from evenhand.report import report


def test_what_an_unrecorded_cause_could_do_is_told_beside_the_strongest_recorded_one():
    """In the paper's example both sides have the same majors and scores: nothing to go by."""
    columns = {
        "gender": ["female", "female", "male", "male"] * 2,
        "town": ["A"] * 4 + ["B"] * 4,
        "admission": ["admitted", "rejected"] * 4,
    }
    counts = eh.CountTable.of(columns, [30, 70, 120, 30, 60, 100, 90, 10])
    graph = eh.CausalGraph.parse("gender -> admission; town -> admission; gender -> town")
    text = report_text(counts, graph)
    assert "With an unrecorded cause as strong as town the average would lie anywhere" in text
    assert "says how strong one could be" in report_text(*CASES["nothing comparable"])


def test_trials_of_the_graph_are_told_if_they_were_made():
    audit = admissions_audit()
    counts = eh.datasets.admissions(2)
    tried = doubt(counts, GRAPH, QUESTION.question)
    text = page_text(report(audit, doubt=tried).html)
    assert "Evidence against the graph at admission" in text
    again = bootstrap(counts, QUESTION.question, graph=GRAPH, resamples=3, seed=1)
    assert "3 resamples, all with the given graph" in page_text(
        report(audit, resampled=again).html
    )


def premises(audit, **options):
    """The points of section 7: their status and words by what they are about."""
    return {
        premise.what: (premise.status, "".join(premise.why or ()))
        for premise in report(audit, **options).page.premises
    }


def test_the_threshold_is_told_with_the_largest_difference():
    what = "The threshold of 5 points."
    largest = max(map(abs, admissions_audit().certificate.partition.extremes))
    _, why = premises(admissions_audit())[what]
    assert largest == Fraction(1, 10)
    assert why.endswith("The criterion is met only above the largest difference, 10.0 points.")
    counts, graph = CASES["nothing comparable"]
    assert "largest" not in premises(eh.audit(counts, QUESTION.question, graph=graph))[what][1]


def test_the_largest_difference_is_that_of_all_comparisons_examined():
    """No group of the causes reaches it, but one of another meaningful comparison does."""
    audit = admissions_audit(scope="all")
    largest = max(abs(end) for one in audit.certificate.partitions for end in one.extremes)
    why = premises(audit)["The threshold of 5 points."][1]
    assert f"{100 * float(largest):.1f} points" in why


def test_what_passes_the_effect_on_is_named():
    what = "What is measured is the direct effect of gender in these rows."
    assert "other attributes (here major), which" in premises(admissions_audit())[what][1]
    alone = admissions_audit(
        graph=eh.CausalGraph.parse("major -> admission; gender -> admission")
    )
    assert "other attributes, which can be" in premises(alone)[what][1]


def test_what_no_table_can_tell_is_listed():
    status, why = premises(admissions_audit())["What came before the table."]
    assert status == "Cannot be tested"
    assert "because of gender and admission together" in why


def test_that_rows_are_independent_is_assumed():
    what = "Each row is one person, recorded once and independently of the others."
    assert premises(admissions_audit())[what][0] == "Cannot be tested"


def test_a_learned_graph_says_what_it_may_lack():
    learned = eh.audit(eh.datasets.admissions(2), QUESTION.question)
    status, why = premises(learned)["The causal graph."]
    assert status == "Learned, not given"
    assert "Links too weak for these rows to show are missing" in why
    _, given = premises(admissions_audit())["The causal graph."]
    assert "too weak" not in given
    assert "It must not lack a common cause of two attributes." in given


def test_arrows_that_were_required_or_forbidden_are_told():
    known = eh.Knowledge(required=["gender -> admission"], forbidden=["major -> test_score"])
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, knowledge=known)
    status, why = premises(audit)["The order of events."]
    assert status == "Given"
    assert "Required: gender → admission. Forbidden: major → test score." in why


def test_no_order_is_missed_where_the_graph_was_given():
    stated = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    assert "The order of events." not in premises(stated)


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
    assert (
        "Only chosen columns were counted: a cause among the others is not held equal." in told
    )
    assert "Each line counts for as many people as its many says." in told
    assert "A missing value counts as a value of its own." in told
    _, why = told["Values put in classes before counting."]
    assert "score (up to 30; 31 to 60; 61 or more)" in why
    plain = premises(admissions_audit())
    assert not {one for one in plain if "counted" in one or "counts" in one}


def test_rows_that_were_dropped_may_be_unlike_the_others():
    table = pa.table(
        {
            "gender": ["female", "male", None, "male"] * 25,
            "admission": ["admitted", "rejected", "rejected", "admitted"] * 25,
        }
    )
    audit = eh.audit(
        table,
        QUESTION.question,
        codings=eh.Codings.of(missing="drop"),
        graph=eh.CausalGraph.parse("gender -> admission"),
    )
    assert (
        "25 rows with missing values were dropped. Whether such people fare like the others is "
        "not known."
    ) in premises(audit)


def test_an_order_that_was_assumed_is_not_tagged_as_given():
    learned = eh.audit(eh.datasets.admissions(2), QUESTION.question)
    assert "The order of events." not in premises(learned)
    assert "No tiers were given" in page_text(learned.report().html)
    tiers = eh.Tiers(..., ["admission"])  # the same order, but somebody gave it
    given = eh.audit(eh.datasets.admissions(2), QUESTION.question, knowledge=tiers)
    assert premises(given)["The order of events."][0] == "Given"


def test_a_search_that_ended_early_is_told():
    early = eh.audit(eh.datasets.admissions(2), QUESTION.question, max_depth=0)
    text = page_text(early.report().html)
    assert "Sets of more than 0 attributes were not tried. Larger sets could separate" in text
