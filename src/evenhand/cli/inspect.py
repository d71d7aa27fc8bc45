"""``evenhand inspect``: what is worth knowing of a table before it is judged."""

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from shlex import join

from evenhand.cli.option_syntax import option
from evenhand.cli.options import JUDGING, AsJson, CommonOptions
from evenhand.cli.terminal import ProgressBar, print_json, print_result, say
from evenhand.cli.verb_parameters import with_common_options


@partial(with_common_options, omit=JUDGING)
def inspect(options: CommonOptions, *, json: AsJson = False) -> None:
    """Look at the columns of a table before it is judged.

    Example: `evenhand inspect adult.csv --decision income --protected sex`
    """
    from evenhand.rows import read

    asked = options.asked()
    with ProgressBar(quiet=json) as progress:
        rows = read(
            options.data, codings=options.codings(), memory=options.memory, progress=progress
        )
        inspection = rows.inspect(
            options.question_if_complete(),
            decision=asked.get("decision"),
            protected=asked.get("protected"),
        )
    if json:
        print_json(inspection.to_dict(option))
        return
    print_result(inspection.summary())
    print_result(inspection.columns_summary())
    if options.question_file is None:
        command = join(["evenhand", "init", options.data, *_typed(options)])
        say(f"Written into a question file by: {command}")


def _typed(options: CommonOptions) -> Iterator[str]:
    """The options as they were typed: ``init`` takes the same ones."""
    for one in fields(options):
        if one.name not in JUDGING | {"data", "question_file"}:
            value = getattr(options, one.name) or []
            for text in value if isinstance(value, list) else [value]:
                yield from (f"--{one.name.replace('_', '-')}", str(text))
