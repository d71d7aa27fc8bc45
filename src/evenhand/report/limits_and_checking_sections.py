"""Sections 8 and 9 and the small print: what is missing, how to check, and how it was made."""

from collections.abc import Sequence
from importlib.metadata import version
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate
from evenhand.report.groups import Case
from evenhand.report.html_report import View
from evenhand.wording import (
    MOST_LISTED,
    Code,
    Strong,
    Text,
    Words,
    capital,
    count,
    listing,
    share,
    shortened,
    tally,
    text,
)

_LARGEST = 5
_PRIVACY = "This report shows small counts: make a shared copy before passing it on."


def unmeasured(certificate: Certificate, words: Words) -> View:
    """The groups in which nobody can be compared."""
    absent = certificate.unmeasured
    rows = certificate.partition.row_counts
    order = sorted(range(len(absent)), key=lambda at: -rows[absent.lines[at]])
    largest = absent.lines[order[:_LARGEST]]
    return View(
        lead=tuple(_absent(certificate, words)),
        heads=(capital(words.group), capital(words.other)) if words.is_named else ("Who",),
        largest=tuple(
            (
                words.alike(certificate.partition.where(line)) or "everybody",
                *_present(certificate.partition.rows[:, line], words),
            )
            for line in largest
        ),
    )


def _present(rows: NDArray[np.int64], words: Words) -> tuple[str, ...]:
    """How many of each of two groups there are, or who is there of several."""
    if words.is_named:
        return tuple(f"{many:,}" for many in rows)
    return (listing(tally(rows.tolist(), words.groups)),)


def _absent(certificate: Certificate, words: Words) -> list[Text]:
    least = (
        "The least coverage of each group that was asked for is "
        f"{share(float(certificate.min_coverage))}."
    )
    absent = certificate.unmeasured
    if not absent:
        return [
            text(
                Strong("Nothing was left out by necessity."),
                f" Every group holds {_held(certificate.partition.rows, words)}.",
            )
        ]
    rows = int(certificate.partition.row_counts[absent.lines].sum())
    hold = "holds" if len(absent) == 1 else "hold"
    present = certificate.partition.rows[:, absent.lines]
    return [
        text(
            Strong(
                f"{len(absent):,} of {count(len(certificate.partition), 'group')}, with "
                f"{count(rows, 'person', 'people')} "
                f"({share(rows / certificate.row_count)} of the rows), "
                f"{hold} {_alone(words)}."
            ),
            " Nobody there can be compared, so they neither support the verdict nor speak "
            f"against it. {_tally(present, words)}. {least}",
        ),
        ("The largest of them; all are in the certificate.")
        if len(absent) > _LARGEST
        else ("They are:"),
    ]


def _held(rows: NDArray[np.int64], words: Words) -> str:
    """Who is in every group of people alike."""
    if words.has_sides:
        return f"{'both ' * words.is_named}{words.both}"
    least = int((rows > 0).sum(axis=0).min())
    return f"{f'all {least:,}' if least == len(rows) else 'at least two'} {words.kinds}"


def _alone(words: Words) -> str:
    """Who is in a group without a comparison."""
    least = words.question.min_rows
    if words.is_named:
        few = f", or fewer than {least:,} of one" if least > 1 else ""
        return f"only {words.group} or only {words.other}{few}"
    enough = f" with at least {least:,} people" if least > 1 else ""
    if words.has_sides:
        return f"only {words.other}{enough}, or none of them"
    return f"no two {words.kinds}{enough}"


def _tally(rows: NDArray[np.int64], words: Words) -> str:
    """How many groups hold only one of several kinds of people, by kind."""
    alone = (rows > 0).sum(axis=0) == 1
    only = ((rows > 0) & alone).sum(axis=1).tolist()
    mixed = rows.shape[1] - int(alone.sum())
    each = [*zip(only, words.groups, strict=True)]
    if len(each) > MOST_LISTED:
        each.sort(key=lambda one: -one[0])
    parts = shortened([f"only {who}: {many:,}" for many, who in each])
    return capital("; ".join([*parts, f"several: {mixed:,}"] if mixed else parts))


def checking(
    certificate: Certificate,
    cases: Sequence[Case],
    files: tuple[str | None, str | None],
    words: Words,
) -> View:
    """One sum by hand, the commands, and the digest of the counts.

    ``files`` are the names of certificate and data; what was not written stands in capitals.
    """
    name, data = files[0] or "CERTIFICATE.json", files[1] or "DATA.csv"
    return View(
        sums=tuple(_sum(case, words) for case in cases[:1]),
        commands=(
            (f"evenhand verify {quote(name)}", "the arithmetic, from the counts alone"),
            (f"evenhand verify {quote(name)} {quote(data)}", "that they come from this table"),
            (f"python -m checker {quote(name)}", "the same, without evenhand"),
        ),
        data=text(
            f"{certificate.row_count:,} rows; SHA-256 of the counts that the verdict "
            "rests on: ",
            Code(certificate.digest),
        ),
    )


def _sum(case: Case, words: Words) -> str:
    people = case.people
    other, group = people.other_yes / people.other, people.group_yes / people.group
    sign = "≥" if case.side else "<"
    names = words.pair(people)
    who = "" if words.is_named else f"{names[1]} − {names[0]}: "
    return (
        f"{case.id + ': ' if case.id else ''}{who}{people.other_yes:,} ÷ {people.other:,} − "
        f"{people.group_yes:,} ÷ {people.group:,} = {100 * other:.2f}% − {100 * group:.2f}%; "
        f"{words.points(abs(case.difference))} points {sign} {words.threshold_points}"
    )


def _column_names(certificate: Certificate, words: Words) -> str:
    """Where to find what is called otherwise here than in the table."""
    renamed = [
        f"{words.column(name)} = {name}"
        for name in certificate.graph.nodes
        if words.column(name) != name
    ]
    return f" Columns: {'; '.join(renamed)}." if renamed else ""


def _groups_code(words: Words) -> str:
    question = words.question
    if words.is_named:
        return f"{question.groups_column} = {question.group}, compared with {question.other}"
    groups = "; ".join(shortened(words.group_values))
    whom = f"each compared with {question.other}" if words.has_sides else "in pairs"
    return f"{question.groups_column} ({groups}), {whom}"


def _decisions_code(words: Words) -> str:
    question = words.question
    if question.favorable:
        return f"{question.decision} = {question.favorable_label}"
    return f"{question.decision}, each of: {'; '.join(words.cuts)}"


def small_print(
    certificate: Certificate, words: Words, generated: str, *, privacy: str = _PRIVACY
) -> View:
    """Codes, privacy and provenance; definitions are the template's own."""
    question = certificate.question
    positive = f" Positive: {words.other} higher." if words.has_sides else " Never negative."
    return View(
        sign=f"share of {words.other} minus share of {words.group}.{positive}",
        codes=f"{_groups_code(words)}; {_decisions_code(words)}; τ = {question.threshold}."
        + _column_names(certificate, words),
        privacy=privacy,
        made=f"evenhand {version('evenhand')}, {generated}.",
    )
