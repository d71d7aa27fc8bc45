"""The claim about effects through chosen attributes: tables, worlds, bounds and verdicts.

Tables hold codes of people's values, their places in the recorded lists; products of shares
are exact. What no table has rows for counts as neither decision, so a share is an interval.

A witness is affected by the protected attribute, makes a chosen attribute and reaches the
decision without one: the effect through the chosen attributes is then not identified, but
bounded. One world reads the others' value and makes the chosen nodes, one reads the group's
and takes them over; what the protected attribute does not affect is the same in both. A witness
is in each of them, and how the two go together is open. For each assignment of the causes of
the witnesses that is a transport problem. Potentials u of its rows prove a least cost: the sum
of u by rows, and by columns of the least of cost - u (weak duality). Where a witness causes
such a cause, the least over the group's witnesses is taken inside the sum over all else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain, combinations, product
from math import ceil, floor, inf
from operator import mul
from typing import NamedTuple

from .graph_claims import MOST_OPEN, RecordedGraph, check_graphs, reachable
from .partition_claims import NO, OPEN, WITHHELD, YES, GroupComparisons, Table
from .record_fields import Record, read_share


class Shares(NamedTuple):
    """Shares by the values of some names; assignments that are not there have none."""

    names: tuple[str, ...]
    cells: dict[tuple[int, ...], Fraction]

    def times(self, other: "Shares") -> "Shares":
        """The product, over the names of both."""
        new = [at for at, name in enumerate(other.names) if name not in self.names]
        both = [(self.names.index(n), at) for at, n in enumerate(other.names) if at not in new]
        mine, theirs = [at for at, _ in both], [at for _, at in both]
        lines = defaultdict(list)
        for values, share in other.cells.items():
            rest = tuple(values[at] for at in new)
            lines[tuple(values[at] for at in theirs)].append((rest, share))
        cells = {
            values + rest: share * more
            for values, share in self.cells.items()
            for rest, more in lines.get(tuple(values[at] for at in mine), ())
        }
        return Shares((*self.names, *(other.names[at] for at in new)), cells)

    def over(self, keep: Iterable[str]) -> "Shares":
        """The sum over all names but those to keep, in the order of these."""
        names = tuple(name for name in keep if name in self.names)
        places = [*map(self.names.index, names)]
        cells = defaultdict[tuple[int, ...], Fraction](Fraction)
        for values, share in self.cells.items():
            cells[tuple(values[at] for at in places)] += share
        return Shares(names, dict(cells))

    def fixed(self, name: str, value: int) -> "Shares":
        """The shares at one value of a name."""
        if name not in self.names:
            return self
        at = self.names.index(name)
        cells = {v[:at] + v[at + 1 :]: s for v, s in self.cells.items() if v[at] == value}
        return Shares(self.names[:at] + self.names[at + 1 :], cells)

    def at(self, values: dict[str, int]) -> Fraction:
        """The share at values of the names, among others perhaps."""
        return self.cells.get(tuple(values[name] for name in self.names), Fraction(0))


def eliminate(factors: Iterable[Shares], keep: Iterable[str]) -> Shares:
    """The product of factors, summed over all names but those to keep.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> eliminate([Shares(("a",), {(0,): half}), Shares(("a", "b"), {(0, 1): third})], ["b"])
    Shares(names=('b',), cells={(1,): Fraction(1, 6)})
    """
    left, keep = [*factors], [*keep]
    while gone := {name for factor in left for name in factor.names} - {*keep}:
        own = {name: [f for f in left if name in f.names] for name in sorted(gone)}
        name = min(own, key=lambda name: len({n for f in own[name] for n in f.names}))
        whole = reduce(Shares.times, sorted(own[name], key=lambda f: len(f.cells)))
        left = [factor for factor in left if name not in factor.names]
        left.append(whole.over(n for n in whole.names if n != name))
    return reduce(Shares.times, left, Shares((), {(): Fraction(1)})).over(keep)


Names = tuple[str, ...]
Cells = Counter[tuple[int, ...]]
Values = dict[str, list[str]]


def read_tables(written: Record, ends: Values) -> tuple[Values, dict[Names, Cells]]:
    """The values of each attribute, and the tables by their names.

    Groups and decisions have the values of the question, ``ends``; of others each one occurs.
    """
    values: Values = written["values"]
    for name, labels in values.items():
        is_list = type(labels) is list and {*map(type, labels)} == {str}
        if not is_list or len({*labels}) < len(labels) or labels != ends.get(name, labels):
            raise ValueError(f"indirect.values: {labels} cannot be those of {name!r}")
    tables = {}
    for table in written["tables"]:
        names, cells = (*table["names"],), Cells()
        bounds = [range(len(values[name])) for name in names]
        for *codes, many in table["counts"]:
            known = len(codes) == len(names) and all(map(range.__contains__, bounds, codes))
            if not known or {*map(type, (*codes, many))} != {int} or many < 1:
                raise ValueError(f"indirect.tables: {[*codes, many]} is no cell of {names}")
            cells[*codes,] = many
        for at, name in enumerate(names):
            if name not in ends and len({codes[at] for codes in cells}) < len(values[name]):
                raise ValueError(f"indirect.values: nobody has one of those of {name!r}")
        tables[names] = cells
    return values, tables


def encode(
    names: Iterable[str], table: Table, values: Values, ends: Values
) -> tuple[Names, Cells]:
    """The people of a table of labels, by the names that have values and by the ends."""
    places = [(at, name) for at, name in enumerate(names) if name in values]
    codes = {name: {label: at for at, label in enumerate(values[name])} for _, name in places}
    cells: Cells = Counter()
    for labels, counts in table.items():
        line = tuple(codes[name].get(labels[at], -1) for at, name in places)
        for group, kinds in enumerate(counts):
            for kind, people in enumerate(kinds):
                cells[*line, group, kind] += people
    return (*(name for _, name in places), *ends), cells


def counts_by(names: Names, cells: Cells, keep: Iterable[str]) -> Cells:
    """The people of a table by some of its names."""
    places, people = [*map(names.index, keep)], Cells()
    for codes, many in cells.items():
        people[tuple(codes[at] for at in places)] += many
    return +people


def disagreements(tables: list[tuple[Names, Cells]]) -> Iterator[str]:
    """The pairs of tables that count people otherwise by what both have."""
    for (first, own), (second, other) in combinations(tables, 2):
        both = sorted({*first} & {*second})
        if counts_by(first, own, both) != counts_by(second, other, both):
            yield f"indirect.tables: {[*first]} and {[*second]} count other people by {both}"


def shares_of(names: Names, cells: Cells) -> Shares:
    """The share of each value of the last name among people alike in the others."""
    rows = counts_by(names, cells, names[:-1])
    return Shares(names, {line: Fraction(n, rows[line[:-1]]) for line, n in cells.items()})


@dataclass(frozen=True)
class PathQuestion:
    """Which effects are asked about; ``ends`` are the protected attribute and the decision."""

    ends: dict[str, list[str]]
    chosen: frozenset[str]
    explained: frozenset[str]
    threshold: Fraction
    basis: str

    @classmethod
    def of(cls, question: Record, compared: GroupComparisons) -> "PathQuestion":
        """Read the question; refuse one that nobody can ask."""
        chosen, explained = question["redlining"], question.get("explained", [])
        ends = {compared.column: compared.groups, question["decision"]: compared.kinds}
        own = "redlining_threshold" in question
        threshold = read_share(question["redlining_threshold" if own else "threshold"])
        named = {*chosen, *explained} - {*compared.protected, question["decision"]}
        if len(named) < len(chosen + explained) or not chosen or not 0 < threshold < 1:
            raise ValueError("question: effects through what it names cannot be asked for")
        basis = question.get("basis", "group")
        return cls(ends, frozenset(chosen), frozenset(explained), threshold, basis)


class RecordedPaths:
    """The graph of some tables, among the ancestors of decision and protected attribute."""

    def __init__(self, tables: list[tuple[str, ...]], asked: PathQuestion) -> None:
        self.nodes, self.asked = [names[-1] for names in tables], asked
        self.arrows = frozenset((cause, names[-1]) for names in tables for cause in names[:-1])
        self.protected, self.decision = asked.ends
        for at, names in enumerate(tables):
            if names[:-1] != (*sorted({*names} & {*self.nodes[:at]}),):
                raise ValueError(f"indirect.graphs: the causes of {names} are not there before")
        if sorted(self.nodes) != sorted({*asked.ends}.union(*self.arrows)):
            raise ValueError(f"indirect.graphs: {self.nodes} are not those of its tables")

    def above(self, nodes: set[str], avoid: frozenset[str] = frozenset()) -> set[str]:
        """The nodes, and what leads there past those that are avoided."""
        return reachable(nodes, {(b, a) for a, b in self.arrows if a not in avoid})

    def below(self, node: str, avoid: frozenset[str] = frozenset()) -> set[str]:
        """The node, and what it leads to past those that are avoided."""
        return reachable({node}, {(a, b) for a, b in self.arrows if b not in avoid})

    @cached_property
    def in_use(self) -> frozenset[str]:
        """The chosen nodes on a path."""
        return self.asked.chosen & self.below(self.protected) & self.above({self.decision})

    @cached_property
    def affected(self) -> set[str]:
        """What the protected attribute leads to past all chosen nodes."""
        return self.below(self.protected, self.in_use) - {self.protected}

    @cached_property
    def toward_decision(self) -> set[str]:
        """What is affected and leads to the decision past all chosen nodes; itself too."""
        return self.affected & self.above({self.decision}, self.in_use)

    @cached_property
    def toward_chosen(self) -> set[str]:
        """What is affected and leads to a chosen node."""
        return self.affected & self.above({*self.in_use})

    @cached_property
    def witnesses(self) -> list[str]:
        """The nodes that read both values of the protected attribute."""
        return [n for n in self.nodes if n in self.toward_decision & self.toward_chosen]

    @cached_property
    def sides(self) -> dict[str, str]:
        """The side of each child of the protected attribute."""
        return {
            child: self.side(child) for cause, child in self.arrows if cause == self.protected
        }

    def side(self, child: str) -> str:
        """Which paths lead on from a child."""
        if child == self.decision:
            return "direct"
        if child in self.witnesses:
            return "witness"
        if child in self.in_use | self.toward_chosen:
            return "through"
        judged = not self.asked.explained or child in self.asked.explained
        past = self.below(child, self.asked.explained)
        return "explained" if judged or self.decision not in past else "not judged"


Bounds = tuple[Fraction, Fraction]
World = tuple[frozenset[str], int | None]  # who reads the others' value, on whose rows


class PathWorlds:
    """The tables of a graph as one group reads them: 0, or 1 with the two exchanged."""

    def __init__(
        self, paths: RecordedPaths, tables: dict[str, Shares], values: dict[str, int], own: int
    ) -> None:
        self.paths, self.tables, self.values, self.own = paths, tables, values, own
        self.known = dict[World, Bounds]()

    def rows_of(self, group: int) -> int | None:
        """The group; None, for all rows, if nothing causes who is in it."""
        return group if self.tables[self.paths.protected].names[1:] else None

    def read(self, node: str, *, others: bool = False) -> Shares:
        """A node's shares if it reads the group's value, or the others'."""
        return self.tables[node].fixed(
            self.paths.protected, 1 - self.own if others else self.own
        )

    def relevant(self, rows: int | None) -> list[str]:
        """The nodes that bear on a share, decision and protected attribute aside."""
        protected, decision = self.paths.protected, self.paths.decision
        above = self.paths.above({decision}, frozenset([protected]))
        above |= set() if rows is None else self.paths.above({protected})
        return [node for node in self.paths.nodes if node in above - {protected, decision}]

    def context(self, rows: int | None) -> list[Shares]:
        """How much a group's rows count by its causes, at most: what is not the other group."""
        if rows is None:
            return []
        protected = self.paths.protected
        above = [self.tables[node] for node in self.paths.above({protected})]
        most = 1 - eliminate(above, [protected]).at({protected: 1 - rows})
        own = self.tables[protected].fixed(protected, rows)
        return [Shares(own.names, {line: share / most for line, share in own.cells.items()})]

    def share(self, world: World) -> Bounds:
        """The share in a world."""
        if world not in self.known:
            (reads, rows), decision = world, self.paths.decision
            nodes = [*self.relevant(rows), decision]
            factors = [self.read(node, others=node in reads) for node in nodes]
            decided = eliminate([*self.context(rows), *factors], [decision])
            self.known[world] = decided.at({decision: 0}), 1 - decided.at({decision: 1})
        return self.known[world]

    def bounds(self, worlds: "Counter[World]") -> Bounds:
        """The interval of a sum of shares."""
        ends = [(self.share(world), times) for world, times in worlds.items() if times]
        low = sum((times * end[times < 0] for end, times in ends), Fraction(0))
        return low, sum((times * end[times > 0] for end, times in ends), Fraction(0))


PRIME = "\0′"  # marks the witnesses of the world that reads the others' value


class WitnessBounds:
    """The two worlds, on the rows of a group or on all."""

    def __init__(self, worlds: PathWorlds, rows: int | None) -> None:
        paths, relevant = worlds.paths, worlds.relevant(rows)
        self.worlds, self.witnesses, self.decision = worlds, paths.witnesses, paths.decision
        own = [n for n in relevant if n in paths.toward_decision and n not in self.witnesses]
        shared = [n for n in relevant if n not in (*own, *self.witnesses)]
        self.first = [*worlds.context(rows), *map(self.primed, shared)]
        self.second = [worlds.read(node) for node in (*own, self.decision)]
        causes = {a for a, b in paths.arrows if b in self.witnesses}
        self.given = causes - {*self.witnesses, paths.protected}
        self.is_nested = any(self.given & paths.below(witness) for witness in self.witnesses)
        between = self.given.union(*(factor.names for factor in self.second))
        self.between = between - {*own, *self.witnesses, self.decision}
        self.lines = self.assignments(self.witnesses)
        self.primes = [{name + PRIME: v for name, v in line.items()} for line in self.lines]

    def assignments(self, names: list[str]) -> list[dict[str, int]]:
        """Every assignment of some names."""
        lines = product(*(range(self.worlds.values[name]) for name in names))
        return [dict(zip(names, line, strict=True)) for line in lines]

    def primed(self, node: str) -> Shares:
        """What a node gives in the world that reads the others' value."""
        table = self.worlds.read(node, others=True)
        names = (name + PRIME if name in self.witnesses else name for name in table.names)
        return Shares(tuple(names), table.cells)

    def bounds(self, favorable: list[list[Fraction]], rest: list[list[Fraction]]) -> Bounds:
        """The share of favorable decisions, from the least share of either kind of decision."""
        if not self.is_nested:
            return self.proved(0, favorable), 1 - self.proved(1, rest)
        if favorable or rest:
            raise ValueError("indirect.graphs: there are potentials of no transport problem")
        return self.least(0), 1 - self.least(1)

    def proved(self, kind: int, potentials: list[list[Fraction]]) -> Fraction:
        """The least share that potentials prove; a problem with unseen rows adds nothing."""
        keep = [*self.given, *self.witnesses, *(name + PRIME for name in self.witnesses)]
        *others, decided = self.second
        decided = decided.fixed(self.decision, kind)
        cost = eliminate([*self.first, *others, decided], keep)
        first = eliminate(map(self.primed, self.witnesses), keep)
        second = eliminate(map(self.worlds.read, self.witnesses), keep)
        low = Fraction(0)
        for at, own in zip(self.assignments(sorted(self.given)), potentials, strict=True):
            rows = [first.at(at | one) for one in self.primes]
            columns = [second.at(at | one) for one in self.lines]
            if len(own) != (len(rows) if sum(rows) == sum(columns) == 1 else 0):
                raise ValueError(f"indirect.graphs: {len(own)} potentials of {at}")
            low += sum(map(mul, rows, own), Fraction(0))
            pairs = [
                (at | one, u)
                for one, u, row in zip(self.primes, own, rows, strict=False)
                if row
            ]
            for one, column in zip(self.lines, columns, strict=True):
                low += column * min((cost.at(one | other) - u for other, u in pairs), default=0)
        return low

    def least(self, kind: int) -> Fraction:
        """The sum over all else of the least share at a witness that can be."""
        names = sorted(self.between)
        weights = eliminate([*self.first, *map(self.primed, self.witnesses)], names)
        shares = eliminate(self.second, [*names, *self.witnesses, self.decision])
        low = Fraction(0)
        for line, weight in weights.cells.items():
            at = {self.decision: kind, **dict(zip(weights.names, line, strict=True))}
            low += weight * min(
                shares.at(at | one) for one in self.lines if self.can_be(at | one)
            )
        return low

    def can_be(self, values: dict[str, int]) -> bool:
        """Whether the group's witnesses can have values: they do, or no row tells."""
        tables = [self.worlds.read(witness) for witness in self.witnesses]
        return all(
            table.at(values) or not table.over(table.names[:-1]).at(values) for table in tables
        )


DIRECTIONS = "forward", "backward"
PARTS = "direct", "through", "explained", "not judged"
PLACES = 12


def right_graph(
    asked: PathQuestion, written: Record, values: Values, tables: dict[Names, Cells]
) -> Record:
    """A graph of a record, with its sides, effects and verdict as they should be."""
    names = [[*tables][at] for at in written["tables"]]
    paths = RecordedPaths(names, asked)
    shares = {own[-1]: shares_of(own, tables[own]) for own in names}
    many = {name: len(labels) for name, labels in values.items()}
    proofs = written.get("potentials", dict.fromkeys(DIRECTIONS, ([], [])))
    effects = {
        at: path_effects(
            PathWorlds(paths, shares, many, own),
            [[[*map(read_share, line)] for line in kind] for kind in proofs[at]],
        )
        for own, at in enumerate(DIRECTIONS)
    }
    through = [of["through"] for of in effects.values()]
    texts = {at: {name: decimals(e) for name, e in of.items()} for at, of in effects.items()}
    right = {
        "tables": [int(at) for at in written["tables"]],
        "sides": paths.sides,
        "witnesses": paths.witnesses,
        "verdict": judge_effect(through, asked.threshold),
        "effects": texts,
    }
    return right | ({"potentials": proofs} if paths.witnesses else {})


def path_effects(worlds: PathWorlds, proofs: list[list[list[Fraction]]]) -> dict[str, Bounds]:
    """The interval of each effect; potentials prove that which witnesses leave open."""
    paths, sides = worlds.paths, worlds.paths.sides
    own, other = worlds.rows_of(worlds.own), worlds.rows_of(1 - worlds.own)
    rows = own if paths.asked.basis == "group" else None
    reads = {part: frozenset(c for c in sides if sides[c] == part) for part in PARTS}
    nobody, everybody = frozenset[str](), frozenset(sides)
    if paths.witnesses:
        del reads["through"]
    if not paths.asked.explained:
        del reads["not judged"]
    total = Counter({(everybody, rows): 1})
    total.subtract([(nobody, rows)])
    rest, spurious = Counter(total), Counter({(everybody, other): 1})
    spurious.subtract([(nobody, own)])
    spurious.subtract(total)
    effects = {"total": worlds.bounds(total), "spurious": worlds.bounds(spurious)}
    for part, one in reads.items():
        effect = Counter({(one, rows): 1})
        effect.subtract([(nobody, rows)])
        rest.subtract(effect)
        effects[part] = worlds.bounds(effect)
    low, high = worlds.bounds(rest)
    if paths.witnesses:
        least, most = WitnessBounds(worlds, rows).bounds(*proofs)
        reference = worlds.share((nobody, rows))
        effects["through"] = least, most = least - reference[1], most - reference[0]
        low, high = low - most, high - least
    return {**effects, "combination": (low, high)}


def judge_effect(both: list[Bounds], threshold: Fraction) -> str:
    """The verdict on an effect in both directions: within the threshold, beyond it, or open."""
    if any(low >= threshold or high <= -threshold for low, high in both):
        return NO
    return YES if all(-threshold < low and high < threshold for low, high in both) else OPEN


def decimals(ends: Bounds) -> list[str]:
    """An interval as decimals of twelve places, rounded outward.

    >>> decimals((Fraction(1, 3), Fraction(1, 3)))
    ['0.333333333333', '0.333333333334']
    """
    low, high = (end * 10**PLACES for end in ends)
    return [
        f"{Decimal(whole).scaleb(-PLACES):.{PLACES}f}" for whole in (floor(low), ceil(high))
    ]


People = list[tuple[list[str], Table]]  # of each partition by its names, or of the data by all


class PathClaims:
    """The claim of a record, and what is wrong with it or left open."""

    def __init__(
        self, record: Record, graph: RecordedGraph, compared: GroupComparisons
    ) -> None:
        self.asked = PathQuestion.of(record["question"], compared)
        self.record, self.graph, self.written = record, graph, record["indirect"]
        is_near = "chosen_from" in record["graph"]["origin"]  # what leads there was not learned
        self.can_be_measured = compared.is_one and len(compared.protected) == 1 and not is_near
        self.errors, self.open = list[str](), dict[str, str]()

    def right(self, people: People, rules: Record, *, with_data: bool) -> Record:
        """The claim as it should be; where a column determines the decision it is open.

        A copy for others has the verdict alone: that of a release, or that it is withheld.
        """
        if self.record["copy"] != "full":
            return {"verdict": YES if "release" in self.record else WITHHELD}
        right: Record = {"verdict": OPEN, "reasons": self.written["reasons"]}
        if self.can_be_measured and "graphs" in self.written:
            right |= self.right_effects(people, with_data=with_data)
        elif self.can_be_measured:
            self.open["indirect.graphs"] = "that there was too much to be measured"
        is_determined = rules["determining"] and not rules["declared"]
        return right | ({"verdict": OPEN} if is_determined else {})

    def right_effects(self, people: People, *, with_data: bool) -> Record:
        """What follows from the tables, or from those of the data."""
        ends = self.asked.ends
        values, tables = read_tables(self.written, ends)
        people = people[: len(self.record["possible_decision_causes"])]  # by causes come first
        coded = [encode(names, table, values, ends) for names, table in people]
        if with_data:
            tables = {names: counts_by(*coded[0], names) for names in tables}
        else:
            self.errors += disagreements([*coded, *tables.items()])
        written = self.written["graphs"]
        graphs = [right_graph(self.asked, graph, values, tables) for graph in written]
        verdicts = {graph["verdict"] for graph in graphs}
        rates = shares_of((*ends,), counts_by(*coded[0], ends))
        group, others = (rates.at(dict(zip(ends, (at, 0), strict=True))) for at in (0, 1))
        right = {
            "verdict": verdicts.pop() if len(verdicts) == 1 else OPEN,
            "consistent": self.right_consistent([*tables]),
            "values": {name: values[name] for name in {*chain(*tables)}},
            "tables": [
                {"names": [*names], "counts": [[*line, n] for line, n in sorted(cells.items())]}
                for names, cells in tables.items()
            ],
            "graphs": graphs,
            "gap": str(others - group),
        }
        if "release" in self.record:  # changed rows are no sample
            return right
        return {**right, "standard_errors": self.right_estimates(graphs)}

    def right_consistent(self, tables: list[Names]) -> bool:
        """Whether colliders are as found in all graphs, which must be those that can be."""
        written = self.written["graphs"]
        used = dict.fromkeys(chain(*(graph["tables"] for graph in written)))
        if [*used] != [*range(len(tables))]:
            self.errors.append("indirect.tables: one is of no graph, or not in order")
        known = bool(self.written["consistent"])
        if len(self.graph.undirected) > MOST_OPEN:
            why = f"which graphs over {MOST_OPEN} open edges allow is not worked out"
            self.open["indirect.graphs"] = why
            return known
        of_graphs = ([tables[at] for at in graph["tables"]] for graph in written)
        arrows = [RecordedPaths(names, self.asked).arrows for names in of_graphs]
        consistent, wrong = check_graphs(self.graph, arrows)
        self.errors += wrong
        return consistent

    def right_estimates(self, graphs: list[Record]) -> Record:
        """The standard errors in their one spelling; none of what witnesses leave open."""
        bounded = {"through", "combination"} if any(g["witnesses"] for g in graphs) else set()
        right: Record = {}
        for at in DIRECTIONS:
            written = self.written["standard_errors"][at]
            right[at] = dict.fromkeys(bounded)
            for name in sorted({*graphs[0]["effects"][at]} - bounded):
                right[at][name] = text = written[name]
                if isinstance(text, str) and 0 <= float(text) < inf:
                    right[at][name] = f"{float(text):.12g}"
                else:
                    field = f"indirect.standard_errors.{at}.{name}"
                    self.errors.append(f"{field}: {text!r} is no estimate")
        return right
