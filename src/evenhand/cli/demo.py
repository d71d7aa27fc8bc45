"""``evenhand demo``: audit, release, report and check on data that come with evenhand."""

from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer

from evenhand.cli.terminal import say

_STRONGEST = 5


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write to.")
    ] = Path("evenhand-demo"),
) -> None:
    """Show what evenhand does, on the Adult data that come with it.

    Audits 48,842 census records, releases a certified version, checks the certificate again,
    and writes data, certificate and report to a folder.
    """
    from evenhand import datasets
    from evenhand.auditing import audit
    from evenhand.checker import verify
    from evenhand.evidence.sentences import finding
    from evenhand.question import Tiers
    from evenhand.report import report

    adult = datasets.question("adult")
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    counts = datasets.adult()

    _title("What is asked")
    _say(
        "Did being a woman itself change whether a person earns over 50K, by 5 percentage "
        f"points or more, among people who are alike? {counts.row_count:,} rows of the Adult "
        "census data (UCI), eleven attributes in two classes each."
    )
    result = audit(counts, adult, knowledge=tiers)
    certificate = result.certificate

    _title("What causes what, learned from the rows")
    for name in result.graph.nodes:
        causes = sorted(result.graph.parents(name))
        undirected = ", ".join(sorted(result.graph.neighbors(name)))
        doubt = f" (open: {undirected})" if undirected else ""
        _say(f"{name} ← {', '.join(causes) or 'nothing'}{doubt}", indent=4)

    _title("The verdict")
    result.doubt()  # tests the graph, so that the summary says what the rows speak against
    summary = result.summary()
    _say(summary.opening)
    for name, fact in summary.facts:
        _say(f"{name}: {fact}", indent=4)

    shown = certificate.population.shown
    _title(
        f"The {_STRONGEST} strongest pieces of evidence"
        if shown
        else f"The {_STRONGEST} differences that chance explains least; none of them is shown"
    )
    for number, piece in enumerate(certificate.evidence[:_STRONGEST], 1):
        _say(f"E{number}. {finding(piece, certificate.question, adult.labels)}", indent=4)

    _title("The smallest change that removes all of it")
    released = result.release(seed=2017)
    output.mkdir(parents=True, exist_ok=True)
    files = released.write(output / "adult-released.csv", overwrite=True, share=True)
    for name, fact in released.summary().facts:
        _say(f"{name}: {fact}", indent=4)
    _say(
        f"{released.changed_rows:,} decisions changed; nothing else did. The released rows "
        "were counted afresh and certified before the file got its name."
    )

    _title("Checked again, by a program that shares no code with this one")
    status, wrong, *_ = verify(files.certificate.read_text("utf-8"), str(files.data))
    _say("The record is true." if status == 0 else f"The record is false: {'; '.join(wrong)}")

    page = report(result, released, labels=result.labels, title="Adult census records").write(
        output / "report.html", overwrite=True
    )
    _title("Where everything is")
    for what, path in (
        ("report", page),
        ("data", files.data),
        ("certificate", files.certificate),
        ("manifest", files.manifest),
    ):
        say(f"  {what:<12} {path}")
    say(f"  check it     evenhand verify {files.certificate} {files.data}")
    raise typer.Exit(0 if status == 0 else 1)


def _title(text: str) -> None:
    say("")
    say(text, bold=True)


def _say(text: str, *, indent: int = 2) -> None:
    space = " " * indent
    say(*fill(text, 80, initial_indent="  ", subsequent_indent=space).split("\n"))
