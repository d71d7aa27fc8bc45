"""``release``: a plan applied to rows, which are then counted and certified once more.

    rows, plan ─► release       refuses a plan that leaves differences, draws seed and nonce
                     │
                   apply        by who holds the rows: files and frames get the edits that an
                     │          Editor makes of their batches, counts move between cells or are
                     │          generated, an engine gets one SELECT with a CASE
                   Certifier    counts the rows after the plan, certifies them, compares them
                     │          with what the plan predicts, and refuses or accepts them
                   publish      writes the rows under a temporary name, reads them back, asks
                                the Certifier, writes certificate and manifest, renames all

Frames and counts are certified at once, rows of files and engines when they are asked for or
published.
"""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.counts import CountTable
from evenhand.display import Pictured, ProgressCallback, Summary
from evenhand.errors import Problem, QuestionError
from evenhand.evidence import Certificate
from evenhand.evidence.release_statement import rows_not_released
from evenhand.evidence.sentences import numbers_by_chance
from evenhand.question import Knowledge, Tiers
from evenhand.question.parse_values import SEED_BITS, check_seed, require_texts
from evenhand.releasing.apply import AppliedRows, EngineRows, apply
from evenhand.releasing.certifier import Certifier, check_dropped, check_plan
from evenhand.releasing.cost import (
    Accuracy,
    Relearned,
    Utility,
    accuracy_by,
    check_labels,
    compare_counts,
    relearn,
)
from evenhand.releasing.manifest import notice
from evenhand.releasing.publish import PublishedFiles, publish
from evenhand.releasing.ranked_rows import released_scores
from evenhand.releasing.traces import Betrayal, betrayal_problems, find_betrayals
from evenhand.removal import BaselinePlan, GeneratedPlan, RemovalPlan, changed_columns
from evenhand.removal.removal_plan import rank_fact
from evenhand.rows import Rows, Source, read


def release(
    rows: Source | Rows | CountTable,
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    *,
    seed: int | None = None,
    knowledge: Knowledge | Tiers | None = None,
    uncertified: bool = False,
    key: str | None = None,
    drop: Iterable[str] = (),
    labels: str | None = None,
    progress: ProgressCallback | None = None,
) -> "Release":
    """Apply a plan to the rows that it was made for.

    ``rows`` are what was audited: ``Rows``, whatever ``read`` takes, or a ``CountTable``.
    Without a seed nobody can foresee which rows are chosen; a given one should be large and
    secret, as it tells which were. What does not meet the criterion is
    refused; ``uncertified`` allows it, and then the files say so by their names. In an engine,
    rows are chosen by a column of different whole numbers, the ``key``.

    Columns outside the question may betray the changed rows (``Release.betrayals``). Those to
    ``drop`` are not released. ``labels`` names the column of what was recorded, where the
    decisions are predictions (``Release.accuracy``). ``progress`` is called with each batch
    of rows that is read or written.

    >>> import evenhand as eh
    >>> graph = eh.CausalGraph.parse("gender -> major -> admission; gender -> admission; "
    ...                              "test_score -> admission")
    >>> counts, asked = eh.datasets.admissions(2), eh.datasets.question("admissions").question
    >>> certificate = eh.certify(counts, graph, asked)
    >>> released = release(counts, eh.ModifyData().plan(certificate), seed=7)
    >>> str(released.certificate.verdict), released.changed_rows
    ('certified', 15)
    """
    seed = secrets.randbits(SEED_BITS) if seed is None else check_seed(seed)
    check_plan(plan, uncertified=uncertified)
    drop = require_texts(drop, "`drop`")
    source = (
        rows
        if isinstance(rows, CountTable | Rows)
        else read(rows, codings=plan.certificate.codings)
    )
    if isinstance(source, Rows) and progress is not None:
        source = source.with_progress(progress)
    if labels is not None:
        check_labels(labels, source, plan.certificate)
    check_dropped(source, plan, drop)
    released = Release(
        plan=plan,
        source=source,
        seed=seed,
        nonce=secrets.token_bytes(SEED_BITS // 8),
        knowledge=knowledge,
        uncertified=uncertified,
        key=key,
        drop=tuple(drop),
        labels=labels,
    )
    released.check_in_memory()
    return released


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Release(Pictured):
    """Rows after a plan, and what can be said of them.

    Rows in files are not read before that is needed; what ``write`` wrote is what was
    certified. ``seed`` and ``nonce`` are for the owner's eyes.
    """

    plan: RemovalPlan | GeneratedPlan | BaselinePlan
    source: Rows | CountTable
    seed: int
    nonce: bytes
    knowledge: Knowledge | Tiers | None
    uncertified: bool
    key: str | None = None
    drop: tuple[str, ...] = ()
    labels: str | None = None

    def __repr__(self) -> str:
        plan = self.plan
        return f"<Release: {plan.method} ({plan.policy}) of {self.before.row_count:,} rows>"

    @property
    def before(self) -> Certificate:
        """The certificate of the rows before the release."""
        return self.plan.certificate

    @cached_property
    def _applied(self) -> AppliedRows:
        """The rows after the plan, not yet certified."""
        examined = self.before.examined
        return apply(self.source, self.plan, examined, self.seed, key=self.key, drop=self.drop)

    @cached_property
    def _certifier(self) -> Certifier:
        """What certifies the released rows, or refuses them."""
        return Certifier(
            plan=self.plan,
            seed=self.seed,
            nonce=self.nonce,
            uncertified=self.uncertified,
            drop=self.drop,
            where=self.source.where if isinstance(self.source, Rows) else "counts",
        )

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the released rows, counted again, under the same graph."""
        return self._certifier.certify(self._applied.counted)

    def check_in_memory(self) -> None:
        """Refuse rows in memory at once; those of files and engines when they are asked for."""
        if not self._applied.inputs and not isinstance(self._applied, EngineRows):
            self._certifier.check(self.certificate)

    @property
    def rows(self) -> Any:  # noqa: ANN401  # the kind of object that came in
        """The released rows: the same kind of object that came in; of files, ``Rows``."""
        self._certifier.check(self.certificate)
        return self._applied.rows

    def write(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        share: bool = False,
        least_count: int = 10,
        progress: ProgressCallback | None = None,
    ) -> PublishedFiles:
        """Write the rows, and beside them ``.certificate.json`` and ``.manifest.json``.

        The format is that of the name: text as .csv and the like, also .csv.gz; .parquet;
        .arrow. The rows are read back from the disk, counted and certified before any file gets
        its name, the data last. ``share`` adds a certificate for others' eyes, of the
        groups without a count under ``least_count``. An existing
        release is replaced only with ``overwrite``, and an input never is. Rows in an engine
        become a new table of it if the name has no ending. ``progress``, by default that of the
        release, is called while rows are written, counted and certified; what it raises leaves
        no file.
        """
        if progress is None and isinstance(self.source, Rows):
            progress = self.source.progress
        published, certificate = publish(
            Path(path),
            self._applied,
            self._certifier,
            overwrite=overwrite,
            share=share,
            least_count=least_count,
            progress=progress,
        )
        # What is on the disk now is the release; it need not be counted again.
        vars(self).setdefault("certificate", certificate)
        vars(self)["files"] = published
        return published

    @cached_property
    def files(self) -> PublishedFiles | None:
        """The files that were written last; None before."""
        return None

    @cached_property
    def betrayals(self) -> tuple[Betrayal, ...]:
        """The released columns that tell which rows were changed; most rows first."""
        if self.plan.changed_decisions is None or not self.changed_rows:
            return ()
        nodes = self.before.graph.nodes
        return find_betrayals(self.source, self._applied.counted, self.plan, nodes)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What to know before the rows are published, with remedies."""
        return (
            *betrayal_problems(self.betrayals),
            *released_scores(self.plan, self.drop),
        )

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """The share of right predictions; None without labels of single rows."""
        released = self._applied.counted
        if self.labels is None or not isinstance(self.source, Rows):
            return None
        if self.labels in self.drop:
            examined = self.before.examined
            released = apply(self.source, self.plan, examined, self.seed, key=self.key).counted
        if not isinstance(released, Rows):
            return None
        return accuracy_by(self.labels, self.source, released, self.before)

    @property
    def changed_rows(self) -> int:
        """How many rows were changed, left out or doubled; all of them if they are new."""
        return self.plan.changed_rows

    @cached_property
    def utility(self) -> Utility:
        """What the change costs, on the columns of the graph."""
        before, after = self.before.examined.counts, self.certificate.examined.counts
        columns = [name for name in before.names if name in self.before.graph.nodes]
        return compare_counts(before.marginal(columns), after.marginal(columns))

    @cached_property
    def relearned(self) -> Relearned | None:
        """What discovery finds on the released rows; None of predictions, or a given graph.

        It is None, too, where the people compared leave nothing to ask: all got one decision.
        """
        graph = self.before.graph
        record = graph.record
        if record is None or self.before.question.predicts:
            return None
        try:
            return relearn(
                self.certificate.examined.counts,
                self.certificate,
                knowledge=self.knowledge,
                **record.settings,
                progress=self.source.progress if isinstance(self.source, Rows) else None,
            )
        except QuestionError:
            return None

    def to_dict(self) -> dict[str, Any]:
        """The release as plain values."""
        changed = self.plan.changed_decisions
        return {
            "method": self.plan.method,
            "policy": self.plan.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": changed.to_dict() if changed else None,
            "changed_columns": list(changed_columns(self.plan)),
            "dropped_columns": list(self.drop),
            "betrayals": [betrayal.to_dict() for betrayal in self.betrayals],
            **self.utility.to_dict(),
            "model_distance": self.plan.model_distance,
            **({} if self.plan.rank is None else {"rank": self.plan.rank}),
            **({"accuracy": self.accuracy.to_dict()} if self.accuracy else {}),
            "before": _state(self.before),
            "after": _state(self.certificate),
            "relearned": self.relearned.to_dict() if self.relearned else None,
        }

    @property
    def left_behind(self) -> tuple[str, ...]:
        """That rows which lack a value are not among those released."""
        said = rows_not_released(self.before.dropped)
        return (said,) if said else ()

    def summary(self) -> Summary:
        """What was changed, what it cost, and what is certified now."""
        rows, after = self.before.row_count, self.certificate
        notes: list[object] = [*self.warnings, notice(self.plan), *self.left_behind]
        if self.relearned and (sentence := self.relearned.sentence(after)):
            notes.append(sentence)
        in_model, changed = self.plan.model_distance, self.plan.changed_decisions
        return Summary(
            title=f"{after.verdict} after {self.plan.method} ({self.plan.policy}), given the "
            "same graph",
            sentence=f"{self.changed_rows:,} of {rows:,} rows changed",
            hint='audit.report(release).write("report.html") writes the whole page.',
            facts=(
                ("before", _in_words(self.before)),
                ("after", _in_words(after)),
                *_claim_facts(self.before, after),
                *([("accuracy", str(self.accuracy))] if self.accuracy else []),
                *rank_fact(self.plan.rank),
                *(changed.facts() if changed else ()),
                ("changed columns", ", ".join(changed_columns(self.plan)) or "none"),
                *([("dropped columns", ", ".join(self.drop))] if self.drop else []),
                *self.utility.summary().facts,
                *(() if in_model is None else (("distance in the model", f"{in_model:.2e}"),)),
            ),
            notes=tuple(notes),
        )


def _state(certificate: Certificate) -> dict[str, Any]:
    claim = certificate.indirect
    return {
        "verdict": str(certificate.verdict),
        "rows": certificate.row_count,
        "subpopulations": numbers_by_chance(certificate.partition, certificate.by_chance),
        **({} if claim is None else {"indirect": claim.to_dict_of_change()}),
    }


def _in_words(certificate: Certificate) -> str:
    numbers, chance = certificate.partition.numbers, certificate.by_chance
    differing = f"{numbers['violating']:,} of {numbers['measured']:,} measured differ"
    by_chance = f"; chance alone would make {chance}" if chance else ""
    return f"{certificate.verdict}: {differing}{by_chance}"


def _claim_facts(before: Certificate, after: Certificate) -> Iterator[tuple[str, str]]:
    """The claim about effects through other attributes, if the question makes one."""
    for when, certificate in (("before", before), ("after", after)):
        if certificate.indirect is not None:
            yield certificate.indirect.fact_of_change(when)
