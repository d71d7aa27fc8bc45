"""Where the data lie that people bring themselves: the folder named by ``EVENHAND_DATA``.

Only the Dutch census of 2001 is looked for, as ``dutch/dutch_census_2001.arff``. What needs it
is skipped where it is absent. Without the variable, ``shared/data`` beside the repository is
looked into.
"""

import os
from pathlib import Path

DATA = Path(
    os.environ.get("EVENHAND_DATA") or Path(__file__).parents[2] / "shared" / "data"
).resolve()
DUTCH = DATA / "dutch" / "dutch_census_2001.arff"
ABSENT = (
    f"no Dutch census at {DUTCH} (EVENHAND_DATA names its folder): it may not be redistributed"
)
