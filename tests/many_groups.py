"""People of several races, hired or not, or scored, in some towns."""

import evenhand as eh

GRAPH = eh.CausalGraph.parse("race -> hired; town -> hired; race -> town")
SCORES = eh.CausalGraph.parse("race -> score; town -> score")
# Hired and not, of each race, by town; blue people are far behind, gray ones live in one town.
TOWNS = {
    "A": {"red": (400, 600), "green": (420, 580), "blue": (200, 800)},
    "B": {"red": (30, 20), "green": (29, 31), "gray": (11, 12)},
    "C": {"green": (50, 50), "blue": (31, 70)},
    "D": {"red": (12, 10)},
}


def table(towns=TOWNS, decision="hired", values=("yes", "no")):
    """Counts of towns, groups and decisions."""
    lines = [
        (race, town, value, many)
        for town, groups in towns.items()
        for race, counts in groups.items()
        for value, many in zip(values, counts, strict=True)
        if many
    ]
    race, town, value, many = zip(*lines, strict=True)
    return eh.CountTable.of({"race": race, "town": town, decision: value}, many)


def hiring_audit(towns=TOWNS, **question):
    asked = eh.Question(protected="race", decision="hired", favorable="yes", **question)
    return eh.audit(table(towns), asked, graph=GRAPH)


SCORED = {
    "A": {"red": (500, 300, 200), "green": (480, 310, 210), "blue": (300, 300, 400)},
    "B": {"red": (40, 30, 30), "green": (45, 35, 20), "blue": (30, 30, 40)},
}


def score_audit(**question):
    counts = table(SCORED, "score", ("low", "medium", "high"))
    asked = eh.Question(protected="race", decision="score", **question)
    return eh.audit(counts, asked, graph=SCORES)
