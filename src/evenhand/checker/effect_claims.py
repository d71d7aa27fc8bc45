"""The effects in one graph, in both directions: every interval, and the verdict on one."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from .group_comparisons import read_share
from .path_tables import Cells, Names, Values, shares_of
from .path_worlds import Bounds, PathWorlds
from .record_fields import Record
from .recorded_paths import PathQuestion, RecordedPaths
from .subpopulation_claims import NO, OPEN, YES
from .witness_claims import WitnessBounds

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
