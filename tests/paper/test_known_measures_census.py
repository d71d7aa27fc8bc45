"""Measures that people know on Adult and on the Dutch census."""

import pandas as pd
import pytest

from evenhand import datasets
from evenhand.evidence import certify, known_measures
from evenhand.graph import CausalGraph


def certified(counts, name):
    question = datasets.question(name).question
    causes = ("sex", "age", "edu_level") if name == "dutch" else counts.names
    arrows = {(cause, question.decision) for cause in causes} - {(question.decision,) * 2}
    return certify(counts, CausalGraph(counts.names, frozenset(arrows)), question)


def frame_of(counts):
    lines = [(*labels, rows) for labels, rows in counts]
    return pd.DataFrame(lines, columns=[*counts.names, "rows"])


def measured(certificate):
    nodes, causes = certificate.graph.nodes, certificate.partition.names
    return known_measures(certificate.examined, nodes, causes=causes)


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
