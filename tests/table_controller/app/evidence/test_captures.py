"""The camera's pictures of opened hands, each by hand and seat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from table_controller.app.evidence.captures import CROP, HandCapture
from table_controller.console.hub import Hub
from table_controller.domain.happenings import HandShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.view import TableView, TileView
from table_controller.record.evidence import EvidenceStore, FrameRing
from tests.pictures import read
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame

SIZE = (640, 360)
CAMERA = CameraModel(
    name="top",
    size=SIZE,
    K=np.array([[400.0, 0, 320], [0, 400, 180], [0, 0, 1]]),
    dist=np.zeros(5),
    R=np.diag([1.0, -1.0, -1.0]),
    t=np.array([0.0, 0.0, 1000.0]),
)


def lying(tile: str, seat: int, place: str, x: float) -> TileView:
    likely = ((tile, 0.8), ("?", 0.2))
    return TileView(x, 0.0, 20.0, 0.0, "face_up", tile, 0.8, place, seat, 0.0, faces=likely)


VIEW = TableView(
    t=1.0,
    playing=True,
    machine=None,
    tiles=(
        lying("1m", 1, "hand", 0.0),
        lying("9s", 3, "hand", 40.0),
        lying("5p", 2, "pool", 80.0),
        lying("2z", 2, "meld", 120.0),
    ),
    wall_tiles=0,
    hands=(13, 13, 13, 13),
    shown=(False, True, False, True),
    dice=(),
    sticks=(0, 0, 0, 0),
    covered=(),
    reach=(None, None, None, None),
)


def captured(root: Path, hub: Hub, *seats: Seat) -> None:
    """These seats open their hands, one after the other."""
    store = EvidenceStore(root, FrameRing())
    capture = HandCapture(
        store,
        {"top": CAMERA},
        lambda: VIEW,
        (26.0, 36.0, 20.0),
        lambda body: hub.publish("crops", body),
    )
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    capture.frame(Frame(1.0, "top", picture, 1), None)
    for seat in seats:
        capture.happening(HandShown(t=1.0, seat=seat, tiles=(Tile("1m"),)))
    capture.close()


def crops(hub: Hub) -> dict[tuple[str, int], list[dict[str, Any]]]:
    return {(one["key"], one["seat"]): one["crops"] for one in hub.snapshot()["crops"]}


def test_a_hand_has_its_own_tiles_and_the_pools(tmp_path: Path) -> None:
    hub = Hub()
    captured(tmp_path, hub, 3)
    (found,) = crops(hub).values()
    assert [(one["face"], one["place"]) for one in found] == [("9s", "hand"), ("5p", "pool")]
    assert found[0]["likely"] == [["9s", 0.8], ["?", 0.2]]
    for one in found:
        assert read(tmp_path / one["file"]).shape[:2] == CROP[::-1]


def test_hands_that_are_opened_after_it_leave_the_winner_s_pictures(tmp_path: Path) -> None:
    hub = Hub()
    captured(tmp_path, hub, 3, 1, 3)
    found = crops(hub)
    assert set(found) == {("hand-001", 3), ("hand-001", 1)}
    assert [one["face"] for one in found["hand-001", 1]] == ["1m", "5p"]
    assert [one["face"] for one in found["hand-001", 3]] == ["9s", "5p"]
    assert found["hand-001", 3][0]["file"].startswith("hand-001-3-3/"), "the newest of a seat"
