"""The dice reader on frames of the virtual table and on drawn dice."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from tests.vision.eyes_scene import frame
from vision.dice.crops import looked_at_again, vivid
from vision.dice.finding import DiceReader, FoundDie, Spot, _of_one_size, believed
from vision.image import Image
from vision.training.dice import drawn as dice_drawn
from vision.training.dice.photos import Die

EDGE_PX = 14 * 1.14


@pytest.fixture(scope="module")
def reader() -> DiceReader:
    return DiceReader()


def test_dice_at_rest_on_the_table(reader: DiceReader) -> None:
    n = right = wrong = 0
    for seed in range(20, 32):
        image, truth = frame(seed)
        found = reader.find(image[340:740, 760:1160], EDGE_PX)
        for die in truth.dice:
            if die.value is None or die.visible < 0.9:
                continue
            n += 1
            middle = np.array(
                ((die.box[0] + die.box[2]) / 2 - 760, (die.box[1] + die.box[3]) / 2 - 340)
            )
            near = [
                d
                for d in found
                if np.hypot(
                    (d.box[0] + d.box[2]) / 2 - middle[0], (d.box[1] + d.box[3]) / 2 - middle[1]
                )
                < 8
            ]
            right += bool(near) and near[0].value == die.value
            wrong += bool(near) and near[0].value not in (die.value, None)
    assert n >= 10
    assert right >= n - 1
    assert wrong == 0


def _die(value: int, red: bool, angle: float, size: int = 60) -> np.ndarray:
    """A white die on felt, drawn large and exact."""
    picture = np.full((240, 240, 3), (60, 100, 40), np.uint8)
    box = cv2.boxPoints(((120, 120), (size, size), angle))
    cv2.fillConvexPoly(picture, np.round(box).astype(np.int32), (238, 240, 240), cv2.LINE_AA)
    g = 0.26 * size
    spots: dict[int, list[tuple[float, float]]] = {
        1: [(0, 0)],
        2: [(-g, -g), (g, g)],
        3: [(-g, -g), (0, 0), (g, g)],
        4: [(-g, -g), (g, -g), (-g, g), (g, g)],
        5: [(-g, -g), (g, -g), (-g, g), (g, g), (0, 0)],
        6: [(-g, -g), (g, -g), (-g, 0), (g, 0), (-g, g), (g, g)],
    }
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    r = int(size * (0.2 if value == 1 and red else 0.1))
    for u, v in spots[value]:
        p = (round(120 + u * c - v * s), round(120 + u * s + v * c))
        cv2.circle(picture, p, r, (30, 30, 190) if red else (20, 20, 20), -1, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("angle", [0.0, 33.0])
def test_drawn_dice_red_ones_and_fours_too(reader: DiceReader, value: int, angle: float) -> None:
    for red in (False, True) if value in (1, 4) else (False,):
        found = reader.find(_die(value, red, angle), 60.0)
        assert [d.value for d in found if d.confidence > 0.3] == [value], (value, red)


def test_no_dice_on_an_empty_cloth(reader: DiceReader) -> None:
    cloth = np.full((300, 400, 3), (60, 110, 50), np.uint8)
    assert reader.find(cloth, 20.0) == []
    assert reader.find(cloth) == []


def test_the_same_picture_gives_the_same_dice(reader: DiceReader) -> None:
    image, _ = frame(20)
    part = image[340:740, 760:1160]
    assert DiceReader().find(part, EDGE_PX) == DiceReader().find(part, EDGE_PX)


def _cloth(rng: np.random.Generator, size: int) -> Image:
    """A felt of any colour with some grain."""
    hue = int(rng.choice((60, 75, 90, 110, 15, 0)) + rng.normal(0, 6)) % 180
    hsv = np.array([[(hue, int(rng.uniform(40, 220)), int(rng.uniform(40, 170)))]], np.uint8)
    base = np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float32)
    return np.clip(base + rng.normal(0, 4, (size, size, 1)), 0, 255).astype(np.uint8)


def _throws(seed: int, count: int, view: float = 0.0) -> Iterator[tuple[Image, list[Die]]]:
    """Pictures of two or three dice, often touching, and their boxes and classes.

    Some move; none leans, which no single picture tells: ``vision/dice/outline.py`` does.
    """
    rng = np.random.default_rng(seed)
    unrest = dice_drawn.Unrest(moving=0.2, leaning=0.0)
    for _ in range(count):
        picture = _cloth(rng, 200)
        dice = dice_drawn.throw(rng, picture, 30.0, int(rng.integers(2, 4)), view, unrest=unrest)
        yield picture, dice


def _read_at(found: list[FoundDie], box: tuple[float, ...]) -> FoundDie | None:
    """The die found within a box."""
    for die in found:
        x, y = (die.box[0] + die.box[2]) / 2, (die.box[1] + die.box[3]) / 2
        side = box[2] - box[0]
        if np.hypot(x - (box[0] + box[2]) / 2, y - (box[1] + box[3]) / 2) < 0.35 * side:
            return die
    return None


@pytest.mark.parametrize(("view", "least"), [(0.0, 0.9), (30.0, 0.8)])
def test_dice_of_any_make_also_touching(reader: DiceReader, view: float, least: float) -> None:
    n = right = wrong = moving = read = 0
    for picture, dice in _throws(5, 30, view):
        found = reader.find(picture, 30.0)
        for box, kind in dice:
            one = _read_at(found, box)
            if kind == dice_drawn.NONE:
                moving += 1
                read += one is not None and one.value is not None
                continue
            n += 1
            right += one is not None and one.value == kind + 1
            wrong += one is not None and one.value not in (kind + 1, None)
    assert n > 50
    assert right >= least * n
    assert wrong <= 0.05 * n
    assert read <= 0.1 * moving + 1


def test_a_dark_die_is_looked_at_in_its_colours_too() -> None:
    """Dark red pips on black, and a grey vein across."""
    body, pip = (38, 34, 36), (18, 22, 92)
    picture = np.full((40, 40, 3), body, np.uint8)
    for x, y in ((13, 13), (26, 26), (13, 26), (26, 13)):
        cv2.circle(picture, (x, y), 3, pip, -1, cv2.LINE_AA)
    cv2.line(picture, (8, 20), (32, 20), (150, 150, 150), 1)
    (other,) = vivid([np.ascontiguousarray(picture.transpose(2, 0, 1))])

    def stands_out(crop: np.ndarray, x: int, y: int) -> float:
        bgr = np.float32(crop.transpose(1, 2, 0)[None, y, x] - np.float32(crop[:, 19, 19]))
        return float(np.abs(bgr).max())

    plain = picture.transpose(2, 0, 1)
    assert stands_out(other, 13, 13) > 1.2 * stands_out(plain, 13, 13)
    assert stands_out(other, 10, 20) < 0.6 * stands_out(plain, 10, 20)
    assert vivid([np.full((3, 40, 40), 200, np.uint8)]) == []


@pytest.mark.parametrize("seed", [3, 78])
def test_what_moved_while_the_picture_was_taken_shows_no_value(
    reader: DiceReader, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    moving = read = 0
    for _ in range(20):
        picture = _cloth(rng, 200)
        unrest = dice_drawn.Unrest(moving=1.0, leaning=0.0)
        dice = dice_drawn.throw(rng, picture, 30.0, 3, 0.0, unrest=unrest)
        found = reader.find(picture, 30.0)
        for box, kind in dice:
            assert kind == dice_drawn.NONE
            one = _read_at(found, box)
            moving += 1
            read += one is not None and one.value is not None
    assert moving > 50
    assert read == 0


def test_a_short_smear_needs_a_surer_value(reader: DiceReader) -> None:
    """Half a die's length of motion leaves bars where pips were; some look like a six."""
    still = _die(6, False, 0.0)
    kernel = np.zeros((25, 25), np.float32)
    kernel[12] = 1 / 25
    box = (90.0, 90.0, 150.0, 150.0, 0.9)
    assert not reader._smeared(still, box)
    assert reader._smeared(np.asarray(cv2.filter2D(still, -1, kernel), np.uint8), box)


def test_no_die_on_a_table_without_dice(reader: DiceReader) -> None:
    for seed in (0, 1, 2, 20, 47):
        image, truth = frame(seed, dice=False)
        assert truth.dice == ()
        assert reader.find(image, EDGE_PX) == []


def test_the_box_that_fits_is_kept_not_one_around_two_dice(
    reader: DiceReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are surely dice; the finder is surer of the middle of the one that fits."""
    fits, loose = (117.0, 207.0, 147.0, 237.0, 0.91), (110.0, 182.0, 146.0, 221.0, 0.62)
    rows = {fits: (0.0, 0.0, 0.97, 0.0, 0.0, 0.0, 0.02, 0.01), loose: (0,) * 4 + (0.999, 0, 0, 0)}
    chances = np.array([rows[fits], rows[loose]])
    monkeypatch.setattr(reader, "chances", lambda *_: chances)
    monkeypatch.setattr(reader, "_smeared", lambda *_: False)
    dice = reader._values(np.zeros((300, 300, 3), np.uint8), [fits, loose])
    assert [(die.value, die.box) for die in dice] == [(3, fits[:4])]


def test_a_box_around_a_whole_board_swallows_no_die(
    reader: DiceReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finder is surer of the board, which shows nothing, than of the die that lies on it."""
    board, die = (68.0, 87.0, 557.0, 473.0, 0.6), (315.0, 380.0, 340.0, 402.0, 0.42)
    rows = np.array([(0.15,) * 6 + (0.05, 0.05), (0.0,) * 5 + (0.99, 0.0, 0.01)])
    monkeypatch.setattr(reader, "chances", lambda *_: rows)
    dice = reader._values(np.zeros((640, 640, 3), np.uint8), [board, die])
    assert [one.value for one in dice] == [6, None]


@pytest.mark.parametrize(
    ("chances", "smeared", "likely"),
    [
        ((0.1, 0.8, 0.1), False, 2),
        ((0.3, 0.4, 0.3), False, None),
        ((0.1, 0.8, 0.1), True, None),
    ],
)
def test_an_undecided_die_is_looked_at_again(
    reader: DiceReader,
    monkeypatch: pytest.MonkeyPatch,
    chances: tuple[float, ...],
    smeared: bool,
    likely: int | None,
) -> None:
    first, again = np.zeros((1, 8)), np.zeros((1, 8))
    first[0, :2], again[0, :3] = 0.5, chances
    monkeypatch.setattr(reader, "chances", lambda *_: first)
    monkeypatch.setattr(reader, "_weighed", lambda *_: again)
    monkeypatch.setattr(reader, "_smeared", lambda *_: smeared)
    picture, spot = np.zeros((100, 100, 3), np.uint8), (30.0, 30.0, 60.0, 60.0, 0.9)
    (die,) = reader._values(picture, [spot], anywhere=True)
    assert (die.value, die.likely) == (None, likely)
    # at a table several pictures decide, not several looks at one
    (die,) = reader._values(picture, [spot])
    assert (die.value, die.likely) == (None, None)


@pytest.mark.parametrize(
    ("spot", "no_die", "value", "told"),
    [
        (0.9, 0.01, 0.99, True),
        # the finder hardly sees it, the reader has no doubt: red on red, small, behind another
        (0.3, 0.0, 0.99, True),
        # a key: found well, and by its look perhaps one
        (0.5, 0.3, 0.75, False),
        (0.9, 0.6, 0.9, False),
        (0.25, 0.05, 0.8, False),
    ],
)
def test_finder_and_reader_tell_together_whether_a_die_lies_there(
    reader: DiceReader,
    monkeypatch: pytest.MonkeyPatch,
    spot: float,
    no_die: float,
    value: float,
    told: bool,
) -> None:
    row = np.full((1, 8), (1 - value) * (1 - no_die) / 6)
    row[0, 2], row[0, 7] = value * (1 - no_die), no_die
    monkeypatch.setattr(reader, "chances", lambda *_: row)
    monkeypatch.setattr(reader, "_smeared", lambda *_: False)
    at = (30.0, 30.0, 60.0, 60.0, spot)
    dice = reader._values(np.zeros((100, 100, 3), np.uint8), [at], anywhere=True)
    assert [die.value for die in dice if die.sure] == ([3] if told else [])


def test_another_look_sees_no_specks() -> None:
    rng = np.random.default_rng(1)
    picture = np.full((60, 60, 3), 180, np.uint8)
    picture[rng.random((60, 60)) < 0.03] = 0
    looks = looked_at_again(picture, (15.0, 15.0, 45.0, 45.0), 40, 1.25)
    assert looks.shape == (20, 3, 40, 40)
    assert sum(bool((look > 170).all()) for look in looks) >= 4
    # a die that is cut by the corner of the picture
    assert looked_at_again(picture, (-4.0, -3.0, 20.0, 21.0), 40, 1.25).shape == looks.shape


@pytest.mark.parametrize("seed", [20, 23, 26])
def test_what_cannot_be_believed_is_not_read(
    reader: DiceReader, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Hands and tiles are hardly like dice, and reading them says the same and takes long."""
    image, _ = frame(seed)
    read: list[int] = []
    values = reader._values

    def counted(im: Image, spots: list[Spot]) -> list[FoundDie]:
        read.append(len(spots))
        return values(im, spots)

    monkeypatch.setattr(reader, "_values", counted)
    found = reader.find(image, EDGE_PX)
    monkeypatch.setattr("vision.dice.finding._WORTH", 0.0)
    assert found == reader.find(image, EDGE_PX)
    assert read[0] < read[1]


@pytest.mark.parametrize(("die_px", "value"), [(None, 5), (20.0, None)])
def test_at_a_table_a_die_may_as_well_lean(
    reader: DiceReader, monkeypatch: pytest.MonkeyPatch, die_px: float | None, value: int | None
) -> None:
    """In a photograph of dice far fewer lean than were shown to the net."""
    logits = np.full((1, 8), -9.0)
    logits[0, 4] = logits[0, 6] = 3.0
    spot = (40.0, 40.0, 65.0, 65.0, 0.9)
    monkeypatch.setattr(reader, "look", lambda *_: [spot])
    monkeypatch.setattr(reader, "_smeared", lambda *_: False)
    told = SimpleNamespace(run=lambda crops: [logits.repeat(len(crops), 0)])
    monkeypatch.setattr(reader, "_pips", told)
    (die,) = reader.find(np.zeros((100, 100, 3), np.uint8), die_px)
    assert die.value == value


def test_many_specks_are_no_match_for_a_few_sure_dice() -> None:
    """In a photograph of 13 dice forty specks of its cloth were told instead (dice/mixed, 4)."""
    dice = [FoundDie((k * 200.0, 0.0, k * 200.0 + 150, 150.0), 3, 0.98, 0.99) for k in range(13)]
    specks = [
        FoundDie((k * 30.0, 400.0, k * 30.0 + 20, 420.0), None, 0.45, 0.65) for k in range(45)
    ]
    assert _of_one_size([*specks, *dice]) == dice


_SURE = FoundDie((0.0, 0.0, 30.0, 30.0), 4, 0.95, 0.97)
_FAINT = FoundDie((40.0, 0.0, 70.0, 30.0), 2, 0.5, 0.5)
_LIKELY = FoundDie((80.0, 0.0, 110.0, 30.0), None, 0.6, 0.95, 3, 0.6)
_DECIDED = FoundDie((80.0, 0.0, 110.0, 30.0), None, 0.6, 0.95, 1, 0.75)
_BLANK = FoundDie((120.0, 0.0, 150.0, 30.0), None, 0.6, 0.95)
_HARDLY = FoundDie((160.0, 0.0, 190.0, 30.0), 5, 0.4, 0.25)


@pytest.mark.parametrize(
    ("found", "values"),
    [
        ([_FAINT, _LIKELY, _BLANK, _HARDLY], []),
        ([_DECIDED, _FAINT, _BLANK], [1]),
        ([_SURE, _FAINT, _LIKELY, _BLANK, _HARDLY], [4, 2, 3]),
        ([_SURE], [4]),
        ([], []),
    ],
)
def test_beside_a_sure_die_fainter_ones_are_believed(
    found: list[FoundDie], values: list[int]
) -> None:
    assert [die.value for die in believed(found)] == values
