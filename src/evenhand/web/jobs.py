"""``Jobs``: work that takes long, one at a time in a thread, with progress and cancel."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, Literal, TypeAlias

from evenhand.display import Progress, ProgressCallback
from evenhand.errors import EvenhandError, Problem, QuestionError, ResourceError

Work: TypeAlias = Callable[[ProgressCallback], Any]
State: TypeAlias = Literal["running", "done", "failed", "cancelled"]


class _CancelledError(BaseException):
    """Raised from a progress callback: no handler of errors takes it for one."""


@dataclass(eq=False)
class Job:
    """One piece of work: how far it is, and what came of it.

    ``again`` is the request that asks for it once more, where a remedy only needs to be added;
    ``named`` gives a problem as it is shown.
    """

    title: str
    again: Mapping[str, Any] | None = None
    id: str = field(default_factory=lambda: token_hex(8))
    state: State = "running"
    progress: Progress | None = None
    problems: tuple[Problem, ...] = ()
    result: Any = None
    named: Callable[[Problem], Problem] = lambda problem: problem
    was_shown: bool = False  # whether somebody saw how it ended
    _cancelled: bool = False

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress."""
        self._cancelled = True

    def report(self, progress: Progress | None) -> None:
        """Keep how far the work is; raises in its thread if it was cancelled."""
        if self._cancelled:
            raise _CancelledError
        self.progress = progress

    def run(self, work: Work) -> None:
        """Do the work; whatever happens becomes a state, with problems in words."""
        try:
            self.result = work(self.report)
            self.state = "done"
        except _CancelledError:
            self.state = "cancelled"
        except BaseException as error:  # noqa: BLE001  # the thread must end in a state
            self.problems = tuple(map(self.named, _problems(error)))
            self.state = "failed"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the page."""
        of = self.progress
        is_whole = of is not None and of.whole is not None  # then the bar is of all steps
        return {
            "id": self.id,
            "title": self.title,
            "state": self.state,
            "step": of.step if of else "",
            "is_whole": is_whole,
            "done": 0 if of is None else of.whole if is_whole else of.done,
            "total": None if of is None else 1 if is_whole else of.total,
            "seconds_left": None
            if of is None
            else of.whole_left
            if is_whole
            else of.seconds_left,
            "said": f"{self.title} was cancelled. What was chosen stays; nothing else changed.",
        }


def _problems(error: BaseException) -> tuple[Problem, ...]:
    """Why work failed, in words."""
    match error:
        case EvenhandError():
            return error.problems
        case OSError():
            return (Problem(error.strerror or str(error), where=str(error.filename or "")),)
        case MemoryError():
            return (Problem("There is not enough memory for this."),)
    return (unexpected(error),)


def unexpected(error: BaseException) -> Problem:
    """An error that nobody foresaw, without any value of the data."""
    return Problem(
        "This should not have happened, and says nothing about the data.",
        f"{type(error).__name__}.",
        "What you chose is kept. Report it as an issue of evenhand.",
    )


def request_again(method: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The same request, from whatever page it is sent again."""
    asked = {name: value for name, value in body.items() if name != "revision"}
    return {"method": method, "path": path, "body": asked}


class Jobs:
    """Starts jobs, one at a time; finished ones can be asked for until there are too many."""

    _MOST = 50

    def __init__(self, named: Callable[[Problem], Problem] = lambda problem: problem) -> None:
        self._named = named
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    @property
    def _all(self) -> list[Job]:
        return list(self._jobs.values())  # a copy: threads start jobs meanwhile

    @property
    def running(self) -> Job | None:
        """The job under way."""
        return next((job for job in self._all if job.state == "running"), None)

    def unseen_problems(self) -> tuple[Problem, ...]:
        """Why jobs failed that no page was following; each is told once."""
        failed = [one for one in self._all if one.state == "failed" and not one.was_shown]
        for job in failed:
            job.was_shown = True
        return tuple(problem for job in failed for problem in job.problems)

    def start(
        self,
        title: str,
        work: Work,
        *,
        again: Mapping[str, Any] | None = None,
        first: Callable[[], object] | None = None,
        joins: bool = False,
    ) -> Job:
        """Start work in a thread; refused while another job runs.

        ``first`` is what changes at once if it is not refused; if that fails nothing starts.
        What ``joins`` is not refused: it gets the other job, to ask again when that ends.
        """
        with self._lock:
            if busy := self.running:
                if joins:
                    return busy
                raise ResourceError.of(
                    f"Something else is under way: {busy.title}.",
                    remedy="Wait for it, or cancel it.",
                )
            if first is not None:
                first()
            job = Job(title, again, named=self._named)
            self._jobs[job.id] = job
            for old in list(self._jobs)[: -self._MOST]:
                del self._jobs[old]
        threading.Thread(target=job.run, args=(work,), daemon=True).start()
        return job

    def find(self, name: str) -> Job:
        """The job of this id."""
        if name not in self._jobs:
            raise QuestionError.of("There is no such work.", remedy="Start it again.")
        return self._jobs[name]

    def end(self, seconds: float = 2.0) -> None:
        """Ask whatever runs to stop, and give it a moment to put things back."""
        for job in self._all:
            job.cancel()
        until = monotonic() + seconds
        while self.running and monotonic() < until:
            sleep(0.02)
