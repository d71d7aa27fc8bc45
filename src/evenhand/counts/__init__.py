"""How often: integer counts of distinct value assignments, and nothing else."""

from evenhand.counts.count_table import Attribute, CountTable
from evenhand.counts.examined_rows import ExaminedCounts, examined_counts
from evenhand.counts.missing_markers import MissingMarker

__all__ = ["Attribute", "CountTable", "ExaminedCounts", "MissingMarker", "examined_counts"]
