"""``evenhand compare``: every removal method side by side."""

from dataclasses import replace
from typing import Annotated

import typer

from evenhand.cli.options import Asked, shared
from evenhand.cli.terminal import Progress, print_in_parts, print_json
from evenhand.display import Summary

_RESULT = "What comes out"
_FIRST = ("τ", "method", "verdict", "violating", "guaranteed")


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
        told = compared.summary()
        print_in_parts(told, _narrow(told))


def _narrow(told: Summary) -> Summary:
    """The same in fewer columns, what a method leaves before what it costs.

    A policy stands with its method where there is a choice, and else in a note; the only
    threshold is among the facts.
    """
    lines = [dict(zip(told.columns, row, strict=True)) for row in told.rows]
    policies: dict[str, set[str]] = {}
    for line in lines:
        policies.setdefault(line["method"], set()).add(line["policy"])
    alone = {method: min(found) for method, found in policies.items() if len(found) == 1}
    for line in lines:
        if line["method"] not in alone:
            line["method"] += f" {line['policy']}"
    is_one = len({line["τ"] for line in lines}) == 1
    kept = [name for name in (*_FIRST, *told.columns) if not (name == "τ" and is_one)]
    columns = tuple(dict.fromkeys(name for name in kept if name != "policy"))
    policy = "; ".join(f"{method}, {policy}" for method, policy in alone.items())
    return replace(
        told,
        columns=columns,
        rows=tuple(tuple(line[name] or "-" for name in columns) for line in lines),
        notes=(*told.notes, f"The only policy: {policy}.") if alone else told.notes,
    )
