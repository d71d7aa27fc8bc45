"""The routes: pages that are read with or without scripts, and JSON for what is changed."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from evenhand.errors import EvenhandError, Problem, QuestionError
from evenhand.web import (
    check_screen,
    evidence_screen,
    graph_screen,
    question_screen,
    release_screen,
    table_screen,
)
from evenhand.web.jobs import Job, request_again, unexpected
from evenhand.web.pages import STEPS, masthead, render, render_problems, static_file
from evenhand.web.question_store import StaleError
from evenhand.web.session import Session, is_due, no_table

Body: TypeAlias = dict[str, Any]
# A handler gets the session and the JSON of the request, and returns plain values or a job.
Handler: TypeAlias = Callable[[Session, Body], "dict[str, Any] | Job | None"]

_VIEWS = {
    "table": table_screen.view,
    "question": question_screen.view,
    "graph": graph_screen.view,
    "evidence": evidence_screen.view,
    "release": release_screen.view,
    "check": check_screen.view,
}
# Screens that show the verdict, which may have to be worked out first.
_JUDGED = ("graph", "evidence", "release")
# Screens that show what is found in the columns.
_LOOKED = ("table", "question")
_HEARTBEAT, _POLL = 15.0, 0.05  # seconds


def make_app(session: Session, close: Callable[[], None]) -> Starlette:
    """The app on one session; ``close`` ends the server."""

    def closing(of: Session, body: Body) -> Body:
        of.settle(body.get("unsaved"))
        close()
        return {
            "ended": True,
            "said": f"evenhand has ended. {_kept(of)}You can close this tab.",
        }

    changes: list[tuple[str, str, Handler]] = [
        ("POST", "undo", lambda of, body: of.step(-1, body.get("revision"))),
        ("POST", "redo", lambda of, body: of.step(1, body.get("revision"))),
        ("POST", "file", _changed_file),
        ("POST", "close", closing),
        *table_screen.CHANGES,
        *question_screen.CHANGES,
        *graph_screen.CHANGES,
        *evidence_screen.CHANGES,
        *release_screen.CHANGES,
        *check_screen.CHANGES,
    ]
    app = Starlette(
        routes=[
            Route("/", _first_page),
            Route("/static/{name}", _static),
            *(Route(f"/{name}", _page(name)) for name in STEPS),
            Route("/files/{name}", _made_file),
            Route("/graph.{ending:str}", _graph_file),
            Route("/api/upload/{use}", _upload, methods=["PUT"]),
            Route("/api/jobs/{id}", _events),
            Route("/api/jobs/{id}", _cancel, methods=["DELETE"]),
            *(
                Route(f"/api/{path}", _answer(handler, method, path), methods=[method])
                for method, path, handler in changes
            ),
        ],
        exception_handlers={
            EvenhandError: _problem_page,
            HTTPException: _http_error,
            Exception: _problem_page,
        },
    )
    app.state.session = session
    app.router.redirect_slashes = False
    return app


def _session(request: Request) -> Session:
    session: Session = request.app.state.session
    return session


def _first_page(request: Request) -> Response:
    name = "question" if _session(request).table else "table"
    return RedirectResponse(f"{request.scope['root_path']}/{name}", 303)


def _static(request: Request) -> Response:
    found = static_file(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found[0], media_type=found[1])


def _page(name: str) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:
        session = _session(request)
        while True:
            revision = session.revision
            try:
                return HTMLResponse(_shown(session, name, request.query_params))
            except Exception:
                if session.revision == revision:
                    raise  # else half of it was read before a change, and half after

    return page


def _shown(session: Session, name: str, query: QueryParams) -> str:
    if session.table is None and name not in ("table", "check"):
        raise no_table()
    # A page may show more than its revision, never less.
    revision = {"revision": session.revision}
    waits = _waits(session, name)
    view = {} if waits else _VIEWS[name](session, query)
    return render(session, name, revision | view, waits)


def _waits(session: Session, name: str) -> str:
    """The page to show while something must be worked out that takes long; "" for none."""
    try:
        if name in _LOOKED and session.table is not None and session.reading.is_due:
            return "looking"
        if name in _JUDGED:
            _ = session.file
            is_unlearned = name != "graph" and session.learned is None
            return "judging" if is_unlearned or is_due(session) else ""
    except EvenhandError:
        pass  # the page says why
    return ""


def _answer(handler: Handler, method: str, path: str) -> Callable[[Request], Any]:
    """Read the JSON of a request, let the handler work in a thread, answer in JSON.

    Requests are carried out one after the other, each on what is chosen by then. Where one is
    refused a remedy may ask for the same once more.
    """

    def carried_out(session: Session, body: Body) -> tuple[int, dict[str, Any] | Job | None]:
        with session.lock:
            return session.revision, handler(session, body)

    async def endpoint(request: Request) -> Response:
        session, body = _session(request), Body()
        try:
            body = await _json(request)
            follows, result = await run_in_threadpool(carried_out, session, body)
        except EvenhandError as error:
            again = request_again(method, f"api/{path}", body)
            return _problems(session, error.problems, _status(error), again)
        except Exception as error:  # noqa: BLE001  # the state is kept, and it is told
            return _problems(session, (unexpected(error),), 500)
        content = {"job": result.id} if isinstance(result, Job) else dict(result or {})
        verdict = await run_in_threadpool(masthead, session)
        said = f"{verdict.word}, {verdict.groups}{verdict.release}" if verdict else ""
        content = {"revision": session.revision, "follows": follows, "verdict": said, **content}
        return JSONResponse(content)

    return endpoint


def _kept(session: Session) -> str:
    """Where what was chosen is, as a sentence."""
    if session.unsaved:
        return "What was chosen last is not in the question file. "
    return "What you chose is in the question file. " if session.question_path else ""


async def _json(request: Request) -> Body:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise QuestionError.of("The request is not JSON.", remedy="Reload.")
    raw = await request.body()
    try:
        content = json.loads(raw or b"{}", parse_constant=_no_number)
        json.dumps(content, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError) as error:
        raise QuestionError.of("The request is not JSON.", remedy="Reload.") from error
    if not isinstance(content, dict):
        raise QuestionError.of("The request is no JSON object.", remedy="Reload.")
    return content


def _no_number(name: str) -> None:
    raise ValueError(name)


def _status(error: EvenhandError) -> int:
    return 409 if isinstance(error, StaleError) else 422


def _problems(
    session: Session,
    problems: tuple[Problem, ...],
    status: int,
    again: Mapping[str, Any] | None = None,
) -> Response:
    problems = tuple(map(session.folder.named, problems))
    content = {
        "revision": session.revision,
        "problems": [problem.to_dict() for problem in problems],
        "html": render_problems(problems, again),
    }
    return JSONResponse(content, status)


def _problem_page(request: Request, error: Exception) -> Response:
    """A page that cannot be shown: why, with remedies as buttons."""
    problems = error.problems if isinstance(error, EvenhandError) else (unexpected(error),)
    status = 422 if isinstance(error, EvenhandError) else 500
    session = _session(request)
    if "/api/" in request.url.path:
        return _problems(session, problems, status)
    problems = tuple(map(session.folder.named, problems))
    screen = request.url.path.rpartition("/")[2]
    screen = screen if screen in STEPS else "table"
    page = render(session, screen, {"problems": problems}, "problem")
    return HTMLResponse(page, status)


def _http_error(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return Response("There is nothing here.\n", status, media_type="text/plain")


def _changed_file(session: Session, body: Body) -> Job | None:
    """Settle what to do with a question file or a table that was changed outside."""
    match body.get("take"):
        case "theirs":
            session.reload()
        case "table":
            return session.jobs.start("reading the table again", session.read_again)
        case _:
            session.save(overwrite=True)
    return None


def _made_file(request: Request) -> Response:
    session = _session(request)
    name = request.path_params["name"]
    if name not in session.made_files or not session.folder.has_plain(name):
        raise HTTPException(404)
    path = session.folder.root / name
    return FileResponse(path, filename=name, content_disposition_type="attachment")


def _graph_file(request: Request) -> Response:
    ending = request.path_params["ending"]
    if ending not in ("json", "dot", "svg"):
        raise HTTPException(404)
    content, kind = graph_screen.graph_file(_session(request), ending)
    return Response(content, media_type=kind)


async def _upload(request: Request) -> Response:
    """Store a file that was dropped; what it is used for is asked in a second request."""
    session = _session(request)
    try:
        name = request.query_params.get("name", "table.csv")
        path = await session.folder.receive(name, request.stream())
    except EvenhandError as error:
        return _problems(session, error.problems, _status(error))
    except OSError as error:
        return _problems(session, (Problem(error.strerror or str(error)),), 422)
    return JSONResponse({"path": str(path), "name": path.name})


def _job(request: Request) -> Job:
    return _session(request).jobs.find(request.path_params["id"])


def _cancel(request: Request) -> Response:
    _job(request).cancel()
    return JSONResponse({})


def _events(request: Request) -> Response:
    """How far a job is, as server-sent events; the last one says how it ended."""
    job = _job(request)

    async def stream() -> AsyncIterator[str]:
        last, silent = "", 0.0
        while True:
            content = job.to_dict()
            if job.state == "failed":
                content["html"] = render_problems(job.problems, job.again)
            text = json.dumps(content)
            if text != last:
                yield f"data: {text}\n\n"
                last, silent = text, 0.0
            elif silent > _HEARTBEAT:
                yield ": still there\n\n"
                silent = 0.0
            if content["state"] != "running":
                job.was_shown = True
                return
            await asyncio.sleep(_POLL)
            silent += _POLL

    return StreamingResponse(stream(), media_type="text/event-stream")
