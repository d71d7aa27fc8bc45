"""How much hangs on these very rows: the whole audit again and again, on resampled counts.

Rows drawn with replacement are counts drawn from a multinomial distribution, so no row is ever
touched. A resample has as many rows as the table but says less than its size: what is
independent looks dependent more often in it than in fresh rows, because the chance pattern of
the table is taken for truth and new chance is added. With one degree of freedom a test at 1 %
rejects in about 7 % of resamples. So an attribute that is rarely a cause here is hardly one,
while one that is sometimes a cause may owe it to chance.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, Summary, percent
from evenhand.errors import EvenhandError, Problem, QuestionError
from evenhand.evidence.certificate import Graph
from evenhand.evidence.certification import certify
from evenhand.evidence.population import StatisticalVerdict, statistical_verdict
from evenhand.evidence.verdict import Verdict
from evenhand.graph.discovery import discover
from evenhand.graph.kernel_choice import KernelName
from evenhand.question import Knowledge, Question, Tiers

_MANY = 50


class Resampled(NamedTuple):
    """How far a bootstrap is."""

    done: int
    total: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Bootstrap(Described):
    """Shares of the resamples: who is a cause, and which verdict comes out.

    ``causes`` counts for each attribute in how many resamples it is certainly a cause,
    ``possible`` in how many it may be one. ``failed`` are resamples in which no verdict could
    be reached at all; they count in no verdict.
    """

    resamples: int
    seed: int
    relearned: bool
    causes: Mapping[str, int]
    possible: Mapping[str, int]
    verdicts: Mapping[Verdict, int]
    statistical: Mapping[StatisticalVerdict, int]
    failed: int

    def share(self, count: int) -> float:
        """A count as a share of the resamples."""
        return count / self.resamples

    def to_dict(self) -> dict[str, Any]:
        """Plain values; shares of all resamples."""

        def shares(counts: Mapping[Any, int]) -> dict[str, float]:
            return {str(name): self.share(count) for name, count in counts.items()}

        return {
            "resamples": self.resamples,
            "seed": self.seed,
            "relearned": self.relearned,
            "causes": shares(self.causes),
            "possible_causes": shares(self.possible),
            "verdicts": shares(self.verdicts),
            "statistical_verdicts": shares(self.statistical),
            "failed": self.failed,
        }

    def summary(self) -> Summary:
        """Verdicts and causes, most frequent first."""

        def told(counts: Mapping[Any, int]) -> str:
            often = sorted(counts.items(), key=lambda item: -item[1])
            return ", ".join(f"{name} {percent(self.share(count))}" for name, count in often)

        notes = [f"Resamples without any verdict: {self.failed:,}."] if self.failed else []
        if self.relearned:
            notes.append(
                "Resampling makes chance look like dependence: a cause that comes and goes may "
                "be none."
            )
        return Summary(
            title=f"{self.resamples:,} resamples, "
            + ("each with its own graph" if self.relearned else "all with the given graph"),
            facts=(
                ("seed", str(self.seed)),
                ("verdict", told(self.verdicts)),
                ("population", told(self.statistical)),
            ),
            columns=("attribute", "a cause", "a possible cause") if self.relearned else (),
            rows=tuple(
                (
                    name,
                    percent(self.share(self.causes[name])),
                    percent(self.share(self.possible[name])),
                )
                for name in sorted(self.possible, key=lambda name: -self.possible[name])
            )
            if self.relearned
            else (),
            notes=tuple(notes),
        )


def bootstrap(
    counts: CountTable,
    question: Question,
    *,
    seed: int | None = None,
    resamples: int = 200,
    graph: Graph | None = None,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = 0.01,
    test: str = "chi-square",
    min_coverage: object = "0.9",
    progress: Callable[[Resampled], object] | None = None,
) -> Bootstrap:
    """Resample the counts, learn the graph anew unless one is given, and certify.

    Without a seed it is derived from the counts. Each resample has a random stream of its own,
    spawned from the seed: the first hundred of two hundred are the hundred of one hundred.
    """
    if resamples < 1:
        raise QuestionError(
            Problem(f"{resamples!r} is no number of resamples.", remedy="Ask for at least one.")
        )
    examined = examined_counts(counts, question)
    seed = examined.counts.seed if seed is None else seed
    names = [
        name for name in counts.names if name not in {question.protected, question.decision}
    ]
    causes, possible = Counter(dict.fromkeys(names, 0)), Counter(dict.fromkeys(names, 0))
    verdicts: Counter[Verdict] = Counter()
    statistical: Counter[StatisticalVerdict] = Counter()
    failed = 0
    # The same counting again and again repays the compiled kernel, where it is installed.
    kernel: KernelName = "numba" if resamples >= _MANY and find_spec("numba") else "auto"
    for number, stream in enumerate(np.random.SeedSequence(seed).spawn(resamples), 1):
        drawn = resampled(examined.counts, np.random.default_rng(stream))
        try:
            learned = graph or discover(
                drawn,
                knowledge=knowledge,
                significance=significance,
                test=test,
                kernel=kernel,
            )
            found = certify(
                drawn,
                learned,
                examined.question,
                knowledge=knowledge,
                min_coverage=min_coverage,
            )
        except EvenhandError:
            failed += 1
        else:
            causes.update(found.decision_causes)
            possible.update({name for one in found.possible_decision_causes for name in one})
            verdicts[found.verdict] += 1
            each = {
                statistical_verdict(one, min_coverage=found.min_coverage)
                for one in found.causes
            }
            agreed = each.pop() if len(each) == 1 else StatisticalVerdict.INCONCLUSIVE
            statistical[agreed] += 1
        if progress:
            progress(Resampled(number, resamples))
    return Bootstrap(
        resamples=resamples,
        seed=seed,
        relearned=graph is None,
        causes=dict(causes),
        possible=dict(possible),
        verdicts=dict(verdicts),
        statistical=dict(statistical),
        failed=failed,
    )


def resampled(counts: CountTable, generator: np.random.Generator) -> CountTable:
    """As many rows as there are, drawn with replacement, as counts."""
    drawn = generator.multinomial(counts.rows, counts.counts / counts.rows)
    kept = drawn > 0
    return CountTable(
        counts.attributes, tuple(column[kept] for column in counts.codes), drawn[kept]
    )
