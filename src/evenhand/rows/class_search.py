"""Finds several ways to class the numbers of some columns, and counts for all of them."""

from collections.abc import Sequence
from dataclasses import replace

from evenhand.counts.class_choices import ClassChoices
from evenhand.errors import QuestionError, listed
from evenhand.question import Bins, Question
from evenhand.rows.column_profile import FEW, number_counts, parse_numbers
from evenhand.rows.line_table import read_lines
from evenhand.rows.rows import Rows


def find_class_choices(
    rows: Rows | None,
    columns: Sequence[str] | None,
    *,
    alike: Sequence[str],
    question: Question,
    classes: Sequence[int],
    supervised: bool,
) -> ClassChoices:
    """Find cut points of columns of numbers, and count the rows between them.

    ``alike`` are the columns in which people are alike; ``columns`` those among them to be
    classed, by default all that are in classes now or hold many numbers. Cuts are found in as
    many rows as fit into memory; all rows are counted.
    """
    if rows is None:
        raise QuestionError.of(
            "Counts were given, and classes cannot be made of them.",
            "Numbers must be read as they are stored.",
            "Give the file or frame itself.",
        )
    if not classes or min(classes) < 2:
        raise QuestionError.of(
            f"{listed(classes)} classes divide nothing.", remedy="Ask for two or more."
        )
    names, codings, decision = columns or alike, rows.codings, question.decision
    others = {name: bins for name, bins in codings.bins.items() if name not in names}
    as_stored = replace(codings, bins=others)
    read_names = (*names, decision)
    lines = read_lines(rows.sources, read_names, as_stored, memory=rows.memory // 4).table
    ways: dict[str, list[Bins]] = {}
    unfit = []
    for name in names:
        values = lines.attribute(name).values
        numbers, _ = parse_numbers(values)
        is_wanted = columns or name in codings.bins or len(values) > FEW
        found: list[Bins] = []
        if is_wanted and len(numbers) and name not in codings.merge:
            counts = number_counts(lines, name, numbers, decision, None)
            found = counts.ways(classes, supervised=supervised)
        ways |= {name: found} if found else {}
        unfit += [name] if columns and not found else []
    if unfit or not ways:
        raise QuestionError.of(
            f"{listed(unfit)} cannot be put into other classes."
            if unfit
            else "No cause of the decision is a column of many numbers.",
            "Classes are made of two different numbers or more, and of no merged values.",
            "Name causes that hold numbers." if unfit else "",
        )
    finest = {name: Bins.union(found) for name, found in ways.items()}
    counted = replace(codings, bins={**others, **finest})
    needed = tuple(dict.fromkeys((*alike, *question.protected_names, decision)))
    if codings.missing != "drop":  # which rows are dropped depends on all columns
        merge = {name: merged for name, merged in codings.merge.items() if name in needed}
        counted = replace(counted, columns=needed, merge=merge)
    fine = replace(rows, requested=counted).count()
    return ClassChoices(ways=ways, counts=fine.marginal(needed), supervised=supervised)
