"""The plain gap: how often each group got the favorable decision, before like meets like."""

from collections.abc import Mapping

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import points
from evenhand.evidence import Partition
from evenhand.evidence.known_measures import ComparedPair, known_measures
from evenhand.question import QuestionFile
from evenhand.question.codings import MISSING
from evenhand.report.html_report import View
from evenhand.rows import Rows
from evenhand.wording import Words

_MOST_BARS = 12


def plain_gap(rows: Rows, file: QuestionFile) -> View:
    """Measure the gap on the rows in memory; raises what does not fit in the question."""
    table, question = _asked_counts(rows, file), file.question
    examined = examined_counts(table, question)
    whole = Partition.of(examined, ())
    measured = known_measures(examined, (), causes=(), pair=ComparedPair.of(whole))
    words = Words.of(whole, file.labels, rows.columns)
    pair, gap = measured.pair, measured["gap"].value
    ahead, behind = words.group_name(pair.other), words.group_name(pair.group)
    if gap is not None and gap < 0:
        gap, ahead, behind = -gap, behind, ahead
    yes, many = whole.favorable[pair.cut].sum(axis=1).tolist(), whole.rows.sum(axis=1).tolist()
    counted = [*zip(whole.groups, yes, many, strict=True)]
    if len(counted) > 2:
        counted.sort(key=lambda line: line[1] / max(line[2], 1))
    kinds = {pair.group: "group", pair.other: "other"}
    return View(
        title=f"Share who {words.did_by(pair.decision)}",
        bars=[
            (words.group_name(group), kinds.get(group, "none"), *of)
            for group, *of in counted[:_MOST_BARS]
        ],
        hidden=max(len(counted) - _MOST_BARS, 0),
        gap="not measured" if gap is None else points(gap, threshold=question.threshold),
        pair=f"{ahead} minus {behind}",
        left_out=rows.lines.table.row_count - examined.counts.row_count,
        rates=len(whole.favorable) - 1,
    )


def _asked_counts(rows: Rows, file: QuestionFile) -> CountTable:
    """The counts of the columns that are asked about, of rows that will be counted.

    Rows that lack a value are left out as a count of all columns would leave them out.
    """
    table, question = rows.lines.table, file.question
    rows.check_counted(*question.named_columns)
    must_have = {
        "level": (),
        "drop": table.names,
        "error": question.columns,
    }[rows.requested.missing]
    lacking = np.zeros(len(table), bool)
    for name in must_have:
        if name in table.names and MISSING in (values := table.attribute(name).values):
            lacking |= table.column(name) == values.index(MISSING)
    asked = [name for name in table.names if name in question.named_columns]
    counted = CountTable(
        tuple(table.attribute(name) for name in asked),
        tuple(table.column(name)[~lacking] for name in asked),
        table.counts[~lacking],
    )
    counted = counted.marginal(asked).pruned()
    for name in asked:  # values in their own order, as a count of the rows has them
        counted = counted.recoded(name, {})
    return counted


def value_rows(rows: Rows, name: str) -> Mapping[str, int]:
    """How many rows have each value of a column, as it is counted; most frequent first."""
    counted = rows.lines.table.values(name)
    return dict(sorted(counted.items(), key=lambda item: (item[0] == MISSING, -item[1])))
