"""A release of models: which files, with which checksums, of which models in which version.

The hall reads it off a folder and lists it in the order; the table compares what it fetched with
the list, and each model file with its own manifest, before anything is used.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_controller.venue.errors import VenueError
from table_controller.venue.messages import explain

LIST: Final = "release.json"
"""File beside the models that says what they are."""

Version = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]{0,39}$")]
FileName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,30}\.(onnx|json)$")]
Checksum = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Release(BaseModel):
    """What a release consists of.

    Attributes:
        version: its name.
        files: SHA-256 of each file, by name.
        models: version of each model, as its manifest says, by the model's name.
        size: of all files together, bytes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Version
    files: Annotated[dict[FileName, Checksum], Field(min_length=1, max_length=40)]
    models: Annotated[dict[str, str], Field(min_length=1, max_length=20)]
    size: Annotated[int, Field(gt=0, le=4_000_000_000)]

    @classmethod
    def parse(cls, body: Any) -> Self:
        """Out of an order or a list.

        Raises:
            VenueError: naming the field that is wrong.
        """
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise VenueError(f"models: {explain(error)}") from None

    @classmethod
    def of_folder(cls, folder: Path, version: str) -> Self:
        """Off the organiser's disk; each model is opened once.

        Raises:
            VenueError: one is missing, altered, or cannot be opened.
        """
        paths = sorted([*folder.glob("*.onnx"), *folder.glob("*.json")])
        models = _opened(folder, [path.stem for path in paths if path.suffix == ".onnx"])
        contents = {path.name: path.read_bytes() for path in paths}
        return cls.parse(
            {
                "version": version,
                "files": {name: checksum(content) for name, content in contents.items()},
                "models": models,
                "size": sum(len(content) for content in contents.values()),
            }
        )

    def check_files(self, folder: Path) -> None:
        """Whether exactly these files lie there, unchanged.

        Raises:
            VenueError: naming the one that is missing or altered.
        """
        for name, expected in self.files.items():
            try:
                content = (folder / name).read_bytes()
            except OSError as error:
                raise VenueError(f"{self.version}/{name}: {error.strerror}") from None
            if checksum(content) != expected:
                raise VenueError(f"{self.version}/{name}: its checksum is another one")

    def check(self, folder: Path) -> None:
        """The files, and the models in them: manifest, version, checksum; each is opened.

        Raises:
            VenueError: naming what is wrong.
        """
        self.check_files(folder)
        found = _opened(folder, list(self.models))
        for name, version in self.models.items():
            if found[name] != version:
                raise VenueError(
                    f"{self.version}/{name}.json: version {found[name]}, the hall said {version}"
                )


def checksum(content: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _opened(folder: Path, names: list[str]) -> dict[str, str]:
    """The version of each model in a folder, opened once: a table must not be the first to."""
    # The runtime of the models is for tables and organisers; a hub has no use for it.
    from vision.nets import modelfile

    own = modelfile.own_dir()
    needed = sorted(path.stem for path in own.glob("*.onnx"))
    missing = next((name for name in needed if name not in names), None)
    if missing is not None:
        raise VenueError(f"{folder}: {missing}.onnx is missing (needed: {', '.join(needed)})")
    try:
        return {name: modelfile.load(name, folder).manifest.version for name in names}
    except modelfile.ModelError as error:
        raise VenueError(str(error)) from None


__all__ = ["LIST", "Release", "checksum"]
