"""How long effects through other attributes take: exact, with errors, with bounds, verified.

    python bench/paths.py
    python bench/paths.py PYTHON     # besides DoWhy, if that interpreter has it

Processor seconds; Adult comes with the package, other tables are made here.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np

from evenhand import (
    CausalGraph,
    CountTable,
    ModifyData,
    Question,
    certify,
    datasets,
    discover,
)
from evenhand.checker.verification import verify
from evenhand.counts import examined_counts
from evenhand.effects.effects import GraphEffects, with_errors
from evenhand.effects.measure import measure_paths
from evenhand.effects.worlds import compared_counts
from evenhand.recheck import RecordedCertificate
from evenhand.removal.effect_limits import JointProblem, LinearEffect, fewest_with_effects
from follow_up import FOLLOW_UPS, learn_setting

_T = TypeVar("_T")
_PARENTS = {
    "education": "age",
    "marital_status": "age sex education",
    "workclass": "age education marital_status",
    "hours": "age sex education marital_status workclass",
    "income": "age sex education marital_status workclass hours",
}
ARROWS = "; ".join(
    f"{cause} -> {effect}" for effect, causes in _PARENTS.items() for cause in causes.split()
)


def timed(what: str, work: Callable[[], _T]) -> _T:
    begin = time.process_time()
    result = work()
    print(f"{what:60} {time.process_time() - begin:8.3f} s", flush=True)
    return result


def adult() -> None:
    profile, counts = datasets.question("adult"), datasets.adult()
    graph = CausalGraph.parse(ARROWS)
    question = replace(profile.question, redlining=("marital_status",))
    examined = examined_counts(counts, question)
    source = compared_counts(examined).cube

    def effects_with_errors() -> None:
        measured = GraphEffects.of(source, graph, examined.question, exact=False)
        for direction in measured.directions.values():
            with_errors(direction)

    timed("Adult, 48,842 rows: effects with errors (0.2)", effects_with_errors)
    timed("Adult: exact effects (1)", lambda: measure_paths(counts, graph, question))
    bounded = replace(question, redlining=("hours",))
    timed("Adult: bounds, two witnesses", lambda: measure_paths(counts, graph, bounded))
    certificate = certify(counts, graph, question)
    plan = timed(
        "Adult: plan, per cell and through (10)", lambda: ModifyData().plan(certificate)
    )
    print(f"    {plan.changed_rows:,} rows change")
    text = timed("Adult: certificate, written", certificate.to_json)
    recorded = RecordedCertificate.parse(text)
    timed(
        "Adult: verified by the engine, with the rows (1)", lambda: recorded.differences(counts)
    )
    status = timed(
        "Adult: verified by the checker, its own tables (1)", lambda: verify(text, None)
    )
    print(f"    status {status[0]}, {len(text):,} bytes")


def joint_plans() -> None:
    """Plans for both claims: Adult as the follow-up orders it, and made tables."""
    counts = datasets.adult(paper=True)
    graph = learn_setting("adult", counts, FOLLOW_UPS["adult"].settings[1])
    asked = replace(datasets.question("adult").question, redlining=("marital_status",))
    certificate = certify(counts, graph, asked)
    plan = timed(
        "Adult, 65,123 rows: plan, per cell and through (10)",
        lambda: ModifyData().plan(certificate),
    )
    print(f"    {plan.changed_rows:,} rows change, {plan.lower_bound:,} at least")
    for lines, mean in ((1_500, 20), (4_600, 15), (4_600, 3_000)):
        problem = made_problem(lines, mean)
        cells, rows = np.count_nonzero(problem.rows), problem.rows.sum()
        counts, at_least = timed(
            f"{cells:,} counts, {rows:,} rows: fewest changes",
            lambda problem=problem: fewest_with_effects(problem),
        )
        print(f"    {problem.changed(counts):,} rows change, {at_least:,} at least")


def made_problem(lines: int, mean: float) -> JointProblem:
    """Random counts of two groups, with effects that hang on where rates are high."""
    generator, threshold = np.random.default_rng(0), Fraction(1, 20)
    rows = generator.geometric(1 / mean, (2, lines)) * (generator.random((2, lines)) < 0.85)
    spread = generator.normal(0, 0.05, (2, lines))
    rates = np.clip(generator.beta(1, 2, lines) + spread, 0, 1)
    lean = (rates[0] > 0.3) + generator.normal(0, 0.3, lines)
    effects = []
    for group, sign in ((0, 1), (1, -1)):
        weights = np.full((2, lines), Fraction(0), object)
        before = rows[group] / rows[group].sum()
        after = before * np.exp(sign * lean)
        moved = np.rint(10**9 * (after / after.sum() - before)).astype(int).tolist()
        weights[group] = [Fraction(one, 10**9) for one in moved]
        effects.append(LinearEffect(weights=weights, lower=-threshold, upper=threshold))
    return JointProblem(
        favorable=generator.binomial(rows, rates),
        rows=rows,
        compared=(rows > 0).all(axis=0),
        threshold=threshold,
        effects=effects,
    )


def open_graph() -> None:
    profile, counts = datasets.question("adult"), datasets.adult(paper=True)
    graph = discover(counts, knowledge=profile.knowledge)
    graph = graph.with_knowledge(profile.knowledge, question=profile.question)
    question = replace(profile.question, redlining=("marital_status",))
    measured = timed(
        "Adult, 65,123 rows, open graph with bounds (10)",
        lambda: measure_paths(counts, graph, question),
    )
    print(f"    {len(measured.graphs)} graphs, witnesses {', '.join(measured.witnesses)}")


def thirty_nodes() -> None:
    """A chain of ternary nodes, each with the two before it as causes."""
    generator, rows = np.random.default_rng(1), 100_000
    columns = {"c": generator.integers(0, 2, rows)}
    arrows = []
    names = [f"x{number:02}" for number in range(28)]
    for at, name in enumerate(names):
        causes = names[max(at - 2, 0) : at] or ["c"]
        arrows += [f"{cause} -> {name}" for cause in causes]
        noise = generator.integers(0, 3, rows) * (generator.random(rows) < 0.3)
        columns[name] = (sum(columns[cause] for cause in causes) + noise) % 3
    arrows += ["c -> e", *(f"{name} -> e" for name in names[-2:])]
    columns["e"] = (columns["c"] + columns[names[-1]] + generator.integers(0, 2, rows)) % 2
    table = CountTable.of({name: [*map(str, of.tolist())] for name, of in columns.items()})
    question = Question(
        protected="c", group="0", decision="e", favorable="1", redlining=("x00",)
    )
    examined = examined_counts(table, question)
    graph = CausalGraph.parse("; ".join(arrows))
    effects = GraphEffects.of(compared_counts(examined).cube, graph, examined.question).forward
    timed("30 nodes of three values: one effect, exact (1)", lambda: effects.through)
    print(f"    {len(str(effects.through.lower))} digits")


def dowhy(python: str) -> None:
    counts = datasets.adult()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        with file.open("w", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(counts.names)
            codes = np.repeat(np.stack(counts.codes, axis=1), counts.counts, axis=0)
            # The protected attribute and the decision as 0 and 1, 1 for women and over 50K.
            codes = codes.astype(int)
            codes[:, counts.position("sex")] ^= 1
            writer.writerows(codes.tolist())
        script = Path(__file__).with_name("paths_dowhy.py")
        subprocess.run([python, script, file, ARROWS, "sex", "income"], check=True)


if __name__ == "__main__":
    print(json.dumps({"graph": ARROWS}))
    adult()
    joint_plans()
    open_graph()
    thirty_nodes()
    if sys.argv[1:]:
        dowhy(sys.argv[1])
