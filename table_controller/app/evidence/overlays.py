"""Pictures of what was seen: the frame, every tile as it was read, what could not be looked at.

``paiguan replay DIR --draw OUT`` writes one for every alert and every finished hand: for the
technician who wonders why, and for the gallery of the documents.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.app.table.listeners import Quiet
from table_controller.domain.alert_names import alert_title
from table_controller.domain.happenings import Happening
from table_controller.domain.outputs import Alert, HandRecord, Output
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.image import Image
from vision.photo.overlay import label
from vision.sightings import Outcome, Posture, Sighting

Colour = tuple[int, int, int]

_COLOURS: Final[Mapping[Posture, Colour]] = {
    Posture.FACE_UP: (80, 230, 120),
    Posture.FACE_DOWN: (240, 180, 60),
    Posture.STANDING: (230, 90, 230),
    Posture.UNSURE: (140, 140, 140),
}
_COVERED: Final[Colour] = (60, 60, 240)
_DIE: Final[Colour] = (0, 210, 255)
_STICK: Final[Colour] = (255, 255, 255)
_LINE_PX: Final = 30


def drawn(
    frame: Frame,
    sighting: Sighting,
    camera: CameraModel,
    captions: list[str],
    *,
    sticks: bool = True,
) -> Image:
    """The frame as it was understood.

    Green: face up, with what was read; blue: face down; violet: standing; grey: unsure; red: not
    looked at. The first lines of ``captions`` stand in a bar below.

    Args:
        frame: of that camera.
        sighting: of that frame.
        camera: to draw what is given in table millimetres.
        captions: lines of text.
        sticks: whether the game has scoring sticks: where it has none, what has their shape is
            none, and nobody asks for it.

    Returns:
        (H + bar, W, 3) BGR.
    """
    picture = frame.image.copy()
    scale = picture.shape[0] / 1080
    _shade(picture, sighting, camera)
    for tile in sighting.tiles:
        colour = _COLOURS[tile.posture]
        quad = np.asarray(tile.quad, np.float32)
        outline = np.round(quad * 8).astype(np.int32)
        cv2.polylines(picture, [outline], True, colour, max(1, round(scale)), cv2.LINE_AA, 3)
        if tile.posture is Posture.FACE_UP:
            name = tile.faces[0][0] if tile.faces else "?"
            # On a plate, in the lower part of the face, so that most of it stays to be seen.
            width = float(np.linalg.norm(quad[1] - quad[0]))
            spot = quad.mean(axis=0) * 0.35 + (quad[2] + quad[3]) / 2 * 0.65
            label(picture, name, spot, width * 0.85, colour)
    for die in sighting.dice:
        at = camera.project([[die.x, die.y, 12.0]])[0]
        value = "~" if die.moving else "?" if die.value is None else str(die.value)
        cv2.circle(picture, (round(at[0]), round(at[1])), round(16 * scale), _DIE, 2, cv2.LINE_AA)
        _text(picture, value, at + np.array((22 * scale, 0.0)), 0.6 * scale, _DIE)
    for stick in sighting.sticks if sticks else ():
        at = camera.project([[stick.x, stick.y, 3.0]])[0]
        cv2.circle(picture, (round(at[0]), round(at[1])), round(12 * scale), _STICK, 2, cv2.LINE_AA)
    return _with_captions(picture, captions, scale)


def _shade(picture: Image, sighting: Sighting, camera: CameraModel) -> None:
    layer = picture.copy()
    for polygon in sighting.covered:
        points = np.array([(x, y, 0.0) for x, y in polygon])
        outline = [np.round(camera.project(points)).astype(np.int32)]
        cv2.fillPoly(layer, outline, _COVERED)
        cv2.polylines(picture, outline, True, _COVERED, 2, cv2.LINE_AA)
    cv2.addWeighted(layer, 0.35, picture, 0.65, 0.0, dst=picture)


def _text(picture: Image, text: str, at: NDArray[np.floating], size: float, colour: Colour) -> None:
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    place = (round(float(at[0]) - w / 2), round(float(at[1]) + h / 2))
    cv2.putText(picture, text, place, 0, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(picture, text, place, 0, size, colour, 1, cv2.LINE_AA)


def _with_captions(picture: Image, captions: list[str], scale: float) -> Image:
    step = round(_LINE_PX * scale)
    bar = np.full((step * len(captions) + step // 2, picture.shape[1], 3), 28, np.uint8)
    for number, line in enumerate(captions, start=1):
        place = (round(16 * scale), round(number * step - 0.15 * step))
        cv2.putText(bar, line, place, 0, 0.62 * scale, (235, 235, 235), 1, cv2.LINE_AA)
    return np.vstack([picture, bar])


class OverlayPictures(Quiet):
    """Writes a picture at every alert and finished hand, and at the moments asked for.

    Args:
        cameras: by name.
        out: folder of the pictures, made where it is missing.
        at: further moments, source time.
        sticks: whether the game has scoring sticks.
    """

    def __init__(
        self,
        cameras: Mapping[str, CameraModel],
        out: Path,
        at: Sequence[float] = (),
        *,
        sticks: bool = True,
    ) -> None:
        self._sticks = sticks
        self._at = deque(sorted(at))
        self._cameras = cameras
        self._out = out
        self._seen: dict[str, tuple[Frame, Sighting]] = {}
        self._told: deque[str] = deque(maxlen=3)
        self._due: list[tuple[str, str]] = []
        self.written: list[Path] = []

    def happening(self, happening: Happening) -> None:
        """Remember the latest for the captions."""
        if happening.kind not in ("not_looked", "hand_counted"):
            self._told.append(described(happening))

    def output(self, output: Output, key: str | None) -> None:  # noqa: ARG002
        """An alert or a hand is worth a picture."""
        if isinstance(output, Alert):
            seat = "" if output.seat is None else f", seat {output.seat}"
            title = f"ALERT {alert_title(output.id)['en']}{seat}: {output.rule.clause}"
            self._due.append((output.id, _plain(title)))
        elif isinstance(output, HandRecord):
            self._due.append(("hand", _plain(f"HAND {output.hand}: {_won(output)}")))

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:
        """The frame after which it was said."""
        if sighting is not None and sighting.outcome is Outcome.LOOKED:
            self._seen[frame.camera] = (frame, sighting)
        while self._at and self._at[0] <= frame.t:
            self._at.popleft()
            self._due.append(("look", ""))
        self.write_due()

    def write_due(self) -> None:
        """Write what is due with the latest frames: at the end no further one comes."""
        for name, title in self._due:
            self._write(name, title)
        self._due = []

    def _write(self, name: str, title: str) -> None:
        self._out.mkdir(parents=True, exist_ok=True)
        for camera, (frame, sighting) in sorted(self._seen.items()):
            captions = [f"{frame.t:.1f} s  {title}", *self._told]
            hung = self._cameras[camera]
            picture = drawn(frame, sighting, hung, captions, sticks=self._sticks)
            more = "" if len(self._cameras) == 1 else f"-{camera}"
            path = self._out / f"{frame.t:07.1f}-{name}{more}.jpg"
            cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, 85])
            self.written.append(path)


def described(happening: Happening) -> str:
    """A happening as a line for people."""
    seat = getattr(happening, "seat", None)
    tile = getattr(happening, "tile", None)
    tiles = getattr(happening, "tiles", None)
    words = [f"{happening.t:.1f} s ", happening.kind.replace("_", " ")]
    words += [f"seat {seat}"] if seat is not None else []
    words += [tile.value] if tile is not None else []
    words += [" ".join(each.value for each in tiles)] if tiles else []
    stage = getattr(happening, "stage", None) or getattr(happening, "call", None)
    values = getattr(happening, "values", None)
    words += [stage] if stage else []
    words += [" + ".join(map(str, values))] if values else []
    return _plain(" ".join(words) + f"  ({happening.confidence:.2f})")


def _won(hand: HandRecord) -> str:
    if not hand.wins:
        return hand.result if hand.reason is None else f"{hand.result}, {hand.reason}"
    parts = []
    for win in hand.wins:
        source = "self-drawn" if win.from_ is None else f"from seat {win.from_}"
        tiles = " ".join(tile.value for tile in win.tiles)
        parts.append(f"seat {win.winner} wins {win.win_tile.value} {source}: {tiles}")
    return "; ".join(parts)


def _plain(text: str) -> str:
    """What the drawing font has letters for."""
    return text.replace("§", "section ").encode("ascii", "replace").decode()
