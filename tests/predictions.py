"""Four hundred people, who was hired, and what a model said; audits of what it said."""

import numpy as np
import pandas as pd

import evenhand as eh

ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse("sex -> job -> hired; sex -> hired")


def people(rows=400, seed=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "sex": rng.choice([*"fm"], rows),
            "job": rng.choice([*"abc"], rows),
            "hired": rng.choice(["yes", "no"], rows),
        }
    )
    return table.assign(
        said=np.where(rng.random(rows) < 0.2, rng.choice(["yes", "no"], rows), table["hired"]),
        score=rng.random(rows),
        note=[f"row {at}" for at in range(rows)],
    )


def audited(source, predictions="said", asked=ASKED, **settings):
    settings = {"graph": GRAPH, "labels": "hired", **settings}
    return eh.audit_predictions(source, predictions, asked, **settings)
