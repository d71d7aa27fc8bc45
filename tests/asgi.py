"""``ask``: one request to an ASGI app, without a network."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Answer:
    """What the app answered; ``received`` is how many pieces of the body it took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    received: int

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    app: Any,
    method: str,
    path: str,
    body: bytes | Iterable[bytes] = b"",
    headers: Mapping[str, str] | None = None,
    *,
    raises: tuple[type[Exception], ...] = (),
) -> Answer:
    """Send a request in pieces, and gather the answer.

    It runs in a thread of its own: the browser tests keep a loop in the main thread. ``raises``
    is what the app may raise after its answer, for the server to log.
    """
    pieces = iter([body] if isinstance(body, bytes) else body)
    messages: list[dict[str, Any]] = []
    received, ended = 0, False

    async def receive() -> dict[str, Any]:
        nonlocal received, ended
        for piece in pieces:
            received += 1
            return {"type": "http.request", "body": piece, "more_body": True}
        if ended:
            await asyncio.Event().wait()  # the client is there, and says no more
        ended = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    parts = urlsplit(path)
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [
            (name.lower().encode(), value.encode()) for name, value in (headers or {}).items()
        ],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    with ThreadPoolExecutor(1) as thread, suppress(*raises):
        thread.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    start = next(one for one in messages if one["type"] == "http.response.start")
    content = b"".join(one.get("body", b"") for one in messages)
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], found, content, received)
