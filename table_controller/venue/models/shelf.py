"""Models that the hall sends: laid out beside those in use, taken into use, and put back.

A release is fetched whole and every file checked before anything changes; the models before it
stay, so that the way back is one order. What is in use is one small file, written whole or not at
all. A release that is being tried is marked: a table that ends while it begins with one goes back
to the models before by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import errno
import json
import os
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.models.release import LIST, Release
from table_controller.whole_files import write_whole

_STATE: Final = "in-use.json"
_COMING: Final = ".coming"
_KEPT: Final = 3
"""So many releases stay on the disk, and all on the way back."""
_WAY_BACK: Final = 4
_ROOM: Final = 200_000_000
"""So many bytes stay free for journal and evidence, whatever the hall sends."""


class ModelShelf:
    """The folder of releases of one table; its own process alone changes it, from two threads.

    Args:
        folder: holds ``<version>/`` and what is in use.
        room: bytes that must stay free.
    """

    def __init__(self, folder: Path, room: int = _ROOM) -> None:
        self.folder = folder
        self._room = room
        self._lock = threading.RLock()
        self._held: dict[str, Any] | None = None
        self._staged: tuple[str, ...] | None = None

    # -- what is there ----------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """What is in use, and how it came: ``used`` (oldest first), ``trying``, ``failed``."""
        if self._held is None:
            held: Any = None
            with contextlib.suppress(OSError, ValueError):
                held = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
            self._held = {"used": [""], "trying": "", "failed": {}}
            if isinstance(held, dict):
                self._held |= held
        return copy.deepcopy(self._held)

    def _keep(self, state: dict[str, Any]) -> None:
        state["used"] = state["used"][-_WAY_BACK:]
        before, self._held = self._held, state
        try:
            write_whole(self.folder / _STATE, json.dumps(state, ensure_ascii=False) + "\n")
        except OSError as error:
            self._held = before
            raise RefusedOrderError(
                f"models: not written: {error.strerror}", code="disk", detail=error.strerror
            ) from None

    @property
    def version(self) -> str:
        """Of the models in use; empty: those that came with the program."""
        return str(self._state()["used"][-1])

    @property
    def before(self) -> str | None:
        """What was in use before (empty: the program's own); None: there is no way back."""
        used = self._state()["used"]
        return str(used[-2]) if len(used) > 1 else None

    @property
    def staged(self) -> tuple[str, ...]:
        """The releases that lie here whole."""
        if self._staged is None:
            self._staged = tuple(sorted(path.parent.name for path in self.folder.glob(f"*/{LIST}")))
        return self._staged

    @property
    def current(self) -> Path | None:
        """Folder of the models in use; None: those that came with the program."""
        version = self.version
        return self.folder / version if version else None

    # -- laying out -------------------------------------------------------------------------

    async def stage(self, release: Release, fetch: Callable[[str], Awaitable[bytes]]) -> None:
        """Lay a release out, checked.

        Args:
            release: what the hall says it is.
            fetch: brings a file of the hall's bucket.

        Raises:
            RefusedOrderError: a file that is missing or not what it should be, or no room.
        """
        version = release.version
        state = self._state()
        if self._is_here(release):
            self._clear(version)
            return
        if version in state["used"]:
            raise RefusedOrderError(
                f"{version} is in use here with other files: give the update another name",
                code="other_files", version=version,
            )  # fmt: skip
        coming = self.folder / f"{version}{_COMING}"
        try:
            with _on_disk(version):
                self._make_room(release)
                coming.mkdir(parents=True)
            for name in release.files:
                content = await fetch(f"{version}/{name}")
                with _on_disk(version):
                    await asyncio.to_thread(_write, coming / name, content)
            # Each model is opened once here, not first when the table must see with it.
            await asyncio.to_thread(release.check, coming)
            with _on_disk(version):
                _write(coming / LIST, release.model_dump_json().encode())
                shutil.rmtree(self.folder / version, ignore_errors=True)
                coming.rename(self.folder / version)
        except VenueError as error:
            raise RefusedOrderError(
                str(error), code="not_as_announced", version=version, detail=str(error)
            ) from None
        finally:
            shutil.rmtree(coming, ignore_errors=True)
        self._clear(version)
        self._tidy(version)
        self._staged = None

    def _is_here(self, release: Release) -> bool:
        try:
            return self._list(release.version) == release
        except RefusedOrderError:
            return False

    def _make_room(self, release: Release) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # What a table that was killed half-way had fetched.
        for left in self.folder.glob(f"*{_COMING}"):
            shutil.rmtree(left, ignore_errors=True)
        if shutil.disk_usage(self.folder).free < release.size + self._room:
            raise OSError(errno.ENOSPC, "no room on the table's disk")

    def _tidy(self, newest: str) -> None:
        """Keep what is used, what was used before, and the newest few."""
        needed = {newest, *self._state()["used"]}
        folders = sorted(
            (path for path in self.folder.iterdir() if path.is_dir()),
            key=lambda path: path.stat().st_mtime,
            reverse=True,
        )
        for folder in folders[_KEPT:]:
            if folder.name not in needed:
                shutil.rmtree(folder, ignore_errors=True)

    def _list(self, version: str) -> Release:
        """What a staged release consists of, every file compared with it."""
        folder = self.folder / version
        try:
            release = Release.parse(json.loads((folder / LIST).read_text(encoding="utf-8")))
            release.check_files(folder)
        except (OSError, ValueError) as error:
            if isinstance(error, VenueError):
                raise RefusedOrderError(
                    f"models {version!r}: altered since: {error}",
                    code="altered", version=version, detail=str(error),
                ) from None  # fmt: skip
            raise _not_staged(version) from None
        return release

    # -- taking into use, and the way back --------------------------------------------------

    def use(self, version: str) -> bool:
        """Use a staged release from the table's next beginning on; false where it is in use.

        It is on trial until :meth:`confirm`.

        Raises:
            RefusedOrderError: it was not staged, was altered since, or has failed here.
        """
        with self._lock:
            state = self._state()
            if version and version == state["used"][-1]:
                return False
            if not version or "/" in version or version.startswith("."):
                raise _not_staged(version)
            if version in state["failed"]:
                why = str(state["failed"][version])
                raise RefusedOrderError(
                    f"{version} failed here ({why}): offer it again to try it",
                    code="failed_before", version=version, detail=why,
                )  # fmt: skip
            self._list(version)
            state["used"].append(version)
            state["trying"] = version
            self._keep(state)
            return True

    def confirm(self) -> None:
        """The table has begun with the models in use."""
        with self._lock:
            state = self._state()
            if state["trying"]:
                state["trying"] = ""
                # Without room it stays on trial: a table that ends now goes back.
                with contextlib.suppress(RefusedOrderError):
                    self._keep(state)

    def give_up(self, why: str) -> str:
        """The release on trial is not used: back to what was before; its version."""
        with self._lock:
            state = self._state()
            if state["trying"]:
                state["failed"][state["trying"]] = why
                state["used"] = state["used"][:-1] or [""]
                state["trying"] = ""
                with contextlib.suppress(RefusedOrderError):
                    self._keep(state)
                # What cannot be written counts all the same; the mark on the disk says the same.
                self._held = state
            return str(state["used"][-1])

    def recover(self) -> str:
        """At the table's start: a release on which the table ended is given up; its version."""
        tried = str(self._state()["trying"])
        if tried:
            self.give_up("the table ended while it began with it")
        return tried

    def back(self, leave: str) -> bool:
        """Use what was used before; false where ``leave`` is not in use (any more).

        Args:
            leave: the release to leave; so a repeated order goes back once.

        Raises:
            RefusedOrderError: nothing was used before.
        """
        with self._lock:
            state = self._state()
            if leave and leave != state["used"][-1]:
                return False
            if len(state["used"]) < 2:
                raise RefusedOrderError(
                    "there is no way back: no update is used here", code="no_way_back"
                )
            before = state["used"][-2]
            if before:
                self._list(before)
            state["used"].pop()
            state["trying"] = ""
            self._keep(state)
            return True

    def _clear(self, version: str) -> None:
        """A release that was laid out anew may be tried again."""
        with self._lock:
            state = self._state()
            if state["failed"].pop(version, None) is not None:
                self._keep(state)


def _not_staged(version: str) -> RefusedOrderError:
    return RefusedOrderError(
        f"models {version!r}: not staged here", code="not_staged", version=version
    )


@contextlib.contextmanager
def _on_disk(version: str) -> Iterator[None]:
    """A disk that refuses is the table's answer; a connection that breaks is not."""
    try:
        yield
    except OSError as error:
        raise RefusedOrderError(
            f"{version}: not laid out: {error.strerror}", code="disk", detail=error.strerror
        ) from None


def _write(path: Path, content: bytes) -> None:
    """Write a file through to the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
