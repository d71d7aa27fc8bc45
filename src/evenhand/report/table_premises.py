"""What a look at the table found that can change the answer, for section 7."""

from evenhand.counts import CountTable
from evenhand.errors import words_only
from evenhand.rows import FindingKind, Inspection
from evenhand.wording import Premise, Words, count, listing, text

_EXAMPLES = 5


def missing_value_premises(counts: CountTable, words: Words) -> tuple[Premise, ...]:
    """Values that may mean a missing one, and how many rows have them."""
    markers = [
        f"{count(rows, 'row')} with “{value}” as {words.column(name)}"
        for value, by_column in counts.missing_markers.items()
        for name, rows in by_column.items()
    ]
    if not markers:
        return ()
    examples = markers[:_EXAMPLES]
    rest = len(markers) - len(examples)
    more = [f"{rest} more such values"] if rest else []
    return (
        Premise(
            status="Not declared",
            what="Values that look as if something were missing were taken as they stand.",
            why=text(
                f"{listing([*examples, *more])}. If they mean that nothing is known, declare "
                "them as missing: the groups change then.",
            ),
        ),
    )


def inspection_premises(inspection: Inspection) -> tuple[Premise, ...]:
    """What else a look at the table found that can change the answer."""
    told = [one.problem for one in inspection.matters if one.kind is not FindingKind.MARKER]
    return tuple(
        Premise(
            status="Found in the table",
            what=problem.what,
            why=text(" ".join(filter(None, (problem.found, problem.remedy_text(words_only))))),
        )
        for problem in (*told, *inspection.same_decisions())
    )
