import pytest

from evenhand import Codings, Knowledge, Tiers, Verdict, audit, datasets, read
from evenhand.errors import QuestionError
from evenhand.graph import CausalGraph, PartialGraph

ASKED = datasets.question("admissions")
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)


@pytest.fixture
def path(tmp_path):
    lines = ["gender,major,test_score,admission,n"]
    lines += [",".join([*labels, str(n)]) for labels, n in datasets.admissions(2)]
    target = tmp_path / "data.csv"
    target.write_text("\n".join(lines))
    return target


def test_a_file_and_its_counts_give_the_same_certificate(path):
    by_file = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    by_counts = audit(datasets.admissions(2), ASKED.question, graph=GRAPH)
    assert by_file.verdict is Verdict.NOT_CERTIFIED
    assert by_file.certificate.digest == by_counts.certificate.digest


def test_a_graph_is_learned_where_none_is_given(path):
    found = audit(path, ASKED, codings=Codings.of(frequency="n"))
    assert found.graph.record.test == "chi-square"
    assert found.knowledge == ASKED.knowledge


def test_without_tiers_the_decision_comes_last_and_the_summary_says_so(path):
    found = audit(path, ASKED.question, codings=Codings.of(frequency="n"))
    assert found.knowledge.tiers == Tiers(..., ["admission"])
    assert "taken to come after all other columns" in str(found)


@pytest.mark.parametrize("counted", [True, False])
def test_codings_that_would_have_no_effect_are_refused(path, counted):
    rows = read(path, frequency="n")
    merge = Codings.of(merge={"major": {"any": ["CS", "EE"]}})
    with pytest.raises(QuestionError, match="already read"):
        audit(rows.count() if counted else rows, ASKED.question, codings=merge, graph=GRAPH)


def test_a_release_without_a_seed_is_drawn_anew_each_time(path):
    found = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    assert found.release().seed != found.release().seed


def test_the_rest_is_pooled_in_a_partition_of_ones_own_too():
    question = ASKED.question
    pooled = type(question)(**(question.to_dict() | {"other": "rest"}))
    found = audit(datasets.admissions(1), pooled, graph=GRAPH)
    assert not found.explain_partition(["test_score"]).is_meaningful


def test_a_partition_is_explained_by_the_edges_that_knowledge_settles():
    graph = PartialGraph.parse(
        "gender -> admission; gender -> major; major - admission; test_score"
    )
    known = Knowledge(required=["major -> admission"])
    opened, settled = (
        audit(datasets.admissions(1), ASKED.question, graph=graph, knowledge=knowledge)
        for knowledge in (None, known)
    )
    assert opened.explain_partition(["major"]).is_meaningful is None
    assert settled.explain_partition(["major"]).is_meaningful is True


def test_a_single_name_is_a_partition_too():
    found = audit(datasets.admissions(1), ASKED.question, graph=GRAPH)
    by_name, by_names = map(found.explain_partition, ("test_score", ["test_score"]))
    assert by_name.to_dict() == by_names.to_dict()


def test_what_looks_missing_is_said_and_changes_nothing_that_is_certified(path):
    path.write_text(path.read_text().replace("EE", "?"))
    found = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    said = "major has 1,200 rows with '?', taken as a value."
    assert said in str(found)
    assert said in found._repr_html_().replace("&#x27;", "'")
    assert said not in str(found.certificate)
    assert said not in found.certificate.to_json()
    assert "?" in found.certificate.examined.counts.attribute("major").values


def test_results_have_a_repr_of_one_short_line():
    found = audit(datasets.admissions(2), ASKED.question, graph=GRAPH)
    release = found.release(seed=1)
    explained = found.explain_partition(["major"])
    assert repr(found) == (
        "<Audit: not certified at 1/20, 2,200 rows, causes major, test_score>"
    )
    assert repr(release) == "<Release: modify-data (minimal) of 2,200 rows>"
    assert repr(explained) == (
        "<PartitionExplanation: {major} is a block set for gender and admission.>"
    )
    for result in (found.graph, found.plan(seed=1), found.report(release), found.doubt()):
        assert "\n" not in repr(result)
        assert len(repr(result)) < 200
