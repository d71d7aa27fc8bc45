"""A written certificate meets counts again."""

import json
from dataclasses import replace

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

from evenhand import Codings, CountTable, datasets
from evenhand.counts import examined_counts
from evenhand.errors import InputError
from evenhand.evidence import (
    Partition,
    RecordedCertificate,
    Verdict,
    certificate_encoding,
    certify,
)
from evenhand.evidence.partition_table import PartitionTable
from evenhand.graph import CausalGraph

COUNTS = datasets.admissions(2)


def recorded(text):
    return RecordedCertificate.parse(text)


def test_it_knows_what_was_asked():
    bins, merge = {"test_score": [37, "50.5"]}, {"major": {"CS": ["a", "*"]}}
    codings = Codings.of(bins=bins, merge=merge)
    certificate = certify(COUNTS, GRAPH, QUESTION, codings=codings)
    record = recorded(certificate.to_json())
    assert record.verdict is Verdict.NOT_CERTIFIED
    assert record.question == certificate.question
    assert record.codings == codings


def test_it_has_no_codings_of_columns_that_were_not_counted():
    merge = {"major": {"CS": ["a"]}, "town": {"other": ["*"]}}
    codings = Codings.of(bins={"age": 3, "pay": [37]}, merge=merge, columns=COUNTS.names)
    record = recorded(certify(COUNTS, GRAPH, QUESTION, codings=codings).to_json())
    counted = {"major": {"CS": ["a"]}}
    assert record.codings == Codings.of(merge=counted, columns=COUNTS.names)


@pytest.mark.parametrize("limit", [0, 1, 1000])
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
@pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])
def test_its_own_counts_agree(scope, graph, limit):
    certificate = certify(COUNTS, graph, QUESTION, scope=scope, limit=limit, dropped=5)
    for text in (certificate.to_json(), certificate.to_shared_json(least_count=50)):
        assert recorded(text).differences(COUNTS, dropped=5) == ()
        assert recorded(text).own_differences() == ()


def changed(certificate, change):
    """A document that somebody changed and sealed again."""
    content = json.loads(certificate.to_json())
    del content["seal"]
    change(content)
    return recorded(certificate_encoding.canonical(certificate_encoding.with_seal(content)))


def no_assumptions(content):
    content["assumptions"] = ["Nothing is assumed."]


def invented_reasons(content):
    content["reasons"] = ["The data are old."]


def another_scope(content):
    content["scope"]["asked"] = "all"


def a_cycle(content):
    content["graph"]["arrows"].append(["admission", "major"])


def the_decision_first(content):
    content["graph"]["arrows"].append(["admission", "gender"])
    content["graph"]["arrows"].remove(["gender", "admission"])


def no_nodes(content):
    content["graph"]["nodes"] = []


def an_open_edge(content):
    """The finer set is kept, and the other that is possible now is not mentioned."""
    content["graph"]["arrows"].remove(["test_score", "admission"])
    content["graph"]["undirected"].append(["admission", "test_score"])


def a_direct_edge_left_open(content):
    content["graph"]["arrows"].remove(["gender", "admission"])
    content["graph"]["undirected"].append(["admission", "gender"])


def an_accusation(content):
    content["graph"]["undirected"] = [["zz", "zzz"]]
    content["graph"]["nodes"] += ["zz", "zzz"]
    alike = Partition.of(examined_counts(COUNTS, QUESTION), ["test_score"])
    entry = dict(content["partitions"][0], names=["test_score"], role="block set")
    content["partitions"].append(
        entry
        | {
            "table": PartitionTable(alike).lines(),
            "verdict": "not certified",
        }
    )
    content["verdict"] = "not certified"


def pooled_groups(content):
    content["pooled"]["other"] = True


def pooled_decisions(content):
    content["pooled"]["unfavorable"] = True


def a_release_that_nobody_assumes(content):
    numbers = {"changed_rows": 1, "dropped_before": 0, "left_out_before": 0}
    content["release"] = {
        **dict.fromkeys(("method", "policy"), "x"),
        **numbers,
        "notice": "Decisions in these rows were changed to remove differences between groups: "
        "they are no records about persons.",
        "change": "edited",
        "changed_columns": ["admission"],
        "seed_commitment": 64 * "0",
    }


def a_release_in_a_column_that_no_method_changes(content):
    a_release_that_nobody_assumes(content)
    notice = (
        "The protected attribute major was changed in these rows to remove differences between "
        "groups: they are no records about persons."
    )
    content["release"].update(changed_columns=["major"], notice=notice)
    content["assumptions"].append(notice)
    del content["partitions"][0]["subpopulations"]["by_chance"]


def longer_decimals(content):
    content["partitions"][0]["subpopulations"]["by_chance"]["expected"] += "000"


def another_estimate(content):
    content["population"]["verdict"] = "all differences shown to be within the threshold"


def unsorted_lines(content):
    content["partitions"][0]["table"].reverse()


@pytest.mark.parametrize(
    "forgery",
    [
        no_assumptions,
        invented_reasons,
        another_scope,
        a_cycle,
        the_decision_first,
        no_nodes,
        an_open_edge,
        a_direct_edge_left_open,
        an_accusation,
        pooled_groups,
        pooled_decisions,
        a_release_that_nobody_assumes,
        a_release_in_a_column_that_no_method_changes,
        longer_decimals,
        another_estimate,
        unsorted_lines,
    ],
)
def test_a_forgery_is_found_with_and_without_the_counts(forgery):
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert changed(certificate, lambda _: None).own_differences() == ()
    record = changed(certificate, forgery)
    assert record.own_differences()
    assert record.differences(COUNTS)


def test_a_block_set_that_is_kept_back_is_found():
    columns = {"gender": [], "test_score": [], "admission": []}
    counts = []
    for score, group, admitted in (("L", "female", 10), ("L", "male", 8), ("H", "female", 10),
                                   ("H", "male", 12)):  # fmt: skip
        for decision, count in (("admitted", admitted), ("rejected", 20 - admitted)):
            for name, label in zip(columns, (group, score, decision), strict=True):
                columns[name].append(label)
            counts.append(count)
    table = CountTable.of(columns, counts)
    graph = CausalGraph(tuple(columns), frozenset({("gender", "admission")}))
    certificate = certify(table, graph, QUESTION, scope="all")
    assert certificate.verdict is Verdict.NOT_CERTIFIED

    def forgery(content):
        del content["partitions"][1]
        content.update(verdict="certified", reasons=[])

    record = changed(certificate, forgery)
    assert any("scope.complete" in place for place in record.own_differences())
    assert any("scope.complete" in place for place in record.differences(table))


def test_a_pooled_question_is_asked_pooled_again():
    lines = {name: [labels[at] for labels, _ in COUNTS] for at, name in enumerate(COUNTS.names)}
    lines["gender"][0] = "other"
    counts = CountTable.of(lines, [count for _, count in COUNTS])
    certificate = certify(counts, GRAPH, replace(QUESTION, other="rest"))
    assert recorded(certificate.to_json()).differences(counts) == ()


def test_other_counts_are_told_apart_by_place():
    record = recorded(certify(COUNTS, GRAPH, QUESTION).to_json())
    places = record.differences(datasets.admissions(1))
    assert any(place.startswith("rows.examined: it says 2200") for place in places)
    assert any(place.startswith("partitions[0].table[0][4]") for place in places)
    assert any(place.startswith("partitions[0].verdict") for place in places)


def test_counts_that_lack_a_column_do_not_agree():
    record = recorded(certify(COUNTS, GRAPH, QUESTION).to_json())
    (place,) = record.differences(COUNTS.marginal(["gender", "major", "admission"]))
    assert "test_score" in place


def test_format_1_is_refused_by_name():
    with pytest.raises(InputError, match="'evenhand certificate 1' was never published"):
        recorded(json.dumps({"format": "evenhand certificate 1"}))
    with pytest.raises(InputError, match="'evenhand certificate 3' is not known here"):
        recorded(json.dumps({"format": "evenhand certificate 3"}))


def test_a_shared_copy_without_data_is_compared_with_its_own_lines():
    text = certify(COUNTS, GRAPH, QUESTION).to_shared_json()
    content = json.loads(text) | {"verdict": "certified"}
    places = recorded(json.dumps(content)).own_differences()
    assert [place.split(":")[0] for place in places] == ["verdict", "seal"]


@pytest.mark.parametrize(("graph", "least_count"), [(GRAPH, 5000), (OPEN_GRAPH, 10)])
def test_without_lines_or_with_open_causes_only_the_seal_of_a_shared_copy_is_checked(
    graph, least_count
):
    text = certify(COUNTS, graph, QUESTION).to_shared_json(least_count=least_count)
    assert recorded(text).own_differences() == ()
    assert recorded(text).differences(COUNTS) == ()
    content = json.loads(text) | {"verdict": "certified"}
    (place,) = recorded(json.dumps(content)).own_differences()
    assert place.startswith("seal")
    assert "only form and seal" in dict(recorded(text).stated(with_data=False))["scope"]


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"format": "other"})])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(InputError):
        recorded(text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            '{"assumptions"',
            '{"verdict":"certified","assumptions"',
            "'verdict' stands there twice",
        ),
        ('"violating":', '"violating":0,"violating":', "'violating' stands there twice"),
        ('"evenhand":"', r'"evenhand":"\ud800', "a lone surrogate"),
        ('"versions":{"', r'"versions":{"\ud800":0,"', "a lone surrogate"),
    ],
)
def test_text_that_programs_read_differently_is_refused(old, new, words):
    text = certify(COUNTS, GRAPH, QUESTION).to_json()
    assert old in text
    with pytest.raises(InputError, match=words):
        recorded(text.replace(old, new, 1))


def test_the_form_is_checked_once_and_every_misfit_named():
    content = json.loads(certify(COUNTS, GRAPH, QUESTION).to_json())
    content["rows"]["dropped"] = -5
    content["partitions"][0]["subpopulations"]["above"] = False
    content["surprise"] = 1
    del content["codings"]
    with pytest.raises(InputError) as refused:
        recorded(json.dumps(content))
    said = str(refused.value)
    for words in ("rows.dropped", "subpopulations.above", "surprise", "'codings'"):
        assert words in said


@pytest.mark.parametrize("name", QUESTIONS)
def test_records_of_several_groups_know_what_was_asked(name):
    certificate = certify(counted(), GROUPS, QUESTIONS[name])
    for text in (certificate.to_json(), certificate.to_shared_json(least_count=1000)):
        record = recorded(text)
        assert record.question == certificate.question
        assert record.own_differences() == record.differences(counted()) == ()
