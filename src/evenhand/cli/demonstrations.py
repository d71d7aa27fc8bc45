"""``evenhand demo`` and ``paper``: what evenhand does on data that come with it."""

from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer

from evenhand.cli.terminal import print_results, say
from evenhand.files import write_file


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
    outcome = "verified" if status == 0 else f"refuted: {'; '.join(wrong)}"
    say(f"  Certificate {outcome}.", "")
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


def paper(
    *,
    data: Annotated[
        Path | None, typer.Option(help="A folder with dutch_census_2001.arff, or the file.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Also write everything to this Markdown file.")
    ] = None,
) -> None:
    """Print the paper's examples, discoveries and tables, with ours beside them.

    Adult comes with evenhand; the Dutch census is read from your own copy.
    """
    from evenhand import datasets
    from evenhand.reproduction import as_markdown, reproduce

    file = data if data is None or data.is_file() else next(data.rglob("dutch*.arff"), data)
    sections = []
    for section in reproduce(None if file is None else datasets.dutch(file)):
        print_results(section)
        sections.append(section)
    if markdown is not None:
        write_file(markdown, as_markdown(sections), mode=0o644, overwrite=True)
