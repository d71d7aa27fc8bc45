"""What happened: decision records in files, frames and tables, read once and counted."""

from evenhand.rows.batch_source import BatchSource
from evenhand.rows.coded_rows import LineTable
from evenhand.rows.frame_sources import Source, TableObject
from evenhand.rows.inspect.column_profile import ClassSuggestion, ColumnKind, ColumnProfile
from evenhand.rows.inspect.findings import FindingKind, TableFinding
from evenhand.rows.inspect.inspection import Inspection
from evenhand.rows.rows import Rows, read

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
