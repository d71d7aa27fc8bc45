"""Measures that people know, and Feldman's repair, on Adult and on the Dutch census."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evenhand import RepairAttributes, datasets
from evenhand.evidence import Partition, certify, known_measures
from evenhand.evidence.statistics.pooled_difference import pooled_difference
from evenhand.graph import CausalGraph
from evenhand.releasing.apply_to_counts import change_counts


def certified(counts, name):
    question = datasets.question(name).question
    causes = ("sex", "age", "edu_level") if name == "dutch" else counts.names
    arrows = {(cause, question.decision) for cause in causes} - {(question.decision,) * 2}
    return certify(counts, CausalGraph(counts.names, frozenset(arrows)), question)


def frame_of(counts):
    lines = [(*labels, rows) for labels, rows in counts]
    return pd.DataFrame(lines, columns=[*counts.names, "rows"])


def measured(certificate, counts=None):
    examined = certificate.examined
    return known_measures(
        replace(examined, counts=counts or examined.counts),
        certificate.graph.nodes,
        causes=certificate.partition.names,
    )


@pytest.mark.parametrize(
    ("name", "slift", "figures"),
    [
        ("adult", (45, 268), (0.360, 0.195, 0.187, 0.008, 0.251, 0.486)),
        ("dutch", (10, 12), (0.523, 0.298, 0.077, 0.222, 0.342, 0.459)),
    ],
)
def test_figures_of_both_data_sets(request, name, slift, figures):
    known = measured(certified(request.getfixturevalue(name), name))
    found = [known[key].value for key in ("ratio", "gap", "explained", "unexplained", "ber")]
    assert [*map(float, found), float(known["ber"].limit)] == pytest.approx(figures, abs=5e-4)
    assert (known["slift"].value, known["slift"].of) == slift
    assert known["ber"].sentence.endswith("impact is not excluded")


@pytest.mark.parametrize("name", ["adult", "dutch"])
def test_data_frames_give_the_same(request, name):
    counts = request.getfixturevalue(name)
    certificate = certified(counts, name)
    question, causes = certificate.question, [*certificate.partition.names]
    frame = frame_of(counts)
    frame["yes"] = frame.rows * (frame[question.decision] == question.favorable)
    sums = frame.groupby("sex")[["rows", "yes"]].sum()
    rate = sums.yes / sums.rows
    group, other = question.group, certificate.question.other
    cells = frame.pivot_table(
        ["rows", "yes"], causes, "sex", aggfunc="sum", fill_value=0, observed=True
    )
    rates = cells["yes"] / cells["rows"]
    share = cells["rows"] / sums.rows
    explained = (rates.mean(axis=1) * (share[other] - share[group])).sum()
    both = rates.dropna()
    lift = (1 - both[group]) / (1 - both[other])
    known = measured(certificate)
    assert float(known["ratio"].value) == pytest.approx(rate[group] / rate[other])
    assert float(known["gap"].value) == pytest.approx(rate[other] - rate[group])
    assert known["explained"].value == pytest.approx(explained)
    assert (known["slift"].value, known["slift"].of) == ((lift >= 1.25).sum(), len(both))


def distance(counts, name, group):
    """The largest difference of two distribution functions (Kolmogorov and Smirnov)."""
    table = frame_of(counts).pivot_table("rows", name, "sex", aggfunc="sum", fill_value=0)
    table = table.reindex(counts.attribute(name).values).fillna(0).cumsum()
    shares = table / table.iloc[-1]
    other = next(label for label in shares if label != group)
    return float((shares[group] - shares[other]).abs().max())


@pytest.mark.paper("sec:rw")
@pytest.mark.parametrize(
    ("name", "labels", "ranges"),
    [
        # Rows changed, violating, measured, shown, common difference, BER: over some seeds.
        ("adult", "not", [(22350, 22650), (245, 280), (380, 403), (24, 36), (0.177, 0.184),
                          (0.375, 0.40)]),
        ("adult", "Other", [(22850, 23150), (268, 300), (405, 434), (28, 38), (0.179, 0.185),
                            (0.38, 0.40)]),
        ("dutch", "not", [(39350, 39650), (12, 12), (12, 12), (10, 12), (0.297, 0.301),
                          (0.335, 0.355)]),
    ],
)  # fmt: skip
def test_repair_turns_what_attributes_explained_into_differences(request, name, labels, ranges):
    """Which way an attribute without an order is repaired hangs on its labels.

    The figures 23,031, 288 of 422, 33, .182, .394 are of Adult with values named "Other".
    """
    counts = request.getfixturevalue(name)
    for attribute in counts.names if labels == "Other" else ():
        rest = [v for v in counts.values(attribute) if v.startswith("not ")]
        counts = counts.recoded(attribute, dict.fromkeys(rest, "Other"))
    certificate = certified(counts, name)
    plan = RepairAttributes().plan(certificate, seed=1)
    after = change_counts(counts, plan, np.random.default_rng(1))
    left = Partition.of(
        replace(certificate.examined, counts=after), certificate.partition.names
    )
    found = (
        plan.changed_rows,
        left.violating,
        int(left.measured.sum()),
        int(left.statistics.shown.sum()),
        pooled_difference(*left.comparisons.tables, 0.05).difference,
        float(measured(certificate, after)["ber"].value),
    )
    for value, (least, most) in zip(found, ranges, strict=True):
        assert least <= value <= most
    question = certificate.question
    others = [one for one in counts.names if one not in question.columns]
    largest = max(distance(counts, one, question.group) for one in others)
    assert largest == pytest.approx(0.199 if name == "dutch" else 0.456, abs=5e-4)
    assert max(distance(after, one, question.group) for one in others) < 1e-4
