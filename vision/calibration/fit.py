"""A camera's pose from sheets on the felt and the table's own rails, and how well it is known.

A sheet in the middle covers a twentieth of the table: the lens's middle and the camera's lean make
up for each other there without a trace in its error, and a corner of the table may be a
centimetre off. So lens and pose are fitted together to everything at once: the pictures of the
held sheet (as the information they give about the lens), the sheets on the felt, wherever
they were laid, and the rails or clicked corners, which also *are* the table's frame. What is only
known so well (how a rail is built, how flat and where a sheet lies) is fitted too, held
by its own spread, so that the bounds that come out say what is really known.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.calibration.board import (
    Board,
    CalibrationRefusedError,
    Lens,
    pose_from_board,
)
from vision.calibration.camera import CameraModel
from vision.calibration.problem import (
    RAIL_MM,
    Fitted,
    FlatSheet,
    TableProblem,
    places_by_camera,
)
from vision.calibration.rails import Edge, find_edges
from vision.geometry import SIDES, Side, TableGeometry
from vision.image import Image

Array = NDArray[np.float64]

LARGEST_BOUND_MM: Final = 3.0
"""A calibration that is known less well than this at a corner of the table is refused."""
_OFF_RAIL = 2.0


def corners_of(surface_mm: float, z: float = 0.0) -> Array:
    """The corners of the playing surface (4, 3), left of side 0 first, counter-clockwise."""
    h = surface_mm / 2
    return np.array([(-h, -h, z), (h, -h, z), (h, h, z), (-h, h, z)])


def fit_table(
    name: str,
    lens: Lens,
    board: Board,
    sheets: Sequence[FlatSheet],
    image: Image,
    surface_mm: float,
    clicks: Sequence[tuple[float, float]] = (),
) -> Fitted:
    """Fit lens and pose to everything that is known.

    Args:
        name: the camera's name.
        lens: from the held pictures.
        board: the sheet.
        sheets: on the felt, in pictures from the same place; the first one's place is known.
        image: (H, W, 3) in which the rails are looked for.
        surface_mm: side of the playing surface.
        clicks: the four corners of the playing surface in the picture, in any order; or none.

    Raises:
        CalibrationRefusedError: something contradicts the rest, or it is not known well enough.
    """
    if not (np.isfinite(surface_mm) and surface_mm > 0):
        raise CalibrationRefusedError(
            f"camera {name}: a surface of {surface_mm:g} mm: how wide is the felt between the "
            "rails?"
        )
    if not sheets or sheets[0].at_mm is None:
        raise CalibrationRefusedError(f"camera {name}: where the first sheet lies must be known")
    first = pose_from_board(
        name, lens, sheets[0].view, board, at_mm=sheets[0].at_mm, turned_deg=sheets[0].turned_deg
    ).camera
    job = TableProblem(lens, board, sheets, surface_mm, first)
    alone = job.solve()
    corners = _ordered(name, alone.camera, clicks, surface_mm) if len(clicks) else None
    told = job.solve(corners=corners) if corners is not None else alone
    # Who clicks the corners does so because the rails mislead.
    looked = find_edges(image, told.camera, surface_mm) if corners is None else {}
    edges = _feet({side: looked.get(side, []) for side in SIDES}, told, surface_mm)
    if _enough(edges):
        told = job.solve(edges, corners)
        # Nearer to the truth the strips lie straight: look once more, and only there.
        again = {
            side: min(found, key=lambda edge: abs(edge.line[0]))
            for side, found in find_edges(image, told.camera, surface_mm, 3.5).items()
            if side in edges and found
        }
        if _enough(again):
            told = job.solve(again, corners)
            worst = max(told.rails_mm, key=lambda side: told.rails_mm[side])
            if len(again) > 3 and told.rails_mm[worst] > _OFF_RAIL * RAIL_MM:
                # A shadow or a seam taken for the rail: the other three must agree without it.
                del again[worst]
                told = job.solve(again, corners)
    _believe(name, told, surface_mm)
    return told


def _believe(name: str, found: Fitted, surface_mm: float) -> None:
    """Refuse what contradicts itself or is not known well enough."""
    if found.error_px > 2.0:
        raise CalibrationRefusedError(
            f"camera {name}: sheets and rails contradict each other by {found.error_px:.1f} pixels:"
            f" is the surface {surface_mm:g} mm wide, the sheet printed at 100 %, and did the"
            " camera stay where it was?"
        )
    for side, off in found.rails_mm.items():
        if off > _OFF_RAIL * RAIL_MM:
            raise CalibrationRefusedError(
                f"camera {name}: the rail of side {side} is {off:.1f} mm off its place: is the"
                f" surface {surface_mm:g} mm wide (--surface)?"
            )
    bound = float(found.bounds_mm(corners_of(surface_mm)).max())
    # Asked so that a bound which is no number is refused as well.
    if not bound <= LARGEST_BOUND_MM:
        seen = f"{len(found.rails_mm)} rails" if found.rails_mm else "no rails"
        raise CalibrationRefusedError(
            f"camera {name}: places at a corner of the table may be {bound:.1f} mm off, more than"
            f" {LARGEST_BOUND_MM:g} ({seen} seen): clear the rails, or give the four corners of"
            " the playing surface (--corner X,Y), or lay the sheet near each corner as well"
        )


def _ordered(
    name: str, camera: CameraModel, clicks: Sequence[tuple[float, float]], surface_mm: float
) -> Array:
    """The clicks in the order of :func:`corners_of`, whatever the order they came in."""
    if len(clicks) != 4:
        raise CalibrationRefusedError(
            f"camera {name}: {len(clicks)} corners given, all four of the surface are needed"
        )
    px, given = camera.project(corners_of(surface_mm)), np.array(clicks, dtype=np.float64)
    best = min(
        itertools.permutations(range(4)),
        key=lambda order: float(((given[[*order]] - px) ** 2).sum()),
    )
    ordered = np.asarray(given[[*best]])
    off = np.linalg.norm(ordered - px, axis=1) / camera.px_per_mm()
    if off.max() > 60.0:
        x, y = (float(value) for value in ordered[int(off.argmax())])
        raise CalibrationRefusedError(
            f"camera {name}: a corner at {x:g},{y:g} is {off.max():.0f} mm"
            " from where the sheet says: click the corners of the felt, not of the table"
        )
    return ordered


def _feet(found: Mapping[Side, list[Edge]], by: Fitted, surface_mm: float) -> dict[Side, Edge]:
    """Which edge of each side is the rail's foot: the choice that fits the first pose best.

    The upper edges lie outwards as if the table were larger, and the sheet says how large a
    millimetre is: of four sides together one reading fits.
    """
    sides = [side for side in SIDES if found[side]]
    if not sides:
        return {}
    ends = 0.6 * surface_mm / 2
    places = np.array(
        [
            (*TableGeometry.to_table(side, along, surface_mm / 2), 0.0)
            for side in sides
            for along in (-ends, ends)
        ]
    )
    outward = np.array([TableGeometry.to_table(s, 0.0, 1.0) for s in sides for _ in (0, 1)])
    moves = places_by_camera(by.camera, by.camera.project(places), 0.0)
    jacobian = (moves * outward[:, :, None]).sum(axis=1)
    spread = 4.0 * jacobian @ by.covariance @ jacobian.T + (RAIL_MM**2 + 0.3) * np.eye(len(places))
    weights: dict[tuple[int, ...], NDArray[np.floating]] = {}

    def cost(choice: Sequence[Edge | None]) -> float:
        seen = tuple(k for k, edge in enumerate(choice) if edge is not None)
        value = 0.0
        rows = [2 * k + end for k in seen for end in (0, 1)]
        if seen not in weights:
            weights[seen] = np.linalg.inv(spread[np.ix_(rows, rows)])
        edges = [edge for edge in choice if edge is not None]
        off = np.array([e.line[0] + e.line[1] * a for e in edges for a in (-ends, ends)])
        for edge in edges:
            value += 2.0 * float(np.log(max(e.strength for e in found[edge.side]) / edge.strength))
        return value + float(off @ weights[seen] @ off)

    choices: list[list[Edge | None]] = [[*found[side]] for side in sides]
    best = min(itertools.product(*choices), key=cost)
    return {edge.side: edge for edge in best if edge is not None}


def _enough(edges: Mapping[Side, Edge]) -> bool:
    """Both directions of the table are told by a rail."""
    return len({side % 2 for side in edges}) == 2
