"""What the answer costs beside the audit that it judges again (goal: at most half as much).

    python bench/answer_cost.py

Adult's 48,842 rows, of its counts and of a CSV file. An audit is all that was printed before
there was an answer: the table read, the graph, the verdict, statistics, what the rows say
against the graph, findings about columns. CPU seconds, the best of seven, kernels loaded.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import pyarrow as pa
from pyarrow import csv

import evenhand as eh

REPEATS = 7


def costs(load: Callable[[], object]) -> tuple[float, float]:
    """The least time of an audit without its answer, and of its answer."""
    asked, before, answer = eh.datasets.question("adult"), [], []
    for _ in range(REPEATS):
        begin = process_time()
        audit = eh.audit(load(), asked)
        audit.certificate.to_dict()
        audit.doubt()
        audit.inspection.to_dict()
        middle = process_time()
        audit.answer  # noqa: B018  # worked out when it is first asked for
        before.append(middle - begin)
        answer.append(process_time() - middle)
    return min(before), min(answer)


def main() -> None:
    """Print one line for each way to read the table."""
    counts = eh.datasets.adult()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        at = np.repeat(np.arange(len(counts)), counts.counts)
        columns = {
            one.name: np.array(one.values)[codes[at]]
            for one, codes in zip(counts.attributes, counts.codes, strict=True)
        }
        csv.write_csv(pa.table(columns), path)
        for name, load in (("counts", eh.datasets.adult), ("CSV", lambda: path)):
            before, answer = costs(load)
            print(
                f"Adult, {name:7} audit {1000 * before:5.0f} ms   "
                f"answer {1000 * answer:5.0f} ms   together {1 + answer / before:4.2f} times"
            )


if __name__ == "__main__":
    main()
