"""``evenhand compare``: every removal method side by side."""

from typing import Annotated

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, Seed, result_option, with_keys
from evenhand.cli.terminal import ProgressBar, print_json, print_results


@with_keys
def compare(
    asked: Asked,
    *,
    thresholds: Annotated[
        str | None, result_option(help="Several thresholds: '0.025,0.05,0.1'.")
    ] = None,
    seed: Seed = None,
    json: AsJson = False,
) -> None:
    """Apply every removal method to the counts: what it changes, costs and leaves.

    Nothing is written. Example: `evenhand compare adult.csv --question adult.toml
    --thresholds 0.025,0.05,0.075,0.1`
    """
    from evenhand.releasing.compare import compare as compare_methods

    with ProgressBar(quiet=json) as progress:
        comparison = compare_methods(
            asked.audits(progress)[0].certificate,
            thresholds=None if thresholds is None else thresholds.split(","),
            seed=seed,
            progress=progress,
        )
    if json:
        print_json(comparison.to_dict())
    else:
        print_results(comparison.summary(), comparison.measures_summary())
