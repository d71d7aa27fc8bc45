"""A table whose protected column is permuted: nothing but chance is left in it."""

import numpy as np

from evenhand import audit
from evenhand.counts import CountTable


def permute_column(counts, name, seed):
    """The counts of the same rows with one column in another order."""
    lines = np.repeat(np.arange(len(counts.counts)), counts.counts)
    columns = {each: counts.column(each)[lines] for each in counts.names}
    columns[name] = np.random.default_rng(seed).permutation(columns[name])
    sizes = [len(attribute) for attribute in counts.attributes]
    place, totals = np.unique(
        np.ravel_multi_index([*columns.values()], sizes), return_counts=True
    )
    return CountTable.build(counts.attributes, [*np.unravel_index(place, sizes)], totals)


def explained(counts, asked, knowledge, seeds):
    """For how many permutations a certificate's first sentence says that chance explains it."""
    said = 0
    for seed in seeds:
        table = permute_column(counts, asked.question.protected, seed)
        result = audit(table, asked.question, knowledge=knowledge)
        said += "chance explains what was seen" in result.certificate.first_sentence()
    return said
