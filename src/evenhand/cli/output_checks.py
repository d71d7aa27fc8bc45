"""Refuses output files that would overwrite something, before any work is done."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.cli.options import CommonOptions


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
    from evenhand.rows.batch_source import memory_in_bytes
    from evenhand.rows.open_files import file_sources

    codings, memory = options.codings(), memory_in_bytes(options.memory)
    sources = file_sources(
        options.data, delimiter=codings.delimiter, sheet=codings.sheet, memory=memory
    )
    inputs = [source.where for source in sources]
    inputs += [str(path) for path in (options.graph_file, options.question_file) if path]
    check_targets([*named, *release], inputs, overwrite=True)
    check_targets(named, (), overwrite=overwrite)
