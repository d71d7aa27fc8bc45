"""How far predictions differ between groups of people who are alike in chosen attributes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.counts import ExaminedCounts
from evenhand.errors import ColumnError, InputError, QuestionError, Remedy, listed
from evenhand.evidence import Comparisons, Partition
from evenhand.evidence.statistics.pooled_difference import pooled_difference
from evenhand.question import Codings, Question, as_label
from evenhand.question.parse_values import require_texts
from evenhand.question.question import MOST_GROUPS
from evenhand.sklearn.feature_columns import feature_table, read_columns, target_column

Statistic: TypeAlias = Literal["largest", "common"]


def conditional_difference(
    y_true: Any,  # noqa: ANN401  # an array, a list or a series, as everywhere in scikit-learn
    y_pred: Any,  # noqa: ANN401
    *,
    sensitive_features: Any,  # noqa: ANN401
    control_features: Any,  # noqa: ANN401
    statistic: Statistic = "largest",
    min_rows: int = 1,
    favorable: Any = 1,  # noqa: ANN401  # a value of y, or a tuple of them
    codings: Codings | None = None,
) -> float:
    """The difference of rates of favorable predictions between groups alike in the controls.

    The groups are the values of ``sensitive_features``, or the combinations of several. People
    are compared only with others who have the same values of all ``control_features``, and only
    where two groups have at least ``min_rows`` rows each; elsewhere there is no difference to
    speak of. The result is NaN if nothing can be compared, and otherwise between 0 and 1:
    ``"largest"`` is the largest difference anywhere, ``"common"`` the mean over all
    subpopulations with Mantel and Haenszel's weights, its absolute value, and of several pairs
    of groups the largest.

    ``y_true`` is not compared: the rates are those of predictions. ``favorable`` is one value,
    or a tuple of values that count as one. ``codings`` puts numbers into classes, or says what
    a missing value means.

    >>> people = {"sensitive_features": ["f", "f", "m", "m"], "y_pred": [0, 0, 1, 0]}
    >>> conditional_difference([1, 0, 1, 0], control_features=["a", "a", "a", "a"], **people)
    0.5
    >>> conditional_difference([1, 0, 1, 0], control_features=["a", "a", "b", "b"], **people)
    nan
    """
    control = pa.table({})
    if control_features is not None:
        control = feature_table(control_features, unnamed="control feature ")
    return _difference(
        y_true,
        y_pred,
        feature_table(sensitive_features, unnamed="sensitive feature "),
        control,
        statistic=statistic,
        min_rows=min_rows,
        favorable=favorable,
        codings=codings,
    )


def _difference(
    y_true: Any,  # noqa: ANN401
    y_pred: Any,  # noqa: ANN401
    sensitive: pa.Table,
    control: pa.Table,
    *,
    statistic: Statistic,
    codings: Codings | None,
    classes: Iterable[Any] = (),
    **asked: Any,  # noqa: ANN401  # favorable values and least rows
) -> float:
    """The metric; ``classes`` are values that a model knows, whoever has them here."""
    _check_statistic(statistic)
    for name, values in (("y_true", y_true), ("y_pred", y_pred)):
        if np.ndim(values) == 0 and not hasattr(values, "__len__"):
            raise InputError.of(
                f"{name} is {values!r}, no list of values.", remedy="Give one for each row."
            )
    labels, predictions = target_column(y_true, "y_true"), target_column(y_pred, "y_pred")
    names = (*sensitive.column_names, *control.column_names)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ColumnError.of(
            f"{listed(twice)} is both a sensitive and a control feature.",
            "People of different groups are never alike in it.",
            "Leave it out of one.",
        )
    sizes = {len(labels), len(predictions), sensitive.num_rows}
    sizes |= {control.num_rows} if control.num_columns else set()
    if len(sizes) > 1:
        raise InputError.of(
            "Labels, predictions and features are not all of one length.",
            f"There are {listed(sorted(sizes))} rows.",
            "Give one of each for each row.",
        )
    if sizes == {0}:
        raise InputError.of(
            "There are no rows.", remedy="Give a prediction and features of somebody."
        )
    decision = "prediction"
    while decision in names:
        decision += "_"
    question = Question(protected=tuple(sensitive.column_names), decision=decision, **asked)
    _check_favorable(question, (labels, predictions), classes)
    columns = [*sensitive.columns, *control.columns, predictions]
    table = pa.table(columns, names=[*names, decision])
    compared = _compare(table, control.column_names, question, codings or Codings())
    if not len(compared):
        return nan
    if statistic == "largest":  # found exactly
        in_one_line = replace(compared, line=np.zeros(len(compared), np.intp))
        return float(abs(compared.difference(int(in_one_line.widest(1)[0]))))
    pairs = (compared.of_mean(at) for at in np.unique(compared.mean).tolist())
    threshold = float(compared.threshold)
    return max(abs(pooled_difference(*pair.tables, threshold).difference) for pair in pairs)


def conditional_difference_scorer(
    *,
    sensitive_features: str | Sequence[str],
    control_features: str | Sequence[str] | None,
    statistic: Statistic = "common",
    min_rows: int = 1,
    favorable: Any = 1,  # noqa: ANN401  # a value of y, or a tuple of them
    codings: Codings | None = None,
) -> Callable[[Any, Any, Any], float]:
    """A scorer that reads the named columns of X: the negative ``conditional_difference``.

    Greater is better, as scikit-learn wants it. The common difference is the default, because
    the largest of many small subpopulations is nearly always 1 and tells no two models apart.
    Without ``control_features`` everybody is compared with everybody.
    """
    _check_statistic(statistic)
    return partial(
        _score,
        sensitive=_names(sensitive_features),
        control=() if control_features is None else _names(control_features),
        statistic=statistic,
        min_rows=min_rows,
        favorable=favorable,
        codings=codings,
    )


def _score(
    estimator: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401, N803
    y: Any,  # noqa: ANN401
    *,
    sensitive: tuple[str, ...],
    control: tuple[str, ...],
    **settings: Any,  # noqa: ANN401
) -> float:
    names = {*sensitive, *control}
    table = feature_table(X, names.__contains__, required=sorted(names))
    return -_difference(
        y,
        estimator.predict(X),
        table.select(sensitive),
        table.select(control),
        # A fold may have nobody who is favorable: then nobody is ahead.
        classes=np.ravel(getattr(estimator, "classes_", ())).tolist(),
        **settings,
    )


def _check_statistic(statistic: str) -> None:
    if statistic not in get_args(Statistic):
        raise QuestionError.of(
            f"There is no statistic {statistic!r}.", remedy="Choose 'largest' or 'common'."
        )


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    chosen = (names,) if isinstance(names, str) else require_texts(names, "What is compared")
    if twice := sorted({name for name in chosen if chosen.count(name) > 1}):
        raise QuestionError.of(
            f"The columns {listed(twice)} are named twice.", remedy="Name each column once."
        )
    return chosen


def _compare(
    table: pa.Table, control: Iterable[str], question: Question, codings: Codings
) -> Comparisons:
    """Every pair of groups in every subpopulation where both can be compared."""
    features = [name for name in table.column_names if name != question.decision]
    absent = [name for name in codings.named_columns() if name not in features]
    codings = replace(codings.dropping(absent), columns=None)
    rows = read_columns(table, codings, where="features and predictions")
    rows.check_counted(*question.named_columns)
    counts = rows.count()
    examined = ExaminedCounts(counts=counts, question=question, left_out=0)
    if len(examined.groups) > MOST_GROUPS:
        raise QuestionError.of(
            f"{question.groups_column!r} has {len(examined.groups):,} values, each a group.",
            f"At most {MOST_GROUPS} groups are compared at once.",
            (Remedy("Merge values", "merge"), Remedy("use classes of numbers", "bins")),
        )
    return Partition.of(examined, {*control} & {*counts.names}).comparisons


def _check_favorable(
    question: Question, columns: Iterable[pa.Array], classes: Iterable[Any]
) -> None:
    """Refuse a favorable value that nobody has, is predicted to have or could have."""
    found = {as_label(value) for column in columns for value in pc.unique(column).to_pylist()}
    known = {*found, *map(as_label, classes)}
    if absent := [value for value in question.favorable_values if value not in known]:
        raise QuestionError.of(
            f"No label and no prediction is {listed(absent)}.",
            f"There are {listed(sorted(found))}.",
            Remedy("Name the favorable one", "favorable"),
        )
