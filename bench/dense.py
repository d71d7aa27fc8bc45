"""Audits of tables whose columns all go together: what the budget of learning makes of them.

    python bench/dense.py

Two tables are made by a seed, as wide and as strongly correlated as public ones: a *credit
card* with 30,000 rows and 24 columns (bills, payments and delays of six months), and a *bank*
with 40,000 rows and 17. Each is audited in a fresh process by each kernel. Printed are the CPU
seconds of reading and learning, judging included, the tests of each level, what was left
untried, and a digest of the graph, which must be the same for both kernels. The goals are 30 s
for the credit card, and for the bank 6 s with numba and 10 s without.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import evenhand as eh

GOALS = {"card": {"numpy": 30, "numba": 30}, "bank": {"numpy": 10, "numba": 6}}

CODE = """
import hashlib, sys, time
sys.path.insert(0, sys.argv[3])
if sys.argv[2] == "numpy":  # as where numba is not installed
    sys.modules["numba"] = None
import dense
import evenhand as eh
table, question = dense.TABLES[sys.argv[1]]()
before = time.process_time()
audit = eh.audit(table, question)
answer = audit.answer.word
seconds = time.process_time() - before
record = audit.graph.record
graph = hashlib.sha256(str(audit.graph).encode()).hexdigest()[:12]
print(f"{sys.argv[1]:5} {sys.argv[2]:6} {seconds:6.1f} s  {sum(record.tests):9,} tests "
      f"{record.tests}  {graph}  causes {', '.join(audit.decision_causes)}: {answer}")
print("     ", record.ended_early or "complete")
"""


def classes(numbers: NDArray[np.float64], many: int) -> pa.Array:
    """Numbers in as many quantile classes."""
    cuts = np.quantile(numbers, np.linspace(0, 1, many + 1)[1:-1])
    return pa.array([f"c{at}" for at in np.searchsorted(cuts, numbers).tolist()])


def card() -> tuple[pa.Table, eh.Question]:
    """Credit card: months that all go back to wealth, trouble and habits nobody recorded."""
    rng = np.random.default_rng(39)
    rows = 30_000
    sex = rng.random(rows) < 0.6
    age, schooling, habit = rng.normal(size=(3, rows))
    wealth = 0.5 * age + 0.6 * schooling + 0.1 * sex + rng.normal(size=rows)
    trouble = -0.5 * wealth + rng.normal(size=rows)
    columns: dict[str, pa.Array] = {
        "sex": pa.array(np.where(sex, "female", "male")),
        "age": classes(age, 5),
        "education": classes(schooling, 4),
        "marriage": classes(0.7 * age + rng.normal(size=rows), 3),
        "limit": classes(wealth + 0.5 * rng.normal(size=rows), 6),
    }
    for month in range(1, 7):
        habit = 0.9 * habit + 0.4 * rng.normal(size=rows)
        delay = trouble + 0.5 * habit + 0.6 * rng.normal(size=rows)
        bill = wealth + 0.7 * habit + 0.5 * trouble + 0.6 * rng.normal(size=rows)
        paid = wealth - 0.5 * trouble + 0.5 * habit + 0.8 * rng.normal(size=rows)
        columns |= {
            f"delay_{month}": classes(delay, 4),
            f"bill_{month}": classes(bill, 5),
            f"paid_{month}": classes(paid, 4),
        }
    risk = 0.6 * trouble + 0.3 * habit - 0.4 * wealth - 0.1 * sex + rng.normal(size=rows)
    columns["default"] = pa.array(np.where(risk > 1, "yes", "no"))
    question = eh.Question(
        protected="sex", group="female", decision="default", favorable="no", threshold="0.05"
    )
    return pa.table(columns), question


def bank() -> tuple[pa.Table, eh.Question]:
    """Bank: people, what they owe, and how often they were called."""
    rng = np.random.default_rng(40)
    rows = 40_000
    age, standing = rng.normal(size=(2, rows))
    wealth = 0.6 * age + 0.7 * standing + rng.normal(size=rows)
    hidden, calls = rng.normal(size=(2, rows))
    recent = 0.7 * calls + rng.normal(size=rows)

    def follows(*parts: NDArray[np.float64], many: int = 4) -> pa.Array:
        noise = 0.7 * rng.normal(size=rows)
        return classes(sum(parts) + rng.normal(scale=0.5) * hidden + noise, many)

    columns = {
        "age": classes(age, 6),
        "job": follows(standing, 0.3 * age, many=11),
        "marital": follows(age, many=3),
        "education": follows(standing, -0.3 * age),
        "credit_default": follows(-wealth, many=2),
        "balance": follows(wealth, many=8),
        "housing": follows(0.5 * age, 0.5 * wealth, many=2),
        "loan": follows(-wealth, 0.3 * standing, many=2),
        "contact": follows(calls, 0.3 * age, many=3),
        "day": follows(recent, many=8),
        "month": follows(recent, 0.4 * wealth, many=12),
        "duration": follows(calls, 0.2 * wealth, many=8),
        "campaign": follows(-calls, recent, many=6),
        "elapsed": follows(recent, -0.4 * calls, many=6),
        "previous": follows(recent, calls, many=5),
        "outcome": follows(recent, 0.5 * wealth),
    }
    taken = 0.6 * calls + 0.5 * recent + 0.3 * wealth + 0.2 * age + rng.normal(size=rows)
    columns["subscribed"] = pa.array(np.where(taken > 1, "yes", "no"))
    question = eh.Question(
        protected="marital", group="c0", other="c2", decision="subscribed", favorable="yes"
    )
    return pa.table(columns), question


TABLES = {"card": card, "bank": bank}


def main() -> None:
    """Audit each table by each kernel."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    for name, goals in GOALS.items():
        for kernel in goals:
            command = [sys.executable, "-c", CODE, name, kernel, str(Path(__file__).parent)]
            subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main()
