"""The explained part of the gap in admissions, computed by pandas."""

import pandas as pd
from tests.admission import QUESTION


def explained(counts, causes):
    """The mean of both groups' rates in each subpopulation by how their shares in it differ."""
    lines = [(*labels, many) for labels, many in counts]
    frame = pd.DataFrame(lines, columns=[*counts.names, "rows"])
    frame["yes"] = frame["rows"].where(frame["admission"] == QUESTION.favorable, 0)
    people = frame.pivot_table(["rows", "yes"], causes, "gender", "sum", fill_value=0)
    shares = people["rows"] / people["rows"].sum()
    mean = (people["yes"] / people["rows"]).mean(axis=1)
    (other,) = {*shares} - {QUESTION.group}
    return (mean * (shares[other] - shares[QUESTION.group])).sum()
