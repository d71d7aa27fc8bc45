"""Results as a page that people can read, print and pass on; nothing is computed here."""

from evenhand.report.full_page import report
from evenhand.report.rendering import Report

__all__ = ["Report", "report"]
