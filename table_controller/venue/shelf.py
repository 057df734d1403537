"""Models that the hall sends: laid out beside those in use, taken into use, and put back.

An update is fetched whole and every file checked before anything changes; the models before it
stay, so that the way back is one order. What is in use is one line in ``current``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from nats.aio.client import Client

from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.files import write_whole
from table_controller.venue.orders import RefusedOrderError

_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")
_FILE: Final = re.compile(r"[a-z][a-z0-9_-]{0,30}\.(onnx|json)")
_KEPT: Final = 3
_CHUNK_S: Final = 10.0


class ModelShelf:
    """The folder of updates of one table.

    Args:
        folder: holds ``<version>/`` and the files ``current`` and ``before``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _named(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    @property
    def version(self) -> str:
        """Of the models in use; empty: those that came with the program."""
        return self._named("current")

    @property
    def current(self) -> Path | None:
        """Folder of the models in use; None: those that came with the program."""
        version = self.version
        folder = self.folder / version
        return folder if version and folder.is_dir() else None

    async def stage(
        self,
        version: str,
        files: dict[str, str],
        fetch: Callable[[str], Awaitable[bytes]],
    ) -> None:
        """Lay an update out, checked.

        Args:
            version: its name.
            files: SHA-256 of each file, by name.
            fetch: brings a file.

        Raises:
            RefusedOrderError: a bad name, a file that is not what it should be, or no room.
        """
        if _VERSION.fullmatch(version) is None or version in ("current", "before"):
            raise RefusedOrderError(f"model version {version!r}: not a name")
        bad = next((name for name in files if _FILE.fullmatch(name) is None), None)
        if bad is not None or not files:
            raise RefusedOrderError(f"model file {bad!r}: not a name" if bad else "no model files")
        coming = self.folder / f"{version}.coming"
        shutil.rmtree(coming, ignore_errors=True)
        try:
            coming.mkdir(parents=True)
            for name, checksum in files.items():
                content = await fetch(f"{version}/{name}")
                if hashlib.sha256(content).hexdigest() != checksum:
                    raise RefusedOrderError(f"{version}/{name}: its checksum is another one")
                (coming / name).write_bytes(content)
            shutil.rmtree(self.folder / version, ignore_errors=True)
            coming.rename(self.folder / version)
        except (OSError, VenueError) as error:
            raise RefusedOrderError(f"model {version}: not laid out: {error}") from None
        finally:
            shutil.rmtree(coming, ignore_errors=True)
        self._tidy(version)

    def _tidy(self, newest: str) -> None:
        """Keep what is used, what was used before, and the newest few."""
        needed = {newest, self._named("current"), self._named("before")}
        folders = sorted(
            (path for path in self.folder.iterdir() if path.is_dir()),
            key=lambda path: path.stat().st_mtime,
            reverse=True,
        )
        for folder in folders[_KEPT:]:
            if folder.name not in needed:
                shutil.rmtree(folder, ignore_errors=True)

    def use(self, version: str) -> None:
        """Use a staged update.

        Raises:
            RefusedOrderError: it was not staged.
        """
        if not version or not (self.folder / version).is_dir():
            raise RefusedOrderError(f"model {version!r} was not staged here")
        if version != self.version:
            write_whole(self.folder / "before", self.version + "\n")
            write_whole(self.folder / "current", version + "\n")

    def back(self) -> str:
        """Use what was used before; its version (empty: what came with the program).

        Raises:
            RefusedOrderError: nothing was used before.
        """
        if not (self.folder / "before").is_file():
            raise RefusedOrderError("there is no way back: no update was used here")
        before, current = self._named("before"), self.version
        write_whole(self.folder / "current", before + "\n")
        write_whole(self.folder / "before", current + "\n")
        return before or "the program's own models"


async def fetch_object(client: Client, bucket: str, name: str) -> bytes:
    """An object of an object store, read by direct requests alone.

    A consumer would have to be created for the library's own ``get``; a table may not create any,
    since a consumer can be told to deliver into another table's subjects.

    Raises:
        VenueError: it is not there, or damaged.
    """
    api = f"$JS.API.DIRECT.GET.OBJ_{bucket}"
    label = base64.urlsafe_b64encode(name.encode()).decode()
    head = await client.request(f"{api}.$O.{bucket}.M.{label}", b"", timeout=_CHUNK_S)
    if (head.headers or {}).get("Status") is not None:
        raise VenueError(f"{bucket}/{name}: not there")
    info: dict[str, Any] = json.loads(head.data)
    chunks: list[bytes] = []
    seq = 1
    for _ in range(int(info["chunks"])):
        wanted = {"seq": seq, "next_by_subj": f"$O.{bucket}.C.{info['nuid']}"}
        answer = await client.request(api, json.dumps(wanted).encode(), timeout=_CHUNK_S)
        headers = answer.headers or {}
        if headers.get("Status") is not None:
            raise VenueError(f"{bucket}/{name}: a part of it is missing")
        chunks.append(answer.data)
        seq = int(headers["Nats-Sequence"]) + 1
    content = b"".join(chunks)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
    if info.get("digest") != f"SHA-256={digest}":
        raise VenueError(f"{bucket}/{name}: damaged on its way")
    return content


def model_fetch(client: Client) -> Callable[[str], Awaitable[bytes]]:
    """Brings files of the hall's model bucket."""

    async def fetch(name: str) -> bytes:
        return await fetch_object(client, names.MODEL_BUCKET, name)

    return fetch
