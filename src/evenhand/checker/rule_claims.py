"""The claims about rules, which alone determine the decision, and about edits of the graph."""

from collections import Counter
from collections.abc import Iterable

from .graph_claims import RecordedGraph, reachable
from .partition_claims import OPEN, GroupComparisons, Table, judge
from .record_fields import PATH_FIELDS, Record
from .row_claims import people_by


def determines(people: Table) -> bool:
    """Whether people alike got the same decision, and enough of them are alike to say so.

    Values that occur at least twice must cover nine tenths of the rows, with both decisions.
    """
    decisions = Counter[tuple[int, ...]]()
    for counts, times in Counter(people.values()).items():
        decisions[tuple(map(sum, zip(*counts, strict=True)))] += times
    often = {kinds: times for kinds, times in decisions.items() if sum(kinds) > 1}
    rows, alike = (
        sum(times * sum(kinds) for kinds, times in lines.items())
        for lines in (decisions, often)
    )
    several = sum(map(any, zip(*often, strict=True))) > 1
    exceptions = any(sum(map(bool, kinds)) > 1 for kinds in decisions)
    return 10 * alike >= 9 * rows and several and not exceptions


def is_protected(people: Table) -> bool:
    """Whether the values are the groups under other names."""
    groups = [[bool(sum(kinds)) for kinds in counts] for counts in people.values()]
    once = all(sum(column) == 1 for column in zip(*groups, strict=True))
    return once and all(sum(line) == 1 for line in groups)


def columns_of(people: Iterable[tuple[list[str], Table]]) -> dict[str, Table]:
    """The people by each column that some table has."""
    return {name: people_by(table, names, [name]) for names, table in people for name in names}


def right_rules(record: Record, graph: RecordedGraph, by_column: dict[str, Table]) -> Record:
    """The rules as they should be; of columns that were not counted as they are recorded."""
    rules = record["rules"]
    if record["copy"] != "full":
        return {"declared": [*map(str, rules["declared"])]}
    if "release" in record:
        return {"declared": [], "determining": []}
    comparable = {*graph.nodes} - reachable({graph.decision}, graph.arrows) - {*graph.protected}
    determining = {*rules["determining"]} & comparable - {*by_column}
    determining |= {name for name in comparable & {*by_column} if _alone(by_column[name])}
    if "predicts" in record["question"]:  # a model may read one column alone: that is no copy
        determining.clear()
    right: Record = {
        "declared": [*map(str, rules["declared"])],
        "determining": sorted(determining),
    }
    if "without" in rules and rules["declared"]:
        beside = rules["without"]["record"]
        right["without"] = {
            "left_out": sorted({*rules["declared"], *determining}),
            "verdict": beside["verdict"],
            "record": beside,
        }
    return right


def _alone(people: Table) -> bool:
    return determines(people) and not is_protected(people)


def check_declared(record: Record, tables: Iterable[Table]) -> list[str]:
    """What is wrong with a declared rule: exceptions, or that it is no cause."""
    rule, errors = record["rules"]["declared"], []
    for entry, table in zip(record["partitions"], tables, strict=True):
        if rule and entry["role"] == "causes":
            if not {*rule} <= {*entry["names"]}:
                errors.append(
                    f"rules.declared: {rule} are not among the causes of the decision"
                )
            elif table and not determines(people_by(table, entry["names"], rule)):
                errors.append(f"rules.declared: {rule} do not determine the decision")
    return errors


def check_without(record: Record, beside: Record) -> list[str]:
    """What differs between a record and the one without its rule, and should not."""
    where, left_out = "rules.without.record", {*record["rules"]["without"]["left_out"]}
    if "redlining" in record["question"]:  # without the rule only the direct claim is made
        asked = record["question"].items()
        record = {**record, "question": {n: one for n, one in asked if n not in PATH_FIELDS}}
    errors = [
        f"{where}.{name}: another than that of the record"
        for name in ("format", "copy", "question", "pooled", "codings", "scope")
        if beside[name] != record[name]
    ]
    errors += [f"{where}.graph: it has what was left out"] * bool(
        left_out & {*beside["graph"]["nodes"]}
    )
    return errors + [f"{where}.release: this is no release"] * ("release" in beside)


_EDGES = ("arrows", "undirected", "doubtful")
_OUTCOME = ("verdict", "population", "measured", "violating")


def check_edits(
    record: Record, people: list[tuple[list[str], Table]], compared: GroupComparisons
) -> tuple[Record, list[str], dict[str, str]]:
    """The graph before the edits as it should be, errors, and what is stated of it.

    What it gives is not told of a release, nor in a copy for others.
    """
    before, stated = record["graph"]["origin"]["unedited"], "that this is the graph before"
    right = {name: before[name] for name in _EDGES}
    errors = ["graph.origin.unedited: with the edits it has other links than the graph"]
    errors *= edited_links(record) != links(record["graph"])
    if record["copy"] == "full" and "release" not in record and "verdict" in before:
        derived = right_outcome(record, people, compared)
        right |= {name: before[name] for name in _OUTCOME} | derived
        stated += ", and what it tells of the population" if derived else ", and what it gives"
    return right, errors, {"graph.origin.unedited": stated}


def links(graph: Record) -> set[frozenset[str]]:
    """The pairs of names that are joined, in whatever direction."""
    return {frozenset(pair) for pair in (*graph["arrows"], *graph["undirected"])}


def edited_links(record: Record) -> set[frozenset[str]]:
    """The links that the edits make of those before."""
    origin = record["graph"]["origin"]
    joined = links(origin["unedited"])
    for edit in origin.get("edits", ()):
        pair = {frozenset(edit["arrow"])}
        joined = joined - pair if edit["kind"] == "remove" else joined | pair
    return joined


def right_outcome(
    record: Record, people: list[tuple[list[str], Table]], compared: GroupComparisons
) -> Record:
    """The verdict and the numbers of the graph before, from the people at hand.

    Nothing where its causes are open, or some of them were not counted.
    """
    before = record["graph"]["origin"]["unedited"]
    edges = {name: before[name] for name in _EDGES}
    graph = RecordedGraph.of({**record, "graph": {**record["graph"], **edges}})
    causes, by_column = graph.causes, columns_of(people)
    for names, table in people:
        if causes is not None and {*causes} <= {*names}:
            entry = judge(people_by(table, names, causes), compared)
            rules = right_rules(record, graph, by_column)
            is_open = rules["declared"] or rules["determining"]
            # A column that was not counted may determine the decision.
            others = {*graph.nodes} - reachable({graph.decision}, graph.arrows) - graph.ends
            is_open = is_open or (before["verdict"] == OPEN and not others <= {*by_column})
            numbers = {name: entry["subpopulations"][name] for name in _OUTCOME[2:]}
            return {"verdict": OPEN if is_open else entry["verdict"], **numbers}
    return {}
