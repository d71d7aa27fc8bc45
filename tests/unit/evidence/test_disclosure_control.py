"""What may be passed on: the groups without a small count."""

import json
import re
from dataclasses import replace

import pytest
from tests import several_groups
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import wrong
from tests.loans import CELLS, ZIP_FIRST, asking, loans
from tests.loans import QUESTION as PATHS

import evenhand as eh
from evenhand import datasets
from evenhand.errors import CannotReleaseError, QuestionError
from evenhand.evidence import Verdict, certify, shown_part
from evenhand.evidence.certificate_record import shown_claim
from evenhand.report import report

COUNTS = datasets.admissions(2)
# Women and men, hired and not, in four towns; of the second and third hardly anybody is known.
TOWNS = {"a": (40, 40, 40, 40), "b": (1, 0, 20, 0), "c": (0, 1, 0, 0), "d": (0, 0, 20, 20)}


def towns(cells):
    columns = {"q": [], "sex": [], "admit": []}
    for town in cells:
        columns["q"] += [town] * 4
        columns["sex"] += ["F", "F", "M", "M"]
        columns["admit"] += ["yes", "no", "yes", "no"]
    return eh.CountTable.of(columns, [n for four in cells.values() for n in four])


def asked(cells, **options):
    question = eh.Question(protected="sex", group="F", decision="admit", favorable="yes")
    graph = eh.CausalGraph.parse("q -> admit; sex -> admit")
    return eh.audit(towns(cells), question, graph=graph, **options)


def test_only_lines_with_four_large_counts_are_left():
    part = shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=60)
    assert [dict(one.where) for one in part.subpopulations] == [
        {"major": "EE", "test_score": "L"}
    ]
    assert part.row_count == 800
    assert part.examined.counts.attribute("major").values == ("EE",)


@pytest.mark.parametrize("least_count", [0, -1, 2.5, True, "10", None, 2**63])
def test_a_least_count_is_a_whole_number_that_withholds_something(least_count):
    with pytest.raises(QuestionError, match="whole number of at least 1"):
        shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=least_count)


@pytest.mark.parametrize("least_count", [1, 40, 41, 5000, 2**63 - 1])
def test_it_is_the_same_when_taken_twice(least_count):
    once = shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=least_count)
    twice = shown_part(once, least_count=least_count)
    assert (once.verdict, [*once.subpopulations]) == (twice.verdict, [*twice.subpopulations])


def test_a_count_that_is_just_large_enough_is_shown():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert len(shown_part(certificate, least_count=40).subpopulations) == 4
    assert len(shown_part(certificate, least_count=41).subpopulations) == 3


def test_of_an_audit_the_verdict_is_that_of_what_is_shown_or_withheld():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert shown_part(certificate, least_count=10).verdict is Verdict.NOT_CERTIFIED
    assert shown_part(certificate, least_count=5000).verdict is Verdict.WITHHELD
    certified = certify(datasets.admissions(1), GRAPH, QUESTION)
    assert certified.verdict is Verdict.CERTIFIED
    assert shown_part(certified, least_count=1).verdict is Verdict.WITHHELD


def test_of_open_causes_one_set_is_shown_and_no_verdict():
    certificate = certify(COUNTS, OPEN_GRAPH, QUESTION)
    part = shown_part(certificate, least_count=10)
    assert [one.names for one in part.partitions] == [("major", "test_score")]
    assert part.partition.violating
    assert part.verdict is Verdict.WITHHELD


def test_a_search_leaves_no_statistics():
    learned = eh.audit(COUNTS, QUESTION).certificate
    part = shown_part(learned, least_count=10)
    assert sum(learned.graph.record.tests) > 0
    assert not part.graph.record.tests
    assert not part.graph.record.separating
    assert part.graph == learned.graph


def test_rows_left_out_or_dropped_are_not_counted():
    certificate = certify(COUNTS, GRAPH, QUESTION, dropped=3)
    part = shown_part(certificate, least_count=10)
    assert (part.dropped, part.examined.left_out, part.reasons) == (0, 0, ())


def test_too_little_coverage_reveals_nobody():
    """Only 81 of 82 rows of F: from that the woman of town c, and her decision, follow."""
    others = {**TOWNS, "b": (0, 3, 18, 1), "c": (2, 0, 1, 0)}
    pages = [
        report(asked(cells, min_coverage=1), share=True, generated="today").html
        for cells in (TOWNS, others)
    ]
    assert pages[0] == pages[1]
    assert not re.search(r"\b8[12]\b", re.sub("<[^>]+>", " ", pages[0]))


def test_a_certified_release_says_so():
    audit = asked({"a": (40, 40, 60, 20), "b": (3, 4, 5, 6)})
    release = audit.release(seed=1)
    part = shown_part(release.certificate, least_count=10)
    assert part.verdict is Verdict.CERTIFIED
    assert part.release.can_change == ("admit",)
    assert "may have been changed" in part.release.notice
    assert part.release == shown_part(part, least_count=10).release


def test_of_a_release_without_a_certificate_there_is_no_copy():
    audit = asked({"a": (40, 40, 60, 20), "b": (3, 4, 5, 6)})
    release = audit.release(method=eh.ModifyData(policy="paper"), seed=1, uncertified=True)
    assert release.certificate.verdict is not Verdict.CERTIFIED
    with pytest.raises(CannotReleaseError, match="only of a certified release"):
        release.certificate.to_shared_json()
    with pytest.raises(CannotReleaseError, match="only of a certified release"):
        audit.report(release, share=True)


@pytest.mark.parametrize(("threshold", "is_met"), [("1/10", True), ("1/20", False)])
def test_a_release_that_meets_one_of_two_claims_has_no_copy(threshold, is_met):
    """In the loan table the effect through the district is 6 points after the release."""
    audit = eh.audit(loans(), asking(redlining_threshold="1/10"), graph=ZIP_FIRST)
    release = audit.release(seed=1)
    asked_again = certify(release.rows, ZIP_FIRST, asking(redlining_threshold=threshold))
    certificate = replace(asked_again, release=release.certificate.release)
    assert certificate.verdict is Verdict.CERTIFIED
    assert (certificate.indirect.verdict is Verdict.CERTIFIED) is is_met
    if is_met:
        assert json.loads(certificate.to_shared_json())["indirect"] == {"verdict": "certified"}
        return
    with pytest.raises(CannotReleaseError, match="only of a certified release"):
        certificate.to_shared_json()


def test_others_are_told_that_the_second_verdict_is_withheld():
    certificate = certify(loans(), ZIP_FIRST, asking())
    for least_count in (1, 10, 1000):
        shared = json.loads(certificate.to_shared_json(least_count=least_count))
        assert shared["indirect"] == {"verdict": "withheld"}


def test_values_stand_in_the_order_that_the_shown_rows_give():
    """A value of a withheld row must not turn numbers into texts, and with them the order."""
    cells = {"9": (20, 20, 20, 20), "10": (20, 21, 22, 23)}
    plain, hidden = (
        shown_part(asked(one).certificate, least_count=10)
        for one in (cells, {**cells, "?": (1, 1, 0, 0)})
    )
    for part in (plain, hidden):
        assert [line.where["q"] for line in part.subpopulations] == ["9", "10"]


def test_where_a_graph_was_learned_from_is_not_told():
    learned = eh.audit(COUNTS, QUESTION).certificate
    assert learned.graph_origin.rows == "same"
    assert shown_part(learned, least_count=10).graph_origin.rows == "withheld"
    assert certify(COUNTS, GRAPH, QUESTION).graph_origin.for_others.kind == "given"


def test_several_unfavorable_decisions_are_named_so_in_what_is_shown():
    columns = {
        "q": ["a"] * 6,
        "sex": ["F", "F", "F", "M", "M", "M"],
        "admit": ["yes", "no", "later"] * 2,
    }
    counts = eh.CountTable.of(columns, [30, 10, 20, 30, 20, 10])
    question = eh.Question(protected="sex", group="F", decision="admit", favorable="yes")
    graph = eh.CausalGraph.parse("q -> admit; sex -> admit")
    text = certify(counts, graph, question).to_shared_json()
    assert json.loads(text)["pooled"]["unfavorable"] is True
    assert wrong(text, counts) == []


@pytest.mark.parametrize("third", ["no", "withdrew", "deported"])
def test_what_one_person_got_instead_is_not_told(third):
    columns = {"q": ["a"] * 5, "sex": ["F", "F", "F", "M", "M"]}
    columns["admit"] = ["yes", "no", third, "yes", "no"]
    counts = eh.CountTable.of(columns, [40, 39, 1, 60, 20])
    question = eh.Question(protected="sex", group="F", decision="admit", favorable="yes")
    graph = eh.CausalGraph.parse("q -> admit; sex -> admit")
    text = certify(counts, graph, question).to_shared_json()
    record = json.loads(text)
    assert record["question"]["decisions"] == ["yes", "not yes"]
    assert record["pooled"]["unfavorable"] is True
    assert wrong(text, counts) == []
    assert third == "no" or third not in text


@pytest.mark.parametrize("least_count", [1, 20, 60, 100, 10_000])
@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_of_many_groups_and_values_only_places_without_small_counts_are_shown(
    name, least_count
):
    """Each group that is shown in a place has so many rows of every kind of decision there."""
    question, rows = several_groups.RELEASED[name], several_groups.people(3000)
    names = ("sex", "race", "town", "score")
    counts = eh.CountTable.of({one: rows[one] for one in names})
    found = certify(counts, several_groups.GRAPH, question)
    part = shown_part(found, least_count=least_count)
    whole, shown = found.partition, part.partition
    large = {}
    for line in range(len(whole)):
        cells = whole.counts[:, :, line].T.tolist()
        kept = [kinds if min(kinds) >= least_count else [0] * len(kinds) for kinds in cells]
        if any(max(kept[a]) and max(kept[b]) for a, b in whole.pairs):
            large[tuple(whole.where(line).items())] = kept
    told = {
        tuple(shown.where(line).items()): shown.counts[:, :, line].T.tolist()
        for line in range(len(shown))
    }
    assert told == large
    assert shown.groups == whole.groups
    if large:
        favorable = question.favorable_label
        pooled = (favorable, f"not {favorable}")
        assert shown.decisions == (pooled if favorable else whole.decisions)


def test_one_person_of_a_rare_group_withholds_nothing_of_the_others():
    lines = [(q, group, admit, 40) for q in "st" for group in "abc" for admit in "yn"]
    lines += [("s", "d", "y", 1), ("t", "d", "y", 40), ("t", "d", "n", 9), ("u", "a", "y", 50)]
    *columns, rows = zip(*lines, strict=True)
    counts = eh.CountTable.of(dict(zip(("q", "group", "admit"), columns, strict=True)), rows)
    graph = eh.CausalGraph.parse("q -> admit; group -> admit")
    for other in (None, "d", "a"):
        asked = eh.Question(protected="group", decision="admit", favorable="y", other=other)
        text = certify(counts, graph, asked).to_shared_json()
        assert wrong(text, counts) == []
        (entry,) = json.loads(text)["partitions"]
        compared = [40] * 6 + [0, 0]
        lines = [] if other == "d" else [["s", *compared, "0"], ["t", *compared, "0"]]
        assert entry["table"] == lines
        assert json.loads(text)["question"]["groups"] == ["a", "b", "c", "d"]


def test_of_a_claim_about_paths_only_that_a_release_meets_it_is_told():
    even = dict.fromkeys(CELLS, (100, 50))
    met = eh.audit(loans(even), PATHS, graph=ZIP_FIRST)
    unmet = eh.audit(loans(), PATHS, graph=ZIP_FIRST)
    assert met.certificate.indirect.verdict is Verdict.CERTIFIED
    assert unmet.certificate.indirect.verdict is Verdict.NOT_CERTIFIED
    assert shown_claim(met.certificate) is shown_claim(unmet.certificate) is Verdict.WITHHELD
    assert shown_claim(met.release(seed=1).certificate) is Verdict.CERTIFIED
    assert shown_claim(asked(TOWNS)) is None
    assert shown_part(met.certificate, least_count=10).indirect is None
