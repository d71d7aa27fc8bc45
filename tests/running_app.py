"""``RunningApp``: ``evenhand web`` as a process of its own, on a copy of Adult's counts."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evenhand import CountTable, datasets

QUESTION = """\
# What is asked of Adult.
[question]
protected = "sex"
group = "Female"
decision = "income"
favorable = ">50K"
threshold = "1/20"

[knowledge]
tiers = [["sex", "age", "native_country", "race"], ["education"], ["*"]]

[data]
missing = "error"
frequency = "n"

[labels.columns]
native_country = "country of birth"
marital_status = "marital status"
hours = "hours per week"

[labels.values.sex]
Female = "women"
Male = "men"

[labels.values.income]
">50K" = "earn over 50K"
"""


@dataclass(eq=False)
class RunningApp:
    """The app's process; ``call`` sends what its page would send."""

    process: subprocess.Popen[str]
    address: str  # with the token, ending in a slash
    folder: Path
    log: Path  # all that the process printed
    origins: set[str] = field(default_factory=set)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        of = urlsplit(self.address)
        return f"{of.scheme}://{of.netloc}"

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def token(self) -> str:
        return urlsplit(self.address).path.strip("/")

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and content, read as JSON where it is; ``body`` is sent as JSON or bytes."""
        is_file = isinstance(body, bytes)
        headers = {"origin": self.origin, "content-type": "application/json"}
        if is_file:
            headers["content-type"] = "application/octet-stream"
        sent = body if is_file or body is None else json.dumps(body)
        status, read, content = self.request(method, f"/{self.token}/{path}", sent, headers)
        is_json = read.get("content-type", "").startswith("application/json")
        return status, json.loads(content) if is_json else content.decode()

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Any request whatsoever: status, headers (in small letters), content."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            answer: HTTPResponse = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def wait_for_job(self) -> None:
        """Wait until nothing is under way."""
        wait_until(lambda: "data-job=" not in self.call("GET", "check")[1])

    def learn(self) -> None:
        """Learn the graph, and wait for it."""
        assert self.call("POST", "api/learn", {})[0] == 200
        self.wait_for_job()

    def begin_anew(self, table: str, write: Callable[[Path], object]) -> None:
        """Let ``write`` fill the emptied folder, and open a table of it in a fresh state."""
        self.wait_for_job()
        # What an earlier test chose is saved with its table, before the folder is emptied.
        (self.folder / "between.csv").write_text("a,b\nx,y\nz,w\n", "utf-8")
        self._open("between.csv")
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        write(self.folder)
        self._open(table)
        for path in self.folder.glob("between.*"):
            path.unlink()

    def _open(self, table: str) -> None:
        status, content = self.call("PUT", "api/table", {"path": table, "unsaved": "drop"})
        assert status == 200, content
        self.wait_for_job()

    def tables(self, name: str = "adult") -> dict[str, Any]:
        """What the question file says, once it is saved."""
        file = self.folder / f"{name}.toml"
        wait_until(file.exists)
        return tomllib.loads(file.read_text("utf-8"))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End the process by a signal, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=20)


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Ask again and again until something holds. A key that is missing is not there yet."""
    end = time.monotonic() + seconds
    while True:
        with suppress(LookupError):
            if holds():
                return
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.02)


@contextmanager
def running_app(
    folder: Path, *arguments: str, browser: bool = False, **environment: str
) -> Iterator[RunningApp]:
    """Start the app on a folder; it is ready when its table was read."""
    log = folder.parent / f"{folder.name}-{time.monotonic_ns()}.log"
    command = [sys.executable, "-m", "evenhand", "web", *arguments]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(  # noqa: S603  # our own program
            [*command, *([] if browser else ["--no-browser"]), "--folder", str(folder)],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        )
    app = RunningApp(process, _address(process, log), folder, log)
    app.origins.add(app.origin)
    try:
        app.wait_for_job()
        yield app
    finally:
        process.kill()
        process.wait()


def _address(process: subprocess.Popen[str], log: Path) -> str:
    for _ in range(2400):  # two minutes: on a busy machine it starts slowly
        found = re.search(r"http://\S+/\n", log.read_text("utf-8"))
        if found:
            return found.group().strip()
        if process.poll() is not None:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    raise RuntimeError(log.read_text("utf-8"))


def write_adult(folder: Path, name: str = "adult", *, counts: CountTable | None = None) -> Path:
    """Adult's distinct rows with how often each occurs, and its question file."""
    counts = counts or datasets.adult()
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*counts.names, "n"])
        lines.writerows((*values, count) for values, count in counts)
    (folder / f"{name}.toml").write_text(QUESTION, "utf-8")
    return folder / f"{name}.csv"


def write_model(folder: Path) -> None:
    """Adult with a column of predictions, which follow sex and education alone."""
    write_adult(folder)
    with (folder / "adult.csv").open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    sex, education = heads.index("sex"), heads.index("education")
    with (folder / "adult.csv").open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow([*heads, "model"])
        for row in rows:
            said = (row[sex], row[education]) == ("Male", ">9")
            written.writerow([*row, ">50K" if said else "<=50K"])
