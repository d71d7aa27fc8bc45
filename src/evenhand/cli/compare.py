"""``evenhand compare``: every removal method side by side."""

from dataclasses import replace
from typing import Annotated

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, Seed, result_option, with_keys
from evenhand.cli.terminal import ProgressBar, print_in_parts, print_json
from evenhand.display import Summary

_FIRST = ("τ", "method", "verdict", "violating", "claim", "through", "guaranteed")


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
        summary = comparison.summary()
        print_in_parts(summary, _narrow(summary))
        measures = comparison.measures_summary()
        print_in_parts(measures, measures)


def _narrow(summary: Summary) -> Summary:
    """The same in fewer columns, what a method leaves before what it costs.

    A policy is printed with its method where there is a choice, and otherwise in a note; a
    single threshold is among the facts already.
    """
    lines = [dict(zip(summary.columns, row, strict=True)) for row in summary.lines]
    policies: dict[str, set[str]] = {}
    for line in lines:
        policies.setdefault(line["method"], set()).add(line["policy"])
    single = {method: min(names) for method, names in policies.items() if len(names) == 1}
    for line in lines:
        if line["method"] not in single:
            line["method"] += f" {line['policy']}"
    left_out = {"policy"} if len({line["τ"] for line in lines}) > 1 else {"policy", "τ"}
    shown = [name for name in summary.columns if name not in left_out]
    columns = tuple(dict.fromkeys([*(name for name in _FIRST if name in shown), *shown]))
    policy = "; ".join(f"{method}, {policy}" for method, policy in single.items())
    return replace(
        summary,
        columns=columns,
        lines=tuple(tuple(line[name] or "-" for name in columns) for line in lines),
        notes=(*summary.notes, f"The only policy: {policy}.") if single else summary.notes,
    )
