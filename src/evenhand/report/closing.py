"""Sections 8 and 9 and the small print: what is missing, how to check, and how it was made."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import PurePath

from evenhand.evidence import Certificate
from evenhand.report import view
from evenhand.report.cases import Case, Sharing
from evenhand.report.view import Code, Strong
from evenhand.report.wording import Words, capital, count, share

_LARGEST = 5


def unmeasured(certificate: Certificate, words: Words, sharing: Sharing) -> view.Unmeasured:
    """The groups in which nobody can be compared."""
    absent = certificate.unmeasured
    rows = certificate.partition.rows
    order = sorted(range(len(absent)), key=lambda at: -rows[absent.chosen[at]])
    largest = [absent[at] for at in order[:_LARGEST]] if sharing.whole else []
    return view.Unmeasured(
        lead=tuple(_absent(certificate, words, sharing)),
        group=capital(words.group),
        other=capital(words.other),
        largest=tuple(
            view.Absent(
                alike=words.alike(found.where) or "everybody",
                group=f"{found.group:,}",
                other=f"{found.other:,}",
            )
            for found in largest
        ),
    )


def _absent(certificate: Certificate, words: Words, sharing: Sharing) -> list[view.Text]:
    least = f"The least coverage of each group that was asked for is {share(float(certificate.min_coverage))}."
    if not sharing.whole:
        return [("Groups in which one side is absent are withheld, and so is their number.",)]
    absent = certificate.unmeasured
    if not absent:
        return [
            (
                Strong("Nothing was left out by necessity."),
                f" Every group holds both {words.group} and {words.other}.",
            )
        ]
    rows = int(certificate.partition.rows[absent.chosen].sum())
    only = int((certificate.partition.group[absent.chosen] == 0).sum())
    return [
        (
            Strong(
                f"{len(absent):,} of {count(len(certificate.partition), 'group')}, with {count(rows, 'person', 'people')} "
                f"({share(rows / certificate.rows)} of the rows), "
                f"{'holds' if len(absent) == 1 else 'hold'} only {words.group} or only {words.other}."
            ),
            f" Nobody there can be compared, so they neither support the verdict nor speak against it. {only:,} of "
            f"them hold only {words.other}. {least}",
        ),
        (f"The largest of them; all are in the certificate.",)
        if len(absent) > _LARGEST
        else ("They are:",),
    ]


def checking(
    certificate: Certificate,
    drawn: Sequence[Case],
    source: str | None,
    words: Words,
    sharing: Sharing,
) -> view.Checking:
    """One sum by hand, the commands, and the digest of the counts."""
    data = source or "DATA.csv"
    name = f"{PurePath(data).stem}.certificate.json"
    commands = [(f"evenhand verify {_quoted(name)}", "the arithmetic, from the counts alone")]
    commands += [
        (
            f"evenhand verify {_quoted(name)} {_quoted(data)}",
            "that the counts come from this table",
        )
    ]
    commands += [(f"python checker.py {_quoted(name)}", "the same, without evenhand")]
    return view.Checking(
        sums=tuple(_sum(case, words) for case in drawn[:1]),
        commands=tuple(commands),
        data=(
            f"{certificate.rows:,} rows; SHA-256 of the counts that the verdict rests on: ",
            Code(certificate.digest),
        )
        if not sharing.share
        else ("A copy for others carries no digest of the counts.",),
    )


def _sum(case: Case, words: Words) -> str:
    found = case.found
    other, group = found.other_yes / found.other, found.group_yes / found.group
    sign = "≥" if case.side else "<"
    difference = abs(found.risk_difference or 0)
    size = words.points(difference)
    return (
        f"{case.id + ': ' if case.id else ''}{found.other_yes:,} ÷ {found.other:,} − {found.group_yes:,} ÷ {found.group:,} "
        f"= {100 * other:.2f}% − {100 * group:.2f}%; {size} points {sign} {words.threshold_points}"
    )


def _quoted(text: str) -> str:
    """A file name as a shell takes it, whatever is in it."""
    if text and all(mark.isalnum() or mark in "._-/+" for mark in text) and text[0] != "-":
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def small_print(
    certificate: Certificate, words: Words, sharing: Sharing, generated: str
) -> tuple[tuple[str, view.Text], ...]:
    """Definitions and provenance."""
    question = certificate.question
    codes = (
        f"{question.protected} = {question.group}, compared with {question.other}; {question.decision} = "
        f"{question.favorable}; τ = {question.threshold}"
    )
    privacy = "Certified does not mean anonymous." + (
        f" Groups with a count under {sharing.least_count} are withheld whole, with all totals that would give them "
        "back; ids number the groups of this copy only."
        if sharing.share
        else " This report shows small counts: make a copy with --share before passing it on."
    )
    return (
        (
            "Sign",
            (
                f"Difference = share of {words.other} minus share of {words.group}. Positive: {words.other} higher.",
            ),
        ),
        (
            "Exactness",
            (
                "Whether a difference reaches the threshold is decided in whole numbers. A value under the threshold is "
                "never printed as the threshold.",
            ),
        ),
        (
            "Group",
            (
                "People with the same values of all decision causes; the method calls it a subpopulation.",
            ),
        ),
        ("Interval", ("Newcombe’s method from Wilson limits, 95%.",)),
        (
            "p",
            (
                "Score test that the difference is at most the threshold, exact where a side is tiny; adjusted by Holm’s method.",
            ),
        ),
        (
            "Shown",
            (
                "The interval lies wholly beyond the threshold, and the adjusted p is under 0.05.",
            ),
        ),
        (
            "Unrecorded cause",
            (
                "It moves a difference by at most its imbalance between the two sides times its effect on the rate.",
            ),
        ),
        ("Codes", (codes,)),
        ("Privacy", (privacy,)),
        (
            "Method",
            (
                "Zhang, Wu, Wu: Achieving Non-Discrimination in Data Release; corrections in the documentation.",
            ),
        ),
        ("Made by", (f"evenhand {version('evenhand')}, {generated}.",)),
    )
