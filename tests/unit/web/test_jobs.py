"""Work in a thread: one at a time, with progress, cancelled from outside, always ended."""

import threading
import time
from contextlib import suppress

import pytest

from evenhand.display import Progress
from evenhand.errors import InputError, QuestionError, ResourceError
from evenhand.web.jobs import Job, Jobs, request_again


def ended(job, seconds=5.0):
    until = time.monotonic() + seconds
    while job.state == "running":
        assert time.monotonic() < until, "the job does not end"
        time.sleep(0.005)
    return job


@pytest.fixture
def jobs():
    jobs = Jobs()
    yield jobs
    jobs.end()


def waiting(allowed):
    """Work that reports until it may end."""

    def work(progress):
        while not allowed.wait(0.005):
            progress(Progress(step="waiting", done=1, total=2, seconds=1.0))
        return "result"

    return work


def test_work_is_done_and_leaves_a_result(jobs):
    job = ended(jobs.start("adding", lambda _: 1 + 1))
    assert (job.state, job.result, job.problems) == ("done", 2, ())
    assert jobs.running is None
    assert jobs.find(job.id) is job
    assert job.to_dict()["seconds_left"] is None


def test_only_one_at_a_time(jobs):
    allowed = threading.Event()
    first = jobs.start("the first", waiting(allowed))
    with pytest.raises(ResourceError, match="the first"):
        jobs.start("the second", lambda _: None)
    assert jobs.running is first
    allowed.set()
    ended(first)
    assert ended(jobs.start("the third", lambda _: 3)).result == 3


def test_what_joins_gets_the_job_under_way(jobs):
    allowed = threading.Event()
    first = jobs.start("the first", waiting(allowed), joins=True)
    assert jobs.start("the second", lambda _: None, joins=True) is first
    allowed.set()
    ended(first)
    assert ended(jobs.start("the third", lambda _: 3, joins=True)).result == 3


def test_what_goes_with_work_is_done_only_if_it_starts(jobs):
    allowed, done = threading.Event(), []
    first = jobs.start("the first", waiting(allowed), first=lambda: done.append(1))
    with pytest.raises(ResourceError):
        jobs.start("the second", lambda _: None, first=lambda: done.append(2))
    allowed.set()
    ended(first)
    with pytest.raises(ZeroDivisionError):
        jobs.start("the third", lambda _: done.append(3), first=lambda: 1 / 0)
    assert (done, jobs.running) == ([1], None)


def test_a_cancelled_job_stops_at_its_next_report(jobs):
    job = jobs.start("waiting", waiting(threading.Event()))
    job.cancel()
    assert ended(job).state == "cancelled"
    assert job.result is None
    assert ended(jobs.start("the next", lambda _: 1)).state == "done"


def test_no_handler_of_errors_takes_a_cancel_for_one(jobs):
    def stubborn(progress):
        while True:
            with suppress(Exception):
                progress(None)

    job = jobs.start("stubborn", stubborn)
    job.cancel()
    assert ended(job).state == "cancelled"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (InputError.of("The table is empty."), "The table is empty."),
        (OSError(28, "No space left on device", "x.csv"), "No space left on device"),
        (OSError("odd"), "odd"),
        (MemoryError(), "not enough memory"),
        (ValueError("secret value"), "should not have happened"),
        (SystemExit(1), "should not have happened"),
        (RecursionError(), "should not have happened"),
    ],
)
def test_whatever_happens_becomes_a_problem(jobs, error, words):
    def failing(_progress):
        raise error

    job = ended(jobs.start("failing", failing))
    assert job.state == "failed"
    assert words in job.problems[0].what
    assert "secret" not in str(job.problems)


def test_old_jobs_are_forgotten(jobs):
    first = ended(jobs.start("first", lambda _: 0))
    for number in range(Jobs._MOST):
        last = ended(jobs.start("more", lambda _, n=number: n))
    with pytest.raises(QuestionError):
        jobs.find(first.id)
    assert jobs.find(last.id) is last


def test_the_end_waits_for_what_can_be_stopped(jobs):
    put_back = []

    def work(progress):
        try:
            while True:
                progress(None)
                time.sleep(0.005)
        finally:
            put_back.append(True)

    job = jobs.start("writing", work)
    jobs.end()
    assert (job.state, put_back) == ("cancelled", [True])


def test_the_end_does_not_wait_for_ever(jobs):
    allowed = threading.Event()
    job = jobs.start("deaf", lambda _: allowed.wait(10))
    began = time.monotonic()
    jobs.end(0.05)
    assert time.monotonic() - began < 1
    assert job.state == "running"
    allowed.set()
    ended(job)


def test_jobs_have_names_that_nobody_guesses():
    assert len({Job("x").id for _ in range(100)}) == 100


def test_a_failure_that_nobody_followed_is_told_once(jobs):
    def failing(_progress):
        raise InputError.of("It is empty.")

    seen = ended(jobs.start("seen", failing))
    seen.was_shown = True
    ended(jobs.start("unseen", failing))
    ended(jobs.start("fine", lambda _: 1))
    assert [one.what for one in jobs.unseen_problems()] == ["It is empty."]
    assert jobs.unseen_problems() == ()


def test_a_request_can_be_sent_again_from_whatever_page():
    again = request_again("POST", "api/report", {"name": "r.html", "revision": 3})
    assert again == {"method": "POST", "path": "api/report", "body": {"name": "r.html"}}
