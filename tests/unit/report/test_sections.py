"""Every kind of result has a page of nine sections that says what is the case."""

import re
from html import unescape

import pytest

import evenhand as eh
from evenhand.errors import QuestionError
from evenhand.report import report

QUESTION = eh.datasets.question("admissions")
GRAPH = eh.CausalGraph.parse(
    "gender -> major -> admission; test_score -> admission; gender -> admission"
)


def words(html):
    """The text of a page."""
    body = html[html.index("</style>") :]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", body)))


def told(counts, graph=GRAPH, question=QUESTION.question, **options):
    audit = eh.audit(counts, question, graph=graph)
    return words(report(audit, labels=QUESTION.labels, generated="today", **options).html)


def one_sided():
    columns = {"gender": ["female", "male"], "admission": ["admitted", "rejected"]}
    counts = eh.CountTable.of(
        {
            "gender": ["female", "female", "male", "male"],
            "town": ["A", "A", "B", "B"],
            "admission": columns["admission"] * 2,
        },
        [10, 20, 30, 40],
    )
    return counts, eh.CausalGraph.parse(
        "town -> admission; gender -> admission; gender -> town"
    )


CASES = {
    "not certified": (eh.datasets.admissions(2), GRAPH),
    "certified": (eh.datasets.admissions(1), GRAPH),
    "nothing comparable": one_sided(),
    "no causes": (
        eh.datasets.admissions(1),
        eh.CausalGraph(
            ("gender", "admission", "major", "test_score"), frozenset({("gender", "admission")})
        ),
    ),
    "open edge": (
        eh.datasets.admissions(2),
        eh.PartialGraph.parse("gender -> admission; gender -> major; major - admission"),
    ),
    "no direct arrow": (
        eh.datasets.admissions(1),
        eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission"),
    ),
}


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_page_has_the_same_nine_sections_in_the_same_order(name, share):
    counts, graph = CASES[name]
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    html = report(audit, share=share, generated="today").html
    assert re.findall(r'<h2 id="h(\d)">', html) == list("123456789")


def test_evidence_is_told_in_counts_with_its_interval():
    text = told(*CASES["not certified"])
    assert "Verdict" not in text.split("The question")[0]
    assert "Not certified" in text
    assert "E1" in text
    assert "Of 300 women" in text


def test_a_certified_table_says_how_large_the_largest_difference_is():
    text = told(*CASES["certified"])
    assert "Certified" in text
    assert "The largest difference is 0.0." in text
    assert "there is no evidence to list" in text


def test_groups_that_cannot_be_compared_are_listed():
    text = told(*CASES["nothing comparable"])
    assert "Cannot decide" in text
    assert (
        "2 of 2 groups, with 100 people (100% of the rows), hold only women or only men."
        in text
    )


def test_an_open_edge_is_named_with_its_remedy():
    assert "perhaps a cause" in told(*CASES["open edge"])


def test_a_missing_direct_arrow_is_said():
    text = told(*CASES["no direct arrow"])
    assert "The graph has no arrow from gender to admission" in text


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    audit = eh.audit(eh.datasets.admissions(1), QUESTION.question, graph=GRAPH)
    text = words(report(audit, partition=audit.explain_partition(["test_score"])).html)
    assert "leaves open gender → major → admission" in text
    assert "to mend it, hold major equal" in text
    assert "is misleading: what it shows, or does not show, is no evidence of anything" in text


def test_a_meaningful_partition_is_called_so():
    audit = eh.audit(eh.datasets.admissions(1), QUESTION.question, graph=GRAPH)
    text = words(report(audit, partition=audit.explain_partition(["test_score", "major"])).html)
    assert "by major and test score, is meaningful" in text


def test_a_release_stands_beside_the_record_with_what_was_changed():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    release = audit.release(seed=7)
    text = words(report(audit, release, labels=QUESTION.labels).html)
    assert f"{release.changed_rows:,} of 2,200 rows were changed" in text
    assert "As recorded Not certified" in text
    assert "As released Certified" in text
    assert "record nobody’s true admission" in text
    assert "The graph was given, so it was not learned again" in text


def test_without_a_release_the_section_says_so_in_a_line():
    assert "No release was made" in told(*CASES["not certified"])


def test_block_sets_that_were_examined_are_listed():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH, scope="all")
    text = words(report(audit).html)
    assert "also checked" in text
    assert "were examined" in text


def test_sensitivity_is_told_beside_the_strongest_recorded_cause():
    text = told(*CASES["not certified"])
    assert "It would have to account for" in text
    assert "major0.0 points" in text


def test_trials_of_the_graph_are_told_if_they_were_made():
    from evenhand.evidence.bootstrap import bootstrap  # noqa: PLC0415
    from evenhand.evidence.graph_doubt import doubt  # noqa: PLC0415

    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    counts = eh.datasets.admissions(2)
    tried = doubt(counts, GRAPH, QUESTION.question)
    text = words(report(audit, doubt=tried).html)
    assert "The weakest of the links at admission" in text
    again = bootstrap(counts, QUESTION.question, graph=GRAPH, resamples=3, seed=1)
    assert "3 resamples of the rows, all with the same graph." in words(
        report(audit, resampled=again).html
    )


@pytest.mark.parametrize("name", CASES)
def test_no_page_uses_a_word_that_promises_more_than_was_shown(name):
    text = told(*CASES[name]).casefold()
    for word in ("fair", "compliant", "unbiased", "privileged", "significant "):
        assert word not in text


def test_many_groups_are_drawn_as_a_funnel_and_the_strongest_as_a_matrix(adult):
    asked = eh.datasets.question("adult")
    names = [name for name in adult.names if name not in ("sex", "income")]
    arrows = {("sex", "income"), *((name, "income") for name in names[:7])}
    graph = eh.CausalGraph(adult.names, frozenset(arrows))
    html = report(eh.audit(adult, asked, graph=graph), labels=asked.labels).html
    assert 'class="plot matrix"' in html
    assert "Differences by size of group" in html
    assert "Where the people are" in html


def test_a_page_names_the_file_but_not_its_folder(tmp_path):
    path = tmp_path / "people's.csv"
    path.write_text("gender,admission\n" + "female,admitted\nmale,rejected\n" * 20)
    audit = eh.audit(
        path,
        eh.Question(
            protected="gender", group="female", decision="admission", favorable="admitted"
        ),
        graph=eh.CausalGraph.parse("gender -> admission"),
    )
    html = report(audit).html
    assert str(tmp_path) not in html
    assert "evenhand verify 'people'\"'\"'s.certificate.json'" in unescape(html)


def test_a_full_page_is_for_its_owner_and_a_shared_one_for_others(tmp_path):
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    full = report(audit).write(tmp_path / "full.html")
    shared = report(audit, share=True).write(tmp_path / "shared.html")
    assert full.stat().st_mode & 0o777 == 0o600
    assert shared.stat().st_mode & 0o777 == 0o644
    assert full.read_text("utf-8") == report(audit).html


def test_a_page_that_is_there_is_replaced_only_if_that_is_allowed(tmp_path):
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    path = tmp_path / "page.html"
    path.write_text("evidence")
    with pytest.raises(QuestionError, match=r"This file exists.*overwrite=True"):
        report(audit).write(path)
    assert path.read_text() == "evidence"
    made = report(audit, generated="today")
    made.write(path, overwrite=True)
    assert path.read_text("utf-8") == made.html


def test_a_method_that_changes_other_things_than_decisions_says_which():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    shuffled = audit.release(method=eh.ShuffleProtected(), seed=7, uncertified=True)
    text = words(report(audit, shuffled, labels=QUESTION.labels).html)
    assert "The protected attribute gender was changed" in text
    assert "Only admission was changed" not in text


def test_a_shared_page_does_not_tell_how_many_decisions_changed_in_a_group():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    release = audit.release(seed=7)
    full = words(report(audit, release, labels=QUESTION.labels).html)
    shared = words(report(audit, release, labels=QUESTION.labels, share=True).html)
    assert "men yes → no" in full
    assert "yes → no" not in shared
    assert "no → yes" not in shared


def test_a_shared_page_has_no_column_for_what_it_does_not_tell():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=GRAPH)
    release = audit.release(seed=7)
    assert "Decisions changed" in report(audit, release).html
    assert "Decisions changed" not in report(audit, release, share=True).html


def test_names_without_a_label_are_read_with_spaces_and_found_with_their_own():
    columns = {
        "sex": ["f", "f", "m", "m"] * 2,
        "job_kind": ["a_b"] * 4 + ["c"] * 4,
        "Income_class": ["high", "low"] * 4,
    }
    counts = eh.CountTable.of(columns, [10, 30, 20, 20, 15, 15, 16, 14])
    asked = eh.Question(protected="sex", group="f", decision="Income_class", favorable="high")
    graph = eh.CausalGraph.parse("sex -> Income_class; job_kind -> Income_class")
    audit = eh.audit(counts, asked, graph=graph)
    text, fine = words(report(audit).html).split("Small print")
    assert "Does sex itself change Income class?" in text
    assert "job kind a_b" in text
    assert "Income_class" not in text
    assert "job_kind" not in text
    assert "Income_class = high" in fine
    assert "Columns: Income class = Income_class; job kind = job_kind." in fine


def test_what_looks_missing_is_told_to_the_owner_alone():
    counts = eh.datasets.admissions(2).recoded("major", {"EE": "?"})
    audit = eh.audit(counts, QUESTION.question, graph=GRAPH)
    said = "1,200 rows with “?” as major. If they mean that nothing is known"
    assert said in words(report(audit).html)
    assert "Not declared" not in report(audit, share=True).html
    assert "Not declared" not in told(*CASES["not certified"])


def test_no_finding_outlasts_a_cause_that_there_is_not():
    """Both sides have the same majors and scores: none of them could explain anything."""
    text = told(*CASES["not certified"])
    assert "there is nothing to compare with" in text
    assert "would survive" not in text
    assert "none has rows enough here" not in text


def test_findings_that_outlast_the_strongest_recorded_cause_are_counted():
    columns = {
        "gender": ["female", "female", "male", "male"] * 2,
        "town": ["A"] * 4 + ["B"] * 4,
        "admission": ["admitted", "rejected"] * 4,
    }
    counts = eh.CountTable.of(columns, [30, 70, 120, 30, 60, 100, 90, 10])
    graph = eh.CausalGraph.parse("gender -> admission; town -> admission; gender -> town")
    assert "2 of 2 findings would survive an unrecorded cause" in told(counts, graph)


def test_a_graph_without_the_arrow_in_question_is_told_as_such():
    graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    audit = eh.audit(eh.datasets.admissions(2), QUESTION.question, graph=graph)
    text = words(report(audit, labels=QUESTION.labels).html)
    assert "no arrow leads from gender to admission, which is caused by" in text
    assert "thick arrow" not in text
