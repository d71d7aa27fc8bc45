"""Only requests of our own page pass, and bodies have a limit."""

import string

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from tests.asgi import ask

from evenhand.errors import InputError
from evenhand.web.guard import Guard

HOST = "127.0.0.1:8000"
LIMITS = {"application/json": 10, "application/octet-stream": 100}


async def inner(scope, receive, send):
    """Says what arrived, and how a refusal of the body arrives."""
    request = Request(scope, receive)
    try:
        length = len(await request.body()) if request.method != "GET" else 0
    except InputError as error:
        await PlainTextResponse(error.problems[0].what, 422)(scope, receive, send)
        return
    content = {"path": scope["path"], "root": scope["root_path"], "length": length}
    await JSONResponse(content)(scope, receive, send)


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(clock):
    return Guard(inner, 8000, limits=LIMITS, clock=clock)


def page(guard, path="table"):
    return f"/{guard.token}/{path}"


def ours(**changes):
    """What our own page sends, with changes; None leaves a header out."""
    headers = {
        "host": HOST,
        "origin": f"http://{HOST}",
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in headers.items() if value is not None}


def test_our_own_page_passes_with_its_path_behind_the_token(guard):
    for host in (HOST, "localhost:8000"):
        answer = ask(
            guard, "POST", page(guard), b"{}", ours(host=host, origin=f"http://{host}")
        )
        assert answer.json == {"path": "/table", "root": f"/{guard.token}", "length": 2}
    assert ask(guard, "GET", f"/{guard.token}", headers={"host": HOST}).json["path"] == "/"


def test_the_token_has_128_bits_and_is_new_each_time(clock):
    tokens = {Guard(inner, 8000, clock=clock).token for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {22}  # 22 characters of 6 bits
    assert {*"".join(tokens)} <= {*string.ascii_letters, *string.digits, "-", "_"}


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/table",
        "/wrong/table",
        "/é/table",
        "/%00/table",
        "/start",
        "*",
        "",
        "/%2e%2e/",
    ],
)
def test_without_the_token_nothing_is_there(guard, path):
    answer = ask(guard, "GET", path, headers={"host": HOST})
    assert (answer.status, answer.text) == (404, "There is nothing here.\n")


def test_parts_of_the_token_and_longer_ones_are_wrong(guard):
    for token in (guard.token[:-1], guard.token + "a", guard.token.swapcase(), ""):
        assert ask(guard, "GET", f"/{token}/table", headers={"host": HOST}).status == 404


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "example.org:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8000.example.org",
        "localhost",
        "0.0.0.0:8000",
        "[::1]:8000",
        "LOCALHOST:8000",
        "",
    ],
)
def test_a_foreign_host_is_refused_before_the_token_is_looked_at(guard, host):
    """A page elsewhere whose name comes to mean this machine still sends its own name."""
    for path in (page(guard), "/wrong/", guard.launch_path()):
        assert ask(guard, "GET", path, headers={"host": host}).status == 403
    assert ask(guard, "GET", page(guard)).status == 403


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": None},
        {"origin": "null"},
        {"origin": "http://example.org"},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "http://localhost:8000"},  # not the host that is asked
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},  # another port of this machine
        {"sec_fetch_site": "none"},
        {"content_type": None},
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"content_type": "multipart/form-data; boundary=x"},
    ],
)
@pytest.mark.parametrize(
    "method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ODD"]
)
def test_what_changes_something_must_come_from_our_page(guard, method, changes):
    answer = ask(guard, method, page(guard), b"{}", ours(**changes))
    assert answer.status == 403
    assert answer.received == 0
    assert "access-control-allow-origin" not in answer.headers


def test_a_browser_that_says_less_may_pass(guard):
    headers = ours(sec_fetch_site=None, content_type="application/json; charset=utf-8")
    assert ask(guard, "PATCH", page(guard), b"{}", headers).status == 200


def test_a_body_without_a_declared_length_is_refused(guard):
    for method in ("GET", "POST"):
        headers = ours(transfer_encoding="chunked")
        assert ask(guard, method, page(guard), b"{}", headers).status == 400


def test_reading_needs_no_origin(guard):
    for method in ("GET", "HEAD"):
        assert ask(guard, method, page(guard), headers={"host": HOST}).status == 200


def test_the_word_works_once(guard):
    path = guard.launch_path()
    assert ask(guard, "HEAD", path, headers={"host": HOST}).status == 404
    assert ask(guard, "GET", path + "x", headers={"host": HOST}).status == 404
    answer = ask(guard, "GET", path, headers={"host": HOST})
    assert (answer.status, answer.headers["location"]) == (303, f"/{guard.token}/")
    again = ask(guard, "GET", path, headers={"host": HOST})
    assert (again.status, guard.token in again.text) == (404, False)


@pytest.mark.parametrize(("seconds", "status"), [(60, 303), (60.001, 404)])
def test_the_word_works_for_a_minute(guard, clock, seconds, status):
    path = guard.launch_path()
    assert guard.token not in path
    clock.now += seconds
    assert ask(guard, "GET", path, headers={"host": HOST}).status == status
    assert ask(guard, "GET", path, headers={"host": HOST}).status == 404


def test_a_word_that_was_used_and_comes_again_renews_the_token_once(guard):
    heard = []
    path = guard.launch_path(
        lambda: heard.append("used"), lambda: heard.append(("stolen", guard.token))
    )
    first = guard.token
    assert ask(guard, "GET", path, headers={"host": HOST}).status == 303
    assert ask(guard, "HEAD", path, headers={"host": HOST}).status == 404
    assert (heard, guard.token) == (["used"], first)
    again = ask(guard, "GET", path, headers={"host": HOST})
    assert (again.status, "printed last" in again.text) == (404, True)
    renewed = guard.token
    assert renewed != first
    assert heard == ["used", ("stolen", renewed)]
    assert ask(guard, "GET", f"/{first}/table", headers={"host": HOST}).status == 404
    assert ask(guard, "GET", page(guard), headers={"host": HOST}).json["path"] == "/table"
    assert ask(guard, "GET", path, headers={"host": HOST}).status == 404
    assert (guard.token, len(heard)) == (renewed, 2)


def test_a_word_that_came_too_late_was_nobodys(guard, clock):
    path, token = guard.launch_path(), guard.token
    clock.now += 61
    for _ in range(2):
        assert ask(guard, "GET", path, headers={"host": HOST}).status == 404
    assert guard.token == token


def test_the_headers_stand_on_every_answer(guard):
    answers = [
        ask(guard, "GET", page(guard), headers={"host": HOST}),
        ask(guard, "GET", "/wrong/", headers={"host": HOST}),
        ask(guard, "GET", page(guard), headers={"host": "example.org"}),
        ask(guard, "GET", guard.launch_path(), headers={"host": HOST}),
        ask(guard, "POST", page(guard), b"x" * 11, ours()),
    ]
    assert [answer.status for answer in answers] == [200, 404, 403, 303, 422]
    for answer in answers:
        policy = answer.headers["content-security-policy"].split("; ")
        assert policy == [
            "default-src 'none'",
            *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("kind", "limit"), LIMITS.items())
def test_a_body_has_a_limit(guard, kind, limit):
    def sent(*pieces, **changes):
        headers = ours(content_type=kind, **changes)
        return ask(guard, "PUT", page(guard), pieces, headers)

    assert sent(b"x" * limit).json["length"] == limit
    assert sent(b"x" * limit, b"x").status == 422
    # What is declared is refused before any of it is taken.
    refused = sent(b"x", content_length=str(limit + 1))
    assert (refused.status, refused.received) == (422, 0)
    assert sent(b"x" * limit, content_length=str(limit)).status == 200


def test_a_body_without_an_end_is_left_at_the_limit(guard):
    def endless():
        while True:
            yield b"xxxx"

    answer = ask(guard, "POST", page(guard), endless(), ours())
    assert (answer.status, answer.received) == (422, 3)


def test_only_requests_with_the_token_count_as_use(guard, clock):
    clock.now += 100
    ask(guard, "GET", "/wrong/", headers={"host": HOST})
    ask(guard, "GET", page(guard), headers={"host": "example.org"})
    assert guard.idle_seconds == 100
    ask(guard, "GET", page(guard), headers={"host": HOST})
    assert guard.idle_seconds == 0


def test_sockets_are_not_answered(guard):
    """The server offers none; whoever asks all the same gets nothing."""
    steps = guard({"type": "websocket"}, None, None)
    with pytest.raises(StopIteration):
        steps.send(None)
