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

from evenhand.counts import ExaminedCounts
from evenhand.display import Described, Plain, ProgressCallback, ProgressReporter, Summary
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.measure import measure_examined
from evenhand.errors import CannotReleaseError, ResourceError, listed, words_only
from evenhand.evidence import Certificate, Partition, Verdict, certify
from evenhand.evidence.known_measures import KINDS, ComparedPair, KnownMeasures, known_measures
from evenhand.question import Number, Question
from evenhand.question.display_labels import state_before
from evenhand.question.parse_values import check_seed
from evenhand.releasing.apply_to_counts import apply_to_counts
from evenhand.releasing.cost import COSTS, Utility, compare_counts, differing_text
from evenhand.removal import (
    POLICIES,
    Baseline,
    ChangedDecisions,
    Method,
    named_method,
    plan_removal,
)

_HEADS = {
    "ratio": "80 % ratio",
    "gap": "gap",
    "slift": "slift ≥ 1.25",
    "explained": "explained",
    "unexplained": "unexplained",
    "ber": "BER",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Plain):
    """What one method did at one threshold.

    ``violating`` of the ``measured`` subpopulations still differ by the threshold or more;
    ``guaranteed`` says whether the plan promises that none does. ``model_distance`` is the
    optimum in the model, where there is one; what was measured is in ``utility``. ``seconds``
    is processor time, of planning and applying. ``changed_decisions`` is None for methods that
    change, add or leave out other things, and where no value is better than another.
    ``indirect`` is the claim about effects through other attributes afterwards, if one is made;
    ``known`` are measures that people know, afterwards.
    """

    keys = (
        f"method policy threshold guaranteed changed_rows changed_decisions {COSTS} "
        "model_distance violating measured verdict seconds known_measures=known indirect=claim?"
    )

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
    known: KnownMeasures
    indirect: Indirect | None = None

    @property
    def claim(self) -> dict[str, Any] | None:
        """The claim about effects through other attributes as plain values."""
        return self.indirect.to_dict_of_change() if self.indirect else None


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Comparison(Plain, Described):
    """What every method did, threshold by threshold.

    ``known`` are measures that people know, of the rows as they are.

    Paper: table:comparison, table:setting
    """

    keys = "seed before=numbers_before known_measures=known outcomes skipped pooled_decisions"

    question: Question
    seed: int
    before: tuple[Partition, ...]
    known: KnownMeasures
    outcomes: tuple[Outcome, ...]
    skipped: tuple[str, ...] = ()
    pooled_decisions: tuple[str, ...] = ()  # values that were taken as one

    @property
    def numbers_before(self) -> list[dict[str, Any]]:
        """How many subpopulations differ before, at each threshold."""
        return [
            {
                "threshold": partition.question.threshold,
                "violating": partition.violating,
                "measured": int(partition.measured.sum()),
                "by_chance": partition.by_chance,
            }
            for partition in self.before
        ]

    def __str__(self) -> str:
        return f"{self.summary()}\n\n{self.measures_summary()}"

    def _repr_html_(self) -> str:
        return self.summary().html() + self.measures_summary().html()

    def measures_summary(self) -> Summary:
        """Measures that people know, before and after each method."""
        several = len({one.threshold for one in self.outcomes}) > 1
        measured = [(f"as {state_before(self.question)}", self.known)]
        measured += [
            (f"{one.method} ({one.policy}){f' at {one.threshold}' * several}", one.known)
            for one in self.outcomes
        ]
        impact = self.known["ber"].sentence
        return Summary(
            title="measures that people know: they answer other questions, and rank no method",
            facts=(
                ("compared", self.known.pair.sentence),
                (f"BER {measured[0][0]}", impact),
            ),
            columns=("rows", *_HEADS.values()),
            lines=tuple(
                (name, *(known[key].text for key in _HEADS)) for name, known in measured
            ),
            # They say what each measure does not see.
            notes=tuple(
                f"{_HEADS[key]}: {kind.formula}. {kind.unseen}" for key, kind in KINDS.items()
            ),
        )

    def summary(self) -> Summary:
        """One line for each method and threshold."""
        baselines = [one for one in self.outcomes if one.method.startswith("local-")]
        question = self.question
        groups = f"{question.groups_column}={' + '.join(self.before[0].groups)}"
        ways = {"favorable": "favorable, unfavorable", "cumulative": "better, worse"}
        notes = ["× 10⁻³: distances. CPU s: seconds of processor time."]
        if question.criterion in ways:
            become = f"decisions that become {ways[question.criterion]}"
            notes.insert(0, f"gain, lose: {become}; {groups}.")
        if self.pooled_decisions:
            notes.append(
                f"The decisions {listed(self.pooled_decisions)} are taken as one here; no "
                "rows with merged decisions can be released."
            )
        if baselines:
            notes.append(
                "The paper states neither the ranker of the local methods nor the order of "
                "their attributes: theirs may differ."
            )
        before = [
            (
                f"before, at {partition.question.threshold} or more",
                differing_text(partition, partition.by_chance),
            )
            for partition in self.before
        ]
        if question.redlining:
            through = f"the effect through {', '.join(question.redlining)}, both ways"
            notes.append(f"through: {through}, in points; claim: the verdict on it.")
        cells = [_cells(outcome) for outcome in self.outcomes]
        return Summary(
            title=f"{question.decision} by {question.groups_column}: methods compared",
            facts=(("seed", str(self.seed)), *before),
            columns=tuple(cells[0]) if cells else (),
            lines=tuple(tuple(one.values()) for one in cells),
            notes=(*notes, *self.skipped),
        )


def compare(
    certificate: Certificate,
    *,
    thresholds: Iterable[Number] | None = None,
    methods: Sequence[Method | Baseline] | None = None,
    seed: int | None = None,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Apply every method to the certificate's counts, at its threshold or at several.

    Without methods these are all that there are; those that know only two groups, or two
    decisions, are left out where there are more, and named. Merged decisions, which no release
    could write back, are compared as favorable or not. Without a seed it is derived from the
    counts. ``progress`` is called around each method, and within those that may take long.

    Paper: table:comparison, table:setting
    """
    question = certificate.question
    counts = certificate.examined.counts
    values = counts.attribute(question.decision).values
    pooled: tuple[str, ...] = ()
    coded = certificate.codings.is_coded(question.decision)
    if question.favorable and coded and len(values) > 2:
        label, other = certificate.examined.decisions
        pooled = tuple(v for v in values if v not in question.favorable_values)
        merge = dict.fromkeys(question.favorable_values, label) | dict.fromkeys(pooled, other)
        counts = counts.recoded(question.decision, merge)
        question = replace(question, favorable=label, order=())
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
    if methods is None:
        in_order = question.criterion == "cumulative"
        known = [one for one in POLICIES if in_order or not one.in_order]
        methods = [named_method(one.method, one.name) for one in known]
    pair = ComparedPair.of(certificates[0].partition)
    outcomes: list[Outcome] = []
    skipped: list[str] = []
    reporter = ProgressReporter(progress)
    total = len(certificates) * len(methods)
    for certified in certificates:
        for method in methods:
            done = len(outcomes) + len(skipped)
            reporter.report("comparing methods", done, total, is_even=False)
            try:
                outcomes.append(_outcome(certified, method, seed, pair, progress))
            except (ResourceError, CannotReleaseError) as error:
                if method is methods[-1] and not outcomes:
                    raise  # no method can do it, so it is not a question of the method
                why = " ".join(problem.text(words_only) for problem in error.problems)
                skipped.append(f"{method.name} ({method.policy}) was left out. {why}")
    reporter.report("comparing methods", total, total, is_even=False)
    return Comparison(
        question=question,
        seed=seed,
        before=tuple(certified.partition for certified in certificates),
        known=_known(certificates[0], certificates[0].examined, pair),
        outcomes=tuple(outcomes),
        skipped=tuple(dict.fromkeys(skipped)),
        pooled_decisions=pooled if len(pooled) > 1 else (),
    )


def _known(
    certificate: Certificate, examined: ExaminedCounts, pair: ComparedPair
) -> KnownMeasures:
    nodes, causes = certificate.graph.nodes, certificate.partition.names
    return known_measures(examined, nodes, causes=causes, pair=pair)


def _outcome(
    certificate: Certificate,
    method: Method | Baseline,
    seed: int,
    pair: ComparedPair,
    progress: ProgressCallback | None,
) -> Outcome:
    generator = np.random.default_rng(seed)
    start = process_time()
    plan = plan_removal(certificate, method=method, seed=generator, progress=progress)
    before = certificate.examined.counts
    after = apply_to_counts(before, plan, generator)
    seconds = process_time() - start
    columns = [name for name in before.names if name in certificate.graph.nodes]
    has_better = certificate.question.criterion != "every"
    examined = replace(certificate.examined, counts=after)
    partition = Partition.of(examined, certificate.partition.names)
    asked = certificate.question.redlining
    return Outcome(
        method=plan.method,
        policy=plan.policy,
        threshold=certificate.question.threshold,
        guaranteed=method.guaranteed and plan.reaches_criterion,
        changed_rows=plan.changed_rows,
        changed_decisions=plan.changed_decisions if has_better else None,
        utility=compare_counts(before.marginal(columns), after.marginal(columns)),
        model_distance=plan.model_distance,
        violating=partition.violating,
        measured=int(partition.measured.sum()),
        verdict=partition.verdict(certificate.min_coverage),
        seconds=seconds,
        known=_known(certificate, examined, pair),
        indirect=measure_examined(examined, certificate.graph) if asked else None,
    )


def _cells(outcome: Outcome) -> dict[str, str]:
    """The cells of an outcome by the heads of their columns."""
    utility, model, changed = outcome.utility, outcome.model_distance, outcome.changed_decisions
    gain, lose = zip(*changed.groups, strict=True) if changed else ((), ())
    claim = {}
    if outcome.indirect is not None:  # the effect in both directions, and the verdict
        ends = outcome.indirect.ends.values()
        texts = "; ".join(one.text(outcome.indirect.threshold) for one in ends)
        claim = {"through": texts, "claim": str(outcome.indirect.verdict)}
    return {
        "τ": str(outcome.threshold),
        "method": outcome.method,
        "policy": outcome.policy,
        "changed rows": f"{outcome.changed_rows:,}",
        "gain": " + ".join(f"{rows:,}" for rows in gain),
        "lose": " + ".join(f"{rows:,}" for rows in lose),
        "n_T": f"{utility.cell_changes:,}",
        "distance": f"{1000 * utility.distance:.3f}",
        "in model": "" if model is None else f"{1000 * model:.3f}",
        "χ²": f"{utility.chi_square:,.0f}",
        "χ² kept cells": f"{utility.chi_square_kept_cells:,.0f}",
        "violating": f"{outcome.violating:,} of {outcome.measured:,}",
        "verdict": str(outcome.verdict),
        **claim,
        "guaranteed": "yes" if outcome.guaranteed else "no",
        "CPU s": f"{outcome.seconds:.2f}",
    }
