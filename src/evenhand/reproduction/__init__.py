"""The paper's examples, discoveries and tables: ours beside the printed figures."""

from evenhand.reproduction.figure_comparison import as_markdown, reproduce

__all__ = ["as_markdown", "reproduce"]
