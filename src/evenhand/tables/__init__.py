"""Tables that people hand in: rates of selection by category, and comparators."""

from evenhand.tables.comparators import Comparators, find_comparators
from evenhand.tables.selection_rates import SelectionTables, audited_rates, selection_tables

__all__ = [
    "Comparators",
    "SelectionTables",
    "audited_rates",
    "find_comparators",
    "selection_tables",
]
