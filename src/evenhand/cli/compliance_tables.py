"""``evenhand tables`` and ``comparators``: what people must hand in."""

from pathlib import Path
from typing import Annotated

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, result_option, with_keys
from evenhand.cli.terminal import ProgressBar, print_json, print_results, say

_Overwrite = Annotated[bool, result_option("--overwrite", help="Replace an earlier file.")]


@with_keys
def tables(
    asked: Asked,
    *,
    output: Annotated[
        Path | None,
        result_option("--output", "-o", help="Write to this file: .csv, .md, .html or .txt."),
    ] = None,
    layout: Annotated[
        str,
        result_option(help="evenhand, or nyc-144 as in New York's rules (Local Law 144)."),
    ] = "evenhand",
    overwrite: _Overwrite = False,
    json: AsJson = False,
) -> None:
    """Rates of selection and impact ratios, of every category and intersection.

    Example: `evenhand tables adult.csv --question adult.toml --output rates.html`
    """
    asked.check_outputs(output, overwrite=overwrite)
    with ProgressBar(quiet=json) as progress:
        made = asked.audits(progress)[0].tables(layout=layout)
    if output is not None:
        made.write(output, overwrite=overwrite)
    if json:
        print_json(made.to_dict())
        return
    asked.show_guesses()
    print_results(*made.summaries())
    if output is not None:
        say(f"Tables: {output}")


@with_keys
def comparators(
    asked: Asked,
    *,
    output: Annotated[
        Path | None,
        result_option(
            "--output", "-o", help="Write to this file, for you only: .csv or .xlsx."
        ),
    ] = None,
    key: Annotated[
        str | None,
        result_option(help="The column that says who somebody is. [default: row numbers]"),
    ] = None,
    findings: Annotated[int, result_option(help="So many of the strongest findings.")] = 10,
    nearest: Annotated[int, result_option(help="So many comparators for each person.")] = 3,
    overwrite: _Overwrite = False,
    json: AsJson = False,
) -> None:
    """Beside refused people of each finding the nearest ones alike who were favored.

    Example: `evenhand comparators adult.csv --question adult.toml --output pairs.csv`
    """
    asked.check_outputs(output, overwrite=overwrite)
    with ProgressBar(quiet=json) as progress:
        audit = asked.audits(progress)[0]
        made = audit.comparators(findings=findings, nearest=nearest, key=key, progress=progress)
    if output is not None:
        made.write(output, overwrite=overwrite)
    if json:
        rows = [dict(zip(made.head, line, strict=True)) for line in made.lines()]
        print_json({"alike_in": [*made.alike_in], "columns": [*made.columns], "lines": rows})
        return
    asked.show_guesses()
    print_results(made.summary())
    if output is not None:
        say(f"Comparators, yours only: {output}")
