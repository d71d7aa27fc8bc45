"""Tables that people hand in: rates of selection by category, and comparators."""

from evenhand.tables.comparators import Comparators, find_comparators
from evenhand.tables.selection_rates import SelectionTables, selection_tables

__all__ = ["Comparators", "SelectionTables", "find_comparators", "selection_tables"]
