"""How long a resampling, a metric and an audit of predictions take on Adult.

    python bench/sklearn_door.py

CPU seconds, the best of three, of 48,842 rows in pandas, polars and numpy; the goal is 0.5 s
for ``fit_resample``. Nine causes are given, or the graph is learned. Beside the metric stands a
``groupby`` of pandas that computes the same largest difference. A third of the rows, predicted
by a logistic regression, are audited with their labels: as a frame, and as counts, where the
goal is 0.05 s.
"""

from collections.abc import Callable
from time import process_time
from typing import TypeVar

import pandas as pd
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import evenhand as eh
from evenhand.sklearn import RemoveDirectEffect, conditional_difference

REPEATS = 3
GOAL, AUDIT_GOAL = 0.5, 0.05
Result = TypeVar("Result")


def best(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result, and the least time of some runs."""
    times = []
    for _ in range(REPEATS):
        begin = process_time()
        result = work()
        times.append(process_time() - begin)
    return result, min(times)


def largest_by_pandas(people: pd.DataFrame, causes: list[str]) -> float:
    favorable = people["income"] == ">50K"
    rates = favorable.groupby([people[name] for name in [*causes, "sex"]]).mean()
    return float(rates.unstack("sex").diff(axis=1).abs().max(axis=None))  # noqa: PD010


def audit_predictions(people: pd.DataFrame, graph: eh.CausalGraph) -> None:
    """Print how long an audit of predictions takes, and its parts."""
    train, test = train_test_split(people, test_size=16_281, random_state=0)
    model = make_pipeline(OneHotEncoder(), LogisticRegression(max_iter=1000))
    model.fit(train.drop(columns="income"), train["income"])
    test = test.assign(said=model.predict(test.drop(columns="income")))
    asked = eh.datasets.question("adult").question

    def audited(source: pd.DataFrame | eh.CountTable) -> eh.PredictionAudit:
        return eh.audit_predictions(source, "said", asked, graph=graph, labels="income")

    counts, counting = best(lambda: eh.read(test).count())
    result, whole = best(lambda: audited(test))
    _, verdict = best(lambda: audited(counts))
    _, told = best(lambda: str(audited(counts)))
    measured = f"{result.certificate.partition.measured.sum()} subpopulations measured"
    print(f"audit_predictions, {len(test):,} rows       {whole:6.3f} s  {measured}")
    print(f"  counting them, all columns         {counting:6.3f} s")
    print(f"  verdict and errors, of counts      {verdict:6.3f} s  [{AUDIT_GOAL} s]")
    print(f"  with statistics and chance         {told:6.3f} s")


def main() -> None:
    counts, asked = eh.datasets.adult(), eh.datasets.question("adult")
    lines = [labels for labels, rows in counts for _ in range(rows)]
    people = pd.DataFrame(lines, columns=counts.names)
    X, y = people.drop(columns="income"), people["income"]  # noqa: N806
    causes = [name for name in X.columns if name != "sex"]
    graph = eh.CausalGraph(counts.names, frozenset((name, "income") for name in X.columns))
    known = eh.Knowledge(tiers=asked.knowledge.tiers, required=["marital_status -> income"])
    given = RemoveDirectEffect(asked, graph=graph, random_state=7)
    learned = RemoveDirectEffect(asked, knowledge=known, random_state=7)
    numbered = RemoveDirectEffect(
        eh.Question(protected=f"x{[*X].index('sex')}", decision="income", favorable=">50K"),
        graph=eh.CausalGraph.parse("; ".join(f"x{at} -> income" for at in range(X.shape[1]))),
        random_state=7,
    )
    frames = {
        "pandas, nine causes": (given, X, y),
        "polars, nine causes": (given, pl.from_pandas(X), pl.from_pandas(y)),
        "numpy, nine causes": (numbered, X.to_numpy(), y.to_numpy()),
        "pandas, learned graph": (learned, X, y),
    }
    for name, (sampler, rows, decisions) in frames.items():
        fitted, seconds = best(lambda s=sampler, X=rows, y=decisions: s.fit(X, y))  # noqa: N803
        changed = f"{fitted.changed_rows_:,} changed"
        print(f"fit_resample, {name:<22} {seconds:6.3f} s  [{GOAL} s]  {changed}")
    alike = {"sensitive_features": X["sex"], "control_features": X[causes], "favorable": ">50K"}
    for statistic in ("largest", "common"):
        value, seconds = best(
            lambda s=statistic: conditional_difference(y, y, statistic=s, **alike)
        )
        print(f"conditional_difference, {statistic:<12} {seconds:6.3f} s  {value:.4f}")
    value, seconds = best(lambda: largest_by_pandas(people, causes))
    print(f"the largest, by pandas' groupby      {seconds:6.3f} s  {value:.4f}")
    audit_predictions(people, graph)


if __name__ == "__main__":
    main()
