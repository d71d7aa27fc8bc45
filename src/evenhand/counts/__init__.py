"""How often: integer counts of distinct value assignments, and nothing else."""

from evenhand.counts.count_table import Attribute, CountTable
from evenhand.counts.examined_rows import ExaminedCounts, examined_counts

__all__ = ["Attribute", "CountTable", "ExaminedCounts", "examined_counts"]
