"""``RemoveDirectEffect``: changes decisions of training rows until the criterion is met."""

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _safe_indexing, check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from evenhand.auditing import Audit, audit
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    InputError,
    QuestionError,
    Remedy,
    keeping,
    listed,
)
from evenhand.evidence import Certificate
from evenhand.graph import PartialGraph
from evenhand.graph.edits import require_graph
from evenhand.question import Codings, Knowledge, Number, Question, QuestionFile, Tiers
from evenhand.releasing.release import Release, release
from evenhand.removal import Method
from evenhand.rows import Rows
from evenhand.rows.value_labels import as_arrow, as_numpy
from evenhand.sklearn.feature_columns import (
    check_codings,
    feature_table,
    is_frame,
    read_columns,
    target_column,
)


class RemoveDirectEffect(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Change the fewest decisions of a training set so that no direct effect is left in it.

    ``question`` names the protected attribute, a column of X, and the decision, which is y; a
    ``QuestionFile`` can also say how columns are read. X is returned as it came, and y in its
    own kind. The columns of an array are called x0, x1 and so on. The causes of the decision
    come from ``graph``, or are learned from X and y. ``method`` is a ``ModifyData`` or a
    ``ModifyGraph`` that changes only decisions. ``codings`` says how columns are read, in place
    of a question file's; ``min_coverage`` how many rows of each group must be compared.

    After ``fit_resample``, ``certificate_`` is the certificate of the new rows,
    ``changed_rows_`` how many decisions differ, and ``sample_indices_`` the rows of X that are
    returned: all, unless the question drops rows with missing values.

    It is about the rows that a model is trained on: what the model then predicts for new people
    is not certified, and can be audited with ``audit_predictions``.
    """

    certificate_: Certificate
    changed_rows_: int
    sample_indices_: NDArray[np.intp]

    def __init__(
        self,
        question: Question | QuestionFile,
        *,
        graph: PartialGraph | None = None,
        knowledge: Knowledge | Tiers | None = None,
        method: Method | None = None,
        codings: Codings | None = None,
        min_coverage: Number = "0.9",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.question = question
        self.graph = graph
        self.knowledge = knowledge
        self.method = method
        self.codings = codings
        self.min_coverage = min_coverage
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401, N803  # scikit-learn's names
        """Find the rows to change and keep only what is said of them; see ``fit_resample``."""
        self.fit_resample(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:  # noqa: ANN401, N803
        """Return X as it is, and y with the fewest decisions changed."""
        file = self._question_file()
        y = self._validated(X, y)
        decision = file.question.decision
        graph = copy(self.graph)  # which caches what is computed; a parameter stays as given
        with keeping({*file.question.columns, *(graph.nodes if graph else ())}):
            rows = _join(X, y, file, graph, getattr(self.method, "rank", None))
            asked = replace(file, codings=Codings())
            least = self.min_coverage
            audited = audit(rows, asked, graph=graph, min_coverage=least)
            released = self._release(audited, rows)
        kept, origins = _origins(rows.origin, released.rows, decision)
        self.certificate_ = released.certificate
        self.changed_rows_ = int(np.count_nonzero(kept != origins))
        self.sample_indices_ = kept
        whole = len(kept) == rows.origin.num_rows
        return X if whole else _safe_indexing(X, kept), _take(y, kept, origins)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True  # outside the question; inside it the codings decide
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _question_file(self) -> QuestionFile:
        if self.method is not None and not isinstance(self.method, Method):
            raise QuestionError.of(
                f"The method {self.method!r} is not one that removes every difference.",
                remedy="Give a ModifyData or a ModifyGraph.",
            )
        require_graph(self.graph)
        known, codings = self.knowledge, self.codings
        file = QuestionFile.of(self.question, knowledge=known, codings=codings)
        check_codings(file.codings)
        return file

    def _validated(self, X: Any, y: Any) -> Any:  # noqa: ANN401, N803
        """The decisions, one for each row of X; scikit-learn's refusals become problems."""
        try:
            if not is_frame(X):
                check_array(
                    X, dtype=None, ensure_all_finite=False, ensure_min_samples=2, estimator=self
                )
            validate_data(self, X, y, skip_check_array=True)
            if not is_frame(y):
                y = column_or_1d(y, warn=True) if getattr(y, "ndim", 1) > 1 else y
            elif y.shape[1] != 1:
                raise ValueError(f"y has {y.shape[1]} columns.")  # noqa: TRY301
            check_consistent_length(X, y)
        except (TypeError, ValueError) as error:
            raise InputError.of(
                str(error),
                remedy="Give X with a row for each person, and y with a decision for each row.",
            ) from error
        return y

    def _release(self, audited: Audit, rows: Rows) -> Release:
        """The rows with changed decisions, certified, and nothing else changed in them."""
        state, decision = self.random_state, audited.question.decision
        seed = state.randint(2**31) if isinstance(state, np.random.RandomState) else state
        plan = audited.plan(method=self.method)
        if besides := [name for name in plan.changed_columns if name != decision]:
            raise CannotReleaseError.of(
                f"{plan.method} would change {listed(besides)} too.",
                "A resampler changes decisions alone; X stays as it is.",
                "Use ModifyData, or a graph in which the decision causes nothing.",
            )
        if not plan.reaches_criterion:
            raise CannotReleaseError.of(
                f"{plan.method} ({plan.policy}) does not reach the criterion.",
                remedy=Remedy("Use a policy that does", "policy", "minimal"),
            )
        return release(rows, plan, seed=seed, knowledge=audited.knowledge)


def _join(
    X: Any,  # noqa: ANN401, N803
    y: Any,  # noqa: ANN401
    file: QuestionFile,
    graph: PartialGraph | None,
    rank: str | None,
) -> Rows:
    """Columns of X that are counted, the decisions beside them, and the number of each row.

    The column by which rows are ranked is there as well; it is counted only if it is asked
    about or in the graph.
    """
    decision, codings = file.question.decision, file.codings
    needed, nodes = {*file.question.named_columns}, {*(graph.nodes if graph else ())}
    ranked = {*([rank] if rank else [])} - needed - nodes

    def is_wanted(name: str) -> bool:
        known = graph is None or name in nodes or name in codings.named_columns()
        return name in needed | ranked or (known and name not in codings.exclude)

    required = sorted((needed | ranked | nodes) - {decision})
    table = feature_table(X, is_wanted, required=required)
    if decision in table.column_names:
        raise ColumnError.of(
            f"X has a column {decision!r}, which is the decision.",
            "The decisions are y, and a model must not read them.",
            "Leave it out of X.",
        )
    table = table.append_column(decision, target_column(y, decision))
    row = "row number"
    while row in table.column_names:
        row += "_"
    table = table.append_column(row, as_arrow(np.arange(table.num_rows)))
    rows = read_columns(table, codings, where="X and y")
    return rows.only({*rows.names} - {row, *ranked})


def _origins(
    before: pa.Table, after: pa.Table, decision: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows that are released, and for each a row that has its new decision.

    Values are taken from other rows, so that none is converted.
    """
    old, new = (table.column(decision).combine_chunks() for table in (before, after))
    if pa.types.is_dictionary(old.type):
        old, new = old.dictionary_decode(), new.dictionary_decode()
    values = pc.unique(old)
    codes, new_codes = (
        as_numpy(pc.index_in(column, value_set=values)) for column in (old, new)
    )
    kept = as_numpy(after.columns[-1].combine_chunks()).astype(np.intp)
    first = np.unique(codes, return_index=True)[1]
    return kept, np.where(codes[kept] == new_codes, kept, first[new_codes])


def _take(y: Any, kept: NDArray[np.intp], origins: NDArray[np.intp]) -> Any:  # noqa: ANN401
    """The decisions of some rows, under the index that pandas had for the rows that stay."""
    taken = _safe_indexing(y, origins)
    return taken.set_axis(y.index[kept]) if hasattr(taken, "set_axis") else taken
