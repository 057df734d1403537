"""``paiguan read``: pictures to readings, order, hands, and what bad input gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.faces import DESIGNS, picture
from tests.needs import shared_data
from tests.pictures import read
from vision.dice.finding import FoundDie
from vision.nets.reader import SYMMETRIC
from vision.photo.beside_dice import dice_sized, no_dice
from vision.photo.command import PhotoReader, reading_order, run_read
from vision.photo.farther import lies_aslant, with_farther
from vision.photo.hand import HandError, to_hand
from vision.photo.picture import Quality, quality
from vision.photo.plausible import doubted, few_blank, one_of_each_flower
from vision.photo.readings import PictureReading, ReadDie, ReadTile
from vision.sightings import Posture

HAND = ["1m", "1m", "1m", "2m", "3m", "4m", "6p", "7p", "8p", "7z", "7z", "7z", "5s"]


def photo(faces: list[str], apart: str | None = None, width: int = 60) -> np.ndarray:
    """Tiles in a row on felt with a body below each, one of them apart."""
    height = round(width * 1.385)
    picture_ = np.full((480, 1280, 3), (62, 104, 44), np.uint8)
    noise = np.random.default_rng(1).integers(0, 10, picture_.shape, np.uint8)
    picture_ = np.asarray(cv2.add(picture_, noise), np.uint8)
    x, y = 80, 200
    for face in [*faces, *([apart] if apart else [])]:
        if face == apart and apart is not None and x > 80 + len(faces) * width - 1:
            x += width
        picture_[y + height : y + height + 10, x : x + width - 1] = (150, 160, 165)
        picture_[y + height + 10 : y + height + 16, x : x + width - 1] = (60, 90, 20)
        picture_[y : y + height, x : x + width - 1] = picture(
            face, DESIGNS["classic"], width - 1, height
        )
        x += width
    return np.asarray(cv2.GaussianBlur(picture_, (0, 0), 0.7), np.uint8)


def _store(path: Path, image: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), image)
    return path


@pytest.fixture(scope="module")
def reader() -> PhotoReader:
    return PhotoReader(threads=1)


@pytest.mark.parametrize("turn", [None, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE])
def test_a_row_is_read_in_order_however_the_picture_is_held(
    reader: PhotoReader, turn: int | None
) -> None:
    image = photo(HAND, "5s")
    image = image if turn is None else np.asarray(cv2.rotate(image, turn), np.uint8)
    reading = reader.read(image)
    assert [t.tile for t in reading.tiles] == [*HAND, "5s"]
    assert all(t.confidence > 0.5 for t in reading.tiles)


@pytest.mark.parametrize("wider", [0.4, 0.55, 1.6, 2.6])
def test_squeezed_pictures_are_read(reader: PhotoReader, wider: float) -> None:
    image = photo(HAND, "5s")
    height, width = image.shape[:2]
    size = round(width * wider**0.5), round(height / wider**0.5)
    image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    reading = reader.read(image)
    assert [t.tile for t in reading.tiles] == [*HAND, "5s"]
    # the quads lie in the picture as it was given
    first = reading.tiles[0]
    ratio = 60 * wider**0.5 / (60 * 1.385 / wider**0.5)
    a, b, _, d = np.array(first.quad)
    assert np.linalg.norm(b - a) / np.linalg.norm(d - a) == pytest.approx(ratio, rel=0.15)


def test_more_white_dragons_than_a_set_has_are_doubted() -> None:
    quad = ((0.0, 0.0), (30.0, 0.0), (30.0, 40.0), (0.0, 40.0))
    rows = [ReadTile("5z", c, quad, Posture.FACE_UP, 1.0) for c in (0.999, 0.95, 0.9, 0.8)]
    assert few_blank(rows) == rows
    assert [t.tile for t in few_blank([*rows, rows[1]])] == ["back"] * 5


def test_white_dragons_among_faces_are_believed_beside_a_wall_of_white_backs() -> None:
    def at(x: float, y: float, tile: str) -> ReadTile:
        quad = ((x, y), (x + 30, y), (x + 30, y + 40), (x, y + 40))
        return ReadTile(tile, 0.98, quad, Posture.FACE_UP, 1.0)

    hand = [at(0, 300, "5z"), at(30, 300, "5z"), at(60, 300, "7m"), at(90, 300, "8m")]
    wall = [at(30 * k, 0, "5z") for k in range(6)]
    assert [t.tile for t in few_blank([*hand, *wall])] == ["5z", "5z", "7m", "8m", *["back"] * 6]


def test_what_hardly_lies_there_is_not_told() -> None:
    quad = ((0.0, 0.0), (30.0, 0.0), (30.0, 40.0), (0.0, 40.0))
    tiny = ((0.0, 0.0), (6.0, 0.0), (6.0, 8.0), (0.0, 8.0))
    sure = [ReadTile("1m", 0.99, quad, Posture.FACE_UP, 1.0, found=0.9)] * 3
    doubtful = ReadTile("2p", 0.9, quad, Posture.FACE_UP, 1.0, found=0.4)
    small = ReadTile("2p", 1.0, tiny, Posture.FACE_UP, 1.0, found=0.9)
    assert doubted(sure) == sure
    assert [t.tile for t in doubted([*sure, doubtful, small])] == ["1m", "1m", "1m", "?", "?"]
    dice = [ReadTile("4p", 1.0, quad, Posture.FACE_UP, 1.0, found=0.55)] * 2
    assert [t.tile for t in doubted(dice)] == ["?", "?"]


@pytest.mark.parametrize(
    ("sure", "hardly", "unread", "told"),
    [
        (3, 5, 46, False),  # keys of a keyboard
        (1, 4, 6, False),  # of a pocket calculator
        (1, 1, 2, False),  # playing cards
        (15, 7, 14, True),  # a heap, most of it aslant
        (1, 0, 2, True),  # a tile among others that lie under a hand
    ],
)
def test_of_many_faces_some_are_surely_tiles_or_none_is(
    sure: int, hardly: int, unread: int, told: bool
) -> None:
    quad = ((0.0, 0.0), (30.0, 0.0), (30.0, 40.0), (0.0, 40.0))

    def faces(tile: str, chance: float, found: float, count: int) -> list[ReadTile]:
        return [ReadTile(tile, chance, quad, Posture.FACE_UP, 1, found=found)] * count

    tiles = faces("1s", 0.98, 0.8, sure) + faces("7z", 0.7, 0.7, hardly)
    kept = doubted(tiles + faces("?", 0.4, 0.7, unread) + faces("back", 0.9, 0.9, 60))
    assert [t.tile for t in kept if t.tile != "back"] == [
        *(["1s"] * sure + ["7z"] * hardly if told else ["?"] * (sure + hardly)),
        *["?"] * unread,
    ]


@pytest.mark.parametrize(
    ("faces", "told"),
    [
        (("1z", "2z", "3z", "4z", "7z"), True),
        (("1z", "2z", "3z"), False),
        (("1p", "1m", "1m", "1m", "1p"), False),
    ],
    ids=["five of the honours, strewn", "too few", "the same again and again"],
)
def test_many_faces_beyond_doubt_are_tiles_though_none_is_surely_found(
    faces: tuple[str, ...], told: bool
) -> None:
    """Seven honours on grey felt were found at 0.40 to 0.70, read at 1.00, and none was told."""
    quad = ((0.0, 0.0), (30.0, 0.0), (30.0, 40.0), (0.0, 40.0))
    tiles = [ReadTile(face, 0.999, quad, Posture.FACE_UP, 1.0, found=0.66) for face in faces]
    assert [t.tile for t in doubted(tiles)] == [face if told else "?" for face in faces]
    hardly = [replace(t, confidence=0.97) for t in tiles]
    assert {t.tile for t in doubted(hardly)} == {"?"}


def _at(x: float, y: float, tile: str, short: float = 60.0, **how: float) -> ReadTile:
    quad = ((x, y), (x + short, y), (x + short, y + 1.3 * short), (x, y + 1.3 * short))
    told = {"confidence": 0.999, "found": 0.9} | how
    return ReadTile(tile, told["confidence"], quad, Posture.FACE_UP, 1.0, found=told["found"])


NEAR = [_at(70.0 * k, 400.0, f"{k + 1}m") for k in range(5)]
"""The front of a heap; its back is smaller."""


@pytest.mark.parametrize(
    ("tile", "taken"),
    [
        (_at(50, 100, "3z", 40), True),
        (_at(50, 100, "3z", 25), False),
        (_at(50, 100, "3z", 40, found=0.45), False),
        (_at(50, 100, "3z", 40, confidence=0.97), False),
        (_at(50, 100, "5z", 40), False),
        (_at(50, 100, "?", 40), False),
        (_at(75, 420, "1p", 40), False),
        (_at(60, 350, "3z", 40), True),
    ],
    ids=[
        "far off", "far too small", "hardly found", "unsure", "blank", "unread",
        "a part of one", "its rim over another's",
    ],
)  # fmt: skip
def test_far_tiles_of_a_heap_are_looked_for_smaller(tile: ReadTile, taken: bool) -> None:
    """Two tiles at the back of a heap, seen from 45 degrees, were not found at all."""
    assert with_farther(NEAR, [tile]) == ([*NEAR, tile] if taken else NEAR)
    assert with_farther(NEAR[:4], [tile]) == NEAR[:4], "too few tell what size tiles have"


def test_the_surer_of_two_readings_of_a_far_tile_is_taken() -> None:
    one, other = _at(50, 100, "3z", 40), _at(54, 102, "4z", 40, found=0.6)
    assert with_farther(NEAR, [other, one]) == [*NEAR, one]


def test_tiles_of_one_size_do_not_lie_far_off() -> None:
    assert not lies_aslant(NEAR)
    assert lies_aslant([*NEAR, *(_at(70.0 * k, 100, "1z", 45) for k in range(5))])
    assert not lies_aslant(NEAR[:4])


def test_a_blank_face_that_is_not_very_sure_speaks_for_no_other() -> None:
    """One of three plain backs was taken for a white dragon, where no face is to be seen."""
    quad = ((0.0, 0.0), (30.0, 0.0), (30.0, 40.0), (0.0, 40.0))
    blank = ReadTile("5z", 0.901, quad, Posture.FACE_UP, 1.0, found=0.782)
    backs = [ReadTile("back", 0.7, quad, Posture.FACE_DOWN, 1.0)] * 2
    assert [t.tile for t in doubted([blank, *backs])] == ["?", "back", "back"]
    sure = [replace(blank, confidence=0.99)]
    assert doubted(sure) == sure
    face = ReadTile("1m", 0.95, quad, Posture.FACE_UP, 1.0, found=0.9)
    assert [t.tile for t in doubted([blank, face])] == ["5z", "1m"]


@pytest.mark.parametrize(
    ("die", "read"),
    [
        (ReadDie(5, 0.98, (-2.0, -2.0, 29.0, 25.0), found=1.0), "?"),
        (ReadDie(5, 0.98, (-2.0, -2.0, 29.0, 25.0), found=0.7), "5p"),
        (ReadDie(None, 0.98, (-2.0, -2.0, 29.0, 25.0), found=1.0), "5p"),
        (ReadDie(1, 0.98, (4.0, 7.0, 13.0, 16.0), found=1.0), "5p"),
        (ReadDie(5, 0.98, (40.0, 0.0, 70.0, 30.0), found=1.0), "5p"),
    ],
    ids=["a die", "less sure", "without a value", "one dot of a tile", "beside it"],
)
def test_a_die_is_no_tile_of_dots(die: ReadDie, read: str) -> None:
    quad = ((0.0, 0.0), (18.0, 0.0), (18.0, 21.0), (0.0, 21.0))
    seems = ReadTile("5p", 0.92, quad, Posture.FACE_UP, 1.0, found=0.855)
    assert [t.tile for t in no_dice([seems], [die])] == [read]
    far = ((100.0, 0.0), (118.0, 0.0), (118.0, 24.0), (100.0, 24.0))
    beside = ReadTile("1m", 0.99, far, Posture.FACE_UP, 1.0, found=0.95)
    assert [t.tile for t in no_dice([seems, beside], [die])] == ["5p", "1m"]


def test_tiles_pushed_together_are_no_die() -> None:
    """Eight flowers in two blocks of four were dice that show a four, and nothing else was told."""

    def at(x: float, y: float, tile: str) -> ReadTile:
        quad = ((x, y), (x + 60, y), (x + 60, y + 80), (x, y + 80))
        return ReadTile(tile, 1.0, quad, Posture.FACE_UP, 1.0, found=0.87)

    spots = ((0.0, 0.0), (62.0, 0.0), (0.0, 82.0), (62.0, 82.0))
    tiles = [at(*spot, f"{k}f") for k, spot in enumerate(spots, 1)]
    seems = ReadDie(4, 0.91, (-4.0, -4.0, 126.0, 166.0), found=0.978)
    assert no_dice(tiles, [seems]) == tiles
    assert dice_sized([seems], tiles) == ()
    pips = [replace(tile, found=0.6) for tile in tiles]
    assert [t.tile for t in no_dice(pips, [seems])] == ["?"] * 4, "a large die's pips are no tiles"


@pytest.mark.parametrize(
    ("size", "found", "others", "kept"),
    [
        (43.0, 0.77, 5, False),
        (43.0, 0.97, 5, True),
        (60.0, 0.99, 5, False),
        (24.0, 0.77, 5, True),
        (43.0, 0.77, 3, True),
    ],
    ids=["a tile with its side", "surely one", "far too large", "small as dice", "few faces"],
)
def test_a_die_is_no_larger_than_the_tiles_beside_it(
    size: float, found: float, others: int, kept: bool
) -> None:
    """Tiles far off are small in a slanted picture: only those nearest count."""
    die = ReadDie(1, 0.76, (0.0, 0.0, size, size), found=found)

    def tile_at(x: float, short: float) -> ReadTile:
        quad = ((x, 0.0), (x + short, 0.0), (x + short, 1.3 * short), (x, 1.3 * short))
        return ReadTile("1p", 0.99, quad, Posture.FACE_UP, 1.0, found=0.9)

    near = [tile_at(60.0 + 30 * k, 28.0) for k in range(others)]
    assert dice_sized([die], near) == ((die,) if kept else ())
    small = replace(die, box=(0.0, 0.0, 24.0, 24.0))
    far = [tile_at(400.0 + 15 * k, 12.0) for k in range(9)]
    assert dice_sized([small], near + far) == (small,)


def test_json_is_the_contracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _store(tmp_path / "hand.png", photo(HAND, "5s"))
    drawn = tmp_path / "drawn.png"
    assert run_read([path], as_json=True, draw=drawn) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["image"] == str(path)
    assert [t["tile"] for t in row["tiles"]] == [*HAND, "5s"]
    for tile in row["tiles"]:
        assert 0 < tile["confidence"] <= 1
        assert np.array(tile["quad"]).shape == (4, 2)
    assert row["dice"] == []
    overlay, plain = read(drawn), read(path)
    assert overlay.shape == plain.shape
    assert not np.array_equal(overlay, plain)


def test_the_photographed_hand_can_be_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from table_controller.scoring.hand import from_line

    path = _store(tmp_path / "hand.png", photo(HAND, "5s"))
    assert run_read([path], hand=True) == 0
    line = capsys.readouterr().out
    hand = from_line(line)
    assert hand.win_tile == "5s"
    assert sorted(hand.hand) == sorted(HAND)


def test_bad_files_are_named_and_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = _store(tmp_path / "good.png", photo(HAND))
    bad = tmp_path / "bad.png"
    bad.write_text("no picture", "utf-8")
    assert run_read([bad, good], as_json=True) == 2
    out, err = capsys.readouterr()
    assert err.splitlines() == [f"{bad}: not a picture in a format that can be read"]
    assert json.loads(out)["image"] == str(good)


def test_a_dark_picture_is_said_to_be_dark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _store(tmp_path / "dark.png", (photo(HAND) * 0.1).astype(np.uint8))
    assert run_read([path], as_json=True) == 0
    out, err = capsys.readouterr()
    assert "too dark" in err
    assert "too dark" in json.loads(out)["notes"][0]


MOVED = np.full((1, 15), 1 / 15, np.float32)


@pytest.mark.parametrize(
    ("change", "read", "die"),
    [
        (lambda p: p, ["9m", "3m", "back"], 4),
        (lambda p: cv2.filter2D(p, -1, MOVED), ["9m", "?", "back"], None),
        (lambda p: (p * 0.1).astype(np.uint8), ["9m", "?", "back"], None),
    ],
    ids=["fit", "moved", "dark"],
)
def test_what_is_doubtful_in_an_unfit_picture_is_not_told(
    reader: PhotoReader,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[np.ndarray], np.ndarray],
    read: list[str],
    die: int | None,
) -> None:
    tiles = [
        replace(tile("9m", 20, 60), confidence=0.998),
        replace(tile("3m", 60, 60), confidence=0.85),
        back(100, 60),
    ]
    dice = [FoundDie((10.0, 110.0, 40.0, 140.0), 4, 0.95, 0.97)]
    monkeypatch.setattr(reader, "_tiles", lambda _: tiles)
    monkeypatch.setattr(reader, "_dice", SimpleNamespace(find=lambda _: dice))
    reading = reader.read(change(photo(HAND)))
    assert [t.tile for t in reading.tiles] == read
    assert [d.value for d in reading.dice] == [die]


def test_a_picture_stretched_one_way_is_fit_to_be_read(
    reader: PhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told as moved, and what was read of it as `?`."""
    tall = cv2.resize(photo(HAND), None, fx=1, fy=3.5, interpolation=cv2.INTER_LINEAR)
    stretched = np.asarray(tall, np.uint8)
    assert "moved" in quality(stretched).notes()[0]
    plain = [replace(tile(f"{n}p", 40 * n, 60), confidence=0.95) for n in range(1, 8)]
    tiles = []
    for t in plain:
        p, q, r, s = ((x, 3.5 * y) for x, y in t.quad)
        tiles.append(replace(t, quad=(p, q, r, s)))
    monkeypatch.setattr(reader, "_tiles", lambda _: tiles)
    reading = reader.read(stretched)
    assert reading.quality.notes() == ()
    assert "?" not in [t.tile for t in reading.tiles]


# --- order and hands, without pictures -------------------------------------------------------


def tile(name: str, x: float, y: float, turn: int = 0) -> ReadTile:
    """An upright tile 30 x 42 centred at x, y, turned by quarter turns clockwise."""
    quad = np.array([(-15, -21), (15, -21), (15, 21), (-15, 21)], float)
    for _ in range(turn):
        quad = np.stack((-quad[:, 1], quad[:, 0]), axis=1)
    a, b, c, d = ((float(px + x), float(py + y)) for px, py in quad)
    return ReadTile(name, 0.99, (a, b, c, d), Posture.FACE_UP, 1.0)


def back(x: float, y: float) -> ReadTile:
    return replace(tile("back", x, y), posture=Posture.FACE_DOWN)


def reading(*tiles: ReadTile) -> PictureReading:
    return PictureReading("p.jpg", tuple(tiles), (), Quality(200, 20, 8, 8, 8))


def test_rows_from_the_top_each_left_to_right() -> None:
    tiles = [tile("3m", 70, 102), tile("1m", 10, 11), tile("2m", 60, 9), tile("4m", 140, 99)]
    assert [t.tile for t in reading_order(tiles)] == ["1m", "2m", "3m", "4m"]


def test_rows_as_the_faces_stand() -> None:
    """A picture taken from the other side of the table reads as its player reads it."""
    tiles = [tile("2m", 10, 10, 2), tile("1m", 50, 10, 2)]
    assert [t.tile for t in reading_order(tiles)] == ["1m", "2m"]


@pytest.mark.parametrize(
    ("tops", "turned_over"),
    [
        # 1 stands up, -1 upside down, as the reader says, with its probability
        ([(1, 0.9), (1, 0.8), (-1, 0.6), (1, 0.95)], [2]),
        ([(-1, 0.9), (-1, 0.8), (1, 0.6), (-1, 0.95)], [2]),
        ([(1, 0.9), (-1, 0.55), (-1, 0.52), (-1, 0.6), (1, 0.95)], [1, 2, 3]),
        ([(1, 0.9), (1, 0.8), (-1, 0.9), (1, 0.95)], []),  # surely upside down
        ([(1, 0.9), (-1, 0.85), (-1, 0.6), (1, 0.95)], []),  # strewn: the others say nothing
        ([(1, 0.9), (-1, 0.6)], []),  # one alone says too little
    ],
)
def test_a_face_whose_top_is_doubtful_stands_as_the_others_do(
    tops: list[tuple[int, float]], turned_over: list[int]
) -> None:
    tiles = [
        replace(tile(f"{k + 1}m", 40 * k, 10, 0 if up > 0 else 2), turn=sure)
        for k, (up, sure) in enumerate(tops)
    ]
    was = {t.tile: t.up for t in tiles}
    over = [t.tile for t in reading_order(tiles) if float(t.up @ was[t.tile]) < 0]
    assert sorted(over) == [f"{k + 1}m" for k in turned_over]


@pytest.mark.parametrize("name", ["hand_001_jpg.jpg", "hand_014_jpg.jpg", "hand_019_jpg.jpg"])
def test_photographed_hands_stand_one_way_up(reader: PhotoReader, name: str) -> None:
    path = shared_data("data/photos_homes/test") / name
    told = [t for t in reader.read_file(path)[0].tiles if t.tile not in SYMMETRIC | {"?", "back"}]
    up = np.array([t.up for t in told])
    assert len(told) > 5
    assert float((up @ np.median(up, axis=0)).min()) > 0.7


def row(names: str, gap_before_last: float = 0.0) -> list[ReadTile]:
    faces = names.split()
    return [
        (back if f == "back" else partial(tile, f))(
            100 + 31 * i + (gap_before_last if i == len(faces) - 1 else 0), 100
        )
        for i, f in enumerate(faces)
    ]


FOURTEEN = "1m 1m 1m 2m 3m 4m 5p 6p 7p 7z 7z 7z 9s 9s"


def test_the_tile_apart_is_the_winning_tile() -> None:
    tiles = row(FOURTEEN)
    alone = tile("2m", 300, 260)
    tiles[3] = alone
    hand = to_hand(reading(*reading_order(tiles)))
    assert hand["win_tile"] == "2m"
    assert len(hand["hand"]) == 13


def test_without_a_tile_apart_the_last_one_wins() -> None:
    assert to_hand(reading(*row(FOURTEEN)))["win_tile"] == "9s"


def test_flowers_are_counted_and_kongs_recognised() -> None:
    tiles = [*row("2s 2s 2s 2s 1m 2m 3m 5p 6p 7p 7z 7z 7z 9s 9s"), tile("3f", 100, 300)]
    hand = to_hand(reading(*tiles))
    assert hand["flowers"] == 1
    assert [m["tiles"] for m in hand["melds"]] == [["2s"] * 4]
    assert len(hand["hand"]) == 10


@pytest.mark.parametrize(
    ("names", "melds", "hand"),
    [
        (
            "1s 1s 1s 1s 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s",
            ["1111s"],
            "2s 3s 4s 5p 6p 7p 7z 7z 7z 9s",
        ),
        (
            "1s 1s 1s 1s 3z 3z 3z 3z 2s 3s 4s 7z 7z 7z 9s 9s",
            ["1111s", "3333z"],
            "2s 3s 4s 7z 7z 7z 9s",
        ),
        (
            "1s 1s 1s 1s 3z 3z 3z 3z 5p 5p 0p 5p 7z 7z 7z 9s 9s",
            ["1111s", "3333z", "5505p"],
            "7z 7z 7z 9s",
        ),
        (
            "1s 1s 1s 1s 3z 3z 3z 3z 5p 5p 5p 5p 7z 7z 7z 7z 9s 9s",
            ["1111s", "3333z", "5555p", "7777z"],
            "9s",
        ),
        (
            "back 1s 1s back 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s",
            ["1111s*"],
            "2s 3s 4s 5p 6p 7p 7z 7z 7z 9s",
        ),
        (
            "back 0p 5p back 3z 3z 3z 3z 2s 3s 4s 7z 7z 7z 9s 9s",
            ["0555p*", "3333z"],
            "2s 3s 4s 7z 7z 7z 9s",
        ),
        (
            "back 1s 1s back back 2m 2m back 2s 3s 4s 7z 7z 7z 9s 9s",
            ["1111s*", "2222m*"],
            "2s 3s 4s 7z 7z 7z 9s",
        ),
        ("back " + FOURTEEN + " back", [], FOURTEEN[:-3]),
    ],
    ids=[
        "one",
        "two",
        "three",
        "four",
        "concealed",
        "a red five",
        "both concealed",
        "backs beside",
    ],
)
def test_every_kong_has_a_tile_more(names: str, melds: list[str], hand: str) -> None:
    """A concealed one, marked ``*``, lies with its outer tiles face down (contract, section 8)."""
    told = to_hand(reading(*row(names)))
    found = [
        "".join(tile[0] for tile in meld["tiles"]) + meld["tiles"][0][1] + "*" * meld["concealed"]
        for meld in told["melds"]
    ]
    assert found == melds
    assert sorted([*told["hand"], told["win_tile"]]) == sorted([*hand.split(), "9s"])


@pytest.mark.parametrize(
    "names",
    [
        "back 1s 2s back 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s",
        "back back back back 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s",
        "back 1s back 1s 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s",
    ],
    ids=["two faces", "no face", "otherwise"],
)
def test_what_lies_face_down_is_not_guessed(names: str) -> None:
    with pytest.raises(HandError, match="are no complete hand"):
        to_hand(reading(*row(names)))


def test_two_tiles_far_from_the_backs_are_a_pair() -> None:
    tiles = row("back 1s 1s back 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 9s")
    tiles[0] = back(20, 100)
    with pytest.raises(HandError, match="13 tiles beside"):
        to_hand(reading(*tiles))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("1m 2m 3m", "3 tiles"),
        ("1m 1m 1m 1m 2s 3s 4s 5p 6p 7p 7z 7z 7z 9s 1m", "more than four of 1m"),
        (FOURTEEN.replace("9s 9s", "9s ?"), "1 of 14 tiles could not be read"),
        ("1m 1m 1m 1m 1m 2m 3m 4m 5p 6p 7p 7z 7z 7z", "more than four of 1m"),
    ],
)
def test_what_is_no_hand_is_said_to_be_none(names: str, why: str) -> None:
    with pytest.raises(HandError, match=why):
        to_hand(reading(*row(names)))


def _flower(*likely: tuple[str, float], found: float = 0.9) -> ReadTile:
    """A flower lying somewhere; below 0.6 it is not told."""
    label, chance = likely[0]
    quad = ((0.0, 0.0), (20.0, 0.0), (20.0, 27.0), (0.0, 27.0))
    tile = label if chance >= 0.6 else "?"
    return ReadTile(tile, chance, quad, Posture.FACE_UP, 1.0, found=found, likely=likely)


@pytest.mark.parametrize(
    ("tiles", "read"),
    [
        # both look like autumn: the one that may as well be winter is winter
        (
            [_flower(("3f", 0.95), ("4f", 0.03)), _flower(("3f", 0.62), ("4f", 0.36))],
            ["3f", "4f"],
        ),
        # what is doubtful alone is told when the other lies elsewhere
        ([_flower(("8f", 0.97)), _flower(("5f", 0.5), ("8f", 0.47))], ["8f", "5f"]),
        ([_flower(("5f", 0.5), ("8f", 0.47))], ["?"]),
        # nothing speaks for another one: unknown
        ([_flower(("3f", 0.95)), _flower(("3f", 0.7), ("1z", 0.2))], ["3f", "?"]),
        # two sets on the table
        ([_flower(("3f", 0.95)), _flower(("3f", 0.96))], ["3f", "3f"]),
        ([_flower(("1f", 0.9)), _flower(("2f", 0.8))], ["1f", "2f"]),
    ],
)
def test_a_set_has_each_flower_once(tiles: list[ReadTile], read: list[str]) -> None:
    assert [t.tile for t in one_of_each_flower(tiles)] == read


@pytest.mark.parametrize(
    ("tile", "sure", "values"),
    [(None, 0.0, [4, 2]), ("?", 0.9, [4, 2]), ("back", 0.6, [4, 2]), ("back", 0.8, [4])],
)
def test_faint_dice_are_told_where_no_tile_surely_is(
    reader: PhotoReader,
    monkeypatch: pytest.MonkeyPatch,
    tile: str | None,
    sure: float,
    values: list[int],
) -> None:
    faint = FoundDie((90.0, 10.0, 120.0, 40.0), 2, 0.5, 0.5)
    dice = [FoundDie((10.0, 10.0, 40.0, 40.0), 4, 0.95, 0.97), faint]
    quad = ((10.0, 60.0), (40.0, 60.0), (40.0, 100.0), (10.0, 100.0))
    tiles = [ReadTile(tile, sure, quad, Posture.FACE_DOWN, 1.0)] if tile else []
    monkeypatch.setattr(reader, "_tiles", lambda _: tiles)
    monkeypatch.setattr(reader, "_dice", SimpleNamespace(find=lambda _: dice))
    reading = reader.read(photo(HAND))
    assert [die.value for die in reading.dice] == values
