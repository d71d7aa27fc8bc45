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


# Of people of three teams in four jobs, how many each model's value is said of.
TEAMS = {
    "x": {"a": (120, 160, 120), "b": (240, 320, 240), "c": (30, 40, 30)},
    "y": {"a": (70, 70, 60), "b": (140, 240, 20), "c": (105, 15, 180)},
    "z": {"b": (70, 120, 10), "c": (20, 140, 240)},
    "w": {"a": (30, 30, 40)},
}
TEAMS_GRAPH = eh.CausalGraph.parse("team -> job -> pay; team -> pay")
PAY = ("high", "low", "mid")


def teams():
    """One row for each; of what team c is said to get in job y, 60 times mid was recorded low.

    Each difference of the rates in a job is 0 or at least .25, and farthest are, with all jobs
    together, b and c in who is said to get mid: neither the first pair nor the first value.
    """
    rows = [
        (team, job, said)
        for job, groups in TEAMS.items()
        for team, counts in groups.items()
        for said, many in zip(PAY, counts, strict=True)
        for _ in range(many)
    ]
    table = pd.DataFrame(rows, columns=["team", "job", "said"])
    wrong = table.query("team == 'c' and job == 'y' and said == 'mid'").index[:60]
    return table.assign(pay=table["said"].mask(table.index.isin(wrong), "low"))


def teams_audited(table):
    asked = eh.Question(protected="team", decision="pay", criterion="every")
    return audited(table, "said", asked, graph=TEAMS_GRAPH, labels="pay")
