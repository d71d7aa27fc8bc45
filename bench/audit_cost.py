"""What an audit costs beside its own discovery of the graph (goal: at most 1.5 times as much).

    python bench/audit_cost.py

``EVENHAND_DATA`` names the folder of ``adult/`` and ``dutch/``, by default ../shared/data. An
audit is ``eh.audit`` with everything that it prints: verdict, statistics, doubt about the
graph, findings about columns. ``find_causes``, which searches around the decision only, stands
beside. CPU seconds, the best of three, with the kernels loaded; both give the same graph.
"""

from collections.abc import Callable, Iterator
from time import process_time
from typing import TypeVar

import evenhand as eh
from evenhand.counts import examined_counts
from works import CENSUS, DATA

RECORDED = {
    "age": 0, "workclass": 1, "education": 3, "marital_status": 5, "occupation": 6,
    "relationship": 7, "race": 8, "sex": 9, "hours": 12, "native_country": 13, "income": 14,
}  # fmt: skip
REPEATS = 3
Result = TypeVar("Result")


def tables() -> Iterator[tuple[str, eh.CountTable, eh.QuestionFile]]:
    """The tables that are there, each with what is asked of it."""
    asked = eh.datasets.question("adult")
    yield "Adult, two classes", eh.datasets.adult(), asked
    if (DATA / "adult").is_dir():
        lines = [
            line.rstrip(".").split(", ")
            for name in ("adult.data", "adult.test")
            for line in (DATA / "adult" / name).read_text("utf-8").splitlines()
            if line.count(",") == 14
        ]
        columns = {name: [line[at] for line in lines] for name, at in RECORDED.items()}
        yield "Adult, as recorded", eh.CountTable.of(columns), asked
    if CENSUS.is_file():
        yield "Dutch census", eh.datasets.dutch(CENSUS), eh.datasets.question("dutch")


def best(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result, and the least time of some runs."""
    times = []
    for _ in range(REPEATS):
        begin = process_time()
        result = work()
        times.append(process_time() - begin)
    return result, min(times)


def main() -> None:
    """Print one line for each table."""
    for name, counts, asked in tables():
        question, knowledge = asked.question, asked.knowledge
        examined = examined_counts(counts, question).counts
        graph, alone = best(
            lambda: eh.discover(examined, knowledge=knowledge, question=question)  # noqa: B023
        )
        audit, whole = best(lambda: _whole_audit(counts, asked))  # noqa: B023
        local, around = best(
            lambda: eh.find_causes(examined, question.decision, knowledge=knowledge)  # noqa: B023
        )
        if audit.graph != graph:
            raise SystemExit(f"{name}: the audit has another graph")
        print(
            f"{name:20} discover {alone:6.2f} s   audit {whole:6.2f} s, "
            f"{whole / alone:4.2f} times   find_causes {around:6.2f} s, {local.tests:6,} tests"
        )


def _whole_audit(counts: eh.CountTable, asked: eh.QuestionFile) -> eh.Audit:
    audit = eh.audit(counts, asked)
    audit.to_dict()
    audit.summary()
    return audit


if __name__ == "__main__":
    main()
