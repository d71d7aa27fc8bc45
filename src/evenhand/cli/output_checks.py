"""Refuses output files that would overwrite something, before any work is done."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.cli.options import CommonOptions
from evenhand.errors import QuestionError


def check_outputs(
    options: CommonOptions,
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
    from evenhand.rows.open_files import file_sources

    codings = options.codings()
    sources = file_sources(options.data, delimiter=codings.delimiter, sheet=codings.sheet)
    inputs = [source.where for source in sources]
    inputs += [str(path) for path in (options.graph_file, options.question_file) if path]
    check_targets([*named, *release], inputs, overwrite=True)
    check_targets(named, (), overwrite=overwrite)


def check_no_shared_certificate(path: Path) -> None:
    """Refuse a release beside the shared certificate of an earlier one.

    It may be the only copy of what others were given, so it is not removed unasked.
    """
    if path.exists() or path.is_symlink():
        raise QuestionError.of(
            "This is the shared certificate of an earlier release.",
            "It would not belong to the new data beside it.",
            "Replace it too (--share --overwrite), move it away, or choose another name.",
            str(path),
        )
