"""Sections 8 and 9 and the small print: what is missing, how to check, and how it was made."""

from collections.abc import Sequence
from importlib.metadata import version
from shlex import quote

from evenhand.evidence import Certificate
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, capital, count, share
from evenhand.report.shown_groups import Case
from evenhand.report.template_types import Code, Strong, text

_LARGEST = 5
_PRIVACY = "This report shows small counts: make a shared copy before passing it on."


def unmeasured(certificate: Certificate, words: Words) -> page.Unmeasured:
    """The groups in which nobody can be compared."""
    absent = certificate.unmeasured
    rows = certificate.partition.row_counts
    order = sorted(range(len(absent)), key=lambda at: -rows[absent.lines[at]])
    largest = [absent[at] for at in order[:_LARGEST]]
    return page.Unmeasured(
        lead=tuple(_absent(certificate, words)),
        group=capital(words.group),
        other=capital(words.other),
        largest=tuple(
            (
                words.alike(people.where) or "everybody",
                f"{people.group:,}",
                f"{people.other:,}",
            )
            for people in largest
        ),
    )


def _absent(certificate: Certificate, words: Words) -> list[page.Text]:
    least = (
        "The least coverage of each group that was asked for is "
        f"{share(float(certificate.min_coverage))}."
    )
    absent = certificate.unmeasured
    if not absent:
        return [
            text(
                Strong("Nothing was left out by necessity."),
                f" Every group holds both {words.group} and {words.other}.",
            )
        ]
    rows = int(certificate.partition.row_counts[absent.lines].sum())
    only = int((certificate.partition.group[absent.lines] == 0).sum())
    return [
        text(
            Strong(
                f"{len(absent):,} of {count(len(certificate.partition), 'group')}, with "
                f"{count(rows, 'person', 'people')} "
                f"({share(rows / certificate.row_count)} of the rows), "
                f"{'holds' if len(absent) == 1 else 'hold'} only {words.group} or only "
                f"{words.other}."
            ),
            " Nobody there can be compared, so they neither support the verdict nor speak "
            f"against it. Only {words.group}: {len(absent) - only:,}; only {words.other}: "
            f"{only:,}. {least}",
        ),
        text("The largest of them; all are in the certificate.")
        if len(absent) > _LARGEST
        else text("They are:"),
    ]


def checking(
    certificate: Certificate,
    cases: Sequence[Case],
    files: tuple[str | None, str | None],
    words: Words,
) -> page.Checking:
    """One sum by hand, the commands, and the digest of the counts.

    ``files`` are the names of certificate and data; what was not written stands in capitals.
    """
    name, data = files[0] or "CERTIFICATE.json", files[1] or "DATA.csv"
    return page.Checking(
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
    return (
        f"{case.id + ': ' if case.id else ''}{people.other_yes:,} ÷ {people.other:,} − "
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


def small_print(
    certificate: Certificate, words: Words, generated: str, *, privacy: str = _PRIVACY
) -> page.SmallPrint:
    """Codes, privacy and provenance; definitions are the template's own."""
    question = certificate.question
    return page.SmallPrint(
        sign=f"share of {words.other} minus share of {words.group}. Positive: {words.other} "
        "higher.",
        codes=f"{question.protected} = {question.group}, compared with {question.other}; "
        f"{question.decision} = {question.favorable}; τ = {question.threshold}."
        + _column_names(certificate, words),
        privacy=privacy,
        made=f"evenhand {version('evenhand')}, {generated}.",
    )
