"""Routes behind the guard: what can be asked for, and what a bad request gets."""

import json
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.asgi import ask
from tests.repetitions import repetitions
from tests.running_app import write_adult

from evenhand.display import Progress
from evenhand.errors import InputError
from evenhand.web import app as module
from evenhand.web.app import make_app
from evenhand.web.folder import Folder
from evenhand.web.guard import Guard
from evenhand.web.pages import STEPS
from evenhand.web.session import Session

HOST = "127.0.0.1:8000"
TABLE = "sex,hired,n\nf,yes,20\nf,no,80\nm,yes,50\nm,no,50\n"
QUESTION = """\
[question]
protected = "sex"
group = "f"
decision = "hired"
favorable = "yes"

[data]
frequency = "n"
"""
LIMITS = {"application/json": 1000, "application/octet-stream": 100}


class App:
    """The app behind its guard, asked as its own page asks."""

    def __init__(self, root):
        self.session = Session(Folder(root))
        self.ended = False
        self.app = make_app(self.session, self._end)
        self.guard = Guard(self.app, 8000, limits=LIMITS)

    def _end(self):
        self.ended = True

    def __call__(self, method, path, body=b"", kind="application/json", **headers):
        sent = {"host": HOST, "origin": f"http://{HOST}", "content-type": kind} | headers
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        return ask(self.guard, method, f"/{self.guard.token}/{path}", body, sent)


@pytest.fixture
def app(tmp_path):
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "people.toml").write_text(QUESTION)
    app = App(tmp_path)
    app.session.open_table(tmp_path / "people.csv", lambda _: None)
    yield app
    app.session.close()


def wait(job):
    while job.state == "running":
        time.sleep(0.005)


def events(answer):
    return [json.loads(line[6:]) for line in answer.text.split("\n") if line[:6] == "data: "]


# Pages


def test_the_first_page_is_the_first_that_can_be_used(app, tmp_path):
    assert app("GET", "").headers["location"] == f"/{app.guard.token}/question"
    other = App(tmp_path)
    assert other("GET", "").headers["location"] == f"/{other.guard.token}/table"
    other.session.close()


@pytest.mark.parametrize("name", STEPS)
def test_pages_are_read_whole_and_in_any_order(app, tmp_path, name):
    other = App(tmp_path)
    for one in (app, other):
        answer = one("GET", name)
        assert answer.status in (200, 422)
        assert '<main id="main"' in answer.text
        assert one("HEAD", name).status == answer.status
        if one is other and name not in ("table", "check"):
            assert "<b>No table is open.</b>" in answer.text
        assert one("GET", f"{name}?page=x&sort=%00&where=%F0%9F&a=b&a=c").status in (200, 422)
    other.session.close()


@pytest.mark.parametrize(
    "path",
    [
        "static/../app.py",
        "static/%2e%2e/app.py",
        "static/..%2fapp.py",
        "static/%2e%2e%2fapp.py",
        "static//etc/passwd",
        "static/style.css",
        "static/",
        "static/app.js/",
        "static/app.js%00",
        "files/../people.csv",
        "files/people.csv",
        "files/%2fetc%2fpasswd",
        "files/",
        "people.csv",
        "api",
        "api/absent",
        "absent",
    ],
)
def test_what_is_not_offered_is_not_there(app, path):
    for method in ("GET", "HEAD", "POST", "DELETE"):
        answer = app(method, path)
        assert answer.status in (404, 405), path
        assert "root:" not in answer.text
        assert "import" not in answer.text


def test_styles_script_and_icon(app):
    kinds = {"app.js": "text/javascript", "icon.svg": "image/svg+xml"}
    kinds["app.css"] = "text/css"
    for name, kind in kinds.items():
        answer = app("GET", f"static/{name}")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(kind)
        assert b"eval(" not in answer.body
    sizes = [len(app("GET", f"static/{name}").body) for name in kinds]
    assert sum(sizes) < 80_000


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "PUT", "get"])
@pytest.mark.parametrize("path", ["table", "api/question", "api/undo", "static/app.js"])
def test_other_methods_are_refused(app, method, path):
    answer = app(method, path, {})
    assert answer.status == 405
    assert "access-control-allow-origin" not in answer.headers


def test_only_files_of_this_session_are_given_out(app, tmp_path):
    assert app("GET", "files/people.csv").status == 404
    app.session.made_files["people.csv"] = None
    answer = app("GET", "files/people.csv")
    assert (answer.status, answer.text) == (200, TABLE)
    assert answer.headers["content-disposition"] == 'attachment; filename="people.csv"'
    (tmp_path / "people.csv").unlink()
    assert app("GET", "files/people.csv").status == 404
    for target in (Path("/etc/passwd"), tmp_path / "people.toml"):
        (tmp_path / "people.csv").symlink_to(target)
        assert app("GET", "files/people.csv").status == 404
        (tmp_path / "people.csv").unlink()


# Changes


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b"5",
        b'"text"',
        b"null",
        b"\xff",
        b'{"change": NaN}',
        b'{"change": {"labels": {"columns": {"sex": "\\ud800"}}}}',
        b'{"change": {"question": {"threshold": 1e999}}}',
        b"[" * 900,
        b'{"change": 5}',
        b'{"add": 5}',
        b'{"add": {"data": {"na": 5}}}',
        b'{"remove": {"data": 5}}',
        b'{"change": {"question": 5}}',
        b'{"change": {"question": {"protected": 5}}}',
        b'{"change": {"data": {"exclude": 5}}}',
        b'{"change": {"data": {"exclude": [["a"]]}}}',
        b'{"change": {"data": {"frequency": "sex", "bins": 5}}}',
        b'{"change": {"question": {"min_rows": ' + b"9" * 5000 + b"}}}",
    ],
)
def test_a_body_that_is_no_change_is_a_problem(app, body):
    before = app.session.tables
    answer = app("PATCH", "api/question", body)
    assert answer.status == 422
    assert answer.json["problems"]
    assert "should not have happened" not in answer.text
    assert app.session.tables is before


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("PUT api/classes", b'{"column": "sex", "cuts": 5}'),
        ("PUT api/classes", b'{"column": "sex", "cuts": {"a": 1}}'),
        ("PUT api/classes", b'{"column": "sex", "cuts": [["a"]]}'),
        (
            "PATCH api/question",
            b'{"change": {"question": {"min_rows": "' + b"9" * 5000 + b'"}}}',
        ),
        ("PUT api/table", b'{"path": "people.csv", "change": 5}'),
        ("PUT api/reading", b'{"change": {"data": 5}}'),
        ("POST api/compare", b'{"choice": 5}'),
        ("POST api/compare", b'{"choice": {"only": 5, "drop": {"a": 1}}}'),
        ("POST api/release", b'{"file": "a.csv", "only": 5}'),
    ],
)
def test_what_no_page_sends_is_a_problem_too(app, path, body):
    answer = app(*path.split(), body)
    assert answer.status == 422
    assert "should not have happened" not in answer.text


_NAMES = st.sampled_from(
    (
        *("change", "add", "remove", "path", "name", "column", "cuts", "revision"),
        *("question", "data", "labels", "protected", "sex", "hired", "a", "b", "state", "by"),
        *("earlier", "later", "beside", "of", "order", "waited"),
        *("choice", "file", "take", "use", "certificate", "text", "seed", "<b>"),
    )
)
_PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | _NAMES | st.floats(0, 1)
_BODIES = st.dictionaries(
    _NAMES,
    st.recursive(
        _PLAIN,
        lambda one: st.lists(one, max_size=2) | st.dictionaries(_NAMES, one, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)


@settings(
    max_examples=repetitions(50), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_whatever_is_sent_anywhere_is_answered_in_words(app, data):
    """A wrong body is a problem that keeps the state; nothing is written by it."""
    routes = [
        (method, route.path[1:])
        for route in app.app.routes
        for method in route.methods - {"GET", "HEAD", "DELETE"}
        if not route.path.endswith(("/close", "{use}"))
    ]
    assert len(routes) > 8
    method, path = data.draw(st.sampled_from(sorted(routes)))
    before = app.session.tables
    answer = app(method, path, data.draw(_BODIES))
    assert answer.status in (200, 409, 422), answer.text
    if answer.status != 200:
        assert answer.json["problems"]
        assert "<b>" not in answer.json["html"].replace("<p><b>", "")
        assert app.session.tables == before
    elif job := answer.json.get("job"):
        wait(app.session.jobs.find(job))


def test_what_several_tabs_send_at_once_is_all_carried_out(tmp_path):
    write_adult(tmp_path)
    app = App(tmp_path)
    app.session.open_table(tmp_path / "adult.csv", lambda _: None)
    staying = ["sex", "age", "education", "workclass", "income"]
    moved = ("hours", "occupation", "race")
    tiers = [[name] for name in staying]
    tiers[0] += [*moved, "marital_status", "native_country", "relationship"]
    change = {"knowledge": {"tiers": tiers}}
    assert app("PATCH", "api/question", {"change": change}).status == 200
    revision, answers = app.session.revision, []

    def press(name):
        for by in [1, -1, 1] * 4:
            sent = {"name": name, "by": by, "revision": revision}
            answers.append(app("PUT", "api/tiers", sent).status)
            word = {"labels": {"columns": {name: f"after {len(answers)}"}}}
            answers.append(app("PATCH", "api/question", {"change": word}).status)
            answers.append(app("GET", "graph").status)

    threads = [threading.Thread(target=press, args=(name,)) for name in moved]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert answers == [200] * 108
    tiers = app.session.tables["knowledge"]["tiers"]
    assert all(name in tier for name, tier in zip(staying, tiers, strict=True))
    assert {*tiers[-1]} == {"income", *moved}
    assert {*app.session.tables["labels"]["columns"]} >= {*moved}
    while job := app.session.jobs.running:
        wait(job)


def test_a_page_that_is_read_during_a_change_is_read_again(app, monkeypatch):
    seen = []

    def view(session, query):
        seen.append(session.revision)
        if len(seen) < 3:
            session.patch({"question": {"threshold": f"1/{len(seen) + 1}"}})
            raise ValueError
        return before(session, query)

    before = module._VIEWS["question"]
    monkeypatch.setitem(module._VIEWS, "question", view)
    answer = app("GET", "question")
    assert answer.status == 200
    assert f'data-revision="{seen[-1]}"' in answer.text
    assert len(seen) == 3


def test_a_change_returns_the_new_revision(app):
    before = app.session.revision
    change = {"question": {"threshold": "1/10"}}
    answer = app("PATCH", "api/question", {"change": change, "revision": before})
    assert (answer.status, answer.json["revision"]) == (200, before + 1)
    other = {"question": {"threshold": "1/5"}}
    stale = app("PATCH", "api/question", {"change": other, "revision": before})
    assert stale.status == 409
    assert "not the newest: the question changed" in stale.json["html"]
    assert app("POST", "api/undo", {"revision": before + 1}).json["revision"] == before + 2
    assert app("POST", "api/redo", {"revision": before + 2}).status == 200
    assert app("POST", "api/redo", {}).status == 422


def test_text_of_others_is_text_in_problems(app):
    change = {"question": {"<script>alert(1)</script>": "x"}}
    html = app("PATCH", "api/question", {"change": change}).json["html"]
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_what_is_changed_is_sent_as_json_and_nothing_larger(app):
    before = app.session.tables
    for body in (b'{"change": {"question": {"threshold": "1/7"}}}', b" " * 90):
        answer = app("PATCH", "api/question", body, "application/octet-stream")
        assert (answer.status, answer.received) == (422, 0)
        assert "not JSON" in answer.text
    assert app.session.tables is before


def test_an_unexpected_error_keeps_the_state_and_shows_no_value(app, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a secret value")

    before = app.session.tables
    monkeypatch.setattr(app.session, "patch", broken)
    answer = app("PATCH", "api/question", {"change": {}})
    assert answer.status == 500
    assert "secret" not in answer.text
    assert "What you chose is kept" in answer.text
    assert app.session.tables is before


def test_a_page_that_cannot_be_shown_says_why(app, monkeypatch):
    def broken(*_):
        raise InputError.of("The <table> is empty.")

    monkeypatch.setitem(module._VIEWS, "table", broken)
    answer = app("GET", "table")
    assert answer.status == 422
    assert "The &lt;table&gt; is empty." in answer.text


def test_a_page_that_breaks_is_no_refusal(app, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a secret value")

    monkeypatch.setitem(module._VIEWS, "table", broken)
    path, raises = f"/{app.guard.token}/table", (ZeroDivisionError,)
    answer = ask(app.guard, "GET", path, headers={"host": HOST}, raises=raises)
    assert answer.status == 500
    assert "What you chose is kept" in answer.text
    assert "secret" not in answer.text


def test_the_end(app):
    answer = app("POST", "api/close", {})
    assert answer.json["ended"]
    assert "What you chose is in the question file." in answer.json["said"]
    assert app.ended
    assert ask(app.guard, "POST", "/wrong/api/close", b"", {"host": HOST}).status == 404


def test_the_end_of_nothing_says_nothing_of_a_file(tmp_path):
    app = App(tmp_path)
    assert "question file" not in app("POST", "api/close", {}).json["said"]
    app.session.close()


# What was changed outside


def test_what_could_not_be_saved_is_said_on_every_page(app, tmp_path):
    (tmp_path / "people.toml").unlink()
    (tmp_path / "people.toml").mkdir()
    app.session.save()
    for name in STEPS:
        assert "could not be saved" in app("GET", name).text


# Uploads


def upload(app, body, name="more.csv", **headers):
    return app(
        "PUT", f"api/upload/table?name={name}", body, "application/octet-stream", **headers
    )


def left(app):
    return [*app.session.folder.uploads.rglob("*")]


def test_an_upload_is_stored_where_it_can_be_opened(app):
    answer = upload(app, b"a,b\n1,2\n")
    path = app.session.folder.existing(answer.json["path"])
    assert (path.name, path.read_text()) == ("more.csv", "a,b\n1,2\n")


def test_an_upload_over_the_limit_leaves_nothing(app):
    assert upload(app, [b"x" * 60, b"x" * 60]).status == 422
    assert left(app) == []
    declared = upload(app, [b"x"], **{"content-length": "101"})
    assert (declared.status, declared.received) == (422, 0)
    assert "larger than a page may send" in declared.json["html"]
    assert left(app) == []
    assert upload(app, [b"x" * 60, b"x" * 40]).status == 200


def test_an_upload_onto_a_full_disk_leaves_nothing(app, monkeypatch):
    class Full:
        def __init__(self, *_):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.open", Full)
    answer = upload(app, b"x")
    monkeypatch.undo()
    assert (answer.status, answer.json["problems"][0]["what"]) == (
        422,
        "No space left on device",
    )
    assert left(app) == []


# Jobs


def test_a_page_hears_how_a_job_goes_and_ends(app):
    go_on = threading.Event()

    def work(progress):
        progress(Progress("counting", 1, 4, 2.0))
        go_on.wait(5)
        return 1

    job = app.session.jobs.start("counting rows", work)
    threading.Timer(0.2, go_on.set).start()
    heard = events(app("GET", f"api/jobs/{job.id}"))
    assert heard[-1]["state"] == "done"
    assert (
        heard[-2] | {"state": "running", "step": "counting", "seconds_left": 6.0} == heard[-2]
    )
    assert events(app("GET", f"api/jobs/{job.id}"))[-1]["state"] == "done"  # also later


def test_a_job_without_news_still_beats(app, monkeypatch):
    monkeypatch.setattr("evenhand.web.app._HEARTBEAT", 0.1)
    go_on = threading.Event()
    job = app.session.jobs.start("waiting", lambda _: go_on.wait(5))
    threading.Timer(0.5, go_on.set).start()
    assert ": still there\n\n" in app("GET", f"api/jobs/{job.id}").text


def test_a_job_that_failed_is_told_to_who_follows_it_or_on_the_next_page(app):
    def failing(_):
        raise InputError.of("The table is <empty>.")

    for followed in (True, False):
        job = app.session.jobs.start("reading", failing)
        wait(job)
        if followed:
            last = events(app("GET", f"api/jobs/{job.id}"))[-1]
            assert "The table is &lt;empty&gt;." in last["html"]
        assert ("&lt;empty&gt;" in app("GET", "check").text) == (not followed)
        assert "&lt;empty&gt;" not in app("GET", "check").text


def test_an_unknown_job_is_a_problem(app):
    for method in ("GET", "DELETE"):
        assert app(method, "api/jobs/absent").status == 422


def test_a_page_names_the_job_under_way(app):
    go_on = threading.Event()
    job = app.session.jobs.start("waiting", lambda _: go_on.wait(5))
    assert f'data-job="{job.id}"' in app("GET", "check").text
    go_on.set()
    wait(job)
    assert "data-job" not in app("GET", "check").text
