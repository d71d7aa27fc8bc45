"""Results as a page that people can read, print and pass on; nothing is computed here."""

from evenhand.report.html_report import Report, report

__all__ = ["Report", "report"]
