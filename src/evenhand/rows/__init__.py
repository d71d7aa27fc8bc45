"""What happened: decision records in files, frames and tables, read once and counted."""

from evenhand.rows.batch_source import BatchSource
from evenhand.rows.class_suggestions import ClassSuggestion
from evenhand.rows.column_profile import ColumnKind, ColumnProfile
from evenhand.rows.frame_sources import Source, TableObject
from evenhand.rows.inspection import Inspection
from evenhand.rows.line_table import LineTable
from evenhand.rows.rows import Rows, read
from evenhand.rows.table_finding import FindingKind, TableFinding

__all__ = [
    "BatchSource",
    "ClassSuggestion",
    "ColumnKind",
    "ColumnProfile",
    "FindingKind",
    "Inspection",
    "LineTable",
    "Rows",
    "Source",
    "TableFinding",
    "TableObject",
    "read",
]
