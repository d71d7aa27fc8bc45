"""How much hangs on these very rows: the whole audit again and again, on resampled counts.

Rows drawn with replacement are counts drawn from a multinomial distribution, so no row is ever
touched. A resample has as many rows as the table but says less than its size: what is
independent looks dependent more often in it than in fresh rows, because the chance pattern of
the table is taken for truth and new chance is added. With one degree of freedom a test at 1 %
rejects in about 7 % of resamples. So an attribute that is rarely a cause here is hardly one,
while one that is sometimes a cause may owe it to chance.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Any

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, ProgressCallback, ProgressReporter, Summary, percent
from evenhand.effects.indirect_claim import Indirect, ResampledEffects
from evenhand.effects.measure import measure_examined
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence.certification import certify
from evenhand.evidence.statistical_verdict import agreed_verdict
from evenhand.graph import PartialGraph
from evenhand.graph.discovery import discover
from evenhand.question import SIGNIFICANCE, Knowledge, Number, Question, Tiers
from evenhand.question.parse_values import check_seed
from evenhand.verdict import StatisticalVerdict, Verdict

_MANY_RESAMPLES = 50
# While numba compiles, nothing is reported, so nobody can stop it.
_FIRST = "compiling, once; it cannot be stopped midway"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
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
    indirect: "ResampledEffects | None" = None

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
            **({"indirect": self.indirect.to_dict()} if self.indirect else {}),
        }

    def summary(self) -> Summary:
        """Verdicts and causes, most frequent first."""

        def shares(counts: Mapping[Any, int]) -> str:
            ordered = sorted(counts.items(), key=lambda item: -item[1])
            return ", ".join(f"{name} {percent(self.share(count))}" for name, count in ordered)

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
                ("verdict", shares(self.verdicts)),
                ("population", shares(self.statistical)),
                *(self.indirect.facts if self.indirect else ()),
            ),
            columns=("attribute", "a cause", "a possible cause") if self.relearned else (),
            lines=tuple(
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
    graph: PartialGraph | None = None,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = SIGNIFICANCE,
    test: str = "chi-square",
    max_depth: int | None = None,
    min_coverage: Number = "0.9",
    progress: ProgressCallback | None = None,
) -> Bootstrap:
    """Resample the counts, learn the graph anew unless one is given, and certify.

    Without a seed it is derived from the counts. Each resample has its own random stream,
    spawned from the seed: more resamples begin with the same ones.
    """
    if resamples < 1:
        raise QuestionError.of(
            f"{resamples!r} is no number of resamples.", remedy="Ask for at least one."
        )
    examined = examined_counts(counts, question)
    seed = examined.counts.seed if seed is None else check_seed(seed)
    asked = {*question.protected_names, question.decision}
    attributes = [name for name in counts.names if name not in asked]
    causes, possible = (Counter(dict.fromkeys(attributes, 0)) for _ in range(2))
    verdicts: Counter[Verdict] = Counter()
    statistical: Counter[StatisticalVerdict] = Counter()
    effects: list[Indirect] = []
    reporter = ProgressReporter(progress)
    # Over many resamples compiling the kernel pays off, where numba is installed.
    compiled = graph is None and resamples >= _MANY_RESAMPLES and find_spec("numba")
    search: dict[str, Any] = {
        "knowledge": knowledge,
        "significance": significance,
        "test": test,
        "max_depth": max_depth,
        "kernel": "numba" if compiled else "auto",
    }
    if compiled:
        reporter.report(_FIRST, 0, resamples)

    def still_at(done: int) -> ProgressCallback | None:
        """Reports the same number again while a graph is learned: who listens may stop it."""
        step = _FIRST if compiled and not done else "resamples"
        return (lambda _: reporter.report(step, done, resamples)) if progress else None

    for done, stream in enumerate(np.random.SeedSequence(seed).spawn(resamples)):
        sample = resample(examined.counts, np.random.default_rng(stream))
        certificate = None
        with suppress(EvenhandError):  # a resample without any verdict
            learned = graph or discover(
                sample, question=question, progress=still_at(done), **search
            )
            certificate = certify(
                sample,
                learned,
                examined.question.direct,
                knowledge=knowledge,
                min_coverage=min_coverage,
            )
        if certificate is not None:
            causes.update(certificate.decision_causes)
            possible.update({*chain.from_iterable(certificate.possible_decision_causes)})
            verdicts[certificate.verdict] += 1
            least = certificate.min_coverage
            statistical[agreed_verdict(certificate.causes, min_coverage=least)[0]] += 1
            if question.redlining:
                # In floats, many times as fast.
                own = examined_counts(sample, examined.question)
                effects.append(measure_examined(own, certificate.graph, exact=False))
        reporter.report("resamples", done + 1, resamples)
    return Bootstrap(
        resamples=resamples,
        seed=seed,
        relearned=graph is None,
        causes=dict(causes),
        possible=dict(possible),
        verdicts=dict(verdicts),
        statistical=dict(statistical),
        failed=resamples - verdicts.total(),
        indirect=ResampledEffects.of(effects) if effects else None,
    )


def resample(counts: CountTable, generator: np.random.Generator) -> CountTable:
    """As many rows as there are, sampled with replacement, as counts."""
    sample = generator.multinomial(counts.row_count, counts.counts / counts.row_count)
    occupied = sample > 0
    return CountTable(
        counts.attributes, tuple(column[occupied] for column in counts.codes), sample[occupied]
    )
