"""How often: integer counts of distinct value assignments, and nothing else."""

from evenhand.counts.posed import Posed, pose
from evenhand.counts.table import Attribute, CountTable

__all__ = ["Attribute", "CountTable", "Posed", "pose"]
