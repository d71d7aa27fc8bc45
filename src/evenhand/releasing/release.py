"""``release``: a plan applied to rows, which are then counted and certified once more.

    release         refuses a plan that leaves differences, draws seed and nonce
    apply           by who holds the rows: files and frames get the edits that an Editor makes
                    of their batches, counts move between cells or are generated, an engine
                    gets one SELECT with a CASE
    Release         counts the rows after the plan, certifies them, compares them with what the
                    plan predicts, and refuses or accepts them
    Release.write   writes the rows under a temporary name, reads them back, certifies them,
                    writes certificate and manifest, renames all

Frames and counts are certified at once, rows of files and engines when they are asked for or
published.
"""

import hashlib
import json
import platform
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import (
    COUNTING,
    Pictured,
    Plain,
    ProgressCallback,
    ProgressReporter,
    Summary,
    plain,
)
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    Problem,
    QuestionError,
    Remedy,
    listed,
)
from evenhand.evidence import Certificate, Verdict, certify
from evenhand.evidence.release_provenance import Change, ReleaseStatement, rows_not_released
from evenhand.files import Transaction, check_folder, sha256
from evenhand.question import REST, Codings, Knowledge, Tiers
from evenhand.question.parse_values import SEED_BITS, check_seed, require_text, require_texts
from evenhand.record import canonical
from evenhand.record.checker_process import CHECKING, confirm
from evenhand.record.differencing import check_other_copies
from evenhand.releasing.apply import AppliedRows, EngineRows, apply
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.cost import (
    COSTS,
    Accuracy,
    Relearned,
    Utility,
    accuracy_by,
    check_labels,
    compare_counts,
    differing_text,
    relearn,
)
from evenhand.releasing.publication_metadata import (
    check_publisher_fields,
    croissant_document,
    in_toto_statement,
)
from evenhand.releasing.ranked_rows import released_scores
from evenhand.releasing.release_targets import PublishedFiles, target_of
from evenhand.releasing.revealing_columns import (
    RevealingColumn,
    find_revealing,
    revealing_problems,
)
from evenhand.releasing.row_editor import RELEASING
from evenhand.releasing.row_selection import rows_differ
from evenhand.removal import (
    BaselinePlan,
    GeneratedPlan,
    Plan,
    check_plan,
)
from evenhand.rows import Rows, Source, read

FORMAT = "evenhand manifest 3"
_CERTIFYING = "certifying"  # the step's name


def release(
    rows: Source | Rows | CountTable,
    plan: Plan,
    *,
    seed: int | None = None,
    knowledge: Knowledge | Tiers | None = None,
    uncertified: bool = False,
    accept_graph: str | None = None,
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

    A plan has no answer: whether the rows speak against its graph is not asked here, as
    ``Audit.release`` does. ``accept_graph`` is why somebody relies on it; the certificate
    states the reason.

    Columns outside the question may reveal the changed rows (``Release.revealing_columns``).
    Those to ``drop`` are not released. ``labels`` names the column of what was recorded, where
    the decisions are predictions (``Release.accuracy``). ``progress`` is called with each batch
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
    if accept_graph is not None and not require_text(accept_graph, "`accept_graph`").strip():
        raise QuestionError.of(
            "No reason is given why the graph is accepted.",
            "The certificate states it.",
            Remedy("Write a sentence", "accept_graph"),
        )
    source = (
        rows
        if isinstance(rows, CountTable | Rows)
        else read(rows, codings=plan.certificate.codings)
    )
    if isinstance(source, Rows) and progress is not None:
        source = source.with_progress(progress)
    if labels is not None:
        check_labels(labels, source, plan.certificate)
    _check_dropped(source, plan, drop)
    released = Release(
        plan=plan,
        source=source,
        seed=seed,
        nonce=secrets.token_bytes(SEED_BITS // 8),
        knowledge=knowledge,
        uncertified=uncertified,
        accepted_graph=accept_graph,
        key=key,
        drop=tuple(drop),
        labels=labels,
    )
    released.check_in_memory()
    return released


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Release(Plain, Pictured):
    """Rows after a plan, and what can be said of them.

    Rows in files are not read before that is needed; what ``write`` wrote is what was
    certified. ``seed`` and ``nonce`` are for the owner's eyes.
    """

    keys = (
        "method=plan.method policy=plan.policy changed_rows "
        "changed_decisions=plan.changed_decisions changed_columns=statement.changed_columns "
        f"dropped_columns=drop revealing_columns {COSTS} model_distance=plan.model_distance "
        "rank=plan.rank? accuracy?"
    )

    plan: Plan
    source: Rows | CountTable
    seed: int
    nonce: bytes
    knowledge: Knowledge | Tiers | None
    uncertified: bool
    accepted_graph: str | None = None
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
        return apply(self.source, self.plan, self.seed, key=self.key, drop=self.drop)

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the released rows, counted again, under the same graph."""
        return self._certified(self._applied.counted)

    def check_in_memory(self) -> None:
        """Refuse rows in memory at once; those of files and engines when they are asked for."""
        if not self._applied.inputs and not isinstance(self._applied, EngineRows):
            self._check(self.certificate)

    def _certified(self, released: Rows | CountTable) -> Certificate:
        """The certificate of rows after the plan, made as that of the rows before was."""
        counts, codings, dropped = (
            (released.count(), released.codings, released.dropped)
            if isinstance(released, Rows)
            else (released, Codings(), 0)
        )
        before = self.before
        decisions = counts.values(before.question.decision)
        favorable = before.question.favorable_values
        if len(decisions) == 1 or (favorable and not {*favorable} & {*decisions}):
            raise CannotReleaseError.of(
                f"{before.question.decision!r} would always be {listed(decisions)} then.",
                "There would be no decisions left to speak of.",
                "Raise the threshold, or merge values so that more people are compared.",
            )
        # A plan may leave nobody with some value: the question is asked of the others.
        question = before.question.without_absent(decisions)
        if before.pools_others and not isinstance(self.plan, GeneratedPlan):
            question = replace(question, other=REST)
        certificate = certify(
            counts,
            before.graph,
            question,
            scope=before.scope,
            limit=max(1000, len(before.partitions)),
            min_coverage=before.min_coverage,
            graph_origin=before.graph_origin.before_release,
            codings=codings,
            dropped=dropped,
            released=True,
        )
        # Whatever was judged on the way to this release is stated with it.
        return replace(
            certificate, release=self.statement, tried=before.tried, guesses=before.guesses
        )

    @property
    def statement(self) -> ReleaseStatement:
        """What the certificate says of the release."""
        plan, before, changed = self.plan, self.before, self.plan.changed_columns
        generated = isinstance(plan, GeneratedPlan)
        change: Change = "generated" if generated else "edited"
        if isinstance(plan, BaselinePlan) and any(move.times != 1 for move in plan.moves):
            change = "resampled"
        return ReleaseStatement(
            change=change,
            decision=before.question.decision,
            method=plan.method,
            policy=plan.policy,
            seed_commitment=hashlib.sha256(self.nonce + self.seed.to_bytes(16)).hexdigest(),
            changed_columns=changed,
            dropped_columns=self.drop,
            can_change=plan.changeable_columns,
            changed_rows=plan.changed_rows,
            dropped_before=before.dropped,
            left_out_before=before.examined.left_out if generated else 0,
            accepted_graph=self.accepted_graph,
        )

    def _check(self, certificate: Certificate) -> None:
        """Refuse rows that are not what the plan makes of those counted, or not certified."""
        if self.before.is_determined:
            raise CannotReleaseError(*self.before.reasons)
        if not isinstance(self.plan, GeneratedPlan) and not self._is_expected(certificate):
            where = self.source.where if isinstance(self.source, Rows) else "counts"
            raise rows_differ(
                where, "After the change they are not what the plan makes of them."
            )
        claims = [one for one in (certificate, certificate.indirect) if one is not None]
        refused = [one for one in claims if one.verdict is not Verdict.CERTIFIED]
        if refused and not self.uncertified:
            raise CannotReleaseError(
                Problem(
                    "The released rows would not be certified.",
                    "Nothing is written.",
                    Remedy("Choose another method or policy", "policy"),
                ),
                *(reason for one in refused for reason in one.reasons),
            )

    def _is_expected(self, certificate: Certificate) -> bool:
        """Whether the plan's columns are counted as the plan predicts."""
        counted, generator = self.plan.counted, np.random.default_rng(0)
        # On these columns each pattern is one cell, so the result is deterministic.
        expected = change_counts(counted, self.plan, generator, effects=False)
        released = certificate.examined.counts.marginal(self.plan.names)
        return compare_counts(expected, released).cell_changes == 0

    @property
    def seconds_to_write(self) -> dict[str, float]:
        """About how long each step of ``write`` takes, as measured on 300,000 rows of CSV."""
        rows = self.before.row_count
        steps = {RELEASING: 3e-6 * rows, COUNTING: 2e-6 * rows, _CERTIFYING: 0.3}
        return {**steps, CHECKING: 0.1 + 5e-5 * rows}

    @property
    def rows(self) -> Any:  # noqa: ANN401  # the kind of object that came in
        """The released rows: the same kind of object that came in; of files, ``Rows``."""
        self._check(self.certificate)
        return self._applied.rows

    def write(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        share: bool = False,
        metadata: bool | Mapping[str, Any] = False,
        least_count: int = 10,
        progress: ProgressCallback | None = None,
    ) -> PublishedFiles:
        """Write the rows, and beside them ``.certificate.json`` and ``.manifest.json``.

        The name's ending gives the format: text as .csv and the like, also .csv.gz; .parquet;
        .arrow. The rows are read back from the disk, counted and certified before any file gets
        its name, the data last. ``share`` adds a certificate for others, of the groups without
        a count under ``least_count``. ``metadata`` describes a file for its publication, by
        ``.croissant.json`` and an in-toto ``.statement.json``; what only the publisher knows,
        such as the license, can be given by its name in Croissant. An existing release is
        replaced only with ``overwrite``, an input never. Rows in an engine become a new table
        of it if the name has no ending.
        ``progress``, by default that of the release, is called while rows are written, counted
        and certified; what it raises leaves no file.
        """
        if progress is None and isinstance(self.source, Rows):
            progress = self.source.progress
        target = target_of(Path(path), self._applied, uncertified=self.uncertified)
        reporter, files = ProgressReporter(progress), target.files
        names, by_publisher = files.names, {} if isinstance(metadata, bool) else metadata
        check_publisher_fields(by_publisher)
        if metadata is not False and "data" not in names:
            raise QuestionError.of(
                "A table in an engine has no file that metadata could describe.",
                remedy=Remedy("Write a file, or leave that out", "metadata"),
            )
        check_folder(files.folder)
        with (
            Transaction.begin(files.folder, [*names.values()]) as transaction,
            target.written(transaction, progress, overwrite=overwrite) as rows,
        ):
            rows.count()
            reporter.report(_CERTIFYING, 0, 2, is_even=False)
            certificate = self._certified(rows)
            self._check(certificate)
            transaction.write_text(names["certificate"], certificate.to_json())
            reporter.report(_CERTIFYING, 1, 2, is_even=False)
            shared = ""
            if share or metadata is not False:
                shared = certificate.to_shared_json(least_count=least_count)
                check_other_copies(files.folder / names["shared"], shared)
            if share:
                transaction.write_text(names["shared"], shared, mode=0o644)
            inputs, output = target.manifest_entries(transaction)
            if metadata is not False:
                record, source = json.loads(shared), rows.sources[0]
                documents = {
                    "croissant": croissant_document(output, source, record, by_publisher),
                    "statement": in_toto_statement(output, record),
                }
                for role, content in documents.items():
                    transaction.write_text(names[role], canonical(content), mode=0o644)
            counts = certificate.examined.counts.marginal(self.plan.names)
            output |= {
                "rows": rows.count().row_count,
                "counts_sha256": counts.digest,
                "certificate_sha256": sha256(transaction.temporary(names["certificate"])),
                **({"dropped_columns": list(self.drop)} if self.drop else {}),
            }
            transaction.write_text(names["manifest"], self._manifest(inputs, output))
            # The stand-alone checker confirms both before any file gets its name.
            rows_file = transaction.temporary(names["data"]) if "data" in names else None
            for role in ("certificate", "shared") if share else ("certificate",):
                confirm(transaction.temporary(names[role]), rows_file, progress)
            reporter.report(_CERTIFYING, 2, 2, is_even=False)
            superseded = transaction.commit(
                target.applied.inputs, overwrite=overwrite, last=target.rename
            )
        published = PublishedFiles(
            data=target.data,
            certificate=files.path("certificate"),
            manifest=files.path("manifest"),
            shared=files.path("shared") if share else None,
            croissant=files.path("croissant") if metadata is not False else None,
            statement=files.path("statement") if metadata is not False else None,
            removed=transaction.removed + target.dropped,
            superseded=superseded,
        )
        # What is on the disk now is the release; it need not be counted again.
        vars(self).setdefault("certificate", certificate)
        vars(self)["files"] = published
        return published

    def _manifest(self, inputs: Mapping[str, Any], output: Mapping[str, Any]) -> str:
        """What the release was made from and how, with descriptions of input and output.

        Whoever has its seed, the data before and this program can tell which rows were changed.
        So only its owner can read it; the certificate only has a commitment to the seed.
        """
        before, statement = self.before, self.statement
        accepted = {"accepted_graph": why} if (why := self.accepted_graph) else {}
        return canonical(
            {
                "format": FORMAT,
                # What the bytes of a release may depend on.
                "versions": {
                    "python": platform.python_version(),
                    **{name: version(name) for name in ("evenhand", "numpy", "pyarrow")},
                },
                "notice": statement.notice,
                **accepted,
                "seed": str(self.seed),
                "nonce": self.nonce.hex(),
                "seed_commitment": statement.seed_commitment,
                "question": before.question.to_dict(),
                "codings": before.codings.to_dict(),
                "plan": self.plan.to_dict(),
                "input": {
                    "rows": before.row_count + before.examined.left_out + before.dropped,
                    "counts_sha256": self.plan.counted.digest,
                    **inputs,
                },
                "output": output,
            }
        )

    @cached_property
    def files(self) -> PublishedFiles | None:
        """The files that were written last; None before."""
        return None

    @cached_property
    def revealing_columns(self) -> tuple[RevealingColumn, ...]:
        """The released columns that reveal which rows were changed; most rows first."""
        if self.plan.changed_decisions is None or not self.changed_rows:
            return ()
        nodes = self.before.graph.nodes
        return find_revealing(self.source, self._applied.counted, self.plan, nodes)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What to know before the rows are published, with remedies."""
        return (
            *revealing_problems(self.revealing_columns),
            *released_scores(self.plan, self.drop),
        )

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """The share of right predictions; None without labels of single rows."""
        if self.labels is None or not isinstance(self.source, Rows):
            return None
        # The labels may be among the columns that are not released.
        whole = apply(self.source, self.plan, self.seed, key=self.key).counted
        if not isinstance(whole, Rows):
            return None
        return accuracy_by(self.labels, self.source, whole, self.before)

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
        record = self.before.graph.record
        if record is None or self.before.question.predicts or not self.before.learned_here:
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
        content = super().to_dict()
        for when, one in self._states:
            content[when] = {
                "verdict": str(one.verdict),
                "rows": one.row_count,
                "subpopulations": one.partition.numbers_beside(one.by_chance),
            }
            if one.indirect is not None:
                content[when]["indirect"] = one.indirect.to_dict_of_change()
        return content | {"relearned": plain(self.relearned)}

    @property
    def _states(self) -> tuple[tuple[str, Certificate], ...]:
        return ("before", self.before), ("after", self.certificate)

    @property
    def left_behind(self) -> tuple[str, ...]:
        """That rows which lack a value are not among those released."""
        said = rows_not_released(self.before.dropped)
        return (said,) if said else ()

    def summary(self) -> Summary:
        """What was changed, what it cost, and what is certified now."""
        rows, after = self.before.row_count, self.certificate
        notes: list[object] = [*self.warnings, self.statement.notice, *self.left_behind]
        if self.relearned and (sentence := self.relearned.sentence(after)):
            notes.append(sentence)
        in_model, changed = self.plan.model_distance, self.plan.changed_decisions
        return Summary(
            title=f"{after.verdict} after {self.plan.method} ({self.plan.policy}), given the "
            "same graph",
            sentence=f"{self.changed_rows:,} of {rows:,} rows changed",
            hint='audit.report(release).write("report.html") writes the whole page.',
            facts=(
                *(
                    (when, f"{one.verdict}: {differing_text(one.partition, one.by_chance)}")
                    for when, one in self._states
                ),
                *(
                    one.indirect.fact_of_change(when)
                    for when, one in self._states
                    if one.indirect is not None
                ),
                *([("accuracy", str(self.accuracy))] if self.accuracy else []),
                *self.plan.rank_facts,
                *(changed.facts() if changed else ()),
                ("changed columns", ", ".join(self.plan.changed_columns) or "none"),
                *([("graph accepted", why)] if (why := self.accepted_graph) else []),
                *([("dropped columns", ", ".join(self.drop))] if self.drop else []),
                *self.utility.summary().facts,
                *(() if in_model is None else (("distance in the model", f"{in_model:.2e}"),)),
            ),
            notes=tuple(notes),
        )


def _check_dropped(rows: Rows | CountTable, plan: Plan, drop: Sequence[str]) -> None:
    """Refuse columns that do not exist, or that the certificate of the release counts."""
    available, frequency = rows.names, None
    if isinstance(rows, Rows):
        available, frequency = rows.sources[0].names, rows.codings.frequency
    unknown = [name for name in dict.fromkeys(drop) if name not in available]
    if unknown:
        raise ColumnError.unknown(unknown, available)
    if drop and isinstance(plan, GeneratedPlan):
        raise QuestionError.of(
            "New rows have only the columns of the graph.",
            remedy="Do not name columns to drop.",
        )
    counted = {*plan.certificate.graph.nodes, *plan.names, frequency}
    problems = [
        Problem(
            f"{name!r} cannot be dropped.",
            "The certificate of the release counts it.",
            Remedy("Leave it out of the question first", "exclude", [name]),
        )
        for name in dict.fromkeys(drop)
        if name in counted
    ]
    if problems:
        raise QuestionError(*problems)
