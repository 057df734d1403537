"""Making a calibration: a printed ChArUco board, its pictures, and the corners of the table.

The lens (camera matrix, distortion) comes from a dozen pictures of the board held at different
places and slants. The pose comes from one picture of the board lying in the middle of the
table, its short side along side 0, or from points of the table whose places are known (its
corners, clicked or found). Everything is refused that would give a calibration that looks
right and is not: another board, too few or too similar pictures, points that do not fit.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.calibration.camera import CameraModel
from vision.errors import VisionInputError
from vision.image import Image

Array = NDArray[np.float64]

LEAST_PICTURES = 8
LEAST_CORNERS = 8
LARGEST_ERROR_PX = 1.0
"""Root mean square reprojection error beyond which a calibration is refused."""
LEAST_COVERED = 0.35
"""Share of the picture in which the board must have been shown."""
LEAST_SLANT_DEG = 12.0
"""By how much its slants must differ."""
_FEW_MARKERS = 4
"""Fewer may be anything; of so many of one kind a board was printed."""
_OTHERS = ("DICT_4X4_1000", "DICT_5X5_1000", "DICT_6X6_1000", "DICT_7X7_1000")
"""What other boards are printed of; each holds the smaller ones of its kind."""


class CalibrationRefusedError(VisionInputError):
    """No trustworthy calibration can be made of this; the message says what to do.

    Attributes:
        worst: the picture that contradicts the others most, from 0; None: no single one is to
            blame.
    """

    def __init__(self, message: str, worst: int | None = None) -> None:
        super().__init__(message)
        self.worst = worst


@dataclass(frozen=True)
class Board:
    """A ChArUco board: ``columns`` × ``rows`` squares, sizes in mm.

    ``dictionary`` names one of OpenCV's marker dictionaries. The default is the
    sheet that the machine's documents print on A4.
    """

    columns: int = 7
    rows: int = 10
    square_mm: float = 25.0
    marker_mm: float = 18.0
    dictionary: str = "DICT_4X4_100"

    def __post_init__(self) -> None:
        if self.columns < 3 or self.rows < 3:
            raise ValueError("a board needs 3 squares either way")
        if not 0 < self.marker_mm < self.square_mm:
            raise ValueError("markers must be smaller than squares")

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the printed squares, mm."""
        return self.columns * self.square_mm, self.rows * self.square_mm

    @cached_property
    def _board(self) -> cv2.aruco.CharucoBoard:
        number = getattr(cv2.aruco, self.dictionary)
        markers = cv2.aruco.getPredefinedDictionary(number)
        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows), self.square_mm, self.marker_mm, markers
        )

    @cached_property
    def _detector(self) -> cv2.aruco.CharucoDetector:
        # Corners are only kept where two markers agree, which another board's do not.
        parameters = cv2.aruco.CharucoParameters()
        parameters.minMarkers = 2
        return cv2.aruco.CharucoDetector(self._board, parameters)

    def picture(self, px_per_mm: float = 8.0, margin_mm: float = 0.0) -> Image:
        """The board as a grey picture (H, W) for printing."""
        width, height = self.size_mm
        size = (
            round((width + 2 * margin_mm) * px_per_mm),
            round((height + 2 * margin_mm) * px_per_mm),
        )
        image = self._board.generateImage(size, marginSize=round(margin_mm * px_per_mm))
        return np.asarray(image, dtype=np.uint8)

    def pdf(self, px_per_mm: float = 8.0) -> bytes:
        """The board on one sheet at its true size (print without scaling)."""
        image = self.picture(px_per_mm)
        packed = zlib.compress(image.tobytes(), 9)
        width, height = (value / 25.4 * 72 for value in self.size_mm)
        # A4 where it fits, else a sheet with a margin of 10 mm.
        sheet = (max(595.28, width + 56.7), max(841.89, height + 56.7))
        left, bottom = (sheet[0] - width) / 2, (sheet[1] - height) / 2
        draw = f"q {width:.4f} 0 0 {height:.4f} {left:.4f} {bottom:.4f} cm /B Do Q".encode()
        image_head = (
            f"<< /Type /XObject /Subtype /Image /Width {image.shape[1]} /Height {image.shape[0]}"
            f" /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
            f" /Length {len(packed)} >>"
        )
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {sheet[0]:.2f} {sheet[1]:.2f}]"
            f" /Contents 4 0 R /Resources << /XObject << /B 5 0 R >> >> >>".encode(),
            f"<< /Length {len(draw)} >>\nstream\n".encode() + draw + b"\nendstream",
            image_head.encode() + b"\nstream\n" + packed + b"\nendstream",
        ]
        out, places = b"%PDF-1.4\n", []
        for number, body in enumerate(objects, start=1):
            places.append(len(out))
            out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        table = b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
        start = len(out)
        out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode() + table
        out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
        return out + f"startxref\n{start}\n%%EOF\n".encode()


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board in one picture.

    Attributes:
        corners: (N, 3) in mm on the board.
        px: (N, 2) in pixels.
        size: width and height of the picture.
        name: of the picture, for people.
    """

    corners: Array
    px: Array
    size: tuple[int, int]
    name: str = ""


def find_board(
    image: Image, board: Board, name: str = "picture", *, explain: bool = True
) -> BoardView:
    """Find the board in a picture.

    Args:
        image: (H, W, 3), or (H, W) grey.
        board: which.
        name: of the picture, for people.
        explain: where it is not seen, look which other print is: takes up to half a second.

    Raises:
        CalibrationRefusedError: it is not there, hardly visible, or another board.
    """
    grey = np.asarray(
        image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8
    )
    corners, ids, _, marker_ids = board._detector.detectBoard(grey)  # noqa: SLF001
    expected = {int(number) for number in np.asarray(board._board.getIds()).ravel()}  # noqa: SLF001
    seen = set() if marker_ids is None else {int(number) for number in marker_ids.ravel()}
    if explain and len(seen) < _FEW_MARKERS and (other := _other_print(grey, board)):
        raise CalibrationRefusedError(f"{name}: {other}")
    if not seen:
        raise CalibrationRefusedError(f"{name}: no board in it")
    if len(seen - expected) > 0.2 * len(seen):
        raise CalibrationRefusedError(f"{name}: another board (markers {sorted(seen - expected)})")
    count = 0 if ids is None else len(ids)
    if count < LEAST_CORNERS:
        wrong = len(seen) >= LEAST_CORNERS
        why = "another board, or printed mirrored" if wrong else "the board is hardly visible"
        raise CalibrationRefusedError(f"{name}: {why} ({count} corners found)")
    every = np.asarray(board._board.getChessboardCorners(), dtype=np.float64)  # noqa: SLF001
    flat = every[np.asarray(ids).ravel()].reshape(-1, 3)
    where = np.asarray(corners, dtype=np.float64).reshape(-1, 2)
    matrix, _ = cv2.findHomography(flat[:, :2], where, 0)
    if matrix is None:
        raise CalibrationRefusedError(f"{name}: the board is hardly visible")
    mapped = cv2.perspectiveTransform(flat[:, None, :2], matrix).reshape(-1, 2)
    extent = float(np.linalg.norm(where.max(axis=0) - where.min(axis=0)))
    if float(np.abs(mapped - where).max()) > 0.05 * extent:
        raise CalibrationRefusedError(f"{name}: another board (its squares do not fit)")
    return BoardView(flat, where, (grey.shape[1], grey.shape[0]), name)


def _other_print(grey: Image, board: Board) -> str:
    """What is wrong with the print in a picture (H, W) that hardly shows the board; or nothing."""
    mirrored = np.ascontiguousarray(grey[:, ::-1])
    if _markers(mirrored, board.dictionary) >= _FEW_MARKERS:
        return "the board is mirrored: print it, or let the camera show it, as it is"
    for dictionary in _OTHERS:
        if dictionary != board.dictionary and _markers(grey, dictionary) >= _FEW_MARKERS:
            return (
                f"another board (its markers are of {dictionary.removeprefix('DICT_')}, not of "
                f"{board.dictionary.removeprefix('DICT_')})"
            )
    return ""


def _markers(grey: Image, dictionary: str) -> int:
    """How many markers of a dictionary a picture (H, W) shows."""
    markers = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    ids = cv2.aruco.ArucoDetector(markers).detectMarkers(grey)[1]
    return 0 if ids is None else len({int(number) for number in ids.ravel()})


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """What one camera's lens does, and how well that is known.

    ``error_px`` is the root mean square reprojection error of all pictures, ``errors_px``
    that of each; ``information`` (9, 9) is what the pictures tell of fx fy cx cy and the five
    coefficients of distortion (the inverse of their covariance), where it is known.
    """

    size: tuple[int, int]
    K: Array
    dist: Array
    error_px: float
    errors_px: tuple[float, ...]
    information: Array | None = None


def calibrate_lens(views: Sequence[BoardView]) -> Lens:
    """Camera matrix and distortion from pictures of the board.

    Raises:
        CalibrationRefusedError: too few, too similar or contradicting pictures.
    """
    if len(views) < LEAST_PICTURES:
        raise CalibrationRefusedError(
            f"{len(views)} usable pictures of the board, {LEAST_PICTURES} are needed"
        )
    size = _one_size(views)
    covered = covered_by(views)
    if covered < LEAST_COVERED:
        raise CalibrationRefusedError(
            f"the board was shown in {covered:.0%} of the picture only: hold it nearer the edges"
        )
    points = [view.corners.astype(np.float32) for view in views]
    px = [view.px.astype(np.float32) for view in views]
    error, matrix, dist, turns, moves = cv2.calibrateCamera(
        points, px, size, _guess(size), np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS
    )
    slants = [_slant(turn) for turn in turns]
    if max(slants) - min(slants) < LEAST_SLANT_DEG:
        raise CalibrationRefusedError(
            "the board always lay at the same slant: tilt it differently in some pictures"
        )
    errors = []
    for view, turn, move in zip(views, turns, moves, strict=True):
        back, _unused = cv2.projectPoints(view.corners, turn, move, matrix, dist)
        errors.append(float(np.sqrt(((back.reshape(-1, 2) - view.px) ** 2).sum(axis=1).mean())))
    if error > LARGEST_ERROR_PX:
        worst = int(np.argmax(errors))
        raise CalibrationRefusedError(
            f"the pictures contradict each other by {error:.2f} pixels, most of all "
            f"{views[worst].name or f'number {worst + 1}'} ({errors[worst]:.2f}): take it out or "
            "lay the board flatter",
            worst,
        )
    return Lens(
        size,
        np.asarray(matrix, dtype=np.float64),
        np.asarray(dist, dtype=np.float64).ravel(),
        float(error),
        tuple(errors),
        _information(views, turns, moves, matrix, dist, float(error)),
    )


def _one_size(views: Sequence[BoardView]) -> tuple[int, int]:
    """The size of all pictures.

    Raises:
        CalibrationRefusedError: they differ; the odd ones are named.
    """
    sizes = Counter(view.size for view in views)
    (size, _), *others = sizes.most_common()
    if others:
        odd = next(k for k, view in enumerate(views) if view.size != size)
        more = f" and {count - 1} more" if (count := sum(n for _, n in others)) > 1 else ""
        raise CalibrationRefusedError(
            f"{views[odd].name or f'picture {odd + 1}'}{more}: {views[odd].size[0]}x"
            f"{views[odd].size[1]}, the other pictures are {size[0]}x{size[1]}: take all of them "
            "with the camera set as it will run",
            odd,
        )
    return size


def covered_by(views: Sequence[BoardView]) -> float:
    """Share of the picture inside the hull of all that was seen of the board, 0..1."""
    if not views:
        return 0.0
    every = np.concatenate([view.px for view in views]).astype(np.float32)
    return float(cv2.contourArea(cv2.convexHull(every)) / (views[0].size[0] * views[0].size[1]))


def slant_of(view: BoardView) -> float:
    """About how far the board was tilted out of the picture's plane, degrees.

    By a lens that is only guessed: enough to tell tilted from flat before there are pictures
    enough to know the lens.
    """
    done, turn, _ = cv2.solvePnP(view.corners, view.px, _guess(view.size), np.zeros(5))
    return _slant(turn) if done else 0.0


def _guess(size: tuple[int, int]) -> Array:
    """A lens as most are (3, 3), to begin from."""
    return np.array([[size[0], 0, size[0] / 2], [0, size[0], size[1] / 2], [0, 0, 1]], float)


def _information(
    views: Sequence[BoardView],
    turns: Sequence[ArrayLike],
    moves: Sequence[ArrayLike],
    matrix: ArrayLike,
    dist: ArrayLike,
    error_px: float,
) -> Array:
    """What the pictures tell of the lens once the board's own poses are fitted as well (9, 9)."""
    total = np.zeros((9, 9))
    for view, turn, move in zip(views, turns, moves, strict=True):
        _, every = cv2.projectPoints(
            view.corners, np.asarray(turn), np.asarray(move), np.asarray(matrix), np.asarray(dist)
        )
        pose, lens = every[:, :6], every[:, 6:15]
        left = lens - pose @ np.linalg.lstsq(pose, lens, rcond=None)[0]
        total += lens.T @ left
    sigma = max(error_px / np.sqrt(2), 0.1)
    return np.asarray((total + total.T) / (2 * sigma**2), dtype=np.float64)


def _slant(turn: ArrayLike) -> float:
    """Degrees between a board's normal and the optical axis."""
    rotation = cv2.Rodrigues(np.asarray(turn, dtype=np.float64))[0]
    return float(np.degrees(np.arccos(min(abs(rotation[2, 2]), 1.0))))


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """A camera with its pose, and the root mean square error of the points it rests on."""

    camera: CameraModel
    error_px: float


def pose_from_points(
    name: str, lens: Lens, table_mm: ArrayLike, px: ArrayLike, largest_px: float = 3.0
) -> Posed:
    """The pose from points of the table whose places are known, at least four.

    Args:
        name: the camera's name.
        lens: its lens.
        table_mm: (N, 3) in the table frame, e.g. the corners of the surface at height 0.
        px: (N, 2) where they are in the picture.
        largest_px: root mean square error beyond which the points are refused.

    Raises:
        CalibrationRefusedError: too few points, or they do not fit together.
    """
    points = np.asarray(table_mm, dtype=np.float64).reshape(-1, 3)
    seen = np.asarray(px, dtype=np.float64).reshape(-1, 2)
    if len(points) != len(seen) or len(points) < 4:
        raise CalibrationRefusedError(f"camera {name}: four points of the table are needed")
    flat = float(np.ptp(points[:, 2])) < 1e-6
    method = cv2.SOLVEPNP_IPPE if flat else cv2.SOLVEPNP_SQPNP
    best: Posed | None = None
    count, turns, moves, _ = cv2.solvePnPGeneric(points, seen, lens.K, lens.dist, flags=method)
    for turn, move in zip(turns[:count], moves[:count], strict=True):
        turn, move = cv2.solvePnPRefineLM(points, seen, lens.K, lens.dist, turn, move)  # noqa: PLW2901
        try:
            rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
            shift = np.asarray(move, dtype=np.float64).ravel()
            camera = CameraModel(name, lens.size, lens.K, lens.dist, rotation, shift)
        except ValueError:
            continue  # the mirror solution: a camera below the table
        error = float(np.sqrt(((camera.project(points) - seen) ** 2).sum(axis=1).mean()))
        if best is None or error < best.error_px:
            best = Posed(camera, error)
    if best is None or best.error_px > largest_px:
        how = "" if best is None else f" (they are off by {best.error_px:.1f} pixels)"
        raise CalibrationRefusedError(
            f"camera {name}: the points do not fit together, check their order{how}"
        )
    return best


def pose_from_board(
    name: str,
    lens: Lens,
    view: BoardView,
    board: Board,
    *,
    at_mm: tuple[float, float] = (0.0, 0.0),
    turned_deg: float = 0.0,
) -> Posed:
    """The pose from one picture of the board lying flat on the felt.

    Args:
        name: the camera's name.
        lens: its lens.
        view: the board in the picture.
        board: which board.
        at_mm: where the board's middle lies, table frame.
        turned_deg: how it is turned counter-clockwise; at 0 its first row is away from side 0.

    Raises:
        CalibrationRefusedError: the corners do not fit.
    """
    width, height = board.size_mm
    # The board's own frame has y downwards; the table's upwards.
    local = np.column_stack((view.corners[:, 0] - width / 2, height / 2 - view.corners[:, 1]))
    angle = np.radians(turned_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    table = np.column_stack((local @ turn.T + np.array(at_mm), np.zeros(len(local))))
    return pose_from_points(name, lens, table, view.px, largest_px=2.0)
