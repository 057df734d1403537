"""Short hands told happening by happening, for tests near the words of the rules."""

from __future__ import annotations

from typing import Any, Self

from table_controller.domain.happenings import (
    FlowerShown,
    HandClosed,
    HandShown,
    Happening,
    MeldExtended,
    MeldShown,
    TileClaimed,
    TileDrawn,
)
from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.recorded import Stage

SAFE = ("1z", "2z", "3z", "4z", "5z", "6z", "7z", "1m", "9m", "1p", "9p", "1s", "9s")
"""Faces that a test may discard without a fifth copy for a while."""


def tiles(text: str) -> tuple[Tile, ...]:
    """``"123m 55z"`` as tiles."""
    return tuple(Tile(f"{rank}{word[-1]}") for word in text.split() for rank in word[:-1])


class Scene(Stage):
    """A table told step by step; what the rules say about it comes from :meth:`judge`."""

    def __init__(self, seed: int = 1, dealer: int = 0) -> None:
        super().__init__(seed, dealer)
        self.turn = dealer
        self._faces = [face for face in SAFE for _ in range(4)]

    def start(self) -> Self:
        """Up to the dealer's first discard."""
        self.open()
        self.deal()
        self.turn = self.dealer
        return self

    def face(self) -> Tile:
        """A face of which no fifth copy comes."""
        return Tile(self._faces.pop(0))

    def draw(self, seat: int | None = None, wait: float | None = None) -> Self:
        """An ordinary draw by the seat whose turn it is."""
        self.take(self.turn if seat is None else seat, self.front(), wait)
        return self

    def reach(self, seat: int, stage: str, index: int | None = None, wait: float = 0.4) -> Self:
        """A draw that gets only so far; the tile stays on the wall."""
        at = self.front()[0] if index is None else index
        self.say(TileDrawn, wait, seat=seat, slots=(self.wall.slot(at),), stage=stage)
        return self

    def play(self, tile: str | None = None, seat: int | None = None, **more: Any) -> Self:
        """A discard by the seat whose turn it is; the turn passes."""
        who = self.turn if seat is None else seat
        self.discard(who, self.face() if tile is None else Tile(tile), **more)
        self.turn = (who + 1) % 4
        return self

    def discard(self, seat: int, tile: Tile, **more: Any) -> None:
        if not more:
            super().discard(seat, tile)
            return
        from table_controller.domain.happenings import Place, TileDiscarded

        at = self.pools[seat]
        self.pools[seat] += 1
        self.last = (seat, tile)
        values: dict[str, Any] = {"place": Place(at // 6, at % 6), **more}
        wait = values.pop("wait", None)
        self.say(TileDiscarded, wait, seat=seat, tile=tile, **values)

    def rounds(self, turns: int) -> Self:
        """So many ordinary turns: draw and discard."""
        for _ in range(turns):
            self.draw().play()
        return self

    def call_set(self, seat: int, own: str, *, wait: float = 1.0, **more: Any) -> Self:
        """The last discard is claimed with these tiles of the hand."""
        discarder, tile = self.last
        way = (discarder - seat) % 4
        rest = list(tiles(own))
        at = {3: 0, 2: 1, 1: len(rest)}[way]
        laid = (*rest[:at], tile, *rest[at:])
        self.say(TileClaimed, wait, seat=seat, tile=tile, from_=discarder)
        values: dict[str, Any] = {"claimed": at, "sideways": at, **more}
        self.say(MeldShown, 1.0, seat=seat, tiles=laid, **values)
        self.turn = seat
        return self

    def flower(self, seat: int, tile: str) -> Self:
        """A flower and its replacement."""
        self.say(FlowerShown, 1.0, seat=seat, tile=Tile(tile))
        self.take(seat, self.back(), 1.0)
        return self

    def concealed_kong(self, seat: int) -> Self:
        """Four tiles face down and the replacement."""
        self.say(MeldShown, 1.0, seat=seat, tiles=(Tile.BACK,) * 4, face_down=(0, 1, 2, 3))
        self.take(seat, self.back(), 1.0)
        return self

    def added_kong(self, seat: int, tile: str) -> Self:
        """A fourth tile on an exposed pung; the replacement is not drawn yet."""
        self.say(MeldExtended, 1.0, seat=seat, tile=Tile(tile))
        return self

    def drawn(self, at: int = -1) -> TileDrawn:
        """A draw that was told: the last thing that was, or the one at that place."""
        told = self.said[at]
        assert isinstance(told, TileDrawn)
        return told

    def judge(self, ruleset: str = "mcr-1998", *, flush: bool = True) -> Judged:
        """What the rules say about all of it."""
        engine = Engine(load(ruleset), 0)
        engine.best.dealer = self.dealer  # type: ignore[assignment]
        engine.best.turn = self.dealer  # type: ignore[attr-defined]
        said: list[Output] = []
        for happening in self.said:
            said += engine.step(happening)
        if flush:
            said += engine.flush(self.t)
        return Judged(engine, said)


class Judged:
    """The answer to a scene."""

    def __init__(self, engine: Engine, said: list[Output]) -> None:
        self.engine = engine
        self.said = said
        self.alerts = [o for o in said if isinstance(o, Alert)]
        self.moves = [o for o in said if isinstance(o, Move)]
        self.hands = [o for o in said if isinstance(o, HandRecord)]

    @property
    def ids(self) -> list[str]:
        return [alert.id for alert in self.alerts]

    def only(self, alert: str, seat: int | None) -> Alert:
        """The one alert, which is this one."""
        assert [(a.id, a.seat) for a in self.alerts] == [(alert, seat)], self.said
        return self.alerts[0]


def a_hand(seed: int) -> Scene:
    """Some ordinary hand with a few claims, a flower and a kong."""
    scene = Scene(seed, dealer=seed % 4)
    scene.start()
    scene.flower(scene.dealer, "1f")
    scene.play("5p")
    scene.rounds(5)
    scene.draw().play("4s")
    scene.call_set(scene.turn, "23s")
    scene.play()
    scene.rounds(3)
    scene.draw().play("6m")
    scene.call_set((scene.turn + 1) % 4, "66m")
    scene.play()
    scene.draw()
    scene.concealed_kong(scene.turn)
    scene.play()
    scene.rounds(4)
    return scene


def all_said(scene: Scene) -> list[Happening]:
    """What happened."""
    return scene.said


READY = "123456789m 11p 45s"
"""Waits for 3s and 6s: a pure straight and more."""


def won(scene: Scene, seat: int, hand: str, apart: str | None, *, close: bool = True) -> Scene:
    """A hand is laid open, and (if so) closed for the payment."""
    scene.say(HandShown, seat=seat, tiles=tiles(hand), apart=None if apart is None else Tile(apart))
    if close:
        scene.say(HandClosed, 3.0, seat=seat)
    return scene
