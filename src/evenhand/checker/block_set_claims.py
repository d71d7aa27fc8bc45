"""The claims about block sets: that each is one, and that none is missing."""

from collections.abc import Iterator
from itertools import chain, combinations

from .graph_claims import RecordedGraph, reachable
from .record_fields import Record

MOST_ATTRIBUTES = 12  # 4096 combinations


def check_scope(
    record: Record, graph: RecordedGraph, causes: list[list[str]], others: list[list[str]]
) -> tuple[bool, list[str], str]:
    """Whether all was examined that was asked for, what is wrong, and why it is open."""
    asked, written = record["scope"]["asked"], bool(record["scope"]["complete"])
    if asked == "causes":
        return True, ["partitions: only the causes should be there"] * bool(others), ""
    if record["copy"] != "full":
        return written, [], "whether all block sets were examined"
    complete, wrong = check_block_sets(graph, asked, *map(frozenset[str], causes + others))
    if others != sorted(others, key=lambda names: (-len(names), names)):
        wrong.append("partitions: larger block sets come first, and then those by name")
    if complete is not None:
        return complete, wrong, ""
    why = (
        "whether all block sets are here, and whether those above open edges are block sets: "
        f"not worked out with open edges or over {MOST_ATTRIBUTES} attributes"
    )
    return written, wrong, why


def check_block_sets(
    graph: RecordedGraph, asked: str, causes: frozenset[str], *others: frozenset[str]
) -> tuple[bool | None, list[str]]:
    """Whether no block set is missing (None if not worked out), and which sets are none.

    Where some are missing the smallest must be there, as many layers as the limit allowed.
    """
    free = {*graph.nodes} - graph.ends
    complete, sets = None, {names for names in others if is_block_set(graph, names)}
    errors = []
    if not graph.undirected and len(free) <= MOST_ATTRIBUTES:
        trials = chain(*(combinations(free, size) for size in range(len(free) + 1)))
        sets = {names for names in map(frozenset, trials) if is_block_set(graph, names)}
        sets = {s for s in sets if asked == "all" or not any(t < s for t in sets)}
        complete = sets <= {causes, *others}
        chosen = [{*layer} - {causes} for layer in smallest_first(sets)]
        if not complete and {*others} & sets not in chosen:
            errors = ["partitions: these are not the smallest block sets"]
    return complete, [
        *errors,
        *(f"partitions: {sorted(s)} is not a block set" for s in {*others} - sets),
    ]


def smallest_first(sets: set[frozenset[str]]) -> Iterator[set[frozenset[str]]]:
    """No set, then the minimal ones, then besides those with one more attribute, and so on."""
    chosen = set[frozenset[str]]()
    layer = {s for s in sets if not any(t < s for t in sets)}
    yield chosen
    while layer:
        chosen = chosen | layer
        yield chosen
        layer = {s for s in sets - chosen if any(s - {name} in layer for name in s)}


def is_block_set(graph: RecordedGraph, names: frozenset[str]) -> bool:
    """Whether names block all paths but the direct arrow, as far as edges are directed."""
    arrows, side = graph.arrows - graph.direct, {*graph.protected}
    above = reachable({*names, *graph.ends}, {(b, a) for a, b in arrows})
    families = [{node, *(a for a, b in arrows if b == node)} for node in above]
    while more := set().union(*(f for f in families if f & side)) - side - names:
        side |= more
    is_one = graph.decision not in side and not names & reachable({graph.decision}, arrows)
    return is_one or bool(above & {*chain(*graph.undirected)})
