"""How long certify takes: the paper's Adult counts, and a million occupied assignments.

python bench/certify.py
"""

import time

import numpy as np

from evenhand import Attribute, CountTable, Question, datasets
from evenhand.evidence import Certificate, certify
from evenhand.graph import CausalGraph

REPEATS = 5


def best(
    counts: CountTable, graph: CausalGraph, question: Question
) -> tuple[float, Certificate]:
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        certificate = certify(counts, graph, question)
        times.append(time.perf_counter() - begin)
    return min(times), certificate


def star(counts: CountTable, decision: str) -> CausalGraph:
    causes = (name for name in counts.names if name != decision)
    return CausalGraph(counts.names, frozenset((name, decision) for name in causes))


def million() -> CountTable:
    """Six causes of ten values: every assignment occurs, all four cells of it are occupied."""
    generator = np.random.default_rng(0)
    codes = np.indices((10,) * 6).reshape(6, -1)
    cells = np.tile(np.arange(4), codes.shape[1])
    columns = [np.repeat(code, 4) for code in codes]
    values = tuple(map(str, range(10)))
    attributes = [Attribute(f"cause{at}", values) for at in range(6)]
    attributes += [Attribute("sex", ("f", "m")), Attribute("hired", ("no", "yes"))]
    weights = generator.integers(1, 200, len(cells))
    return CountTable.build(attributes, [*columns, cells // 2, cells % 2], weights)


def report(name: str, seconds: float, certificate: Certificate, limit: float) -> None:
    occupied = len(certificate.subpopulations)
    print(
        f"{name:28} {occupied:>9,} subpopulations  {1000 * seconds:8.1f} ms  (limit {limit} s)"
    )


def main() -> None:
    adult = datasets.adult(paper=True)
    question = datasets.question("adult").question
    seconds, certificate = best(adult, star(adult, "income"), question)
    report("the paper's Adult", seconds, certificate, 0.005)
    counts = million()
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    seconds, certificate = best(counts, star(counts, "hired"), asked)
    report("10^6 occupied assignments", seconds, certificate, 1)
    begin = time.perf_counter()
    strongest = certificate.evidence[0]
    seconds = time.perf_counter() - begin
    print(f"  intervals, p-values and order of evidence, on demand: {1000 * seconds:.0f} ms")
    print(f"  strongest: {strongest.risk_difference}, p {strongest.p_threshold:.2g}")


if __name__ == "__main__":
    main()
