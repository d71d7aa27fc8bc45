"""``evenhand demo``: audit, release, report and check on data that come with evenhand."""

from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer

from evenhand.cli.terminal import print_results, say


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
    from evenhand.question import Tiers
    from evenhand.report import report

    adult, counts = datasets.question("adult"), datasets.adult()
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    asked = (
        "Did being a woman itself change whether a person earns over 50K, by 5 percentage "
        f"points or more, among people who are alike? {counts.row_count:,} rows of the Adult "
        "census data (UCI), eleven attributes in two classes each."
    )
    say(*fill(asked, 80).split("\n"), "")
    result = audit(counts, adult, knowledge=tiers)
    result.doubt()  # tests the graph, so that the summary says what the rows speak against
    print_results(result.graph.summary(), result.summary())
    released = result.release(seed=2017)
    output.mkdir(parents=True, exist_ok=True)
    files = released.write(output / "adult-released.csv", overwrite=True, share=True)
    print_results(released.summary())
    status, wrong, *_ = verify(files.certificate.read_text("utf-8"), str(files.data))
    say("Checked again, by a program that shares no code with this one:", bold=True)
    say("  The record is true." if status == 0 else f"  It is false: {'; '.join(wrong)}", "")
    page = report(result, released, labels=result.labels, title="Adult census records")
    page.write(output / "report.html", overwrite=True)
    for what, path in (
        ("report", output / "report.html"),
        ("data", files.data),
        ("certificate", files.certificate),
        ("manifest", files.manifest),
    ):
        say(f"  {what:<12} {path}")
    say(f"  check it     evenhand verify {files.certificate} {files.data}")
    raise typer.Exit(0 if status == 0 else 1)
