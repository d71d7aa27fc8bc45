"""How many tests the decision's causes take, alone and with the whole graph.

python bench/local_causes.py
"""

from time import process_time

from evenhand import datasets, discover, find_causes
from works import CENSUS


def main() -> None:
    tables = {"adult": datasets.adult(paper=True)}
    if CENSUS.is_file():
        tables["dutch"] = datasets.dutch(CENSUS)
    for name, counts in tables.items():
        asked = datasets.question(name)
        decision = asked.question.decision
        begin = process_time()
        local = find_causes(counts, decision, knowledge=asked.knowledge)
        middle = process_time()
        graph = discover(counts, knowledge=asked.knowledge, kernel="numpy")
        end = process_time()
        whole = sum(graph.record.tests)
        same = set(local.parents) == set(graph.parents(decision))
        print(
            f"{name:6} local {local.tests:6,} tests {middle - begin:5.2f} s   "
            f"whole graph {whole:6,} tests {end - middle:5.2f} s   "
            f"{whole / local.tests:.1f} times as many tests, causes "
            f"{'the same' if same else 'differ'}"
        )


if __name__ == "__main__":
    main()
