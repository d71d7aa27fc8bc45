"""Results for continuous integration: JUnit XML, and a summary of a step in Markdown."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evenhand.cli.terminal import option
from evenhand.display import Summary, visible
from evenhand.files import write_file

if TYPE_CHECKING:
    from evenhand.auditing import Audit


def write_junit(
    path: Path, audits: "Mapping[str, Audit]", *, table: str, strict: bool, overwrite: bool
) -> None:
    """A test for each claim: *Yes* and not certified fail, what nobody can tell is an error."""
    from evenhand.evidence.statistical_verdict import exit_status

    suite = Element("testsuite", name=f"evenhand audit of {visible(table)}")
    failures = errors = 0
    for name, audit in audits.items():
        question, summary = audit.question, audit.summary()
        for claim, verdict in audit.deciding_verdicts.items():
            about = f"{question.decision} by {question.groups_column}"
            case = SubElement(
                suite,
                "testcase",
                classname=visible(f"evenhand.{name or question.decision}"),
                name=visible(f"{about} {claim}".strip()),
            )
            status = exit_status({claim: verdict}, strict=strict)
            if status:
                kind = "failure" if status == 1 else "error"
                message = visible(summary.opening if not claim else f"{verdict}")
                SubElement(case, kind, message=message, type=str(verdict)).text = visible(
                    "; ".join(map(str, summary.besides))
                )
            failures, errors = failures + (status == 1), errors + (status not in (0, 1))
    counts = {"failures": failures, "errors": errors}
    suite.attrib |= {"tests": str(len(suite)), **{k: str(v) for k, v in counts.items()}}
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    text = tostring(root, "unicode", xml_declaration=True) + "\n"
    write_file(path, text, mode=0o644, overwrite=overwrite)


def write_markdown(
    path: Path, audits: "Mapping[str, Audit]", *, with_counts: bool, overwrite: bool
) -> None:
    """The answer, its first lines, the strongest evidence and the guesses, in Markdown.

    Without counts the evidence is left out, as in a copy for others.
    """
    parts = []
    for name, audit in audits.items():
        summary = audit.summary()
        title = f"{name}: {summary.opening}" if name else summary.opening
        guesses = [one.asked(audit.question).text(option) for one in audit.file.guesses]
        parts.append(
            Summary(
                title=title,
                columns=summary.columns if with_counts else (),
                lines=summary.lines if with_counts else (),
                notes=(*summary.besides, *(f"Guessed: {one}" for one in guesses)),
            ).markdown()
        )
    write_file(path, "\n\n".join(parts) + "\n", mode=0o644, overwrite=overwrite)
