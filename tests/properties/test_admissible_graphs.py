"""Block sets and verdicts where edges are open, against all graphs that there may be."""

from fractions import Fraction
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import block_sets, descendants, extensions, subsets
from tests.strategies import partial_graphs

from evenhand import CountTable, Question, certify, explain_partition
from evenhand.evidence import survey_partitions
from evenhand.graph.partial_graph import admissible_graphs

YES, OPEN, NO = "certified", "cannot decide", "not certified"


def questions(partial):
    """Every question that the graph can answer."""
    for protected, decision in permutations(partial.nodes, 2):
        if protected not in partial.descendants(decision):
            yield Question(protected=protected, group="0", decision=decision, favorable="1")


def admissible(partial, question):
    """Every graph in which the decision does not cause the protected attribute."""
    return [
        arrows
        for arrows in extensions(partial)
        if question.protected not in descendants(arrows, question.decision)
    ]


def families(partial, question):
    """The block sets of each graph, with the decision's causes."""
    names, ends = "".join(partial.nodes), (question.protected, question.decision)
    return {
        (
            frozenset(a for a, b in arrows if b == ends[1]) - {ends[0]},
            frozenset(block_sets(arrows, names, *ends)),
        )
        for arrows in admissible(partial, question)
    }


@settings(max_examples=60)
@given(partial_graphs(max_nodes=4))
def test_the_variants_have_the_block_sets_of_all_admissible_graphs(partial):
    for question in questions(partial):
        found = admissible_graphs(partial, question)
        assert found.complete
        assert {
            (frozenset(one.decision_causes(question)), frozenset(one.block_sets(question)))
            for one in found.graphs
        } == families(partial, question)


@settings(max_examples=60)
@given(partial_graphs(max_nodes=4))
def test_an_edge_that_decides_alone_settles_the_outcome(partial):
    for question in questions(partial):
        found = admissible_graphs(partial, question)
        names, ends = "".join(partial.nodes), (question.protected, question.decision)
        outcomes = [frozenset() in {*graph.block_sets(question)} for graph in found.graphs]
        edges = found.deciding_edges(outcomes)
        assert bool(edges) == (len(set(outcomes)) > 1)
        by_direction = {
            arrow: {
                frozenset() in block_sets(arrows, names, *ends)
                for arrows in admissible(partial, question)
                if arrow in arrows
            }
            for edge in edges
            for arrow in (edge, edge[::-1])
        }
        if len(edges) == 1:
            ((a, b),) = edges
            assert by_direction[a, b] != by_direction[b, a]


@settings(max_examples=60)
@given(partial_graphs(max_nodes=4))
def test_a_partition_is_meaningful_in_all_admissible_graphs_in_some_or_in_none(partial):
    lines = [*product("01", repeat=len(partial.nodes))]
    columns = dict(zip(partial.nodes, zip(*lines, strict=True), strict=True))
    table = CountTable.of(columns, [1] * len(lines))
    for question in questions(partial):
        sets = [family for _, family in families(partial, question)]
        if not sets:
            continue
        for names in subsets({*partial.nodes} - {question.protected, question.decision}):
            answers = {names in family for family in sets}
            told = explain_partition(table, partial, question, names)
            assert told.is_meaningful is (answers.pop() if len(answers) == 1 else None)
            assert bool(told.deciding_edges) == (told.is_meaningful is None)
        survey = survey_partitions(certify(table, partial, question))
        assert survey.block_sets == len(frozenset.intersection(*sets))
        assert survey.possible_block_sets == len(frozenset.union(*sets))


def judge(lines, names, question, least=Fraction(9, 10)):
    """The verdict on one partition, by fractions."""
    protected, decision = question.protected, question.decision
    cells = {}
    for line, count in lines:
        cell = cells.setdefault(tuple(line[name] for name in names), {"0": [0, 0], "1": [0, 0]})
        cell[line[protected]][int(line[decision])] += count
    both = [cell for cell in cells.values() if sum(cell["0"]) and sum(cell["1"])]
    for cell in both:
        zero, one = (Fraction(cell[group][1], sum(cell[group])) for group in "01")
        if abs(one - zero) >= question.threshold:
            return NO
    shares = (
        Fraction(sum(sum(cell[group]) for cell in both))
        / sum(sum(cell[group]) for cell in cells.values())
        for group in "01"
    )
    return YES if both and all(share >= least for share in shares) else OPEN


def agreed(verdicts):
    return verdicts.pop() if len(verdicts) == 1 else OPEN


@settings(max_examples=60)
@given(partial_graphs(max_nodes=4), st.data())
def test_the_verdict_is_the_one_on_which_all_admissible_graphs_agree(partial, data):
    rows = [
        dict(zip(partial.nodes, v, strict=True))
        for v in product("01", repeat=len(partial.nodes))
    ]
    size = st.integers(0, 3) | st.just(40)
    counts = data.draw(st.lists(size, min_size=len(rows), max_size=len(rows)))
    lines = [(row, count) for row, count in zip(rows, (c + 1 for c in counts), strict=True)]
    table = CountTable.of(
        {name: [row[name] for row, _ in lines] for name in partial.nodes},
        [count for _, count in lines],
    )
    scope = data.draw(st.sampled_from(["minimal", "all"]))
    question = data.draw(st.sampled_from([*questions(partial)] or [None]))
    if question is None:
        return
    certificate = certify(table, partial, question, scope=scope)
    graphs = families(partial, question)
    examined = {frozenset(partition.names) for partition in certificate.partitions}
    if not graphs:
        assert not certificate.complete
        return
    wanted = {causes for causes, _ in graphs}
    for _, sets in graphs:
        minimal = {one for one in sets if not any(other < one for other in sets)}
        wanted |= sets if scope == "all" else minimal
    assert examined == wanted
    assert certificate.complete
    ranks = (YES, OPEN, NO)
    by_graph = {
        max((judge(lines, sorted(one), question) for one in examined & sets), key=ranks.index)
        for _, sets in graphs
    }
    assert str(certificate.verdict) == agreed(by_graph)
