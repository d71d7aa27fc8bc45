"""Tables of random networks, audited twice: as they are, and with columns renamed and moved."""

import numpy as np

from evenhand import CountTable, Question, Tiers, certify, discover
from evenhand.question.display_labels import Labels

SCOPES = ("causes", "minimal", "all")


def random_table(generator: np.random.Generator) -> tuple[list[list[str]], list[int]]:
    """Distinct lines of four to six binary columns with their counts, from a random network.

    The first column comes first in the network; the second, the decision, anywhere after it.
    """
    columns = int(generator.choice((4, 5, 5, 5, 6)))
    density, rows = generator.choice((0.4, 0.6, 0.8)), generator.choice((200, 600, 2000, 6000))
    table = np.zeros((rows, columns), np.int64)
    order = [0, *(1 + generator.permutation(columns - 1))]
    for at, node in enumerate(order):
        causes = [cause for cause in order[:at] if generator.random() < density]
        rates = generator.random(2 ** len(causes))
        stratum = table[:, causes] @ (1 << np.arange(len(causes)))
        table[:, node] = generator.random(rows) < rates[stratum]
    lines, counts = np.unique(table, axis=0, return_counts=True)
    return lines.astype(str).tolist(), counts.tolist()


def outcomes(lines: list[list[str]], counts: list[int], names: list[str], order: list[int]):
    """Verdict, completeness and partitions of each scope, by the places of the columns.

    The first column is the protected attribute, the second the decision.
    """
    protected, decision, *_ = names
    if any(len({line[at] for line in lines}) < 2 for at in range(len(names))):
        return None
    table = CountTable.of({names[at]: [line[at] for line in lines] for at in order}, counts)
    question = Question(
        protected=protected, group="0", decision=decision, favorable="1", threshold="0.1"
    )
    graph = discover(table, knowledge=Tiers([protected], ...))
    words = Labels(
        columns=dict.fromkeys(names, "column"), values={protected: {"0": "these", "1": "those"}}
    )
    result = {}
    for scope in SCOPES:
        certificate = certify(table, graph, question, scope=scope, min_coverage="0.5")
        result[scope] = (
            certificate.verdict,
            certificate.complete,
            {frozenset(map(names.index, one.names)) for one in certificate.partitions},
            {frozenset(map(names.index, edge)) for edge in certificate.deciding_edges},
            certificate.relaxed().bound_of_all_rows,
            certificate.explained_by_chance,
            certificate.first_sentence(words),
            certificate.population.shown,
        )
    return result


def changed_by_renaming(seed: int) -> tuple[str, ...]:
    """The scopes under which a table's outcome changes with the names and order of columns."""
    generator = np.random.default_rng(seed)
    lines, counts = random_table(generator)
    columns = len(lines[0])
    names = ["C", "E", *(f"v{at}" for at in range(columns - 2))]
    renamed = generator.permutation([*"abcdefghij"])[:columns].tolist()
    before = outcomes(lines, counts, names, [*range(columns)])
    after = outcomes(lines, counts, renamed, generator.permutation(columns).tolist())
    return tuple(scope for scope in SCOPES if before and before[scope] != after[scope])
