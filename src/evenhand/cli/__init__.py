"""The command line, a thin door: verbs read options, call the library, print its results."""

from evenhand.cli.process import hold_signals


def main() -> None:
    """Run the command of this process; signals are held before anything else is imported."""
    hold_signals()
    from evenhand.cli.application import main as run

    run()


__all__ = ["main"]
