"""What happened: decision records in files, frames and tables, read once and counted."""

from evenhand.rows.batch_source import BatchSource
from evenhand.rows.frame_sources import Source, TableObject
from evenhand.rows.rows import Rows, read

__all__ = ["BatchSource", "Rows", "Source", "TableObject", "read"]
