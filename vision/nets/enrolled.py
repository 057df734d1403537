"""The venue's tile set as the technician showed it: one file, checked when it is opened.

docs/formats/tiles.md says what is in the file. It holds pictures, not numbers of a net: what the
reader compares is worked out when the file is opened, so that a set once enrolled stays good
for every later reader.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionInputError
from vision.nets.evidence import BACK

FORMAT: Final = 1
"""Version of the file; another one is refused."""
KIND: Final = "paiguan tile set"
MOST_COPIES: Final = 2
"""So many pictures of one face are kept."""

Crops = NDArray[np.uint8]
"""(n, 64, 48, 3) upright crops, BGR."""


class TileSetError(VisionInputError):
    """A tile-set file that cannot be used; the message names the file and says why."""


@dataclass(frozen=True, slots=True, eq=False)
class TileSet:
    """A tile set.

    Attributes:
        faces: upright crops (n, 64, 48, 3) by notation; ``back`` where the backs were shown.
        counts: how many tiles of each face lay there.
        notes: what the inspection found, one line each.
        name: of the set, for people.
    """

    faces: Mapping[str, Crops]
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""

    @property
    def tiles(self) -> int:
        """How many tiles lay there."""
        return sum(self.counts.values())

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            TileSetError: it cannot be written.
        """
        body: dict[str, Any] = {
            "kind": KIND,
            "format": FORMAT,
            "name": self.name,
            "counts": dict(self.counts),
            "notes": list(self.notes),
            "faces": {
                face: [_packed(crop) for crop in crops] for face, crops in self.faces.items()
            },
        }
        body["sha256"] = _digest(body)
        text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise TileSetError(f"{path}: {error.strerror or error}") from None

    @classmethod
    def load(cls, path: Path) -> TileSet:
        """Read and check a file.

        Raises:
            TileSetError: missing, no tile set, of another version, altered or damaged.
        """
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise TileSetError(f"{path}: {error.strerror or error}") from None
        except ValueError:
            raise TileSetError(f"{path}: is no tile set: not JSON") from None
        if not isinstance(body, dict) or body.get("kind") != KIND:
            raise TileSetError(f"{path}: is no tile set")
        if body.get("format") != FORMAT:
            raise TileSetError(
                f"{path}: tile set of format {body.get('format')!r}, this program reads {FORMAT}: "
                "enrol the tiles again"
            )
        if body.pop("sha256", None) != _digest(body):
            raise TileSetError(f"{path}: altered, its checksum is not that of its content")
        try:
            faces = {
                str(face): np.stack([_unpacked(text) for text in packed])
                for face, packed in body["faces"].items()
            }
            counts = {str(face): int(n) for face, n in body["counts"].items()}
            notes = tuple(str(note) for note in body["notes"])
            name = str(body["name"])
        except (KeyError, TypeError, ValueError, AttributeError, cv2.error) as error:
            raise TileSetError(f"{path}: damaged ({error})") from None
        if not any(face != BACK for face in faces):
            raise TileSetError(f"{path}: damaged (no faces in it)")
        return cls(faces, counts, notes, name)


def _digest(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _packed(crop: NDArray[np.uint8]) -> str:
    done, code = cv2.imencode(".png", crop)
    if not done:
        raise ValueError("picture cannot be packed")
    return base64.b64encode(code.tobytes()).decode("ascii")


def _unpacked(text: str) -> NDArray[np.uint8]:
    try:
        code = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except binascii.Error:
        raise ValueError("a picture in it is no base64") from None
    crop = cv2.imdecode(code, cv2.IMREAD_COLOR)
    if crop is None or crop.shape != (64, 48, 3):
        raise ValueError("a picture in it is not 48 by 64")
    return np.asarray(crop, np.uint8)
