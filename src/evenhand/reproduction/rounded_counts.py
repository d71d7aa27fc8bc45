"""The model's optimum with each count rounded: how the paper's MGraph tables come about.

Rounding loses and makes rows and leaves differences, so this is no way to a release. It serves
to show the paper's figures beside ours.
"""

import numpy as np

from evenhand.counts import CountTable
from evenhand.evidence import Certificate
from evenhand.removal.modify_data import check_releasable
from evenhand.removal.modify_graph import optimal_rates


def rounded_model(
    certificate: Certificate, *, decision_left_in: bool = False
) -> tuple[CountTable, float]:
    """The counts under the optimal rates, rounded cell by cell, and the model's distance.

    The model is the joint distribution of all columns as counted. With ``decision_left_in`` the
    weights keep the decision's own shares: not the paper's formula, but a recipe that gives its
    figures for the Dutch census.

    Paper: table:setting
    """
    partition = check_releasable(certificate)
    counts, question = certificate.examined.counts, certificate.question
    subpopulation, _ = counts.groups(partition.names)
    side = certificate.examined.group_codes
    favorable = certificate.examined.decision_codes == 0

    old = partition.favorable[0] / np.maximum(partition.rows, 1)
    rate = old[side, subpopulation]
    share = np.where(favorable, rate, 1 - rate)
    cells = counts.counts / counts.row_count
    # Where a group had one decision only, its people stand for those who get the other.
    alone = share == 1
    squares = cells**2 if decision_left_in else (cells / share) ** 2 * (1 + alone)
    weights = np.zeros_like(old)
    np.add.at(weights, (side, subpopulation), squares)
    rates, distance = optimal_rates(partition, weights, question.threshold)

    new = rates[side, subpopulation]
    new = np.where(np.isnan(new), rate, new)
    new_share = np.where(favorable, new, 1 - new)
    flipped = [column[alone] for column in counts.codes]
    codes_of = [counts.code(question.decision, label) for label in partition.decisions]
    flipped[counts.position(question.decision)] = np.where(favorable[alone], *codes_of[::-1])
    kept, moved = counts.counts / share * new_share, counts.counts * (1 - new_share)
    rounded = np.rint(np.concatenate([kept, moved[alone]])).astype(np.int64)
    codes = [np.concatenate(pair) for pair in zip(counts.codes, flipped, strict=True)]
    return CountTable.build(counts.attributes, codes, rounded), distance
