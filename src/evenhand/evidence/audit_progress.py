"""The steps of an audit in one total: what each is expected to take, in seconds."""

from collections.abc import Mapping

from evenhand.counts import CountTable
from evenhand.display import (
    COUNTING,
    LEARNING,
    LOOKING,
    READING,
    ProgressCallback,
    WholeProgress,
)
from evenhand.evidence.answer import VARYING
from evenhand.evidence.certification import JUDGING
from evenhand.evidence.implied_independences import TESTING
from evenhand.record.checker_process import CHECKING

# As long as nothing is known of the table: of an audit, of its answer, and of a look at all
# columns before it.
_AUDITING = {COUNTING: 0.5, LEARNING: 5.0, JUDGING: 0.1}
_ANSWERING = {TESTING: 0.1, VARYING: 0.5}
_LOOKING = {READING: 0.5, LOOKING: 0.5}


def whole_progress(
    progress: ProgressCallback,
    *,
    answers: bool = False,
    looks: bool = False,
    besides: Mapping[str, float] | None = None,
) -> WholeProgress:
    """A callback with one total for an audit, which an audit goes on with if it is given one.

    For one that ``answers`` the total is of that, too, and of a look at the table before it if
    it ``looks``. ``besides`` are further steps with the seconds that they may take.
    """
    if isinstance(progress, WholeProgress):
        return progress
    steps = {**(_LOOKING if looks else {}), **_AUDITING, **(_ANSWERING if answers else {})}
    return WholeProgress(progress, {**steps, **(besides or {})})


def expect_of(progress: ProgressCallback | None, counts: CountTable, *, is_given: bool) -> None:
    """Tell a total what the steps still take once the rows are counted.

    Measured on 1,000 to 250,000 lines. Learning says itself what it will take, if the graph is
    not given.
    """
    if not isinstance(progress, WholeProgress):
        return
    lines, columns = len(counts), len(counts.names)
    expected = {
        **dict.fromkeys(_LOOKING, 0.0),
        **({LEARNING: 0.0} if is_given else {}),
        JUDGING: 0.02 + 2e-7 * lines,
        TESTING: 0.02 + 5e-7 * lines,
        VARYING: columns * (0.004 + 8e-7 * lines),
        CHECKING: 0.1 + 5e-5 * counts.row_count,
    }
    progress.expect(expected)
