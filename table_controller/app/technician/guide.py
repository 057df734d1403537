"""``paiguan calibrate camera --config``: the steps by which one person calibrates a camera.

Pure: a state, a picture or a typed line give the next state and what is said. Cameras, keys and
files are in :mod:`table_controller.app.technician.guided`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import numpy as np

from table_controller.app.technician.calibrate import how_it_hangs, same_size, upside_down
from table_controller.app.technician.guide_pictures import corner_windows, proposed
from table_controller.app.technician.raised import said_of_walls, wall_cells
from vision.calibration.board import (
    LEAST_PICTURES,
    Board,
    BoardView,
    CalibrationRefusedError,
    Lens,
    calibrate_lens,
    find_board,
    pose_from_board,
)
from vision.calibration.camera import CameraModel
from vision.calibration.fit import corners_of, fit_table
from vision.calibration.problem import Fitted, FlatSheet
from vision.calibration.showing import Shown, alike
from vision.checks.raised_walls import WallsCheck
from vision.errors import VisionInputError
from vision.image import Image


class Step(StrEnum):
    """Where the guide is."""

    HELD = "held"
    """Pictures of the sheet held anyhow."""
    FLAT = "flat"
    """One of it lying on the felt."""
    RAILS = "rails"
    """The rails found are confirmed, or the corners typed."""
    WALLS = "walls"
    """Raised walls are compared with their places."""
    DONE = "done"
    STOPPED = "stopped"


YES: Final = ("y", "yes", "是")
NO: Final = ("n", "no", "否")
_AFTER: Final = {Step.HELD: 1, Step.FLAT: 2, Step.RAILS: 3, Step.WALLS: 4}


@dataclass(frozen=True, slots=True)
class Setup:
    """What is calibrated.

    Attributes:
        name: of the camera.
        surface_mm: side of the playing surface between the rails.
        see_walls: compares a picture of raised walls with their places, by a calibration.
        board: the sheet.
    """

    name: str
    surface_mm: float
    see_walls: Callable[[Image, CameraModel], WallsCheck]
    board: Board = field(default_factory=Board)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """How far it has come.

    Attributes:
        step: where it is.
        taken: pictures of the held sheet so far, usable or not.
        views: the usable ones.
        lens: once they are enough.
        flat: the sheets on the felt.
        image: (H, W, 3) of the first of them.
        fitted: once rails or corners were found.
        walls: as they were seen last.
    """

    step: Step = Step.HELD
    taken: int = 0
    views: tuple[BoardView, ...] = ()
    lens: Lens | None = None
    flat: tuple[FlatSheet, ...] = ()
    image: Image | None = None
    fitted: Fitted | None = None
    walls: WallsCheck | None = None

    @property
    def takes_pictures(self) -> bool:
        """Whether an empty line takes a picture."""
        return self.step in (Step.HELD, Step.FLAT, Step.WALLS)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What is told.

    Attributes:
        lines: in words.
        look: (H, W, 3) a picture to look at, or None.
    """

    lines: tuple[str, ...] = ()
    look: Image | None = None


def asked(state: State) -> str:
    """What to do now: the step, what it needs, which keys do what."""
    head = f"step {_AFTER[state.step]} of 4: " if state.step in _AFTER else ""
    if state.step is Step.HELD:
        return (
            f"{head}hold the sheet before the camera, each time elsewhere and at another slant; "
            f"{LEAST_PICTURES} pictures at least. Enter takes one (q stops)"
        )
    if state.step is Step.FLAT:
        where = "at another place of" if state.flat else "in the middle of"
        first = "" if state.flat else ", its short side along side 0, its first row away from it"
        return (
            f"{head}lay the sheet flat {where} the felt{first}; arms out of the picture, rails in "
            "sight. Enter takes the picture (b: more held pictures, q stops)"
        )
    if state.step is Step.RAILS:
        yes = "y: it is so; " if state.fitted is not None else ""
        return (
            f"{head}{yes}n: take the picture again; m: lay the sheet elsewhere as well; or type "
            "the four corners of the felt in the picture, X,Y X,Y X,Y X,Y (q stops)"
        )
    if state.step is Step.WALLS:
        return (
            f"{head}take the sheet away and let the machine raise fresh walls, nothing else on the "
            "felt. Enter takes the picture (s: without this check, b: sheet on the felt again, "
            "q stops)"
        )
    return ""


def pictured(setup: Setup, state: State, image: Image) -> tuple[State, Said]:
    """After a picture (H, W, 3) was taken."""
    if state.step is Step.HELD:
        return _held(setup, state, image)
    if state.step is Step.FLAT:
        return _laid(setup, state, image)
    if state.step is Step.WALLS:
        return _raised(setup, state, image)
    return state, Said()


def answered(setup: Setup, state: State, text: str) -> tuple[State, Said]:
    """After a line, not empty, was typed."""
    word = text.strip().lower()
    if word in ("q", "quit", "exit"):
        return replace(state, step=Step.STOPPED), Said()
    if word == "b" and state.step is Step.FLAT:
        return replace(state, step=Step.HELD, lens=None, flat=(), fitted=None), Said()
    if word == "b" and state.step is Step.WALLS:
        return _again(state)
    if word == "s" and state.step is Step.WALLS:
        if state.walls is not None and any(w.seen and not w.good for w in state.walls.walls):
            return state, Said(("the walls were seen elsewhere: this cannot be left out",))
        return replace(state, step=Step.DONE, walls=None), Said(("walls were not checked",))
    if state.step is Step.RAILS:
        if word in YES and state.fitted is not None:
            return replace(state, step=Step.WALLS), Said()
        if word in NO:
            return _again(state)
        if word == "m":
            return replace(state, step=Step.FLAT, fitted=None), Said()
        if "," in word:
            return _typed(setup, state, text)
    return state, Said((f"{text.strip()!r} is not understood here",))


def _again(state: State) -> tuple[State, Said]:
    return replace(state, step=Step.FLAT, flat=(), image=None, fitted=None, walls=None), Said()


def _held(setup: Setup, state: State, image: Image) -> tuple[State, Said]:
    """One more picture of the held sheet: usable or not, and what is still lacking."""
    name = f"picture {state.taken + 1}"
    state = replace(state, taken=state.taken + 1)
    try:
        view = find_board(image, setup.board, name)
    except CalibrationRefusedError as problem:
        return state, Said((f"{problem}: not used; {_lacking(state)}",))
    if state.views and view.size != state.views[0].size:
        return state, Said((f"{name}: the camera now gives another size: not used",))
    if other := alike(view, state.views):
        why = f"{name}: shows the sheet as {other} did: not used"
        return state, Said((f"{why}; {_lacking(state)}",))
    state = replace(state, views=(*state.views, view))
    good = f"{name}: usable, {len(view.corners)} corners"
    if Shown.by(state.views).pictures < LEAST_PICTURES:
        return state, Said((f"{good}; {_lacking(state)}",))
    try:
        lens = calibrate_lens(state.views)
    except CalibrationRefusedError as problem:
        if problem.worst is None:
            return state, Said((f"{good}; {problem}",))
        left = tuple(v for k, v in enumerate(state.views) if k != problem.worst)
        state = replace(state, views=left)
        return state, Said((f"{good}; {problem}: it was taken out; {_lacking(state)}",))
    line = f"{good}; lens known within {lens.error_px:.2f} px from {len(state.views)} pictures"
    return replace(state, lens=lens, step=Step.FLAT), Said((line,))


def _lacking(state: State) -> str:
    """What the held pictures still lack, in words."""
    lacking = Shown.by(state.views).lacking
    return "still needed: " + ("; ".join(lacking) if lacking else "another picture")


def _laid(setup: Setup, state: State, image: Image) -> tuple[State, Said]:
    """The sheet on the felt: where the camera hangs."""
    assert state.lens is not None
    try:
        view = find_board(image, setup.board, "the sheet on the felt")
        same_size(view, state.lens)
    except VisionInputError as problem:
        return state, Said((f"{problem}: take it again",))
    if state.flat:
        # Where the others lie is found; the first one and its picture stay.
        state = replace(state, flat=(*state.flat, FlatSheet(view, None)))
    else:
        state = replace(state, flat=(FlatSheet(view),), image=image)
    return _fit(setup, state, ())


def _fit(
    setup: Setup, state: State, corners: tuple[tuple[float, float], ...]
) -> tuple[State, Said]:
    """Lens, sheets and rails together; what was found is shown to be confirmed."""
    lens, image = state.lens, state.image
    assert lens is not None
    assert image is not None
    name, board, surface = setup.name, setup.board, setup.surface_mm
    state = replace(state, step=Step.RAILS, fitted=None)
    try:
        fitted = fit_table(name, lens, board, state.flat, image, surface, corners)
    except CalibrationRefusedError as problem:
        look = None
        with suppress(CalibrationRefusedError):
            first = pose_from_board(name, lens, state.flat[0].view, board).camera
            look = corner_windows(image, first, surface)
        lines = [str(problem)]
        if look is not None:
            lines.append(
                "the picture shows where the corners of the felt should be, enlarged, with the "
                "numbers of its pixels"
            )
        return state, Said(tuple(lines), look)
    camera = fitted.camera
    px = camera.project(corners_of(surface))
    lines = how_it_hangs(fitted, lens, surface)
    lines.append("corners of the felt: " + " ".join(f"{x:.0f},{y:.0f}" for x, y in px))
    if warning := upside_down(camera):
        lines.append(f"{warning}: turn one of them, then n, unless it is meant so")
    lines.append("the green lines must lie along the feet of the rails, side 0 where you mean it")
    look = proposed(image, camera, board, surface)
    return replace(state, fitted=fitted), Said(tuple(lines), look)


def _typed(setup: Setup, state: State, text: str) -> tuple[State, Said]:
    """The corners as pixel numbers."""
    corners = []
    for part in text.split():
        x, _, y = part.partition(",")
        try:
            corners.append((float(x), float(y)))
        except ValueError:
            return state, Said((f"{part!r}: two numbers are needed, as in 412,96",))
    if len(corners) != 4 or not np.isfinite(corners).all():
        return state, Said((f"{len(corners)} corners: all four are needed, X,Y X,Y X,Y X,Y",))
    return _fit(setup, state, tuple(corners))


def _raised(setup: Setup, state: State, image: Image) -> tuple[State, Said]:
    """Raised walls: are they seen where the machine raises them?"""
    assert state.fitted is not None
    camera = state.fitted.camera
    if (image.shape[1], image.shape[0]) != camera.size:
        return state, Said(("the camera now gives another size: take it again",))
    result = setup.see_walls(image, camera)
    lines = []
    for wall in result.walls:
        side, tiles, outwards, ends, along, word = wall_cells(wall)
        lines.append(
            f"{side}: {tiles} tiles, {word}"
            + (f"; outwards {outwards}, ends {ends}, along {along}" if wall.seen else "")
        )
    lines += said_of_walls(result)
    step = Step.DONE if result.good else Step.WALLS
    return replace(state, step=step, walls=result), Said(tuple(lines))
