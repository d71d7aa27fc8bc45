"""How often: integer counts of distinct value assignments, and nothing else."""

from evenhand.counts.count_table import Attribute, CountTable
from evenhand.counts.examined import (
    Comparability,
    ExaminedCounts,
    FinerCounts,
    examined_counts,
)
from evenhand.counts.functional_dependencies import (
    Determination,
    constant_in_a_group,
    dependent_pairs,
    determining_columns,
    equivalent_columns,
    joint_determination,
    jointly_determining,
)

__all__ = [
    "Attribute",
    "Comparability",
    "CountTable",
    "Determination",
    "ExaminedCounts",
    "FinerCounts",
    "constant_in_a_group",
    "dependent_pairs",
    "determining_columns",
    "equivalent_columns",
    "examined_counts",
    "joint_determination",
    "jointly_determining",
]
