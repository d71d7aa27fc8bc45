"""Ways to predict Adult's test part, each under two criteria: a table and a picture.

    python bench/peers.py [FOLDER] [--long] [--write]

FOLDER holds adult.data and adult.test of UCI; by default ../shared/data/adult. Models read the
ten raw attributes, one-hot, and learn from the 32,561 training rows; the 16,281 predictions of
each way are then audited, among people alike in nine causes. ``--long`` adds
ExponentiatedGradient with boosting, which takes minutes. ``--write`` records the figures in
docs/peers.json, puts the table into docs/peers.md and draws docs/peers.svg. The ways answer
different questions: none is best.
"""

import argparse
import importlib.util
import logging
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import peers_page
from all import machine

# What is imported, and what to install for it.
NEEDED = {
    "fairlearn": "fairlearn==0.15.*",
    "aif360": "aif360==0.6.*",
    "BlackBoxAuditing": "BlackBoxAuditing",  # AIF360's DisparateImpactRemover imports it
    "pandas": "pandas",
    "sklearn": "scikit-learn",
    "evenhand": ".",  # this folder
}


def main() -> None:
    beside = Path(__file__).parents[2] / "shared" / "data" / "adult"
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", nargs="?", type=Path, default=beside)
    options.add_argument(
        "--long", action="store_true", help="also ExponentiatedGradient with boosting"
    )
    options.add_argument("--write", action="store_true", help="record it in docs/")
    asked = options.parse_args()
    if missing := [name for name in NEEDED if not importlib.util.find_spec(name)]:
        raise SystemExit(
            f"This compares with Fairlearn 0.15 and AIF360 0.6. Not installed: "
            f"{', '.join(missing)}.\nInstall: python -m pip install "
            + " ".join(f"'{NEEDED[name]}'" for name in NEEDED)
        )
    if not (asked.folder / "adult.test").is_file():
        raise SystemExit(
            f"No adult.data and adult.test in {asked.folder}. Get them from the UCI repository "
            "(https://doi.org/10.24432/C5XW20) and name their folder."
        )
    logging.disable(logging.WARNING)  # AIF360 names what else could be installed
    warnings.simplefilter("ignore")  # the others' warnings about their own dependencies
    packages = ("fairlearn", "aif360", "scikit-learn")
    record: dict[str, Any] = {
        "date": f"{datetime.now(UTC):%d %B %Y}",
        "machine": machine(),
        "versions": {name: version(name) for name in packages},
        "lines": [],
    }
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    import peers_ways  # noqa: PLC0415  # imports what may be missing

    with threadpool_limits(1):  # so that processor seconds are those of one core
        for line in peers_ways.measure(*peers_ways.read(asked.folder), long=asked.long):
            record["lines"].append(line)
            print(*line.values(), sep="  ", flush=True)
    print(peers_page.table(record))
    if asked.write:
        peers_page.write(record)


if __name__ == "__main__":
    main()
