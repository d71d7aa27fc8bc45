"""The rows that a question examines: counts of the groups that it compares, others left out."""

from dataclasses import dataclass, replace

from evenhand.counts.count_table import CountTable
from evenhand.errors import ColumnError, Remedy, listed
from evenhand.question import Question
from evenhand.question.question import REST, check_values


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedCounts:
    """Counts in which the protected attribute has the question's two values, and only those.

    ``left_out`` counts the rows of groups that the question does not ask about.
    """

    counts: CountTable
    question: Question
    left_out: int


def examined_counts(counts: CountTable, question: Question) -> ExaminedCounts:
    """Check the question against the counts and bring both into the form of a comparison.

    With ``other="rest"`` all further groups are pooled; with a named other, rows of further
    groups are left out, and their number is returned.
    """
    names = (question.protected, question.decision)
    unknown = [n for n in (*names, *question.rule) if n not in counts.names]
    if unknown:
        raise ColumnError.unknown(unknown, counts.names, where="question")
    check_values(question, {name: counts.values(name) for name in names}, where="question")
    values = counts.values(question.protected)
    if question.other == REST:
        pooled = f"not {question.group}"
        merge = {value: pooled for value in values if value != question.group}
        return ExaminedCounts(
            counts=counts.recoded(question.protected, merge),
            question=replace(question, other=pooled),
            left_out=0,
        )
    other = question.other or next(value for value in values if value != question.group)
    further = [value for value in values if value not in (question.group, other)]
    compared = counts.without(question.protected, further) if further else counts
    if question.favorable not in compared.values(question.decision):
        raise ColumnError.of(
            f"Nobody with {question.protected} {question.group!r} or {other!r} has "
            f"{question.decision} {question.favorable!r}.",
            f"Others have, of {listed(further)}.",
            Remedy("Compare with all others", "other", REST),
            where="question",
        )
    return ExaminedCounts(
        counts=compared,
        question=replace(question, other=other),
        left_out=counts.row_count - compared.row_count,
    )
