"""Which files a verb may write."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.cli.options import Asked


def check(
    asked: Asked, *pages: Path | None, release: Sequence[Path] = (), overwrite: bool
) -> None:
    """Refuse, before any work, to write over an input, another output or an earlier page.

    Whether the files of a release may be replaced is seen when they are written: before that,
    what a killed run left is put in order.
    """
    named = [page for page in pages if page is not None]
    if not named and not release:
        return
    from evenhand.releasing.targets import check_targets
    from evenhand.rows.files import file_parts

    parts = file_parts(asked.data, delimiter=asked.codings().delimiter)
    inputs = [part.where for part in parts]
    inputs += [str(path) for path in (asked.graph_file, asked.question_file) if path]
    check_targets([*named, *release], inputs, overwrite=True)
    check_targets(named, (), overwrite=overwrite)
