"""The paper's examples, discoveries and tables: ours beside the printed figures.

``evenhand paper`` prints this, and docs/reproduction.md is this, generated.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from time import process_time

import numpy as np

from evenhand import datasets
from evenhand.counts import CountTable
from evenhand.display import Summary
from evenhand.evidence import Certificate, certify, explain_partition
from evenhand.graph import CausalGraph, discover
from evenhand.releasing.compare import Outcome, compare
from evenhand.releasing.cost import compare_counts
from evenhand.removal import (
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    ShuffleProtected,
)
from evenhand.removal.modify_data import check_releasable
from evenhand.removal.modify_graph import optimal_rates
from evenhand.reproduction.printed_figures import PRINTED, SIGNIFICANCE, PrintedFigures

THRESHOLDS = ("0.025", "0.05", "0.075", "0.1")
ADMISSION = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)
_BY_TRYING = (
    "Here MGraph's weights keep the decision's own shares: a recipe found by trying, not the",
    "printed formula. Which rows MData changes is random.",
)


def reproduce(dutch: CountTable | None = None) -> Iterator[Summary]:
    """Every figure of the paper that can be had, ours beside it; Dutch if it is given.

    Paper: sec:ee, table:comparison, table:setting
    """
    yield _examples()
    for name, counts in (("adult", datasets.adult(paper=True)), ("dutch", dutch)):
        if counts is not None:
            yield from _data_set(name, counts)


def as_markdown(sections: Iterable[Summary]) -> str:
    """The sections as a page."""
    lines = [
        "# The paper's figures, ours beside them",
        "",
        "Made by `evenhand paper --markdown`, not edited by hand. Where figures differ, notes",
        "say why; [theory.md](theory.md) has the corrections. The Dutch census may not be",
        "redistributed: `--data` names the folder of your copy. Tests read `EVENHAND_DATA`.",
    ]
    for section in sections:
        lines += ["", f"## {section.title}", ""]
        lines += [f"- {name}: {fact}" for name, fact in section.facts]
        if section.lines:
            lines += ["", "| " + " | ".join(section.columns) + " |"]
            lines += ["|" + "---|" * len(section.columns)]
            lines += ["| " + " | ".join(row) + " |" for row in section.lines]
        lines += ["", *map(str, section.notes)] if section.notes else []
    return "\n".join(lines) + "\n"


def _examples() -> Summary:
    question = datasets.question("admissions").question
    rows = []
    for example in (1, 2):
        counts = datasets.admissions(example)
        for names in (("test_score",), ("major",), ("major", "test_score")):
            shown = explain_partition(counts, ADMISSION, question, names)
            what = "block set" if shown.is_meaningful else "no block set"
            each = (f"{float(one.risk_difference or 0):+.3f}" for one in shown.subpopulations)
            rows.append((str(example), ", ".join(names), what, ", ".join(each)))
        verdict = certify(counts, ADMISSION, question).verdict
        rows.append((str(example), "verdict at 0.05", str(verdict), ""))
    return Summary(
        title="Examples 1 and 2",
        columns=("example", "partition", "it is", "differences, men minus women"),
        lines=tuple(rows),
        notes=(
            "As printed: .06, .10, .05 and .10 in Example 2; (EE, L) differs by exactly 1/20.",
            "The men's average of Example 1 is 47 %, not the printed 46 %.",
        ),
    )


def _data_set(name: str, counts: CountTable) -> Iterator[Summary]:
    printed, profile = PRINTED[name], datasets.question(name)
    start = process_time()
    graph = discover(counts, knowledge=profile.knowledge, significance=SIGNIFICANCE)
    pc_seconds = process_time() - start
    learned = certify(counts, graph, profile.question, knowledge=profile.knowledge)
    yield _discovery(learned, printed)
    # Utility is measured on all columns; of the graph only the decision's causes matter here.
    arrows = frozenset(
        (c, profile.question.decision) for c in graph.parents(profile.question.decision)
    )
    given = certify(counts, CausalGraph(counts.names, arrows), profile.question)
    yield _setting(given, printed)
    baselines = compare(
        learned,
        methods=[
            ModifyData(),
            ModifyGraph(),
            ModifyData(policy="paper"),
            ShuffleProtected(),
            LocalMassaging(),
            LocalPreferentialSampling(),
        ],
    ).outcomes
    yield _comparison(baselines, printed)
    yield Summary(
        title=f"{printed.title}: seconds",
        columns=("work", "ours (processor)", "paper"),
        lines=(
            ("PC", f"{pc_seconds:.2f}", f"{printed.pc_seconds}"),
            ("MGraph", f"{baselines[1].seconds:.2f}", f"{printed.graph_seconds}"),
            ("MData", f"{baselines[0].seconds:.2f}", f"{printed.data_seconds}"),
        ),
        notes=("The paper's machine was an Intel i7-4770 with TETRAD and CVXOPT.",),
    )


def _discovery(certificate: Certificate, printed: PrintedFigures) -> Summary:
    values = certificate.to_dict()
    spread, tally = values["risk_difference"], values["subpopulations"]
    bound = certificate.relaxed(threshold=printed.bound_at).bound
    ours = {
        "occupied": str(tally["occupied"]),
        "measured": str(tally["measured"]),
        "above the threshold": str(tally["above"]),
        "below its negative": str(tally["below"]),
        "range": f"{spread['min']:.3f} to {spread['max']:.3f}".replace("-", "−"),
        "mean": f"{spread['mean']:.3f}",
        "sd": f"{spread['sd']:.3f}",
        "bound": "none" if bound is None else f"{100 * float(bound):.2f} %",
    }
    names = {"bound": f"bound at {printed.bound_at}"}
    notes = (
        "Ours counts differences of exactly the threshold too: 94 are strictly above.",
        "The printed range, 90, 49, sd and bound have no known recipe.",
        "In 108 subpopulations one sex is absent, and there is no difference to speak of.",
    )
    return Summary(
        title=f"{printed.title}: discovery",
        facts=(("causes of the decision", ", ".join(certificate.decision_causes)),),
        columns=("", "ours", "paper"),
        lines=tuple(
            (names.get(key, key), ours[key], theirs)
            for key, theirs in printed.discovery.items()
        ),
        notes=notes if ours["occupied"] == "376" else (),
    )


def _setting(certificate: Certificate, printed: PrintedFigures) -> Summary:
    ours: dict[str, list[str]] = {key: [] for key in printed.setting}
    left: dict[str, list[str]] = {"MGraph": [], "MData": []}
    data = compare(
        certificate, thresholds=THRESHOLDS, methods=[ModifyData(policy="paper")]
    ).outcomes
    before = certificate.examined.counts
    for outcome in data:
        question = replace(certificate.question, threshold=outcome.threshold)
        at = certify(before, certificate.graph, question)
        after, _ = rounded_model(at, decision_left_in=printed.decision_left_in)
        utility = compare_counts(before, after)
        remaining = certify(after, certificate.graph, question).partition.violating
        for name, value in (
            ("MGraph d × 10³", f"{1000 * utility.distance:.3f}"),
            ("MGraph n_T", f"{utility.cell_changes}"),
            ("MGraph χ²", f"{utility.chi_square_kept_cells:.0f}"),
            ("MData d × 10³", f"{1000 * outcome.utility.distance:.2f}"),
            ("MData n_T", f"{outcome.utility.cell_changes}"),
            ("MData χ²", f"{outcome.utility.chi_square:.0f}"),
        ):
            ours[name].append(value)
        left["MGraph"].append(str(remaining))
        left["MData"].append(str(outcome.violating))
    rows = []
    for name, theirs in printed.setting.items():
        rows += [(name, "ours", *ours[name]), ("", "paper", *map(str, theirs))]
    rows += [(f"{name}: still violating", "ours", *counts) for name, counts in left.items()]
    return Summary(
        title=f"{printed.title}: utility at four thresholds (Table 5)",
        columns=("", "", *THRESHOLDS),
        lines=tuple(rows),
        notes=(
            "The rules are the paper's: ⌈n(|Δ|−τ)⌉ changes in the smaller group; the model's",
            "optimum rounded cell by cell. Both leave violations, which it does not say.",
            "MGraph's printed n_T carries its solver's tolerance.",
            *(_BY_TRYING if printed.decision_left_in else ()),
        ),
    )


def _comparison(outcomes: Sequence[Outcome], printed: PrintedFigures) -> Summary:
    names = ("minimal", "quotas", "MData", "Naive", "LM", "LPS")
    rows: list[tuple[str, ...]] = []
    for name, outcome in zip(names, outcomes, strict=True):
        utility = outcome.utility
        cost = f"{1000 * utility.distance:.2f}", f"{utility.cell_changes}"
        left = f"{outcome.violating} of {outcome.measured}"
        rows.append((name, "ours", *cost, f"{utility.chi_square:.0f}", left))
        if name in printed.comparison:
            theirs = map(str, printed.comparison[name])
            rows.append(("", "paper", *theirs, printed.left.get(name, "")))
    return Summary(
        title=f"{printed.title}: methods at 0.05 (Table 4)",
        columns=("method", "", "d × 10³", "n_T", "χ²", "still violating"),
        lines=tuple(rows),
        notes=(
            "minimal and quotas are our certified ways of MData and MGraph. Naive is random.",
            "The paper does not state LM's and LPS's ranker nor the order of the attributes.",
        ),
    )


def rounded_model(
    certificate: Certificate, *, decision_left_in: bool = False
) -> tuple[CountTable, float]:
    """The counts under the optimal rates, rounded cell by cell, and the model's distance.

    So the paper's MGraph tables come about. Rounding loses and makes rows and leaves
    differences: this is no way to a release, and serves to show the figures beside ours.

    The model is the joint distribution of all columns as counted. With ``decision_left_in`` the
    weights keep the decision's own shares: not the paper's formula, but a recipe that gives its
    figures for the Dutch census.

    Paper: table:setting
    """
    partition = check_releasable(certificate)
    counts, question = certificate.examined.counts, certificate.question
    subpopulation, _ = counts.groups(partition.names)
    side = certificate.examined.group_codes
    favorable = certificate.examined.decision_codes == 0

    old = partition.favorable[0] / np.maximum(partition.rows, 1)
    rate = old[side, subpopulation]
    share = np.where(favorable, rate, 1 - rate)
    cells = counts.counts / counts.row_count
    # Where a group had one decision only, its people stand for those who get the other.
    alone = share == 1
    squares = cells**2 if decision_left_in else (cells / share) ** 2 * (1 + alone)
    weights = np.zeros_like(old)
    np.add.at(weights, (side, subpopulation), squares)
    rates, distance = optimal_rates(partition, weights, question.threshold)

    new = rates[side, subpopulation]
    new = np.where(np.isnan(new), rate, new)
    new_share = np.where(favorable, new, 1 - new)
    flipped = [column[alone] for column in counts.codes]
    codes_of = [counts.code(question.decision, label) for label in partition.decisions]
    flipped[counts.position(question.decision)] = np.where(favorable[alone], *codes_of[::-1])
    kept, moved = counts.counts / share * new_share, counts.counts * (1 - new_share)
    rounded = np.rint(np.concatenate([kept, moved[alone]])).astype(np.int64)
    codes = [np.concatenate(pair) for pair in zip(counts.codes, flipped, strict=True)]
    return CountTable.build(counts.attributes, codes, rounded), distance
