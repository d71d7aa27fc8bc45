"""Results as a page that people can read, print and pass on; nothing is computed here."""

from evenhand.report.html import Report, report

__all__ = ["Report", "report"]
