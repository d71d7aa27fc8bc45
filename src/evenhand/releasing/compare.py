"""``compare``: every method on the same counts, what it costs and what it leaves.

All methods are applied to counts, in memory, and measured on the graph's columns, whatever
other columns there are. Each starts from the same seed, so no result depends on which other
methods are compared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np

from evenhand.display import Described, Summary
from evenhand.errors import ResourceError, listed
from evenhand.evidence import Certificate, Partition, Verdict, certify
from evenhand.question import Number, Question
from evenhand.question.parse_values import check_seed
from evenhand.releasing.apply_to_counts import apply_to_counts
from evenhand.releasing.cost import Utility, compare_counts
from evenhand.removal import (
    Baseline,
    ChangedDecisions,
    LocalMassaging,
    LocalPreferentialSampling,
    Method,
    ModifyData,
    ModifyGraph,
    ShuffleProtected,
    plan_removal,
)

EVERY_METHOD: tuple[Method | Baseline, ...] = (
    ModifyData(),
    ModifyData(policy="group"),
    ModifyData(policy="raise"),
    ModifyGraph(),
    ModifyGraph(generate=True),
    ModifyData(policy="paper"),
    ModifyData(policy="printed"),
    ModifyGraph(sample=True),
    ShuffleProtected(),
    LocalMassaging(),
    LocalPreferentialSampling(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one method did at one threshold.

    ``violating`` of the ``measured`` subpopulations still differ by the threshold or more;
    ``guaranteed`` says whether the plan promises that none does. ``model_distance`` is the
    optimum in the model, where there is one; what was measured is in ``utility``. ``seconds``
    is processor time, of planning and applying. ``changed_decisions`` is None for methods that
    change, add or leave out other things.
    """

    method: str
    policy: str
    threshold: Fraction
    guaranteed: bool
    changed_rows: int
    changed_decisions: ChangedDecisions | None
    utility: Utility
    model_distance: float | None
    violating: int
    measured: int
    verdict: Verdict
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        changed = self.changed_decisions
        return {
            "method": self.method,
            "policy": self.policy,
            "threshold": str(self.threshold),
            "guaranteed": self.guaranteed,
            "changed_rows": self.changed_rows,
            "changed_decisions": changed.to_dict() if changed else None,
            **self.utility.to_dict(),
            "model_distance": self.model_distance,
            "violating": self.violating,
            "measured": self.measured,
            "verdict": str(self.verdict),
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Comparison(Described):
    """What every method did, threshold by threshold.

    Paper: table:comparison, table:setting
    """

    question: Question
    seed: int
    before: tuple[Partition, ...]
    outcomes: tuple[Outcome, ...]
    skipped: tuple[str, ...] = ()
    pooled_decisions: tuple[str, ...] = ()  # values that were taken as one

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "seed": self.seed,
            "before": [
                {
                    "threshold": str(partition.question.threshold),
                    "violating": partition.violating,
                    "measured": int(partition.measured.sum()),
                    "by_chance": chance.to_dict() if (chance := partition.by_chance) else None,
                }
                for partition in self.before
            ],
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "skipped": list(self.skipped),
            "pooled_decisions": list(self.pooled_decisions),
        }

    def summary(self) -> Summary:
        """One line for each method and threshold."""
        baselines = [one for one in self.outcomes if one.method.startswith("local-")]
        question = self.question
        groups = f"{question.protected}={question.group} + {question.other}"
        notes = [
            f"gain, lose: decisions that become favorable, unfavorable; {groups}.",
            "× 10⁻³: distances. CPU s: seconds of processor time.",
        ]
        if self.pooled_decisions:
            notes.append(
                f"The decisions {listed(self.pooled_decisions)} are taken as one here: a "
                "release needs a column with two values."
            )
        if baselines:
            notes.append(
                "The paper states neither the ranker of the local methods nor the order of "
                "their attributes: theirs may differ."
            )
        before = [
            (f"before, at {partition.question.threshold} or more", _before_text(partition))
            for partition in self.before
        ]
        return Summary(
            title=f"{question.decision} by {question.protected}: methods compared",
            facts=(("seed", str(self.seed)), *before),
            columns=(
                "τ",
                "method",
                "policy",
                "changed rows",
                "gain",
                "lose",
                "n_T",
                "distance",
                "in model",
                "χ²",
                "χ² kept cells",
                "violating",
                "verdict",
                "guaranteed",
                "CPU s",
            ),
            lines=tuple(map(_line, self.outcomes)),
            notes=(*notes, *self.skipped),
        )


def compare(
    certificate: Certificate,
    *,
    thresholds: Iterable[Number] | None = None,
    methods: Sequence[Method | Baseline] = EVERY_METHOD,
    seed: int | None = None,
) -> Comparison:
    """Apply every method to the certificate's counts, at its threshold or at several.

    All decisions but the favorable one are taken as one. Without a seed it is derived from the
    counts.

    Paper: table:comparison, table:setting
    """
    question = certificate.question
    counts = certificate.examined.counts
    values = counts.attribute(question.decision).values
    others = tuple(value for value in values if value != question.favorable)
    if len(others) > 1:
        one = f"not {question.favorable}"
        counts = counts.recoded(question.decision, dict.fromkeys(others, one))
    certificates = [
        certify(
            counts,
            certificate.graph,
            replace(question, threshold=threshold),  # type: ignore[arg-type]  # read from text
            min_coverage=certificate.min_coverage,
            codings=certificate.codings.without(question.decision),
        )
        for threshold in ([question.threshold] if thresholds is None else thresholds)
    ]
    seed = certificate.examined.counts.seed if seed is None else check_seed(seed)
    outcomes, skipped = [], []
    for certified in certificates:
        for method in methods:
            try:
                outcomes.append(_outcome(certified, method, seed))
            except ResourceError as error:
                skipped.append(f"{type(method).__name__} was left out. {error}")
    return Comparison(
        question=question,
        seed=seed,
        before=tuple(certified.partition for certified in certificates),
        outcomes=tuple(outcomes),
        skipped=tuple(dict.fromkeys(skipped)),
        pooled_decisions=others if len(others) > 1 else (),
    )


def _outcome(certificate: Certificate, method: Method | Baseline, seed: int) -> Outcome:
    generator = np.random.default_rng(seed)
    start = process_time()
    plan = plan_removal(certificate, method=method, seed=generator)
    before = certificate.examined.counts
    after = apply_to_counts(before, plan, generator)
    seconds = process_time() - start
    columns = [name for name in before.names if name in certificate.graph.nodes]
    partition = Partition.of(
        replace(certificate.examined, counts=after), certificate.partition.names
    )
    return Outcome(
        method=plan.method,
        policy=plan.policy,
        threshold=certificate.question.threshold,
        guaranteed=method.guaranteed and plan.reaches_criterion,
        changed_rows=plan.changed_rows,
        changed_decisions=plan.changed_decisions,
        utility=compare_counts(before.marginal(columns), after.marginal(columns)),
        model_distance=plan.model_distance,
        violating=partition.violating,
        measured=int(partition.measured.sum()),
        verdict=partition.verdict(certificate.min_coverage),
        seconds=seconds,
    )


def _before_text(partition: Partition) -> str:
    differing = f"{partition.violating:,} of {partition.measured.sum():,} measured differ"
    chance = partition.by_chance
    return f"{differing}; chance alone would make {chance}" if chance else differing


def _line(outcome: Outcome) -> tuple[str, ...]:
    utility, model = outcome.utility, outcome.model_distance
    changed = outcome.changed_decisions
    ways = zip(changed.group, changed.other, strict=True) if changed else ()
    return (
        str(outcome.threshold),
        outcome.method,
        outcome.policy,
        f"{outcome.changed_rows:,}",
        *([f"{group:,} + {other:,}" for group, other in ways] or ["", ""]),
        f"{utility.cell_changes:,}",
        f"{1000 * utility.distance:.3f}",
        "" if model is None else f"{1000 * model:.3f}",
        f"{utility.chi_square:,.0f}",
        f"{utility.chi_square_kept_cells:,.0f}",
        f"{outcome.violating:,} of {outcome.measured:,}",
        str(outcome.verdict),
        "yes" if outcome.guaranteed else "no",
        f"{outcome.seconds:.2f}",
    )
