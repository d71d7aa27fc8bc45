"""All figures in one run: every benchmark in turn, then one page of what they printed.

    python bench/all.py [--write]

With ``--write`` the page becomes docs/benchmarks.md. Figures are ratios and CPU seconds of one
machine on one day; compare them within the page, not across machines.
"""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = (
    "counting",
    "inspection",
    "discovery",
    "local_causes",
    "audit_cost",
    "certify",
    "removal",
    "release",
    "evidence_statistics",
    "binnings",
    "sklearn_door",
    "web",
    "groups",
    "paths",
)


def machine() -> str:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if os.name == "posix" else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), "?")
    return f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}"


def main() -> None:
    sections = []
    for name in SCRIPTS:
        print(f"== bench/{name}.py", flush=True)
        run = subprocess.run(
            [sys.executable, HERE / f"{name}.py"], capture_output=True, text=True, check=False
        )
        told = run.stdout.rstrip() if run.returncode == 0 else f"failed: {run.stderr[-500:]}"
        print(told, flush=True)
        sections.append(f"## `python bench/{name}.py`\n\n```\n{told}\n```\n")
    page = "\n".join(
        [
            "# Benchmarks",
            "",
            f"Made by `make bench` on {datetime.now(UTC):%d %B %Y}: {machine()}.",
            "Seconds are processor seconds unless said otherwise; goals are in brackets.",
            "`make bench-check` runs a short selection and fails where a ratio to another",
            "program is 1.5 times the one in `bench/ratios.json`.",
            "",
            "`python bench/peers.py`, which needs Fairlearn and AIF360, has [a page of its",
            "own](peers.md).",
            "",
            *sections,
        ]
    )
    if "--write" in sys.argv:
        (HERE.parent / "docs" / "benchmarks.md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
