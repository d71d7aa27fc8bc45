"""Certify: what is examined, and which verdict follows with which reasons."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION

from evenhand import CountTable, Knowledge, Question, Tiers, datasets
from evenhand.errors import ColumnError, GraphError, QuestionError
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph, DiscoveryRecord, PartialGraph

HIRING = Question(protected="sex", group="f", decision="hired", favorable="yes")


def hiring(cells):
    """Counts by job: (women hired, women not, men hired, men not)."""
    kinds = [("f", "yes"), ("f", "no"), ("m", "yes"), ("m", "no")]
    lines = [
        (sex, job, hired, count)
        for job, counts in cells.items()
        for (sex, hired), count in zip(kinds, counts, strict=True)
    ]
    names = ("sex", "job", "hired")
    columns = {name: [line[at] for line in lines] for at, name in enumerate(names)}
    return CountTable.of(columns, [line[3] for line in lines])


JOBS = CausalGraph.parse("sex -> hired; job -> hired; sex -> job")


def test_a_difference_at_the_threshold_is_not_certified_whatever_the_coverage():
    counts = hiring({"cook": (8, 12, 9, 11), "maid": (0, 900, 0, 0), "guard": (0, 0, 900, 0)})
    certificate = certify(counts, JOBS, HIRING)
    assert certificate.verdict is Verdict.NOT_CERTIFIED
    assert certificate.coverage.overall == Fraction(40, 1840)


def test_too_little_coverage_of_one_group_cannot_be_decided():
    counts = hiring({"cook": (10, 10, 50, 50), "maid": (0, 5, 0, 0)})
    certificate = certify(counts, JOBS, HIRING)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    (reason,) = certificate.reasons
    assert "20 of 25 rows of 'f'" in str(reason)
    assert reason.remedies[-1].argument == "min_coverage"


def test_the_least_coverage_can_be_lowered():
    counts = hiring({"cook": (10, 10, 50, 50), "maid": (0, 5, 0, 0)})
    assert certify(counts, JOBS, HIRING, min_coverage="0.8").verdict is Verdict.CERTIFIED


def test_with_nothing_measured_nothing_is_certified():
    counts = hiring({"guard": (0, 0, 5, 5), "maid": (5, 5, 0, 0)})
    certificate = certify(counts, JOBS, HIRING, min_coverage=0)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert certificate.to_dict()["risk_difference"]["mean"] is None
    assert not certificate.relaxed().claimed
    assert str(certificate)


@pytest.mark.parametrize("share", ["1.5", "-1", "ninety", "nan", "inf"])
def test_a_coverage_that_is_no_share_is_refused(share):
    with pytest.raises(QuestionError, match="no share"):
        certify(hiring({"cook": (1, 1, 1, 1)}), JOBS, HIRING, min_coverage=share)


def test_an_unknown_scope_is_refused():
    with pytest.raises(QuestionError, match="'everything'"):
        certify(datasets.admissions(1), GRAPH, QUESTION, scope="everything")


def test_a_graph_with_unknown_columns_is_refused():
    with pytest.raises((ColumnError, GraphError), match="height"):
        certify(
            datasets.admissions(1), CausalGraph.parse("height -> admission; gender"), QUESTION
        )


def test_a_missing_direct_arrow_changes_nothing_and_is_said():
    without = CausalGraph(GRAPH.nodes, GRAPH.arrows - {("gender", "admission")})
    counts = datasets.admissions(2)
    bare = certify(counts, without, QUESTION)
    assert bare.verdict is certify(counts, GRAPH, QUESTION).verdict
    assert bare.direct_arrow is False
    assert certify(counts, GRAPH, QUESTION).direct_arrow is True


def test_a_limit_that_cuts_the_block_sets_leaves_the_verdict_open():
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all", limit=0)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert not certificate.complete
    assert "limit" in certificate.reasons[-1].remedy


def test_a_violation_is_one_even_if_the_limit_cuts():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION, scope="all", limit=0)
    assert certificate.verdict is Verdict.NOT_CERTIFIED


def test_minimal_block_sets_are_examined_beside_the_causes():
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION, scope="minimal")
    assert [partition.names for partition in certificate.partitions] == [
        ("major", "test_score"),
        ("major",),
    ]


def test_an_open_edge_that_decides_is_named_with_its_remedy():
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert certificate.ambiguous
    assert certificate.deciding_edges == (("test_score", "admission"),)
    assert certificate.possible_decision_causes == (("major", "test_score"), ("major",))
    assert certificate.decision_causes == ("major",)
    reason = certificate.reasons[0]
    assert "test_score - admission" in reason.what
    assert reason.remedies[0].argument == "required"
    assert reason.remedies[0].value == ["test_score -> admission"]


def test_an_open_edge_that_does_not_decide_leaves_the_common_verdict():
    certificate = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION)
    assert certificate.verdict is Verdict.CERTIFIED
    assert certificate.ambiguous
    assert certificate.deciding_edges == ()


@pytest.mark.parametrize(
    ("knowledge", "verdict"),
    [
        (Tiers(["gender"], ["major", "test_score"], ["admission"]), Verdict.NOT_CERTIFIED),
        (Knowledge(required=["test_score -> admission"]), Verdict.NOT_CERTIFIED),
        (Knowledge(required=["admission -> test_score"]), Verdict.CERTIFIED),
    ],
)
def test_knowledge_settles_an_open_edge(knowledge, verdict):
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION, knowledge=knowledge)
    assert certificate.verdict is verdict
    assert not certificate.ambiguous


@pytest.mark.parametrize("scope", ["minimal", "all"])
def test_where_causes_are_ambiguous_the_block_sets_of_every_graph_are_examined(scope):
    certificate = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope=scope)
    assert certificate.verdict is Verdict.CERTIFIED
    assert certificate.complete
    undecided = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION, scope=scope)
    assert undecided.verdict is Verdict.CANNOT_DECIDE
    assert undecided.deciding_edges == (("test_score", "admission"),)


def test_an_edge_away_from_the_decision_can_decide_which_block_sets_there_are():
    """Whether holding job equal opens sex -> job <- home -> hired hangs on job - home."""
    record = DiscoveryRecord(
        algorithm="PC",
        test="chi-square",
        significance=0.01,
        ambiguous=(("home", "job", "sex"),),
    )
    graph = PartialGraph.parse("sex -> hired; home -> hired; sex -> job; home - job")
    graph = replace(graph, record=record)
    lines = [
        (sex, job, home, hired, {"f": 10, "m": 10}[sex] + (sex == "f" and job == home))
        for sex in "fm"
        for job in "ab"
        for home in "ab"
        for hired in ("yes", "no")
    ]
    names = ("sex", "job", "home", "hired")
    columns = {name: [line[at] for line in lines] for at, name in enumerate(names)}
    counts = CountTable.of(columns, [line[-1] for line in lines])
    certificate = certify(counts, graph, HIRING, scope="minimal")
    assert certificate.complete
    assert [one.names for one in certificate.partitions] == [("home",), ("job",), ()]
    assert certificate.verdict is Verdict.CERTIFIED


def test_more_graphs_than_can_be_tried_leave_the_verdict_open():
    names = [f"n{number}" for number in range(7)]
    columns = {
        "sex": ["f", "f", "m", "m"],
        "hired": ["yes", "no"] * 2,
        **dict.fromkeys(names, ["x"] * 4),
    }
    circle = frozenset(combinations(names, 2))  # 7! ways to direct it
    arrows = frozenset({("sex", "hired"), *(("hired", name) for name in names)})
    graph = PartialGraph(tuple(columns), arrows, circle)
    certificate = certify(CountTable.of(columns, [5, 5, 5, 5]), graph, HIRING, scope="all")
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert not certificate.complete
    assert len(certificate.partitions) == 1
    assert "more than 1,000 ways" in certificate.reasons[-1].what


def test_of_too_many_block_sets_whole_layers_are_examined_whatever_their_names():
    names = ["n0", "n1", "n2", "n3"]
    columns = {
        "sex": ["f", "f", "m", "m"],
        "hired": ["yes", "no"] * 2,
        **dict.fromkeys(names, ["x"] * 4),
    }
    graph = CausalGraph(tuple(columns), frozenset({("sex", "hired")}))
    counts = CountTable.of(columns, [5, 5, 5, 5])
    for limit, largest, examined in ((15, 4, 15), (14, 3, 14), (9, 1, 4), (3, 0, 0)):
        certificate = certify(counts, graph, HIRING, scope="all", limit=limit)
        assert certificate.complete == (limit == 15)
        assert max(len(one.names) for one in certificate.partitions) == largest
        assert len(certificate.partitions) == 1 + examined


def test_edges_open_elsewhere_do_not_matter():
    graph = PartialGraph.parse(
        "major - gender; major -> admission; gender -> admission; test_score -> admission"
    )
    certificate = certify(datasets.admissions(1), graph, QUESTION, scope="minimal")
    assert certificate.verdict is Verdict.CERTIFIED
    assert not certificate.ambiguous


def test_groups_that_are_not_compared_are_left_out_and_counted():
    counts = datasets.admissions(2).recoded("gender", {})
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    for name, value in zip(counts.names, ("other", "CS", "L", "admitted"), strict=True):
        lines[name].append(value)
    three = CountTable.of(lines, [*(count for _, count in counts), 11])
    named = certify(three, GRAPH, replace(QUESTION, other="male"))
    assert named.examined.left_out == 11
    assert named.row_count == counts.row_count
    pooled = certify(three, GRAPH, replace(QUESTION, other="rest"))
    assert pooled.examined.left_out == 0
    assert pooled.question.other == "not female"
    assert any("pooled" in sentence for sentence in pooled.assumptions)


def test_an_open_edge_between_the_two_is_an_arrow_by_the_question_itself():
    """Whoever asks it takes for granted that admission did not change gender."""
    graph = PartialGraph.parse("gender - admission; major -> admission; major - gender")
    certificate = certify(datasets.admissions(2), graph, QUESTION)
    assert certificate.direct_arrow is True
    assert ("gender", "admission") in certificate.graph.arrows


def test_the_decision_causes_the_protected_attribute_through_no_other_either():
    """Without job -> hired there would be hired -> job -> sex, which the question excludes."""
    graph = PartialGraph.parse("hired - job; job - sex")
    counts = hiring({"cook": (10, 10, 10, 10), "maid": (5, 45, 1, 9)})
    certificate = certify(counts, graph, HIRING)
    assert certificate.possible_decision_causes == (("job",),)
    assert certificate.verdict is Verdict.CERTIFIED


CORNERS = ["".join(corner) for corner in product("01", repeat=4)]
# Nothing differs between the groups, whatever they are alike in.
EVEN = CountTable.of(
    {name: [corner[at] for corner in CORNERS] for at, name in enumerate("abcd")},
    [1] * 8 + [41] * 8,
)
FROM_A_TO_B = Question(protected="a", group="0", decision="b", favorable="1")
SQUARE = PartialGraph.parse("a -> c; a - b; b - d; c - d")


@pytest.mark.parametrize("knowledge", [None, Knowledge(), Tiers(["a"], ...)])
@pytest.mark.parametrize("scope", ["minimal", "all"])
def test_a_contradiction_is_not_hidden_by_what_follows_from_half_of_it(knowledge, scope):
    """A square has a collider however it is directed, and none was found.

    From a -> b follows b -> d, and from a -> c follows c -> d: the collider, drawn, not found.
    """
    certificate = certify(EVEN, SQUARE, FROM_A_TO_B, scope=scope, knowledge=knowledge)
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert not certificate.complete
    assert any("contradicts itself" in str(reason) for reason in certificate.reasons)
    assert [partition.names for partition in certificate.partitions] == [("d",), ()]


def test_a_contradicted_graph_is_asked_for_every_set_of_causes_and_says_so():
    certificate = certify(EVEN, SQUARE, FROM_A_TO_B)
    assert certificate.possible_decision_causes == (("d",), ())
    assert any("contradicts itself" in said for said in certificate.assumptions)


@pytest.mark.parametrize(
    "knowledge",
    [
        Knowledge(required=["b -> d", "c -> d"]),
        Tiers(["a"], ["b", "c"], ["d"]),
        Knowledge(required=["a -> b", "d -> b"]),
    ],
)
def test_a_contradiction_that_knowledge_settles_is_settled(knowledge):
    certificate = certify(EVEN, SQUARE, FROM_A_TO_B, scope="all", knowledge=knowledge)
    assert certificate.verdict is Verdict.CERTIFIED
    assert certificate.complete
    assert not any("contradicts itself" in said for said in certificate.assumptions)


def test_a_decision_that_can_only_cause_the_protected_attribute_is_no_settled_graph():
    """As c -> b <- a was not found, b - a can only mean b -> a."""
    graph = PartialGraph.parse("c -> b; a - b; d")
    certificate = certify(EVEN, graph, FROM_A_TO_B, scope="minimal")
    assert certificate.verdict is Verdict.CANNOT_DECIDE
    assert not certificate.complete


def test_knowledge_by_which_the_decision_causes_the_protected_attribute_is_refused():
    graph = PartialGraph.parse("a - d; b - d; c")
    knowledge = Knowledge(required=["b -> d", "d -> a"])
    with pytest.raises(GraphError, match="b -> d -> a"):
        certify(EVEN, graph, FROM_A_TO_B, knowledge=knowledge)


@pytest.mark.parametrize(("coarse", "fine"), [("x", "z"), ("z", "x")])
def test_among_causes_of_one_number_the_finest_partition_leads_whatever_its_name(coarse, fine):
    """Either may cause the decision, both together would make a collider."""
    lines = [*product("01", "01", "012", "01")]
    names = ("a", coarse, fine, "b")
    counts = CountTable.of(
        dict(zip(names, zip(*lines, strict=True), strict=True)), range(1, len(lines) + 1)
    )
    graph = PartialGraph.parse("a -> b; a -> x; a -> z; x - b; z - b")
    certificate = certify(counts, graph, FROM_A_TO_B)
    assert certificate.possible_decision_causes == ((fine,), (coarse,), ())
    assert certificate.partition.names == (fine,)
