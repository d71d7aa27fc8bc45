"""The release: how the page opens with it, and section 6."""

from dataclasses import replace

import pandas as pd
import pytest
from tests.many_groups import TOWNS, hiring_audit, score_audit
from tests.report_pages import QUESTION, admissions_audit, page_text
from tests.revealing import audit as people_audit
from tests.revealing import people

import evenhand as eh
from evenhand.report import report
from evenhand.report.release_section import same_lines
from evenhand.wording.verdict_words import certificate_class


def test_a_release_stands_beside_the_record_with_what_was_changed():
    audit = admissions_audit()
    release = audit.release(seed=7)
    text = page_text(report(audit, release, labels=QUESTION.labels).html)
    assert f"{release.changed_rows:,} of 2,200 rows changed" in text
    assert "As released, in none of 4 comparable groups do women and men differ by" in text
    assert "they are not records about persons" in text


def test_who_gains_and_who_loses_is_in_words():
    audit = admissions_audit()
    for policy, sentence in (
        ("minimal", "Who gains (rejected to admitted): 12 men. Who loses (admitted to"),
        ("raise", "Who loses (admitted to rejected): nobody."),
    ):
        release = audit.release(method=eh.ModifyData(policy=policy), seed=7)
        assert sentence in page_text(report(audit, release, labels=QUESTION.labels).html)


def test_a_method_that_changes_other_things_than_decisions_says_which():
    audit = admissions_audit()
    shuffled = audit.release(method=eh.ShuffleProtected(), seed=7, uncertified=True)
    text = page_text(report(audit, shuffled, labels=QUESTION.labels).html)
    assert "changed columnsgender" in text


def shown_release():
    """A release of rows in which a difference is shown."""
    columns = {
        "gender": ["female", "female", "male", "male"],
        "admission": ["admitted", "rejected"] * 2,
    }
    counts = eh.CountTable.of(columns, [300, 700, 600, 400])
    audit = eh.audit(
        counts, QUESTION.question, graph=eh.CausalGraph.parse("gender -> admission")
    )
    return audit, audit.release(seed=7)


def test_the_first_part_has_the_release_below_the_answer_and_not_in_red():
    audit, release = shown_release()
    html = report(audit, release, labels=QUESTION.labels).html
    audited, _, rest = html.partition(
        '<section class="verdict claims" aria-label="The release in brief">'
    )
    released, _, appendix = rest.partition("</section>")
    text = page_text(f"</style>{released}")
    assert "Certified" in text
    assert f"{release.changed_rows:,} of 2,000 rows changed" in text
    assert "Who gains (rejected to admitted): " in text
    assert "v-shown" not in released
    assert "v-shown" in audited
    assert "As recorded, in the one comparable group" in page_text(f"</style>{appendix}")
    assert report(audit, release).page.title.startswith(f"{audit.answer.word}: Does gender")


def test_a_written_release_is_called_by_its_file(tmp_path):
    audit, release = shown_release()
    assert release.files is None
    written = release.write(tmp_path / "rows.csv")
    assert release.files == written
    page = report(audit, release, title="Admissions").page
    assert page.released.heading == "The release, rows.csv"
    assert page.masthead[0] == "Admissions, released as rows.csv"


def test_rows_that_were_changed_show_nothing_of_a_population():
    audit, release = shown_release()
    assert certificate_class(audit.certificate) == "shown"
    changed = replace(audit.certificate, release=release.certificate.release)
    assert certificate_class(changed) == "not-certified"


def test_a_release_stands_as_in_the_terminal():
    audit, release = shown_release()
    result, text = release.summary(), page_text(report(audit, release).html).replace(" ", "")
    for name, fact in result.facts:
        assert f"{name}{fact}".replace(" ", "") in text
    for note in result.notes:
        assert str(note).replace(" ", "") in text


def test_groups_have_their_attributes_in_the_order_of_the_table():
    counts = eh.CountTable.of(
        {
            "town": ["a", "b", "c"] * 8,
            "job": ["x", "y"] * 12,
            "sex": (["f"] * 6 + ["m"] * 6) * 2,
            "hired": ["no"] * 12 + ["yes"] * 12,
        },
        [30] * 6 + [5] * 6 + [10] * 6 + [20] * 6,
    )
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("town -> hired; job -> hired; sex -> hired")
    audit = eh.audit(counts, asked, graph=graph)
    assert audit.certificate.partition.names == ("job", "town")
    html = report(audit, audit.release(seed=7)).html
    assert html.count("<b>Job</b>town · people") == 2
    assert "<b>Town</b>" not in html


def test_columns_that_reveal_are_told_to_the_owner_and_those_not_released_to_all():
    audit = people_audit(pd.DataFrame(people()))
    plain = audit.release(seed=7, drop=["reason", "copy"])
    for share in (False, True):
        text = page_text(report(audit, plain, share=share).html)
        assert ("reason, copy" in text) is not share
        assert ("Not released: reason and copy." in text) is share
        assert ("'band', 'score' reveal changed rows." in text) is not share


def test_who_gains_and_who_loses_is_said_of_each_of_many_groups():
    audit = hiring_audit()
    release = audit.release(seed=7)
    text = page_text(report(audit, release).html)
    after = release.certificate.partition
    changed = (after.favorable[0] - audit.certificate.partition.favorable[0]).sum(axis=1)
    assert sum(abs(changed)) == release.changed_rows
    gains = [f"{who} ({n:,})" for n, who in zip(changed, after.groups, strict=True) if n > 0]
    assert f"Who gains (no to yes): {' and '.join(gains)}." in text
    assert "The widest difference as recorded and as released" in text
    hired = sum(groups["blue"][0] for groups in TOWNS.values() if "blue" in groups)
    total = sum(sum(groups["blue"]) for groups in TOWNS.values() if "blue" in groups)
    assert f"Blue who had “hired = yes”{hired} of {total:,}" in text


def test_of_more_than_two_decisions_none_is_called_yes_or_no():
    audit = score_audit(favorable="low")
    text = page_text(report(audit, audit.release(seed=7)).html)
    assert "Who gains (to a favorable decision): " in text
    assert "Who loses (to an unfavorable one): " in text


def test_many_groups_of_many_people_before_and_after_are_gaps():
    towns = {
        f"t{n:02}": {"red": (9, 11), "green": (15, 5), "blue": (10, 10)} for n in range(16)
    }
    audit = hiring_audit(towns)
    html = report(audit, audit.release(seed=7)).html
    assert "Comparisons by difference in percentage points; each bar" in page_text(html)
    assert "As released: 48 of 48 comparisons are under the threshold." in html


def partition(*people, causes="town job"):
    names = ("sex", "hired", *causes.split())
    arrows = "; ".join(f"{name} -> hired" for name in names if name != "hired")
    question = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    columns = {name: [] for name in names}
    for values in people:
        for sex, hired in (("f", "yes"), ("m", "no")):
            for name, value in zip(names, (sex, hired, *values), strict=True):
                columns[name].append(value)
    counts = eh.CountTable.of(columns, [20] * 2 * len(people))
    return eh.certify(counts, eh.CausalGraph.parse(arrows), question).partition


@pytest.mark.parametrize(
    ("people", "causes", "same"),
    [
        (["Ax", "By"], "town job", True),
        (["Ax", "Cy"], "town job", False),
        (["Ax", "Bz"], "town job", False),
        (["Ax", "By", "Bz"], "town job", False),
        (["Ax", "By"], "town post", False),
    ],
)
def test_groups_are_compared_by_columns_values_and_number(people, causes, same):
    assert same_lines(partition("Ax", "By"), partition(*people, causes=causes)) is same
