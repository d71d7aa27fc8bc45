"""Fixtures for tests of the app in a real browser: Debian's Chromium, driven by playwright.

How a test uses them::

    from playwright.sync_api import expect

    def test_the_verdict_stands_in_the_masthead(app, page):
        page.goto("graph")                       # relative to the app's address with its token
        expect(page.locator("#now")).to_contain_text("groups")
        status, content = app.call("PATCH", "api/question", {"change": {...}})

- ``app``: the app with a copy of Adult's counts open: ``address``, ``folder``, ``process``,
  ``log``, ``call(method, path, body)``, ``stop()``, ``wait_for_job()``, ``learn()``. One
  process serves all tests, one after the other; where a test ends it another is started.
- ``open_app(table, write)``: the same with a table that ``write(folder)`` writes.
- ``start_app(folder, *arguments)``: another process, on a folder of your own.
- ``page``: a page of a context of its own. The test fails if the console reports an error, a
  script throws, a request goes elsewhere, the server answers 5xx, work breaks, or the policy
  is violated.
- ``new_page(**options)``: more pages, each in a context of its own, with playwright's options
  (``viewport``, ``java_script_enabled=False``, ``color_scheme="dark"``, ``forced_colors``, …).
- ``allowed``: a list of regular expressions; what they match is no fault in this test. A
  refusal (409, 422) is never one: the page shows it.

The content policy forbids eval, so that ``wait_for_function`` with a string fails: use locators
and ``expect``. The tests are skipped where Chromium is absent, and left out without playwright.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.running_app import RunningApp, running_app, write_adult

# The tests import playwright: without it they are not collected at all.
collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_REFUSAL = r"Failed to load resource: the server responded with a status of (409|422)"
_REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`));
"""
OpenApp: TypeAlias = Callable[[str, Callable[[Path], object]], RunningApp]
_WAIT = 30_000  # milliseconds; a machine may be busy


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once in each process that runs tests."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    driver.expect.set_options(timeout=_WAIT)
    # Debian's asks for a graphics card, which would be imitated, for 4 to 18 % of the time.
    # Chromium's sandbox does not run for root.
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with driver.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def _adult_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adult")
    write_adult(folder)
    return folder


@pytest.fixture
def folder(_adult_files: Path, tmp_path: Path) -> Path:
    """A folder of this test alone, with adult.csv and adult.toml."""
    return Path(shutil.copytree(_adult_files, tmp_path / "folder"))


@pytest.fixture
def start_app() -> Iterator[Callable[..., RunningApp]]:
    """Starts the app on a folder; what was started ends with the test."""
    with ExitStack() as stack:
        yield lambda *arguments, **environment: stack.enter_context(
            running_app(*arguments, **environment)
        )


# The browser comes first: without it nothing is started.
@pytest.fixture(scope="session")
def open_app(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenApp]:
    """Opens a table in the app that all tests of this process share."""
    assert browser
    started: list[RunningApp] = []
    with ExitStack() as stack:

        def opened(table: str, write: Callable[[Path], object]) -> RunningApp:
            if not started or started[-1].process.poll() is not None:
                folder = tmp_path_factory.mktemp("app") / "folder"
                folder.mkdir()
                started.append(stack.enter_context(running_app(folder)))
            started[-1].begin_anew(table, write)
            return started[-1]

        yield opened


@pytest.fixture
def app(open_app: OpenApp, _adult_files: Path) -> RunningApp:
    """The app with Adult's counts open."""
    return open_app(
        "adult.csv", lambda folder: shutil.copytree(_adult_files, folder, dirs_exist_ok=True)
    )


@pytest.fixture
def allowed() -> list[str]:
    """Regular expressions of faults that a test expects."""
    return [_REFUSAL]


@pytest.fixture
def new_page(browser: Any, app: RunningApp, allowed: list[str]) -> Iterator[Callable[..., Any]]:
    """Opens pages that note every fault; the test fails if there was one."""
    faults: list[str] = []
    contexts: list[Any] = []

    def opened(**options: Any) -> Any:
        context = browser.new_context(base_url=app.address, **options)
        contexts.append(context)
        context.set_default_timeout(_WAIT)
        context.add_init_script(_REPORT_VIOLATIONS)
        _watch(context, app, faults)
        return context.new_page()

    yield opened
    for context in contexts:
        faults += _broken_work(context)
        context.close()
    unexpected = [one for one in faults if not any(re.search(way, one) for way in allowed)]
    assert not unexpected, "\n".join(unexpected)


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """One page, with nothing loaded yet."""
    return new_page()


def _broken_work(context: Any) -> list[str]:
    """Pages that tell of an error which nobody foresaw: that of a job comes as an event."""
    said = "This should not have happened"
    pages = [page for page in context.pages if not page.is_closed()]
    return [f"{page.url}: {said}" for page in pages if said in page.content()]


def _watch(context: Any, app: RunningApp, faults: list[str]) -> None:
    """Note what goes wrong in any page of a context."""

    def said(message: Any) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text} ({message.location['url']})")

    def requested(request: Any) -> None:
        here = tuple(f"{origin}/" for origin in app.origins)
        if not request.url.startswith((*here, "data:", "blob:")):
            faults.append(f"foreign request: {request.url}")

    def answered(response: Any) -> None:
        if response.status >= 500:
            faults.append(f"{response.status}: {response.request.method} {response.url}")

    context.on("console", said)
    context.on("request", requested)
    context.on("response", answered)
    context.on("weberror", lambda error: faults.append(f"page error: {error.error}"))
