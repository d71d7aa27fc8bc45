"""Applies a plan to counts, or generates counts from its modified model.

Counted data in, counted data out: rows of one assignment are alike, so only numbers matter.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.examined import group_labels
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.releasing.row_selection import Patterns
from evenhand.removal import GeneratedPlan, Plan
from evenhand.removal.baselines import choose_rows
from evenhand.removal.modify_graph import nearest_counts_in_window


def apply_to_counts(
    counts: CountTable, plan: Plan, generator: np.random.Generator
) -> CountTable:
    """The counts after a plan, changed or generated."""
    if isinstance(plan, GeneratedPlan):
        return generate_counts(plan, generator)
    return change_counts(counts, plan, generator)


def change_counts(
    counts: CountTable, plan: Plan, generator: np.random.Generator, *, effects: bool = True
) -> CountTable:
    """Draw the rows of each move at random among those that match, and change them.

    Without ``effects`` only the moves are applied, and no effect of the decision is redrawn.
    """
    patterns = Patterns(plan)
    moves = patterns.find_in(counts)
    left = counts.counts.copy()
    pieces: list[CountTable] = []
    by_move = np.argsort(moves, kind="stable")
    starts = np.searchsorted(moves[by_move], np.arange(len(patterns.moves) + 1))
    for at, move in ((at, move) for at, moves in enumerate(patterns.moves) for move in moves):
        lines = by_move[starts[at] : starts[at + 1]]
        amounts = choose_rows(left[lines], move.row_count, generator)
        left[lines] -= amounts
        if move.times:
            pieces.append(_moved(counts, lines, amounts * move.times, move.becomes))
    changed = _concatenated(counts, pieces)
    for table in plan.redrawn if effects else ():
        changed = redraw(changed, table, generator, pooled=plan.pooled)
    return _concatenated(counts, [CountTable(counts.attributes, counts.codes, left), changed])


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


def _moved(
    counts: CountTable,
    lines: NDArray[np.intp],
    amounts: NDArray[np.int64],
    becomes: Mapping[str, str],
) -> CountTable:
    codes = [column[lines] for column in counts.codes]
    for name, value in becomes.items():
        codes[counts.position(name)] = np.full(len(lines), counts.code(name, value))
    return CountTable(counts.attributes, tuple(codes), amounts)


def _concatenated(like: CountTable, pieces: Iterable[CountTable]) -> CountTable:
    tables = [
        *pieces,
        CountTable(like.attributes, tuple(c[:0] for c in like.codes), like.counts[:0]),
    ]
    codes = [
        np.concatenate(columns) for columns in zip(*(t.codes for t in tables), strict=True)
    ]
    return CountTable.build(like.attributes, codes, np.concatenate([t.counts for t in tables]))


def generate_counts(plan: GeneratedPlan, generator: np.random.Generator) -> CountTable:
    """Make the plan's rows, causes first.

    Counted out, every share of the model is met as nearly as whole rows allow: given the same
    parents, and among the rows alike so far. The decision follows quotas that meet the
    criterion in the groups as they were made, so the result needs no luck. Rows alike are made
    together: time and memory follow the distinct assignments.

    Paper: alg:mg
    """
    table = CountTable((), (), np.array([plan.row_count], np.int64))
    for node, parents, shares in plan.tables:
        given = shares[tuple(table.column(parent) for parent in parents)]
        given = np.broadcast_to(given, (len(table), len(node)))
        if plan.sampled:
            split = generator.multinomial(table.counts, given)
        else:
            if node.name == plan.question.decision:
                given = _by_quotas(plan, table, given)
            split = _split_by_shares(table, parents, given, generator)
        line, code = np.nonzero(split)
        codes = (*(column[line] for column in table.codes), code.astype(np.uint32))
        table = CountTable((*table.attributes, node), codes, split[line, code])
    return CountTable.build(table.attributes, table.codes, table.counts).marginal(plan.names)


def _by_quotas(
    plan: GeneratedPlan, table: CountTable, given: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The decision's shares that give each group a whole, allowed number of favorable rows."""
    question = plan.question
    favorable = plan.fitted[question.decision].node.values.index(question.favorable_label)
    line, first = table.groups(plan.partition.names)
    # Of several attributes the model makes combinations that nobody had before.
    labels, side = group_labels(table, question)
    many = len(labels)
    sizes = table.totals(many * line + side, many * len(first)).reshape(-1, many).T
    rates = np.zeros(sizes.shape)
    rates[side, line] = given[:, favorable]
    groups = plan.partition.groups if question.group is not None else labels
    asked = np.array([[label in groups] for label in labels])
    compared = np.where(asked & (sizes >= question.min_rows), sizes, 0)
    whole = np.where(
        compared > 0,
        nearest_counts_in_window(compared * rates, compared, plan.threshold),
        np.rint(sizes * rates),
    )
    alone = np.count_nonzero(compared, axis=0) < 2
    whole[:, alone] = np.rint((sizes * rates)[:, alone])
    exact = (whole / np.maximum(sizes, 1))[side, line]
    shares = np.empty_like(given)
    shares[:, favorable], shares[:, 1 - favorable] = exact, 1 - exact
    return shares


def _split_by_shares(
    table: CountTable,
    parents: tuple[str, ...],
    shares: NDArray[np.float64],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Split the rows of each line by shares, without chance but for the order of the lines.

    Values are assigned one after the other, each from the rows that are left. Running totals
    are rounded, not the parts: each line, all lines with the same parents, and all lines
    together get within one row of their share. Lines with the same parents stand together,
    otherwise in random order, so that no attribute is correlated with the rounding.
    """
    group, first = table.groups(parents)
    order = np.lexsort((generator.random(len(table)), generator.permutation(len(first))[group]))
    left, tail = table.counts[order], np.cumsum(shares[order, ::-1], axis=1)[:, ::-1]
    split = np.zeros(shares.shape, np.int64)
    for value in range(shares.shape[1]):
        rate = shares[order, value] / np.where(tail[:, value] > 0, tail[:, value], 1.0)
        total = np.floor(np.cumsum(left * rate) + 0.5)
        part = np.diff(total, prepend=0.0).astype(np.int64).clip(0, left)
        # The last value that has a share takes what is left: no rounding may pass rows on.
        part = np.where(rate >= 1, left, part)
        split[order, value] = part
        left = left - part
    return split
