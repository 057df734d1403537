"""Releases of models for the tests: the program's own models under other version numbers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from table_controller.venue.errors import VenueError
from table_controller.venue.models.release import Release
from vision.nets import modelfile


def made(folder: Path, number: str = "901") -> Path:
    """A folder with a whole release; its models have this version."""
    folder.mkdir(parents=True)
    for path in modelfile.own_dir().glob("*.onnx"):
        shutil.copy(path, folder)
        manifest = json.loads(path.with_suffix(".json").read_text())
        manifest["version"] = number
        (folder / f"{path.stem}.json").write_text(json.dumps(manifest))
    return folder


class Bucket:
    """The hall's object store, out of folders; files can be missing or damaged there."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []

    def put(self, folder: Path, version: str) -> Release:
        """A release as the hall lists it."""
        release = Release.of_folder(folder, version)
        for name in release.files:
            self.files[f"{version}/{name}"] = (folder / name).read_bytes()
        return release

    @property
    def fetch(self) -> Callable[[str], Awaitable[bytes]]:
        """Brings a file, as the table asks for it."""

        async def fetch(name: str) -> bytes:
            self.fetched.append(name)
            if name not in self.files:
                raise VenueError(f"models/{name}: not there")
            return self.files[name]

        return fetch
