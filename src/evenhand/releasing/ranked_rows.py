"""Which rows change, by a score: those nearest to the other side instead of random ones.

A plan says how many rows of a kind change and to what. Of a model's predictions those whose
score is nearest to the new decision are the ones about which it was least sure.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    InputError,
    Problem,
    Remedy,
    ValuesError,
)
from evenhand.releasing.row_editor import Editor
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.ibis_tables import KIND as ENGINE
from evenhand.rows.value_labels import nearest_floats, to_labels


def check_single_rows(rows: Rows | CountTable) -> None:
    """Refuse tables that have no score for each single row."""
    if isinstance(rows, CountTable) or rows.codings.frequency:
        why = "Each line of the table stands for several of them."
    elif rows.sources[0].kind == ENGINE:
        why = "Those in an engine have no order, by which equal scores are told apart."
    else:
        return
    raise CannotReleaseError.of(
        "Rows cannot be chosen by their score here.",
        why,
        (
            Remedy("Give a file or a frame of single rows"),
            Remedy("leave that out, to choose them at random", "rank"),
        ),
    )


def released_scores(plan: Plan, drop: Collection[str]) -> Iterator[Problem]:
    """The scores by which rows were chosen tell which they are, if others see them."""
    name = plan.rank
    if name is not None and name not in (*drop, *plan.changed_columns):
        yield Problem(
            f"{name!r}, by which rows were chosen, is released with them.",
            "Who sees it can tell which were changed: those nearest to the other side.",
            Remedy("Drop it", "drop", [name]),
        )


def check_scores(rows: Rows, column: str) -> None:
    """Refuse a column whose first values are no numbers; rows without a value may precede."""
    na = rows.requested.na
    for values in _columns(rows, column):
        if np.isfinite(_numbers(values, na)).any():
            return
        if to_labels(values, na=na, respell=False).null_count < len(values):
            break
    raise ValuesError.of(
        f"The scores in {column!r} are no numbers.",
        remedy="Give for each prediction how near it is to the favorable one, as 0.7.",
        where=rows.where,
    )


def rows_by_score(
    rows: Rows, plan: Plan, column: str, new_editor: Callable[[], Editor]
) -> NDArray[np.bool_]:
    """Whether the rows of each pattern change, in order: those with the best scores for it.

    To become favorable the highest scores are best, else the lowest. Of equal scores the first
    rows are taken. Rows that no move concerns need no score.
    """
    editor, question = new_editor(), plan.question
    batches = (batch for part in rows.sources for batch in part.open(editor.names, coded=True))
    patterns = np.concatenate([np.zeros(0, np.int64), *(editor.encode(b)[2] for b in batches)])
    matching = np.flatnonzero(patterns >= 0)
    pattern, score = patterns[matching], _scores(rows, column)[matching]
    if not np.isfinite(score).all():
        raise InputError.of(
            f"The scores in {column!r} are not all numbers.",
            "Rows are chosen by them.",
            Remedy("Name a column of numbers without gaps", "rank"),
            rows.where,
        )
    # A decision becomes favorable in all moves of a pattern, or in none.
    becomes = [moves[0].becomes.get(question.decision) for moves in editor.patterns.moves]
    signs = np.array([-1.0 if one in question.favorable_values else 1.0 for one in becomes])
    order = np.lexsort((signs[pattern] * score, pattern))
    sizes = np.bincount(pattern, minlength=len(becomes))
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    taken = np.zeros(len(order), bool)
    taken[order[place < np.repeat(editor.amounts, sizes)]] = True
    return taken[np.argsort(pattern, kind="stable")]


def _scores(rows: Rows, column: str) -> NDArray[np.float64]:
    """The score of each row; what is no number is NaN."""
    if column not in rows.sources[0].names:
        raise ColumnError.unknown([column], rows.sources[0].names, where=rows.where)
    parts = [_numbers(values, rows.codings.na) for values in _columns(rows, column)]
    return np.concatenate([*parts, np.zeros(0)])


def _columns(rows: Rows, column: str) -> Iterator[pa.Array]:
    for source in rows.sources:
        for batch in source.open([column], coded=False):
            yield batch.column(column)


def _numbers(values: pa.Array, na: tuple[str, ...]) -> NDArray[np.float64]:
    kind = values.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        scores: NDArray[np.float64] = np.asarray(values.cast(pa.float64(), safe=False))
        return scores
    return nearest_floats(to_labels(values, na=na, respell=False))
