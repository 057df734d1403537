"""The camera's picture of each tile of a captured hand, and what else it may have been."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.app.table.listeners import Quiet
from table_controller.domain.happenings import HandShown, Happening
from table_controller.domain.outputs import HandRecord, Output
from table_controller.happenings.view import TableView, TileView
from table_controller.record.evidence import EvidenceStore
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.sightings import Sighting

logger = logging.getLogger(__name__)

CROP: Final = (60, 84)
"""Width and height of a tile's picture, pixels."""
_PLACES: Final = ("hand", "table", "meld", "flower", "pool")
_LIKELY: Final = 4


@dataclass(frozen=True, slots=True)
class _Capture:
    name: str
    key: str
    frame: Frame
    camera: CameraModel
    tiles: tuple[TileView, ...]
    seat: int


class HandCapture(Quiet):
    """Cuts the tiles of an opened hand out of the newest picture.

    Args:
        store: where the pictures go.
        cameras: by name.
        view: what is believed to lie where.
        tile_mm: width, height and thickness of a tile.
        publish: told the message for the console.
    """

    def __init__(
        self,
        store: EvidenceStore,
        cameras: Mapping[str, CameraModel],
        view: Callable[[], TableView],
        tile_mm: tuple[float, float, float],
        publish: Callable[[dict[str, Any]], None],
    ) -> None:
        self._store = store
        self._cameras = cameras
        self._view = view
        self._tile = tile_mm
        self._publish = publish
        self._frame: Frame | None = None
        self._hands = 0
        self._shown = 0
        self._queue: queue.Queue[_Capture | None] = queue.Queue(8)
        self._thread = threading.Thread(target=self._work, name="captures", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:  # noqa: ARG002
        """Keep the newest picture."""
        self._frame = frame

    def output(self, output: Output, key: str | None) -> None:
        """Count the hands: a picture belongs to the one that is being played."""
        if isinstance(output, HandRecord) and key is not None:
            self._hands = max(self._hands, int(key.rpartition("-")[2]))

    def happening(self, happening: Happening) -> None:
        """Somebody laid a hand open."""
        if not isinstance(happening, HandShown) or self._frame is None:
            return
        frame = self._frame
        self._shown += 1
        number = self._hands + 1
        tiles = tuple(
            tile
            for tile in self._view().tiles
            if tile.posture == "face_up"
            and tile.place in _PLACES
            and (tile.seat == happening.seat or tile.place == "pool")
        )
        capture = _Capture(
            f"hand-{number:03d}-{happening.seat}-{self._shown}",
            f"hand-{number:03d}",
            frame,
            self._cameras[frame.camera],
            tiles,
            happening.seat,
        )
        try:
            self._queue.put_nowait(capture)
        except queue.Full:
            logger.warning("pictures of %s were not cut out: too many at once", capture.key)

    def _work(self) -> None:
        while (capture := self._queue.get()) is not None:
            try:
                self._publish(self._cut(capture))
            except (OSError, ValueError, cv2.error) as error:
                logger.error("pictures of %s not written: %s", capture.key, error)

    def _cut(self, capture: _Capture) -> dict[str, Any]:
        folder = self._store.root / capture.name
        folder.mkdir(parents=True, exist_ok=True)
        image = np.asarray(capture.frame.image, np.uint8)
        crops: list[dict[str, Any]] = []
        for number, tile in enumerate(capture.tiles):
            ok, data = cv2.imencode(".jpg", crop(image, capture.camera, tile, self._tile))
            if not ok:
                continue
            name = f"{number:02d}.jpg"
            (folder / name).write_bytes(data.tobytes())
            crops.append(
                {
                    "file": f"{capture.name}/{name}",
                    "face": tile.tile,
                    "place": tile.place,
                    "confidence": tile.confidence,
                    "likely": [list(pair) for pair in tile.faces[:_LIKELY]],
                }
            )
        return {"key": capture.key, "seat": capture.seat, "crops": crops}

    def close(self) -> None:
        """Write what is queued and stop."""
        self._queue.put(None)
        self._thread.join(10)


def crop(
    image: NDArray[np.uint8],
    camera: CameraModel,
    tile: TileView,
    tile_mm: tuple[float, float, float],
) -> NDArray[np.uint8]:
    """One tile's upper side, upright for its reader.

    Args:
        image: (H, W, 3) BGR.
        camera: that took it.
        tile: where it lies, mm.
        tile_mm: width, height and thickness of a tile.

    Returns:
        (84, 60, 3) BGR with a margin of a tenth around the tile.
    """
    half_w, half_h = tile_mm[0] * 0.6, tile_mm[1] * 0.6
    angle = np.radians(tile.angle)
    right = np.array([np.cos(angle), np.sin(angle), 0.0])
    up = np.array([-np.sin(angle), np.cos(angle), 0.0])
    centre = np.array([tile.x, tile.y, tile.z])
    corners = [
        centre - right * half_w + up * half_h,
        centre + right * half_w + up * half_h,
        centre + right * half_w - up * half_h,
        centre - right * half_w - up * half_h,
    ]
    width, height = CROP
    source = np.asarray(camera.project(corners), np.float32)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    return np.asarray(cv2.warpPerspective(image, matrix, CROP, flags=cv2.INTER_AREA), np.uint8)
