"""``release``: a plan carried out on rows, which are then counted and certified once more."""

import secrets
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Summary
from evenhand.errors import CannotReleaseError, Problem, QuestionError, Remedy, listed
from evenhand.evidence import Certificate, Partition, Verdict, certify
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Codings, Knowledge, Tiers
from evenhand.question.question import REST
from evenhand.releasing.apply import Carried, carry_out
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.cost import Relearned, Utility, compare_counts, relearn
from evenhand.releasing.manifest import (
    commitment,
    notice,
    plan_document,
    recorded,
)
from evenhand.releasing.moves import rows_differ
from evenhand.releasing.publish import Written, write_release
from evenhand.releasing.publish_tables import write_table
from evenhand.removal import BaselinePlan, GeneratedPlan, Plan, RemovalPlan, changed_columns
from evenhand.rows import Rows, read

_SEED_BITS = 128
_SHOWN = 5


def release(
    rows: Any,  # noqa: ANN401  # whatever was audited
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    *,
    seed: int | None = None,
    knowledge: Knowledge | Tiers | None = None,
    uncertified: bool = False,
    key: str | None = None,
) -> "Release":
    """Carry a plan out on the rows that it was made for.

    ``rows`` are what was audited: ``Rows``, whatever ``read`` takes, or a ``CountTable``.
    Without a seed nobody can foresee which rows are chosen. What does not meet the criterion is
    refused; ``uncertified`` allows it, and then the files say so by their names. In an engine,
    rows are chosen by a column of different whole numbers, the ``key``.

    >>> import evenhand as eh
    >>> from evenhand.graph import CausalGraph
    >>> from evenhand.removal import ModifyData
    >>> graph = CausalGraph.parse("gender -> major -> admission; gender -> admission; "
    ...                           "test_score -> admission")
    >>> counts, asked = eh.datasets.admissions(2), eh.datasets.question("admissions").question
    >>> found = certify(counts, graph, asked)
    >>> released = release(counts, ModifyData().plan(found), seed=7)
    >>> str(released.certificate.verdict), released.changed_rows
    ('certified', 15)
    """
    if seed is None:
        seed = secrets.randbits(_SEED_BITS)
    if type(seed) is not int or not 0 <= seed < 2**_SEED_BITS:
        raise QuestionError(
            Problem(
                f"The seed {seed!r} is no whole number from 0 to 2¹²⁸ − 1.",
                remedy="Give one, or none: then it is drawn.",
            )
        )
    if not uncertified and not plan.reaches_criterion:
        raise _out_of_reach(plan)
    released = Release(
        plan=plan,
        before=plan.certificate,
        source=rows
        if isinstance(rows, CountTable | Rows)
        else read(rows, codings=plan.certificate.codings),
        seed=seed,
        nonce=secrets.token_bytes(_SEED_BITS // 8),
        knowledge=knowledge,
        uncertified=uncertified,
        key=key,
    )
    if not released.carried.inputs and not released.carried.change:
        released.check(released.certificate)
    return released


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Release(Described):
    """Rows after a plan, and what can be said of them.

    Of rows in files, nothing is read before it is needed; what ``write`` wrote is what was
    certified. ``seed`` and ``nonce`` are for the owner's eyes.
    """

    plan: RemovalPlan | GeneratedPlan | BaselinePlan
    before: Certificate
    source: Rows | CountTable
    seed: int
    nonce: bytes
    knowledge: Knowledge | Tiers | None
    uncertified: bool
    key: str | None = None

    def __repr__(self) -> str:
        plan = self.plan
        return f"<Release: {plan.method} ({plan.policy}) of {self.before.rows:,} rows>"

    @cached_property
    def carried(self) -> Carried:
        """The released rows, in the forms in which they are needed."""
        return carry_out(self.source, self.plan, self.before.examined, self.seed, self.key)

    @property
    def rows(self) -> Any:  # noqa: ANN401  # the kind of object that came in
        """The released rows: the same kind of object that came in; of files, ``Rows``."""
        self.check(self.certificate)
        return self.carried.rows

    @cached_property
    def certificate(self) -> Certificate:
        """What the released rows, counted afresh, amount to under the same graph."""
        counted = self.carried.counted
        if isinstance(counted, Rows):
            return self.certify(counted.count(), counted.codings, dropped=counted.dropped)
        return self.certify(counted, Codings(), dropped=0)

    def certify(self, counts: CountTable, codings: Codings, *, dropped: int) -> Certificate:
        """Certify counts of released rows as the rows before were certified."""
        before, pooled = self.before, self.before.pools_others
        question = before.question
        if len(decisions := counts.values(question.decision)) == 1:
            raise CannotReleaseError(
                Problem(
                    f"{question.decision!r} would always be {listed(decisions)} then.",
                    "There would be no decisions left to speak of.",
                    "Raise the threshold, or merge values so that more people are compared.",
                )
            )
        if pooled and not isinstance(self.plan, GeneratedPlan):
            question = replace(question, other=REST)
        found = certify(
            counts,
            before.graph,
            question,
            scope=before.scope,
            limit=max(1000, len(before.partitions)),
            min_coverage=before.min_coverage,
            graph_origin=before.graph_origin.replace(
                "the same rows", "the rows before release"
            ),
            codings=codings,
            dropped=dropped,
        )
        assumed = (*before.also_assumed, *found.also_assumed, notice(self.plan))
        return replace(
            found, also_assumed=tuple(dict.fromkeys(assumed)), release=self._section()
        )

    def _section(self) -> dict[str, Any]:
        """What the certificate's document says of the release."""
        return {
            "notice": notice(self.plan),
            "method": self.plan.method,
            "policy": self.plan.policy,
            "seed_commitment": commitment(self.nonce, self.seed),
            "changed_columns": list(changed_columns(self.plan)),
            "changed_rows": self.changed_rows,
            "dropped_before": self.before.dropped,
            "left_out_before": self.before.examined.left_out
            if isinstance(self.plan, GeneratedPlan)
            else 0,
        }

    def check(self, found: Certificate) -> None:
        """Refuse rows that are not what the plan makes of those counted, or not certified."""
        if not isinstance(self.plan, GeneratedPlan) and not self._is_expected(found):
            source = self.source.where if isinstance(self.source, Rows) else "counts"
            raise rows_differ(
                source, "After the change they are not what the plan makes of them."
            )
        if not self.uncertified and found.verdict is not Verdict.CERTIFIED:
            raise CannotReleaseError(
                Problem(
                    "The released rows would not be certified.",
                    remedy="Nothing is written. For another method or policy see `compare`.",
                ),
                *found.reasons,
            )

    def _is_expected(self, found: Certificate) -> bool:
        """Whether the plan's columns are counted as the plan foretells."""
        names = self.plan.names
        # Over these columns a pattern is one line, so that nothing is left to chance.
        foretold = change_counts(
            self.before.examined.counts.marginal(names),
            recorded(self.plan, redrawn=()),
            np.random.default_rng(0),
        )
        return compare_counts(foretold, found.examined.counts.marginal(names)).cell_changes == 0

    @property
    def changed_rows(self) -> int:
        """How many rows were changed, left out or doubled; all of them if they are new."""
        if isinstance(self.plan, GeneratedPlan):
            return self.plan.rows
        return sum(move.rows for move in self.plan.moves)

    @cached_property
    def utility(self) -> Utility:
        """What the change costs, on the columns of the graph."""
        before, after = self.before.examined.counts, self.certificate.examined.counts
        columns = [name for name in before.names if name in self.before.graph.nodes]
        return compare_counts(before.marginal(columns), after.marginal(columns))

    @cached_property
    def relearned(self) -> Relearned | None:
        """What discovery finds on the released rows; None where the graph was given."""
        graph = self.before.graph
        record = graph.record if isinstance(graph, PartialGraph) else None
        if record is None:
            return None
        return relearn(
            self.certificate.examined.counts,
            self.certificate,
            knowledge=self.knowledge,
            significance=record.significance,
            test=record.test,
        )

    def write(
        self, path: str | Path, *, overwrite: bool = False, share: bool = False
    ) -> Written:
        """Write the rows, and beside them ``.certificate.json`` and ``.manifest.json``.

        The form is that of the name: text as .csv and the like, also .csv.gz; .parquet; .arrow.
        The rows are read back from the disk, counted and certified before any file gets its
        name, the data last. ``share`` adds a certificate for others' eyes. Without permission
        nothing is overwritten, and an input never is. Rows in an engine become a new table of
        it, if the name has no ending.
        """
        options: dict[str, Any] = {
            "examine": self._examine,
            "document": self._document(),
            "overwrite": overwrite,
            "share": share,
            "uncertified": self.uncertified,
        }
        if self.carried.change and not Path(path).suffix:
            written, found = write_table(Path(path), self.carried.change, **options)
        else:
            written, found = write_release(path, self.carried, **options)
        # What is on the disk now is the release; it need not be counted again.
        vars(self).setdefault("certificate", found)
        return written

    def _examine(self, rows: Rows) -> Certificate:
        found = self.certify(rows.count(), rows.codings, dropped=rows.dropped)
        self.check(found)
        return found

    def _document(self) -> dict[str, Any]:
        """The manifest, as far as it does not depend on files."""
        before = self.before
        return {
            "notice": notice(self.plan),
            "seed": str(self.seed),
            "nonce": self.nonce.hex(),
            "seed_commitment": commitment(self.nonce, self.seed),
            "question": before.question.to_dict(),
            "codings": before.codings.to_dict(),
            "plan": plan_document(self.plan),
            "input": {
                "rows": before.rows + before.examined.left_out + before.dropped,
                "counts_sha256": before.examined.counts.marginal(self.plan.names).digest,
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """The release as plain values."""
        return {
            "method": self.plan.method,
            "policy": self.plan.policy,
            "changed_rows": self.changed_rows,
            "changed_columns": list(changed_columns(self.plan)),
            **self.utility.to_dict(),
            "model_distance": self.plan.model_distance,
            "before": _state(self.before),
            "after": _state(self.certificate),
            "relearned": self.relearned.to_dict() if self.relearned else None,
        }

    def summary(self) -> Summary:
        """What was changed, what it cost, and what is certified now."""
        rows, found = self.before.rows, self.certificate
        notes = [notice(self.plan)]
        if self.relearned and (told := self.relearned.sentence(found)):
            notes.append(told)
        in_model = self.plan.model_distance
        return Summary(
            title=f"{found.verdict} after {self.plan.method} ({self.plan.policy}), given the "
            f"same graph: {self.changed_rows:,} of {rows:,} rows changed",
            facts=(
                ("before", _in_words(self.before)),
                ("after", _in_words(found)),
                ("changed columns", ", ".join(changed_columns(self.plan)) or "none"),
                *self.utility.summary().facts,
                *(() if in_model is None else (("distance in the model", f"{in_model:.2e}"),)),
            ),
            notes=tuple(notes),
        )


def _state(certificate: Certificate) -> dict[str, Any]:
    return {
        "verdict": str(certificate.verdict),
        "rows": certificate.rows,
        "subpopulations": certificate.partition.numbers,
    }


def _in_words(certificate: Certificate) -> str:
    found = certificate.partition.numbers
    differing = f"{found['violating']:,} of {found['measured']:,} measured differ"
    return f"{certificate.verdict}: {differing}"


def _out_of_reach(plan: Plan) -> CannotReleaseError:
    """The plan leaves differences: which, and what would not."""
    after = plan.after if isinstance(plan, RemovalPlan) else None
    left = after.by_strength.tolist() if after else []
    places = [_place(after, line) for line in left[:_SHOWN]] if after else []
    more = f" and {len(left) - _SHOWN:,} more" if len(left) > _SHOWN else ""
    return CannotReleaseError(
        Problem(
            f"{plan.method} ({plan.policy}) does not reach the criterion.",
            f"Still at or beyond {plan.question.threshold}: {'; '.join(places)}{more}."
            if places
            else "It gives no guarantee.",
            (
                Remedy(
                    "Use modify-data, which always reaches it with this policy",
                    "policy",
                    "minimal",
                ),
                Remedy(
                    "allow a file whose name says that it is uncertified",
                    "uncertified",
                    value=True,
                ),
            ),
        )
    )


def _place(partition: Partition, line: int) -> str:
    where = partition.where(line).items()
    alike = ", ".join(f"{name} = {label}" for name, label in where) or "everybody"
    return f"{alike}: {partition.risk_difference(line)}"
