"""How often: integer counts of distinct value assignments, and nothing else."""

from evenhand.counts.compared_groups import ExaminedCounts, examined_counts
from evenhand.counts.count_table import Attribute, CountTable
from evenhand.counts.suspected_missing import MissingMarker

__all__ = ["Attribute", "CountTable", "ExaminedCounts", "MissingMarker", "examined_counts"]
