"""Which files a verb may write."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.cli.options import Asked
from evenhand.errors import Problem, QuestionError


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
    from evenhand.rows.open_files import file_parts

    parts = file_parts(asked.data, delimiter=asked.codings().delimiter)
    inputs = [part.where for part in parts]
    inputs += [str(path) for path in (asked.graph_file, asked.question_file) if path]
    check_targets([*named, *release], inputs, overwrite=True)
    check_targets(named, (), overwrite=overwrite)


def check_no_earlier_copy(shared: Path) -> None:
    """Refuse a release beside the shared certificate of an earlier one, which would outlive it.

    It may be the only copy of what others were given, so it is not removed unasked.
    """
    if shared.exists() or shared.is_symlink():
        raise QuestionError(
            Problem(
                "This is the shared certificate of an earlier release.",
                "Beside the new data it would tell of other data.",
                "Replace it too (--share --overwrite), move it away, or choose another name.",
                str(shared),
            )
        )
