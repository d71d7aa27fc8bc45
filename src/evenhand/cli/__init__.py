"""The command line, a thin door: verbs read options, call the library, print its results."""

from evenhand.cli.application import main

__all__ = ["main"]
