"""Claims about effects along paths in every state: tables, graphs and questions."""

from itertools import product

from tests.loans import APART, CELLS, INCOME_FIRST, QUESTION, ZIP_FIRST, asking, loans

from evenhand import CausalGraph, CountTable, PartialGraph, Question

OPEN = PartialGraph.parse(
    "race -> zip; race -> income; race -> loan; zip -> loan; income -> loan; zip - income"
)
CAUSED = CausalGraph.parse(
    "income -> race; race -> zip; race -> loan; zip -> loan; income -> loan"
)
UNSEEN = {where: cell for where, cell in CELLS.items() if where != ("b", "2", "hi")}
JOBS = CausalGraph.parse(
    "race -> zip -> loan; race -> income -> loan; race -> job -> loan; race -> loan"
)


def loans_with_jobs():
    """Loans by one more attribute, every combination with some rows."""
    names = ("race", "zip", "income", "job", "loan")
    values = (("b", "w"), ("1", "2"), ("lo", "hi"), ("old", "new"), ("yes", "no"))
    lines = [*product(*values)]
    return CountTable.of(
        dict(zip(names, zip(*lines, strict=True), strict=True)),
        [20 + 7 * at % 31 for at in range(len(lines))],
    )


# Those in which effects were measured.
MEASURED = {
    "identified": (loans(), ZIP_FIRST, QUESTION),
    "other ways": (loans(), APART, QUESTION),
    "witness": (loans(), INCOME_FIRST, QUESTION),
    "several graphs": (loans(), OPEN, QUESTION),
    "unseen": (loans(UNSEEN), ZIP_FIRST, QUESTION),
    "unseen, witness": (loans(UNSEEN), INCOME_FIRST, QUESTION),
    "spurious": (loans(), CAUSED, QUESTION),
    "everybody": (loans(), CAUSED, asking(basis="all")),
    "explained": (loans_with_jobs(), JOBS, asking(explained=["income"])),
    "own threshold": (loans(), ZIP_FIRST, asking(redlining_threshold="0.2")),
    "no path": (loans(), CausalGraph.parse("race -> loan; zip -> loan"), QUESTION),
}
REFUSED = (
    loans(),
    CausalGraph.parse("race -> loan; income -> loan; zip -> loan"),
    Question(protected=("race", "income"), decision="loan", favorable="yes", redlining=["zip"]),
)
