"""How drawn dice are made: colours of body and pips, marbling, drilled pips, mirrored lamps.

All arrays are over the points of a die's surface that are seen (N); colours are BGR, 0..255.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.pictures.hues import bgr_of


@dataclass(frozen=True)
class Style:
    """How a die is made; dice of one throw share it.

    Attributes:
        body: colour.
        second: other colour of a marbled body.
        mixed: share of the second colour, 0 for one colour.
        swirl: turns of the marbling; 0 for clouds.
        sharp: how hard the borders of the marbling are.
        clear: how much is seen through it, 0..1.
        pip: colour; ``pip_one`` and ``pip_four`` of these values.
        one: size of the single pip over the others'.
        radius: of a pip, edges.
        spread: distance of pips from the middle over the usual one.
        ball: radius of the ball that rounds it, edges.
        cut: how much is cut off along its edges.
        emblem: shape of the single pip, 0 for a disc.
        gloss: brightness of a lamp's soft mirror image.
        shine: its sharpness.
        hollow: shade of one side of a pip.
        bowl: how steep the side of a drilled pip is.
        mirror: brightness of the sharp mirror image of windows and tubes, 0..1.
        rim: brightness of the line of light along the rounded rim of a side, 0..1.
        rim_at: how far that line lies from the side's middle, edges.
    """

    body: np.ndarray
    second: np.ndarray
    mixed: float
    swirl: float
    sharp: float
    clear: float
    pip: np.ndarray
    pip_one: np.ndarray
    pip_four: np.ndarray
    one: float
    radius: float
    spread: float
    ball: float
    cut: float
    emblem: int
    gloss: float
    shine: float
    hollow: float
    bowl: float
    mirror: float
    rim: float
    rim_at: float


def _colour(rng: np.random.Generator) -> np.ndarray:
    hsv = (
        int(rng.integers(180)),
        int(255 * rng.beta(1.5, 1.0)),
        int(rng.uniform(15, 255)),
    )
    return bgr_of(*hsv).astype(np.float32)


def _vivid(rng: np.random.Generator) -> np.ndarray:
    """Colours that pips are painted in: red, gold, yellow, blue, green, orange."""
    hue = (rng.normal(0, 5), rng.normal(22, 5), rng.normal(28, 4), rng.normal(112, 8))
    hsv = (
        int(hue[rng.choice(4, p=(0.4, 0.25, 0.2, 0.15))]) % 180,
        int(rng.uniform(140, 255)),
        int(rng.uniform(110, 245)),
    )
    return bgr_of(*hsv).astype(np.float32)


def _far(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


LIGHT = (0.114, 0.587, 0.299)
"""What blue, green and red add to a colour's light."""


def _grey(a: np.ndarray) -> float:
    return float(a @ LIGHT)


_DIM = 0.3
"""Share of dark or strongly coloured glossy makes whose pips differ in hue alone."""


def _dim(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Body and pip colours of such a make: as on marbled black and red or blue and red dice."""
    hsv = (int(rng.integers(180)), int(rng.uniform(120, 255)), int(rng.uniform(50, 190)))
    body = bgr_of(*hsv).astype(np.float32)
    if rng.random() < 0.45:
        body = (rng.uniform(20, 75) + rng.normal(0, 5, 3)).astype(np.float32)
    pip = _vivid(rng) * np.float32(rng.uniform(0.55, 1.0))
    while _far(body, pip) < 50:
        pip = _vivid(rng) * np.float32(rng.uniform(0.55, 1.0))
    return body, pip


def _plain(
    rng: np.random.Generator, like: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, bool, float]:
    """Body and pip colours, whether it is marbled, and how far the colours lie apart."""
    roll = rng.random()
    dark = rng.uniform(5, 60) + rng.uniform(-5, 15, 3)
    light = rng.uniform(205, 255) - rng.uniform(0, 18, 3)
    marbled = rng.random() < 0.25
    if roll < 0.28:
        body = rng.uniform(200, 255) - np.array((rng.uniform(0, 60), rng.uniform(0, 20), 0))
        pip = dark
    elif roll < 0.58:
        body, pip = _colour(rng), light
        if float(body.mean()) > 165:
            pip = dark
    elif roll < 0.82:
        # two-coloured makes with painted pips that stand out little
        body = np.asarray(dark if rng.random() < 0.4 else _colour(rng), np.float32)
        pip = _vivid(rng) if rng.random() < 0.7 else (light, dark)[rng.integers(2)]
        marbled = rng.random() < 0.75
    else:
        body, pip = _colour(rng), _colour(rng)
    if like is not None:
        body = (like * rng.uniform(0.75, 1.25) + rng.normal(0, 9, 3)).clip(5, 250)
    pip, body = np.asarray(pip, np.float32), np.asarray(body, np.float32)
    # faint pips are seen as well, but not those that nobody could tell
    least = rng.uniform(34, 75) if rng.random() < 0.4 else 85.0
    for _ in range(30):
        if _far(body, pip) >= least and abs(_grey(body) - _grey(pip)) >= least * 0.35:
            break
        pip = np.asarray((_colour(rng), light, dark, _vivid(rng))[rng.integers(4)], np.float32)
    return body, pip, marbled, least


def _second(
    rng: np.random.Generator, body: np.ndarray, pip: np.ndarray, least: float
) -> np.ndarray:
    """The other colour of a marbled body; it must leave the pips to be seen."""
    second = body * rng.uniform(0.3, 1.2) + _colour(rng) * rng.uniform(0.0, 0.8)
    if rng.random() < 0.4:  # veins that are nearly as light or dark as the pips
        second = body + (pip - body) * rng.uniform(0.25, 0.6) + rng.normal(0, 12, 3)
        least = min(least, 45.0)
    for _ in range(8):
        if _far(second, pip) >= least * 0.6:
            break
        second = body * rng.uniform(0.3, 1.0) + _colour(rng) * rng.uniform(0.0, 0.4)
    return second.clip(0, 255).astype(np.float32)


def style(rng: np.random.Generator, like: np.ndarray | None = None) -> Style:
    """A random make of dice: light ones with dark or red pips, dark with light, any two colours.

    With ``like``, a colour, its body has nearly that one: a die that its ground hides.
    """
    dim = like is None and rng.random() < _DIM
    if dim:
        body, pip = _dim(rng)
        marbled, least = rng.random() < 0.8, 50.0
    else:
        body, pip, marbled, least = _plain(rng, like)
    red = np.array((rng.uniform(15, 60), rng.uniform(15, 50), rng.uniform(140, 235)), np.float32)
    asian = float(body.mean()) > 150 and rng.random() < 0.6
    glossy = dim or rng.random() < 0.6
    return Style(
        body=body,
        second=_second(rng, body, pip, least),
        mixed=float(rng.uniform(0.3, 1.0)) if marbled else 0.0,
        swirl=float(rng.uniform(1.5, 6.0)) if rng.random() < 0.5 else 0.0,
        sharp=float(np.exp(rng.uniform(0.2, 2.2))),
        clear=float(rng.uniform(0.1, 0.65)) if not dim and rng.random() < 0.35 else 0.0,
        pip=pip,
        pip_one=red if asian else pip,
        pip_four=red if asian and rng.random() < 0.7 else pip,
        one=float(rng.uniform(1.3, 2.6)) if asian or rng.random() < 0.12 else 1.0,
        radius=float(rng.uniform(0.06, 0.124)),
        spread=float(rng.uniform(0.8, 1.1)),
        ball=float(rng.uniform(0.66, 0.8)) if rng.random() < 0.7 else 0.9,
        cut=float(rng.uniform(0.0, 0.09)),
        emblem=int(rng.integers(1, 4)) if rng.random() < 0.06 else 0,
        gloss=float(rng.uniform(0, 0.9)) ** 2,
        shine=float(np.exp(rng.uniform(np.log(6), np.log(120)))),
        hollow=float(rng.uniform(0, 0.5)),
        bowl=float(rng.uniform(0.15, 1.1)) if rng.random() < 0.75 else 0.0,
        mirror=float(rng.uniform(0.1, 1.0)) if glossy else 0.0,
        rim=float(rng.uniform(0.1, 0.7)) if glossy and rng.random() < 0.5 else 0.0,
        rim_at=float(rng.uniform(0.3, 0.45)),
    )


def marbling(rng: np.random.Generator, make: Style, side: int) -> np.ndarray:
    """Share of the second colour (side, side), 0..1: clouds or veins of several sizes."""
    cloud = np.zeros((side, side), np.float32)
    for cells, weight in ((4, 1.0), (9, 0.7), (20, 0.35)):
        rough = rng.standard_normal((cells, cells)).astype(np.float32)
        cloud += weight * cv2.resize(rough, (side, side), interpolation=cv2.INTER_CUBIC)
    if make.swirl:
        cloud = np.sin(cloud * np.float32(make.swirl))
    share = 1 / (1 + np.exp(-(cloud + np.float32(rng.uniform(-0.6, 0.6))) * make.sharp))
    return np.asarray(share * np.float32(make.mixed), np.float32)


def mirrored(rng: np.random.Generator, away: np.ndarray) -> np.ndarray:
    """Brightness (N,), 0..1, of windows and tubes seen in the directions ``away`` (N, 3)."""
    seen = np.zeros(len(away), np.float32)
    for _ in range(rng.integers(1, 4)):
        high, side = np.deg2rad(rng.uniform(10, 88)), rng.uniform(0, 2 * np.pi)
        lamp = np.array((np.cos(side) * np.cos(high), np.sin(side) * np.cos(high), np.sin(high)))
        wide = np.cross(lamp, rng.normal(0, 1, 3))
        wide /= np.linalg.norm(wide)
        tall = np.cross(lamp, wide)
        near = away @ lamp.astype(np.float32)
        safe = np.maximum(near, 1e-3)
        a, b = np.exp(rng.uniform(np.log(0.03), np.log(0.6), 2))
        soft = float(rng.uniform(0.01, 0.15))
        u = (a - np.abs(away @ wide.astype(np.float32)) / safe) / soft
        v = (b - np.abs(away @ tall.astype(np.float32)) / safe) / soft
        patch = np.clip(u, 0, 1) * np.clip(v, 0, 1) * (near > 0)
        seen = np.maximum(seen, patch * np.float32(rng.uniform(0.4, 1.0)))
    return seen


def rimmed(rng: np.random.Generator, make: Style, points: np.ndarray) -> np.ndarray:
    """Brightness (N,), 0..1, of the light that the rounded rims of the sides throw back.

    Where a side begins to bend it mirrors a lamp for a little way: a line that runs round the
    pips, in part or wholly.

    Args:
        rng: chance.
        make: of the die.
        points: on its body (N, 3), edges.
    """
    size = np.sort(np.abs(points), axis=1)[:, :2]
    # a square with rounded corners on dice with flat sides, nearly a circle on round ones
    bend = float(rng.uniform(2.2, 6))
    out = ((size**bend).sum(1)) ** (1 / bend)
    line = np.exp(-(((out - make.rim_at) / float(rng.uniform(0.015, 0.05))) ** 2))
    way = rng.normal(0, 1, 3)
    way /= np.linalg.norm(way)
    share = np.clip(rng.uniform(0.0, 0.8) + 1.6 * points @ way.astype(np.float32), 0, 1)
    return np.asarray(line * share * np.float32(make.rim), np.float32)
