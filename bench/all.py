"""All figures in one run: every benchmark in turn, and one page of what they printed.

    python bench/all.py [NAME ...] [--write]

NAME is a script of this folder; without one all of them run. With ``--write`` what a script
printed takes the place of its last figures in docs/benchmarks.md; the words around them stay.
Figures are ratios and CPU seconds of one machine on one day; compare them within the page, not
across machines.
"""

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SCRIPTS = (
    "counting",
    "inspection",
    "discovery",
    "wide_discovery",
    "local_causes",
    "audit_cost",
    "answer_cost",
    "certify",
    "removal",
    "release",
    "evidence_statistics",
    "sklearn_door",
    "web",
    "groups",
    "million",
    "paths",
    "growth",
)
# These draw pictures for the documentation when told to.
WITH_PICTURES = ("growth",)


def machine() -> str:
    """What the figures were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.is_file() else []
    models = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    model = next(models, platform.processor() or platform.machine())
    return f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}"


def printed(name: str, *options: str) -> str:
    """What a script prints, in a process of its own."""
    command = [sys.executable, HERE / f"{name}.py", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout.rstrip() if run.returncode == 0 else f"failed: {run.stderr[-500:]}"


def with_figures(page: str, name: str, told: str) -> str:
    r"""The page with new figures of one script, under its heading; new ones come last.

    >>> page = with_figures("# Page\n", "count", "1 s")
    >>> print(with_figures(page + "Words.\n", "count", "2 s"))
    # Page
    <BLANKLINE>
    ## `python bench/count.py`
    <BLANKLINE>
    ```
    2 s
    ```
    Words.
    <BLANKLINE>
    """
    heading = rf"^## `python bench/{name}\.py[^`\n]*`\n"
    old = re.compile(
        rf"({heading}(?:(?!## |```).*\n)*)```.*\n(?:(?!```).*\n)*```\n", re.MULTILINE
    )
    block = f"```\n{told}\n```\n"
    if not old.search(page):
        return f"{page.rstrip()}\n\n## `python bench/{name}.py`\n\n{block}"
    return old.sub(lambda found: found[1] + block, page, count=1)


def main(names: list[str], *, write: bool) -> None:
    when = f"{datetime.now(UTC):%d %B %Y}, {machine()}"
    for name in names:
        options = ["--write"] if write and name in WITH_PICTURES else []
        told = f"{when}\n{printed(name, *options)}"
        print(f"== bench/{name}.py, {told}\n", flush=True)
        if write:
            PAGE.write_text(with_figures(PAGE.read_text("utf-8"), name, told), "utf-8")


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name != "--write"]
    if unknown := sorted({*chosen} - {*SCRIPTS}):
        sys.exit(f"There is no {', '.join(unknown)}. There are: {', '.join(SCRIPTS)}.")
    main(chosen or list(SCRIPTS), write="--write" in sys.argv)
