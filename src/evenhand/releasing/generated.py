"""Making the rows of a modified model: counted out exactly, or drawn independently."""

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.removal import GeneratedPlan
from evenhand.removal.modify_graph import quotas


def generate_counts(plan: GeneratedPlan, generator: np.random.Generator) -> CountTable:
    """Make the plan's rows, causes first.

    Counted out, every share of the model is met as nearly as whole rows allow: given the same
    parents, and among the rows alike so far. The decision follows quotas that meet the
    criterion in the groups as they were made, so the result needs no luck. Rows alike are made
    together: time and memory follow the distinct assignments.

    Paper: alg:mg
    """
    table = CountTable((), (), np.array([plan.rows], np.int64))
    for node, parents, shares in plan.tables:
        given = shares[tuple(table.column(parent) for parent in parents)]
        given = np.broadcast_to(given, (len(table), len(node)))
        if plan.sampled:
            split = generator.multinomial(table.counts, given)
        else:
            if node.name == plan.question.decision:
                given = _by_quotas(plan, table, given)
            split = _counted_out(table, parents, given, generator)
        line, code = np.nonzero(split)
        codes = (*(column[line] for column in table.codes), code.astype(np.uint32))
        table = CountTable((*table.attributes, node), codes, split[line, code])
    return CountTable.build(table.attributes, table.codes, table.counts).marginal(plan.names)


def _by_quotas(
    plan: GeneratedPlan, table: CountTable, given: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The decision's shares that give each group a whole, allowed number of favorable rows."""
    asked = plan.question
    favorable = plan.network.tables[asked.decision].node.values.index(asked.favorable)
    line, first = table.groups(plan.partition.names)
    side = (table.column(asked.protected) != table.code(asked.protected, asked.group)).astype(
        int
    )
    sizes = table.totals(2 * line + side, 2 * len(first)).reshape(-1, 2)
    rates = np.zeros((len(first), 2))
    rates[line, side] = given[:, favorable]
    targets = sizes * rates
    whole = np.array(
        [
            quotas(size, target, plan.threshold) if size.all() else np.rint(target)
            for size, target in zip(sizes, targets, strict=True)
        ]
    )
    exact = (whole / np.maximum(sizes, 1))[line, side]
    shares = np.empty_like(given)
    shares[:, favorable], shares[:, 1 - favorable] = exact, 1 - exact
    return shares


def _counted_out(
    table: CountTable,
    parents: tuple[str, ...],
    shares: NDArray[np.float64],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Split the rows of each line by shares, without chance but for the order of the lines.

    Values are dealt one after the other, each from the rows that are left. Running totals are
    rounded, not the parts: each line, all lines with the same parents, and all lines together
    get within one row of their share. Lines with the same parents stand together, otherwise in
    random order, so that no attribute goes along with the rounding.
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
