"""``evenhand inspect``: what is worth knowing of a table before it is judged."""

from shlex import join

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, with_keys
from evenhand.cli.spelling import option
from evenhand.cli.terminal import ProgressBar, print_json, print_results, say


@with_keys
def inspect(asked: Asked, *, json: AsJson = False) -> None:
    """Look at the columns of a table before it is judged.

    Example: `evenhand inspect adult.csv --decision income --protected sex`
    """
    parts = asked.parts
    with ProgressBar(quiet=json) as progress:
        inspection = asked.read(progress).inspect(
            asked.question_if_complete,
            decision=parts.get("decision"),
            protected=parts.get("protected"),
        )
    if json:
        print_json(inspection.to_dict(option))
        return
    print_results(inspection.summary(), inspection.columns_summary())
    if asked.question_file is None:
        typed = [
            word
            for field, value in asked.typed
            for word in field.words(value, "init")  # which takes the same keys
        ]
        command = join(["evenhand", "init", asked.data, *typed])
        say(f"Written into a question file by: {command}")
