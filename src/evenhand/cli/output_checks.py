"""Refuses output files that would overwrite something, before any work is done."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.cli.asked import Asked


def check_outputs(
    asked: Asked,
    *pages: Path | None,
    release: Sequence[Path] = (),
    overwrite: bool,
) -> None:
    """Refuse to overwrite an input, another output or, without ``overwrite``, an earlier page.

    Whether the files of a release may be replaced is checked when they are written, after the
    leftovers of a killed run were cleaned up.
    """
    named = [page for page in pages if page is not None]
    if not named and not release:
        return
    from evenhand.files import check_targets
    from evenhand.rows.open_files import matching_files

    inputs = [str(file) for file in matching_files(asked.data)]
    inputs += [str(path) for path in (asked.graph_file, asked.question_file) if path]
    check_targets([*named, *release], inputs, overwrite=True)
    check_targets(named, (), overwrite=overwrite)
