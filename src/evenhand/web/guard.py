"""``Guard``: lets in requests of the page that this server served, and nobody else's.

The address holds a token, because all ports of a machine share cookies. The browser comes with
a word that works once. If the word comes again, one of the two was not the owner: the token is
renewed, and only the owner's terminal shows the new one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from secrets import token_urlsafe
from time import monotonic
from typing import TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.errors import InputError, Problem

MOST_UPLOADED = 500_000_000  # bytes
# The types that a page sends, and how many bytes at most.
_LIMITS = {"application/json": 1_000_000, "application/octet-stream": MOST_UPLOADED}
_WORD_SECONDS = 60
_READING = ("GET", "HEAD")
_NO_WORD = "This address worked once, within a minute: open the address that evenhand printed."
_REUSED = (
    "This address was used before, perhaps by somebody else. All pages of evenhand were locked "
    "out: open the address that it printed last."
)
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_Clock: TypeAlias = Callable[[], float]


@dataclass
class _Word:
    """What leads to the first page once."""

    until: float
    used: Callable[[], object]
    stolen: Callable[[], object]
    is_used: bool = False


class Guard:
    """Refuses foreign hosts, pages and tokens, and bodies that are too large."""

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        *,
        limits: Mapping[str, int] = _LIMITS,
        clock: _Clock = monotonic,
    ) -> None:
        self.token = token_urlsafe(16)
        self._last_used = clock()
        self._app, self._limits, self._clock = app, limits, clock
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._words: dict[str, _Word] = {}

    @property
    def idle_seconds(self) -> float:
        """How long ago the last request with the right token came."""
        return self._clock() - self._last_used

    def launch_path(
        self,
        used: Callable[[], object] = lambda: None,
        stolen: Callable[[], object] = lambda: None,
    ) -> str:
        """A path that leads to the first page once, within a minute.

        ``used`` is called then; ``stolen`` when somebody comes that way again, and the token
        has changed.
        """
        word = token_urlsafe(16)
        self._words[word] = _Word(self._clock() + _WORD_SECONDS, used, stolen)
        return f"/start/{word}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on with its path behind the token."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        self._last_used = self._clock()
        inner = dict(scope) | {
            "path": scope["path"].removeprefix(f"/{self.token}") or "/",
            "root_path": f"/{self.token}",
        }
        limited = _limited(receive, Headers(scope=scope), self._limits)
        await self._app(inner, limited, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that may not pass."""
        headers = Headers(scope=scope)
        host, path = headers.get("host", ""), scope["path"]
        if host not in self._hosts:
            return _refuse(403, "Open the address that evenhand printed.")
        if "transfer-encoding" in headers:  # no browser sends what has two lengths or none
            return _refuse(400, "The request does not say how long it is.")
        if path.startswith("/start/"):
            return self._start(path.removeprefix("/start/"), scope["method"])
        token = path[1:].partition("/")[0]
        if not compare_digest(token.encode(), self.token.encode()):
            return _refuse(404, "There is nothing here.")
        if scope["method"] not in _READING and (why := next(self._foreign(headers, host), "")):
            return _refuse(403, why)
        return None

    def _start(self, text: str, method: str) -> Response:
        known = [one for one in self._words if compare_digest(one.encode(), text.encode())]
        if method != "GET" or not known:
            return _refuse(404, _NO_WORD)
        word = self._words[known[0]]
        if word.is_used:
            del self._words[known[0]]  # whoever has it can lock nobody out again
            self.token = token_urlsafe(16)
            word.stolen()
            return _refuse(404, _REUSED)
        if word.until < self._clock():
            return _refuse(404, _NO_WORD)
        word.is_used = True
        word.used()
        return RedirectResponse(f"/{self.token}/", 303)

    def _foreign(self, headers: Headers, host: str) -> Iterator[str]:
        """Why a request that changes something is not one of our own page."""
        if headers.get("origin") != f"http://{host}":
            yield "The request comes from another page."
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            yield "The request comes from another site."
        if _type(headers) not in self._limits:
            yield "The request has a type that this page does not send."


def _refuse(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return sending


def too_large(limit: int) -> Problem:
    """Why a body is refused."""
    return Problem(
        "This is larger than a page may send.",
        f"The limit is {limit // 1_000_000} MB.",
        "Put the file into the folder that is open, and choose it there.",
    )


def _type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0]


def _limited(receive: Receive, headers: Headers, limits: Mapping[str, int]) -> Receive:
    """Receives a body, and refuses one that is too large as soon as that is known."""
    limit = limits.get(_type(headers), 0)
    length = 0

    async def receiving() -> Message:
        nonlocal length
        if int(headers.get("content-length", 0)) > limit:
            raise InputError(too_large(limit))
        message = await receive()
        length += len(message.get("body", b""))
        if length > limit:
            raise InputError(too_large(limit))
        return message

    return receiving
