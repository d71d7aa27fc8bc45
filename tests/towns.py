"""Women and men, hired or not, in some towns."""

import evenhand as eh

GRAPH = eh.CausalGraph.parse("sex -> hired; town -> hired; sex -> town")
ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
LARGE = {"A": (40, 60, 70, 30), "B": (50, 50, 52, 48), "C": (20, 80, 30, 70)}


def table(cells):
    """Counts of towns: women hired and not, men hired and not."""
    columns = {"sex": [], "town": [], "hired": []}
    counts = []
    for town, four in cells.items():
        for (sex, hired), many in zip(
            (("f", "yes"), ("f", "no"), ("m", "yes"), ("m", "no")), four, strict=True
        ):
            if many:
                for column, value in zip(columns.values(), (sex, town, hired), strict=True):
                    column.append(value)
                counts.append(many)
    return eh.CountTable.of(columns, counts)
