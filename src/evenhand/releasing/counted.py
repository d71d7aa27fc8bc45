"""Carrying a plan out on counts: counted data in, counted data out."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.releasing.patterns import Patterns
from evenhand.removal import Plan


def change_counts(counts: CountTable, plan: Plan, generator: np.random.Generator) -> CountTable:
    """Draw the rows of each move at random among those that match, and change them.

    Rows of one assignment are alike, so only the number drawn of each assignment matters.
    """
    patterns = Patterns(plan)
    columns = {
        name: patterns.codes_of(name, counts.attribute(name).values)[counts.column(name)]
        for name in patterns.names
    }
    found = patterns.find(columns)
    kept = counts.counts.copy()
    pieces: list[CountTable] = []
    by_move = np.argsort(found, kind="stable")
    starts = np.searchsorted(found[by_move], np.arange(len(patterns.moves) + 1))
    for at, move in enumerate(patterns.moves):
        lines = by_move[starts[at] : starts[at + 1]]
        drawn = generator.multivariate_hypergeometric(
            kept[lines], move.rows, method="marginals"
        )
        kept[lines] -= drawn
        if move.times:
            pieces.append(_changed(counts, lines, drawn * move.times, move.becomes))
    changed = _joined(counts, pieces)
    for table in plan.redrawn:
        changed = redraw(changed, table, generator, pooled=plan.pooled)
    return _joined(counts, [CountTable(counts.attributes, counts.codes, kept), changed])


def redraw(
    counts: CountTable,
    table: ConditionalTable,
    generator: np.random.Generator,
    *,
    pooled: str | None = None,
) -> CountTable:
    """Draw the table's node anew for every row, given its parents as they are now.

    Groups that the table knows only together have the shares of their pool.
    """
    parents = tuple(_recode(counts, parent, pooled) for parent in table.parents)
    shares = np.broadcast_to(table.shares[parents], (len(counts), len(table.node)))
    split = generator.multinomial(counts.counts, shares)
    line, code = np.nonzero(split)
    to_own = np.array([counts.code(table.node.name, value) for value in table.node.values])
    at = counts.position(table.node.name)
    codes = [column[line] for column in counts.codes]
    codes[at] = to_own[code]
    return CountTable.build(counts.attributes, codes, split[line, code])


def _recode(counts: CountTable, table: Attribute, pooled: str | None) -> NDArray[np.int64]:
    """A column's codes as a table has its values; what it lacks is in the pool."""
    code = {value: at for at, value in enumerate(table.values)}
    rest = code.get(pooled or "", 0)
    values = counts.attribute(table.name).values
    order = np.array([code.get(value, rest) for value in values], np.int64)
    codes: NDArray[np.int64] = order[counts.column(table.name)]
    return codes


def _changed(
    counts: CountTable,
    lines: NDArray[np.intp],
    drawn: NDArray[np.int64],
    becomes: Mapping[str, str],
) -> CountTable:
    codes = [column[lines] for column in counts.codes]
    for name, value in becomes.items():
        codes[counts.position(name)] = np.full(len(lines), counts.code(name, value))
    return CountTable(counts.attributes, tuple(codes), drawn)


def _joined(like: CountTable, pieces: Iterable[CountTable]) -> CountTable:
    tables = [
        *pieces,
        CountTable(like.attributes, tuple(c[:0] for c in like.codes), like.counts[:0]),
    ]
    codes = [
        np.concatenate(columns) for columns in zip(*(t.codes for t in tables), strict=True)
    ]
    return CountTable.build(like.attributes, codes, np.concatenate([t.counts for t in tables]))
