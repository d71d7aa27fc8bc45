"""``Folder``: the one folder that the app may read and write, and a place for uploads."""

import os
import re
import shutil
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from unicodedata import category

from evenhand.errors import InputError, Problem, QuestionError
from evenhand.files import check_targets
from evenhand.files.file_formats import ending_of, is_table
from evenhand.files.file_locks import lock

_PREFIX = "evenhand-web-"  # of folders for uploads
_LAUNCH_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={0}">
<title>evenhand</title>
<a href="{0}">Open evenhand</a>
"""
_DEEPEST = 3
_MOST_FILES = 500


class Folder:
    """Paths under ``root`` and of uploads, after links are resolved; all others are refused."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        _remove_left_uploads()
        self._place = Path(mkdtemp(prefix=_PREFIX)).resolve()  # mode 0700
        self._handle: int | None = _hold(self._place)
        self.uploads = self._place / "uploads"
        self.uploads.mkdir(mode=0o700)

    def close(self) -> None:
        """Remove what was uploaded."""
        shutil.rmtree(self._place, ignore_errors=True)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def launch_page(self, address: str) -> Path:
        """Write a page that leads to an address, for a browser of this user alone.

        A browser that is started with the page shows other users its path, not the address.
        """
        page = self._place / "open.html"
        page.touch(0o600)
        page.write_text(_LAUNCH_PAGE.format(address), "utf-8")
        return page

    def tables(self) -> list[Path]:
        """Files that look like tables, relative to the root, the nearest first."""
        found = sorted(self._walk(self.root, 1), key=lambda path: (len(path.parts), path))
        return [path.relative_to(self.root) for path in found[:_MOST_FILES]]

    def _walk(self, folder: Path, depth: int) -> Iterator[Path]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return  # a folder that cannot be listed offers nothing
        for entry in entries:
            if entry.name.startswith(".") or not _is_text(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                yield from self._walk(Path(entry.path), depth + 1)
            elif entry.is_file(follow_symlinks=False) and is_table(entry.name):
                yield Path(entry.path)

    def existing(self, name: str) -> Path:
        """A file to read: under the root or among the uploads, and a plain file."""
        path = self.inside(name)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            raise InputError.of(
                "There is no such file in the folder.",
                remedy="Choose one of those that are listed, or drop a file.",
                where=name,
            ) from error
        if not stat.S_ISREG(mode):
            raise InputError.of("This is no plain file.", remedy="Choose a file.", where=name)
        return path

    def has_plain(self, name: str) -> bool:
        """Whether a file that was written is still there, and no link was put in its place."""
        try:
            return self.existing(name) == self.root / name
        except InputError:
            return False

    def target(
        self, name: str, inputs: Sequence[Path] = (), *, overwrite: bool = False
    ) -> Path:
        """A file to write: a name in the root, which no file has unless it may be replaced.

        Inputs are never replaced.
        """
        if not _is_text(name) or Path(name).name != name or name.startswith("."):
            raise QuestionError.of(
                "A file is written into the folder that is open, under a plain name.",
                remedy="Write a name without a folder, as people-released.csv.",
                where=name,
            )
        path = self.inside(name)
        check_targets([path], [*map(str, inputs)], overwrite=overwrite)
        return path

    def question_path(self, table: Path) -> Path:
        """Where the question file of a table stands: beside it, of an upload in the root.

        An upload called like a table of the root has a file that is not there yet: whatever is
        beside that table is asked of that table.
        """
        stem = _stem(table.name)
        if self.holds(table):
            return self.inside(str(table.parent / f"{stem}.toml"))
        names = [entry.name for entry in self.root.iterdir()]
        if any(is_table(name) and _stem(name) == stem for name in names):
            stem = next(
                f"{stem}-{number}"
                for number in count(2)
                if f"{stem}-{number}.toml" not in names
            )
        return self.inside(f"{stem}.toml")

    def shown(self, path: Path) -> str:
        """The path as it is shown: relative to the root, or the name of an upload."""
        return str(path.relative_to(self.root)) if self.holds(path) else path.name

    def without_places(self, text: str) -> str:
        """A text with files by their names: where an upload is stored says nothing."""
        uploads, root = (re.escape(f"{one}{os.sep}") for one in (self.uploads, self.root))
        return re.sub(rf"{uploads}[^/\\]+[/\\]|{root}", "", text)

    def named(self, problem: Problem) -> Problem:
        """A problem with files by their names."""
        what, found, where = map(
            self.without_places, (problem.what, problem.found, problem.where)
        )
        return replace(problem, what=what, found=found, where=where)

    def holds(self, path: Path) -> bool:
        """Whether a file is one of the folder's, not an upload, which no command can name."""
        return path.is_relative_to(self.root)

    def inside(self, name: str) -> Path:
        """Where a name leads, links resolved; refused if that is elsewhere."""
        try:
            path = (self.root / name).resolve()
            path.lstat()
        except FileNotFoundError:
            pass  # it may be about to be written
        except (OSError, TypeError, ValueError, RuntimeError) as error:
            raise InputError.of("This is no path.", remedy="Choose a file.") from error
        if self.holds(path) or path.is_relative_to(self.uploads.resolve()):
            return path
        raise InputError.of(
            "This file lies outside the folder that is open.",
            remedy="Start evenhand web with --folder, naming a folder that holds it.",
            where=name,
        )

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> Path:
        """Store an upload under its name; whatever goes wrong, nothing of it stays."""
        plain = name.replace("\\", "/").rpartition("/")[2].lstrip(".")
        plain = plain[-60:] if _is_text(plain) else "table"  # at most 240 bytes
        path = Path(mkdtemp(dir=self.uploads)) / plain
        try:
            with path.open("xb") as file:
                async for chunk in chunks:
                    file.write(chunk)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return path


def _stem(name: str) -> str:
    """The name of a table without its endings.

    >>> _stem("people.2024.CSV.gz"), _stem("notes")
    ('people.2024', 'notes')
    """
    return name.removesuffix(ending_of(name)) if is_table(name) else name


def _hold(place: Path) -> int:
    """A handle whose file is locked as long as this process lives."""
    new = place / "new"
    handle = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
    lock(handle)
    new.replace(place / "lock")
    return handle


def _remove_left_uploads() -> None:
    """Remove what processes that were killed left: it is data about people."""
    for place in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # its process lives, or it is none of ours
            if os.name == "posix" and place.lstat().st_uid != os.geteuid():
                continue
            handle = os.open(place / "lock", os.O_RDWR)
            try:
                lock(handle)
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(handle)


def _is_text(name: object) -> bool:
    """Whether a name can be written down: no control characters, no broken bytes."""
    return isinstance(name, str) and name != "" and not {"Cc", "Cs"} & {*map(category, name)}
