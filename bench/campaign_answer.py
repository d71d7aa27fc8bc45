"""What the answer says where the truth is known, and which limits it misses.

From the root of the project, as the populations are the tests' own:

python -m bench.campaign_answer                     # all parts, at most 500 tables each
python -m bench.campaign_answer leaks coins --tables 40
"""

from argparse import ArgumentParser

from tests import known_answers

WORDS = (
    known_answers.YES,
    known_answers.NO,
    known_answers.NOT_SHOWN,
    known_answers.CANNOT_TELL,
)


def line(case: known_answers.Case, tables: int, seed: int) -> str:
    """One line of the table in docs/statistics.md."""
    told = known_answers.tally(case, tables, seed)
    shares = " | ".join(f"{100 * told[word] / tables:.3g}" for word in WORDS)
    reasons = "; ".join(f"{name} {told[name]}" for name in sorted(told) if name not in WORDS)
    missed = "; ".join(known_answers.failures(case, told, tables, seed))
    return f"| {case.name} | {tables} | {shares} | {reasons} | {missed} |"


def main() -> None:
    """Print a line for each case of the parts that are named."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(known_answers.PARTS))
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20170613)
    asked = parser.parse_args()
    heads = ("population", "tables", *WORDS, "reasons", "limits missed")
    print(f"| {' | '.join(heads)} |")
    print("|---|---|---|---|---|---|---|---|")
    for name, cases in known_answers.cases().items():
        for case in cases if name in (asked.parts or [name]) else ():
            print(line(case, min(asked.tables, case.tables), asked.seed), flush=True)


if __name__ == "__main__":
    main()
