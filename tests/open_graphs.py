"""Verdicts on graphs with open edges, by trying every way to direct these: slow and obvious."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product

from tests.brute_force import block_sets, descendants, extensions, is_acyclic

from evenhand import CountTable, Knowledge, Question, certify
from evenhand.errors import GraphError
from evenhand.graph import Conflict, DiscoveryRecord, PartialGraph

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


def acyclic_ways(partial):
    """Every way to direct the open edges that makes no cycle."""
    for chosen in product(*(((a, b), (b, a)) for a, b in sorted(partial.undirected))):
        arrows = partial.arrows.union(chosen)
        if is_acyclic(arrows):
            yield arrows


def admitted(partial, question):
    """The ways to direct the graph, and whether they add no collider."""
    for ways, consistent in ((extensions(partial), True), (acyclic_ways(partial), False)):
        answers = [
            arrows
            for arrows in ways
            if question.protected not in descendants(arrows, question.decision)
        ]
        if answers:
            return answers, consistent
    raise AssertionError


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


def all_open_graphs():
    """Every graph of a, b, c and d in which no arrows lead from b to a: 2,538 of them."""
    pairs = [*combinations("abcd", 2)]
    for kinds in product(("", "->", "<-", "-"), repeat=len(pairs)):
        edges = {kind: [] for kind in kinds}
        for pair, kind in zip(pairs, kinds, strict=True):
            edges[kind].append(pair)
        arrows = frozenset((*edges.get("->", ()), *((b, a) for a, b in edges.get("<-", ()))))
        if is_acyclic(arrows) and "a" not in descendants(arrows, "b"):
            yield PartialGraph(tuple("abcd"), arrows, frozenset(edges.get("-", ())))


QUESTION = Question(protected="a", group="0", decision="b", favorable="1", threshold="1/20")
ROWS = [dict(zip("abcd", values, strict=True)) for values in product("01", repeat=4)]
# In the first table nothing differs, in the second every comparison does; in the third some do.
TABLES = [
    [(row, 1 + 40 * int(row["a"])) for row in ROWS],
    [(row, 1 + 40 * (row["a"] == row["b"])) for row in ROWS],
    [(row, 50 + 9 * (row["b"] == row["c"] == row["a"])) for row in ROWS],
]


def recorded(**doubts):
    """A record of discovery with these doubts."""
    return DiscoveryRecord(algorithm="PC", test="chi-square", significance=0.01, **doubts)


def contested(partial):
    """The graph as if colliders had claimed every other open edge in both directions."""
    edges = sorted(partial.undirected)[::2]
    conflicts = tuple(Conflict(edge, "both ways", ()) for edge in edges)
    return replace(partial, record=recorded(conflicts=conflicts))


def check_against_all_graphs(partial):
    """Ask without knowledge, and with each open edge required to point either way.

    Knowledge may come before the question or with it. What it settles is allowed, a collider
    that only follows from it is not.
    """
    edges = [edge for pair in sorted(partial.undirected) for edge in permutations(pair)]
    for required in ([], *([f"{a} -> {b}"] for a, b in edges)):
        knowledge = Knowledge(required=required)
        arrows = partial.arrows.union(knowledge.required)
        if not is_acyclic(arrows) or "a" in descendants(arrows, "b"):
            continue
        told = PartialGraph(
            partial.nodes,
            arrows,
            frozenset(e for e in partial.undirected if not arrows & {e, e[::-1]}),
            recorded(ambiguous=tuple(partial.doubtful)),
        )
        graphs = families(told, QUESTION)
        for lines in TABLES:
            table = CountTable.of(
                {name: [row[name] for row, _ in lines] for name in partial.nodes},
                [count for _, count in lines],
            )
            for scope in ("causes", "minimal", "all"):
                after = certify(table, partial, QUESTION, scope=scope, knowledge=knowledge)
                check_certificate(after, lines, graphs, scope)
                before = certified_later(table, partial.with_knowledge(knowledge), scope)
                if graphs:
                    assert essence(before) == essence(after)
                elif before is not None:
                    check_certificate(before, lines, graphs, scope)


def essence(certificate):
    """What must not depend on when knowledge was given."""
    names = [partition.names for partition in certificate.partitions]
    return certificate.verdict, certificate.complete, certificate.graph, names


def certified_later(table, settled, scope):
    """The certificate of a graph that knowledge settled; None if the decision comes first."""
    try:
        return certify(table, settled, QUESTION, scope=scope, knowledge=Knowledge())
    except GraphError:
        assert "a" in settled.descendants("b")
        return None


def check_certificate(certificate, lines, graphs, scope):
    """Hold a certificate against the causes and block sets of all admissible graphs."""
    contradicts = any("contradicts itself" in said for said in certificate.assumptions)
    assert contradicts == (not graphs)
    if not graphs:
        assert certificate.complete == (scope == "causes")
        assert scope == "causes" or str(certificate.verdict) != YES
        return
    assert certificate.complete
    wanted = {causes for causes, _ in graphs}
    for _, sets in graphs:
        minimal = {one for one in sets if not any(other < one for other in sets)}
        wanted |= {"causes": set(), "minimal": minimal, "all": sets}[scope]
    examined = {frozenset(partition.names) for partition in certificate.partitions}
    assert examined == wanted
    ranks = (YES, OPEN, NO)
    by_graph = {
        max(
            (
                judge(lines, sorted(one), QUESTION)
                for one in ({causes} if scope == "causes" else examined & sets)
            ),
            key=ranks.index,
        )
        for causes, sets in graphs
    }
    assert str(certificate.verdict) == agreed(by_graph)
