"""The server as a process: who can reach it, what it leaves, how it ends."""

import re
import signal
import socket
import stat
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from tests.other_account import needs_root, public_folder, run_as_nobody
from tests.running_app import running_app, wait_until

from evenhand.errors import ResourceError
from evenhand.web import server as module

TABLE = "sex,hired\nf,yes\nf,no\nm,yes\nm,no\n"
QUESTION = '[question]\nprotected = "sex"\ngroup = "f"\ndecision = "hired"\nfavorable = "yes"\n'


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "people.csv").write_text(TABLE)
    (folder / "people.toml").write_text(QUESTION)
    return folder


@pytest.fixture
def temporary(tmp_path):
    """Where the process puts its uploads."""
    path = tmp_path / "temporary"
    path.mkdir()
    return path


@pytest.fixture
def app(folder, temporary):
    with running_app(folder, "people.csv", TMPDIR=str(temporary)) as app:
        yield app


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One process for what leaves it as it is."""
    folder = tmp_path_factory.mktemp("shared") / "folder"
    folder.mkdir()
    (folder / "people.csv").write_text(TABLE)
    (folder / "people.toml").write_text(QUESTION)
    with running_app(folder, "people.csv") as app:
        yield app


def raw(app, data, seconds=5.0):
    """Send bytes as they are; what comes back until the server closes or is silent."""
    with socket.create_connection(("127.0.0.1", app.port), timeout=seconds) as connection:
        connection.sendall(data)
        parts = []
        try:
            while part := connection.recv(65536):
                parts.append(part)
                connection.settimeout(0.5)  # the rest comes at once
        except TimeoutError:
            parts.append(b"<silent>")
        except ConnectionResetError:
            parts.append(b"<reset>")
        return b"".join(parts)


def head(app, *lines, method="GET", path="check"):
    first = f"{method} /{app.token}/{path} HTTP/1.1"
    text = "\r\n".join((first, f"Host: 127.0.0.1:{app.port}", *lines))
    return f"{text}\r\n\r\n".encode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_at_once_and_leaves_nothing(app, folder, temporary, number):
    """Also while a page is open that hears of a job, and another is sending."""
    status, stored = app.call("PUT", "api/upload/table?name=more.csv", TABLE.encode())
    assert status == 200
    (uploads,) = temporary.iterdir()
    assert Path(stored["path"]).is_relative_to(uploads)
    assert stat.S_IMODE(uploads.stat().st_mode) == 0o700
    app.call("PATCH", "api/question", {"change": {"question": {"threshold": "1/10"}}})
    host = ("127.0.0.1", app.port)
    with socket.create_connection(host) as waiting, socket.create_connection(host) as sending:
        waiting.sendall(head(app))
        origin = f"Origin: {app.origin}"
        kind = "Content-Type: application/octet-stream"
        lines = (origin, kind, "Content-Length: 1000")
        sending.sendall(head(app, *lines, method="PUT", path="api/upload/table") + b"a,b\n")
        time.sleep(0.1)
        began = time.monotonic()
        assert app.stop(number) == 128 + number
        assert time.monotonic() - began < 10
    assert list(temporary.iterdir()) == []
    assert 'threshold = "1/10"' in (folder / "people.toml").read_text()
    assert stat.S_IMODE((folder / "people.toml").stat().st_mode) == 0o600
    assert sorted(one.name for one in folder.iterdir()) == ["people.csv", "people.toml"]
    assert "Traceback" not in app.log.read_text()


def test_what_could_not_be_saved_is_said_at_the_end(app, folder):
    app.call("PATCH", "api/question", {"change": {"question": {"threshold": "1/10"}}})
    time.sleep(0.6)
    (folder / "people.toml").write_text(QUESTION + "# theirs\n")
    app.call("PATCH", "api/question", {"change": {"question": {"threshold": "1/7"}}})
    assert app.call("POST", "api/close", {})[0] == 422
    app.stop(signal.SIGINT)
    assert (folder / "people.toml").read_text() == QUESTION + "# theirs\n"
    said = (
        "people.toml: What was chosen is not in the question file: the question. "
        "It was changed outside the app."
    )
    assert said in app.log.read_text().splitlines()


def test_the_page_ends_it(app, temporary):
    assert app.call("POST", "api/close", {})[1]["ended"]
    assert app.process.wait(5) == 0
    assert list(temporary.iterdir()) == []


def test_it_prints_its_address_and_nothing_else(app):
    for path in ("check", "absent", "api/jobs/absent"):
        app.call("GET", path)
    app.call("PATCH", "api/question", b"no json")
    app.request("GET", "/wrong/")
    raw(app, b"no http\r\n\r\n")
    printed = app.log.read_text()
    assert printed.splitlines() == [
        f"evenhand web: {app.address}",
        "Nothing leaves this computer. Ctrl+C ends it.",
    ]


@pytest.mark.skipif(not Path("/proc/self/net").is_dir(), reason="needs Linux")
def test_only_this_machine_reaches_it_and_its_command_line_says_nothing(shared):
    entries = Path("/proc/net/tcp").read_text().splitlines()[1:]
    local = [line.split()[1] for line in entries if line.split()[3] == "0A"]
    port = f"{shared.port:04X}"
    assert [one for one in local if one.endswith(f":{port}")] == [f"0100007F:{port}"]
    assert f":{port} " not in Path("/proc/net/tcp6").read_text()
    place = Path("/proc") / str(shared.process.pid)
    for name in ("cmdline", "environ"):
        assert shared.token.encode() not in (place / name).read_bytes()


def test_answers_say_nothing_of_who_serves(shared):
    _, headers, _ = shared.request("GET", f"/{shared.token}/check")
    assert "server" not in headers
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (("Content-Length: 5", "Transfer-Encoding: chunked"), b"0\r\n\r\nGET /x HTTP/1.1\r\n"),
        (("Content-Length: 5", "Content-Length: 6"), b"{}    "),
        (("Content-Length: -1",), b""),
        (("Content-Length: 5x",), b"{}"),
        (("Transfer-Encoding: gzip, chunked",), b"0\r\n\r\n"),
        (("Transfer-Encoding: chunked",), b"zz\r\n{}\r\n0\r\n\r\n"),
        (("Host: example.org",), b""),
        (("Bad Header",), b""),
        (("X: " + "a" * 2_000_000,), b""),
        (tuple(f"X{number}: {'a' * 1000}" for number in range(200)), b""),
        (("X: a\0b",), b""),
    ],
    ids=range(11),
)
def test_what_could_be_read_in_two_ways_is_refused_and_the_line_closed(shared, lines, body):
    ours = (f"Origin: {shared.origin}", "Content-Type: application/json")
    answer = raw(shared, head(shared, *ours, *lines, method="POST", path="api/undo") + body)
    status = answer.partition(b"\r\n")[0]
    assert status == b"<reset>" or status.split()[1] in (b"400", b"403"), answer[:200]
    assert answer.count(b"HTTP/1.1 ") <= 1
    assert shared.call("GET", "check")[0] == 200


@pytest.mark.parametrize(
    "line",
    [
        "GET http://example.org/ HTTP/1.1",
        "GET check HTTP/1.1",
        "GET //check HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT 127.0.0.1:22 HTTP/1.1",
        "GET /\xe9 HTTP/1.1",
        "GET / HTTP/9.9",
        "PRI * HTTP/2.0",
        "GET /" + "a" * 100_000 + " HTTP/1.1",
    ],
)
def test_odd_first_lines_get_nothing(shared, line):
    data = f"{line}\r\nHost: 127.0.0.1:{shared.port}\r\nConnection: close\r\n\r\n"
    answer = raw(shared, data.encode("latin-1"))
    assert answer == b"<reset>" or answer.split()[1] in (b"400", b"403", b"404"), answer[:200]
    assert shared.token.encode() not in answer


def test_without_a_host_nothing_is_served(shared):
    path = f"/{shared.token}/check"
    assert b" 403 " in raw(shared, f"GET {path} HTTP/1.0\r\n\r\n".encode())
    assert b" 400 " in raw(shared, f"GET {path} HTTP/1.1\r\n\r\n".encode())
    host = f"127.0.0.1:{shared.port}"
    answer = raw(shared, f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
    assert b" 200 " in answer.partition(b"\r\n")[0]


def test_sockets_are_not_upgraded(shared):
    lines = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
    answer = raw(
        shared, head(shared, *lines, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="), 1.0
    )
    assert not answer.startswith(b"HTTP/1.1 101")


def test_who_sends_slowly_or_never_ends_hinders_nobody(shared):
    host = ("127.0.0.1", shared.port)
    ours = (f"Origin: {shared.origin}", "Content-Type: application/json")
    lines = [
        head(shared)[:-2],  # headers without an end
        head(shared, *ours, "Content-Length: 100", method="POST", path="api/undo") + b"{",
        head(shared, *ours, "Transfer-Encoding: chunked", method="POST", path="api/undo")
        + b"1\r\n{",
        b"",
    ] * 15
    connections = [socket.create_connection(host) for _ in lines]
    try:
        for connection, line in zip(connections, lines, strict=True):
            connection.sendall(line)
        for _ in range(5):
            began = time.monotonic()
            assert shared.call("GET", "check")[0] == 200
            assert time.monotonic() - began < 10
    finally:
        for connection in connections:
            connection.close()


def test_more_pages_than_threads_can_follow_a_job(shared):
    """A table that comes through a slow reader is not there; a job is enough that ended."""
    job = shared.call("POST", "api/file", {"take": "table"})[1]["job"]
    host = ("127.0.0.1", shared.port)
    connections = [socket.create_connection(host) for _ in range(60)]
    try:
        for connection in connections:
            connection.sendall(head(shared, path=f"api/jobs/{job}"))
        assert shared.call("GET", "check")[0] == 200
    finally:
        for connection in connections:
            connection.close()


def test_a_port_that_is_taken_is_a_problem_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ResourceError, match=f"Port {port} cannot be used"):
            module.serve(tmp_path, port=port)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def browser(tmp_path):
    """A browser that notes its command line."""
    note, path = tmp_path / "noted", tmp_path / "browser"
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" > {note}.new; mv {note}.new {note}\n')
    path.chmod(0o755)
    return SimpleNamespace(path=path, noted=lambda: note.read_text() if note.exists() else "")


@pytest.fixture
def launched(folder, temporary, browser):
    """The app, the page that the browser was started with, and where that page leads."""
    settings = {"TMPDIR": str(temporary), "BROWSER": str(browser.path)}
    with running_app(folder, "people.csv", browser=True, **settings) as app:
        wait_until(lambda: browser.noted() != "")
        page = Path(url2pathname(urlsplit(browser.noted().split()[-1]).path))
        word = re.search(r"/start/[\w-]+", page.read_text()).group()
        yield SimpleNamespace(app=app, page=page, word=word, command=browser.noted())


def test_the_browser_is_started_with_a_private_page_and_no_secret(launched):
    """Other users of the machine can read the command line of the browser."""
    assert launched.page.as_uri() in launched.command
    assert "http:" not in launched.command
    assert launched.app.token not in launched.command + launched.page.read_text()
    assert launched.word.removeprefix("/start/") not in launched.command
    assert stat.S_IMODE(launched.page.stat().st_mode) == 0o600
    assert stat.S_IMODE(launched.page.parent.stat().st_mode) == 0o700
    place = Path("/proc") / str(launched.app.process.pid) / "cmdline"
    assert not place.exists() or b"/start/" not in place.read_bytes()


@needs_root
def test_another_account_cannot_read_the_page_that_the_browser_opens(folder, browser):
    with public_folder(0o1777) as temporary:
        settings = {"TMPDIR": str(temporary), "BROWSER": str(browser.path)}
        with running_app(folder, "people.csv", browser=True, **settings):
            wait_until(lambda: browser.noted() != "")
            page = Path(urlsplit(browser.noted().split()[-1]).path)
            assert page.is_relative_to(temporary)
            read = run_as_nobody("print(open(sys.argv[1]).read())", page)
            assert (read.returncode, read.stdout) == (1, "")
            assert "PermissionError" in read.stderr


def test_the_page_is_removed_at_the_end_if_no_browser_used_it(launched, temporary):
    assert launched.app.stop(signal.SIGTERM) == 128 + signal.SIGTERM
    assert list(temporary.iterdir()) == []


def test_a_word_that_is_used_twice_locks_everybody_out_until_the_new_address_is_opened(
    launched,
):
    """One of the two may be a thief, whoever came first; only the terminal tells the owner."""
    app = launched.app
    stolen = app.request("GET", launched.word)[1]["location"]
    assert app.request("GET", f"{stolen}check")[0] == 200
    app.call("PATCH", "api/question", {"change": {"question": {"threshold": "1/10"}}})
    status, headers, content = app.request("GET", launched.word)
    assert (status, headers.get("location")) == (404, None)
    assert b"open the address that it printed last" in content
    assert app.request("GET", f"{stolen}check")[0] == 404
    assert app.call("POST", "api/undo", {})[0] == 404
    wait_until(lambda: len(re.findall("http://", app.log.read_text())) == 2)
    told = app.log.read_text()
    assert "used twice" in told
    app.address = re.findall(r"http://\S+", told)[-1]
    assert app.token not in stolen
    assert "1/10" in app.call("GET", "question")[1]
    # The word is spent: whoever still has it can lock nobody out again.
    assert app.request("GET", launched.word)[0] == 404
    assert app.call("GET", "check")[0] == 200


def test_it_ends_when_nobody_uses_it_for_eight_hours():
    guard = SimpleNamespace(idle_seconds=8 * 3600)
    session = SimpleNamespace(jobs=SimpleNamespace(running=None))
    assert not module._is_idle(guard, session)
    guard.idle_seconds += 1
    assert module._is_idle(guard, session)
    session.jobs.running = "a job"
    assert not module._is_idle(guard, session)


def test_the_watch_ends_the_server():
    server, said, answers = SimpleNamespace(should_exit=False), [], [False, False, True]
    module._watch(server, lambda: answers.pop(0), said.append, seconds=0)
    assert server.should_exit
    assert said == ["Nobody has used it for eight hours: it ends."]


def test_a_first_table_that_cannot_be_read_is_told_on_the_page(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "empty.csv").write_text("")
    with running_app(folder, "empty.csv") as app:
        text = app.call("GET", "table")[1]
        assert 'class="refusals"' in text or "refusal" in text
