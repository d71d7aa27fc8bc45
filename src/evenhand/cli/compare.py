"""``evenhand compare``: every removal method side by side."""

from typing import Annotated

import typer

from evenhand.cli.options import Asked, shared
from evenhand.cli.terminal import Progress, print_json, print_result

_RESULT = "What comes out"


@shared
def compare(
    asked: Asked,
    *,
    thresholds: Annotated[
        str | None,
        typer.Option(help="Several thresholds: '0.025,0.05,0.1'.", rich_help_panel=_RESULT),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the random choices.", rich_help_panel=_RESULT)
    ] = 0,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON document, nothing else.", rich_help_panel=_RESULT
        ),
    ] = False,
) -> None:
    """Carry out every removal method on the counts: what it changes, costs and leaves.

    Nothing is written. Example: `evenhand compare adult.csv --question adult.toml
    --thresholds 0.025,0.05,0.075,0.1`
    """
    from evenhand.releasing.compare import compare as compare_methods

    with Progress(quiet=json) as progress:
        found = asked.audit(progress)
        compared = compare_methods(
            found.certificate,
            thresholds=None if thresholds is None else thresholds.split(","),
            seed=seed,
        )
    if json:
        print_json(compared.to_dict())
    else:
        print_result(compared.summary())
