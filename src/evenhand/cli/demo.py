"""``evenhand demo``: the whole story on data that come with evenhand."""

import typer


def demo() -> None:
    """Show what evenhand does, on the Adult data that come with it."""
    from evenhand import datasets

    counts = datasets.adult()
    asked = datasets.question("adult").question
    typer.echo(
        f"Adult: who earns {asked.favorable}, by {asked.protected} "
        f"({asked.group} and others)?\n"
    )
    typer.echo(str(counts))
