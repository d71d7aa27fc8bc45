"""``serve``: the app on a free port of this machine, opened in the browser."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep

import uvicorn

from evenhand.errors import ResourceError
from evenhand.files import recover
from evenhand.web.app import make_app
from evenhand.web.folder import Folder
from evenhand.web.guard import Guard
from evenhand.web.session import Session
from evenhand.web.table_screen import start_opening

_IDLE_SECONDS = 8 * 3600


def serve(
    folder: Path,
    table: Path | None = None,
    question: Path | None = None,
    *,
    port: int = 0,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until the app is closed, the process is interrupted, or nobody uses it for long."""
    listening = _listen(port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    session = Session(Folder(folder))
    try:
        with suppress(OSError, ResourceError):  # what cannot be removed stays until it can
            for name in recover(session.folder.root):
                say(f"Removed what an interrupted run had left: {name}")
        server = uvicorn.Server(_settings())
        app = make_app(session, close=lambda: _end(server))
        guard = server.config.app = Guard(app, listening.getsockname()[1])
        if table is not None:
            start_opening(session, table, question)
        say(f"evenhand web: {address}/{guard.token}/")
        say("Nothing leaves this computer. Ctrl+C ends it.")
        if open_browser:
            say("If the browser shows no page, open the address above in it.")
            _in_thread(
                webbrowser.open, _launch_page(session.folder, guard, address, say).as_uri()
            )
        _in_thread(_watch, server, lambda: _is_idle(guard, session), say)
        server.run(sockets=[listening])
    finally:
        if lost := session.close():
            say(f"{lost.where}: {lost.what} {lost.found}")
        listening.close()


def _launch_page(
    folder: Folder, guard: Guard, address: str, say: Callable[[str], None]
) -> Path:
    """The page for the browser; it is removed when the browser has followed it."""

    def used() -> None:
        page.unlink(missing_ok=True)

    def stolen() -> None:
        say("The browser's first address was used twice: another user may have had it.")
        say(f"All pages were locked out. The app goes on at: {address}/{guard.token}/")

    page = folder.launch_page(f"{address}{guard.launch_path(used, stolen)}")
    return page


def _settings() -> uvicorn.Config:
    """No log of requests: their paths hold the token."""
    return uvicorn.Config(
        lambda: None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,  # pages that follow a job would wait for its end
        ws="none",
    )


def _listen(port: int) -> socket.socket:
    """A socket of this machine alone."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # whoever comes before the server is ready waits
    except OSError as error:
        listening.close()
        raise ResourceError.of(
            f"Port {port} cannot be used: {error.strerror}.",
            remedy="Choose another one, or leave it out for a free one.",
        ) from error
    return listening


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True


def _in_thread(work: Callable[..., object], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()


def _is_idle(guard: Guard, session: Session) -> bool:
    """Whether nobody has used the app for long, and nothing is under way."""
    return guard.idle_seconds > _IDLE_SECONDS and session.jobs.running is None


def _watch(
    server: uvicorn.Server,
    is_idle: Callable[[], bool],
    say: Callable[[str], None],
    seconds: float = 30,
) -> None:
    """End the server when it is idle."""
    while not server.should_exit:
        if is_idle():
            say("Nobody has used it for eight hours: it ends.")
            _end(server)
        sleep(seconds)
