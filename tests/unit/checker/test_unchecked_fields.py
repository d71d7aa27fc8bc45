"""What the checker says that it did not check."""

import json

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, csv_of, sealed
from tests.determined import question, scored
from tests.predictions import audited, people
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand import checker, datasets

ALWAYS = (
    "question pooled codings graph graph.origin scope.asked versions release assumptions "
    "reasons population by_chance order variants.classes variants.arrows"
)


def stated(certificate, data=None):
    return checker.verify(certificate.to_json(), data).stated


def test_without_data_the_counts_are_stated_too(tmp_path):
    assert {*stated(CERTIFICATE)} == {*ALWAYS.split(), "data", "rows", "rules.determining"}
    data = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    assert {*stated(CERTIFICATE, str(data))} == {*ALWAYS.split()}


def test_a_shared_copy_states_its_verdict():
    found = checker.verify(CERTIFICATE.to_shared_json()).stated
    assert {"verdict", "partitions.table", "withheld.least_count"} <= {*found}
    # Whether a rule was declared does not follow from what is shown.
    assert found["rules.declared"] == "the rule of the decision, if there is one"
    assert not {"reasons", "rows", "rules.determining"} & {*found}


def test_a_shared_copy_states_that_all_block_sets_were_examined():
    for scope, is_stated in (("all", True), ("causes", False)):
        certificate = eh.certify(datasets.admissions(1), GRAPH, QUESTION, scope=scope)
        found = checker.verify(certificate.to_shared_json()).stated
        assert ("scope.complete" in found) == is_stated


def test_what_open_edges_leave_open_is_stated():
    certificate = eh.certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope="all")
    assert {"possible_decision_causes", "scope.complete"} <= {*stated(certificate)}


@pytest.mark.parametrize("copy", ["full", "shared"])
def test_of_a_release_method_and_policy_are_stated(copy):
    plan = eh.ModifyData().plan(eh.certify(datasets.admissions(2), GRAPH, QUESTION))
    certificate = eh.release(datasets.admissions(2), plan, seed=1).certificate
    text = certificate.to_json() if copy == "full" else certificate.to_shared_json()
    fields = checker.verify(text).stated
    assert fields["release"] == "how the rows were changed: modify-data (minimal)"
    assert "by_chance" not in fields
    counts = [
        n for n in ("changed_rows", "dropped_before", "left_out_before") if copy == "full"
    ]
    assert {*fields} >= {f"release.{name}" for name in counts}
    assert ("release.changed_rows" in fields) is (copy == "full")


def test_a_number_of_rows_that_nothing_bounds_is_stated_by_its_name():
    plan = eh.LocalPreferentialSampling().plan(
        eh.certify(datasets.admissions(2), GRAPH, QUESTION)
    )
    certificate = eh.release(datasets.admissions(2), plan, seed=1, uncertified=True).certificate
    document = json.loads(certificate.to_json())
    document["release"].update(changed_rows=10**9, dropped_before=10**8)
    fields = checker.verify(sealed(document)).stated
    assert fields["release.changed_rows"].endswith("left out or doubled: 1,000,000,000")
    assert fields["release.dropped_before"].endswith("there were before: 100,000,000")


def test_why_a_graph_was_accepted_is_stated():
    plan = eh.ModifyData().plan(CERTIFICATE)
    made = eh.release(datasets.admissions(2), plan, seed=1, accept_graph="An expert drew it.")
    for text in (made.certificate.to_json(), made.certificate.to_shared_json()):
        found = checker.verify(text)
        assert found.status in (0, 3)
        said = found.stated["release.accepted_graph"]
        assert said == "why the graph was relied on: An expert drew it."
        assert "The graph was accepted: An expert drew it." in json.loads(text)["assumptions"]


def test_columns_that_a_release_dropped_are_stated():
    plan = eh.ModifyData().plan(eh.certify(datasets.admissions(2), GRAPH, QUESTION))
    text = eh.release(datasets.admissions(2), plan, seed=1).certificate.to_json()
    document = json.loads(text)
    document["release"]["dropped_columns"] = ["rank", "score"]
    fields = checker.verify(sealed(document)).stated
    assert fields["release.dropped_columns"].endswith("before: rank, score")
    assert "release.dropped_columns" not in checker.verify(text).stated


def test_of_a_declared_rule_its_columns_and_the_record_without_it_are_stated():
    graph = eh.CausalGraph.parse("score -> risk; education -> score; sex -> score")
    table = eh.CountTable.of(scored())
    fields, beside = (
        stated(eh.audit(table, asked, graph=graph).certificate)
        for asked in (question(rule=["score"]), question())
    )
    assert fields["rules.declared"] == "that was decided by score"
    without = {name for name in fields if name.startswith("rules.without.record.")}
    # What it says of data is said of the whole record.
    of_data = {"data", "rows", "rules.determining"}
    assert without == {f"rules.without.record.{name}" for name in {*beside} - of_data}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pairs", "score, favorable Low, min coverage 9/10, min rows 5, threshold 1/20"),
        ("reference", "protected race, other c, groups a and b and c, decision score, "),
        ("crossed", "protected sex and race, "),
        ("crossed", "favorable Low and Medium, "),
        (
            "cumulative",
            "criterion cumulative, min coverage 9/10, order Low and Medium and High, ",
        ),
        ("every", "protected sex, group f, other m, decision score, criterion every, "),
    ],
)
def test_questions_about_several_groups_are_told_in_a_few_words(name, words):
    text = eh.certify(counted(), GROUPS, QUESTIONS[name]).to_json()
    assert words in checker.verify(text).stated["question"]


def test_what_a_model_said_is_not_called_recorded():
    result = audited(people())
    text = result.certificate.to_json()
    said = "that there was none: that the rows are as they were predicted"
    assert checker.verify(text).stated["release"] == said


ANSWER = {
    "word": "Cannot tell",
    "reason": {"kind": "depends on", "names": ["major"]},
    "variations": {"with": 1},
    "differing": [{"kind": "with", "names": ["major"], "falls": "smaller"}],
    "graph_fit": {"implied": 1, "rejected": ["major"]},
    "placed": [],
    "unplaced": ["test_score"],
    "suspects": [],
    "at_least": 0,
    "detectable": "0.1",
    "hidden_cause": None,
}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({}, ": Cannot tell: depends on", id="with a reason"),
        pytest.param({"word": "Yes", "reason": None}, ": Yes", id="without one"),
        pytest.param(
            {
                "knowledge": {"tiers": [], "required": [], "forbidden": []},
                "hidden_cause": {
                    "name": "major",
                    "bound": "0.2",
                    "interval": ["-0.1", "0.3"],
                    "breaking_factor": None,
                },
            },
            ": Cannot tell: depends on",
            id="with knowledge",
        ),
    ],
)
def test_an_answer_is_stated(more, said):
    record = json.loads(CERTIFICATE.to_json()) | {"answer": ANSWER | more}
    found = checker.verify(sealed(record))
    assert found.status == 0, found
    assert found.stated["answer"].endswith(said)
    assert ("answer.knowledge" in found.stated) == ("knowledge" in more)


def test_what_nobody_gave_is_stated():
    record = json.loads(CERTIFICATE.to_json()) | {"guesses": {"na": ["?"], "group": ["female"]}}
    found = checker.verify(sealed(record))
    assert (found.status, found.notes) == (0, [])
    assert found.stated["guesses"] == "which parts nobody gave: group, na"
