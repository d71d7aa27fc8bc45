"""Where the data lie that people bring themselves: the folder named by ``EVENHAND_DATA``.

It holds the Dutch census of 2001 as ``dutch/dutch_census_2001.arff``, and the files of Adult as
UCI gives them out in ``adult``. Tests that need what is absent are skipped. Without the
variable, it is ``shared/data`` beside the repository.
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
