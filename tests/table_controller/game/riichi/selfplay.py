"""Games that the package ``riichienv`` plays with itself, as happenings.

Every seat wins when it can, declares riichi when it can, keeps close to being ready, and calls now
and then, so that most hands end in a win.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from table_controller.domain.happenings import (
    Call,
    HandShown,
    IndicatorTurned,
    MeldExtended,
    MeldShown,
    NorthShown,
    Seat,
    StickPlaced,
    TileClaimed,
)
from table_controller.domain.tiles import KIND_INDEX, Tile
from table_controller.happenings.looks.places import SEATS
from tests.table_controller.game.riichi.mjlog import LogHand, _Writer

_HONOURS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "P": "5z", "F": "6z", "C": "7z"}
_REDS = {Tile.RED_M5: 16, Tile.RED_P5: 52, Tile.RED_S5: 88}
_REASONS = {
    "kyushu_kyuhai": "nine_terminals",
    "suurechi": "four_riichi",
    "suucha_riichi": "four_riichi",
    "sanchaho": "three_rons",
    "suukansansen": "four_kongs",
    "suukaikan": "four_kongs",
    "sufonrenta": "four_winds",
    "suufuurenda": "four_winds",
}


def tile(name: str) -> Tile:
    """A tile as mjai names it."""
    if name in _HONOURS:
        return Tile(_HONOURS[name])
    return Tile("0" + name[1]) if name.endswith("r") else Tile(name)


def _number(found: Tile) -> int:
    return _REDS.get(found, 4 * KIND_INDEX[found.plain] + 1)


def events(mode: str, seed: int) -> list[dict[str, Any]]:
    """The mjai events of one self-played game."""
    from riichienv import ActionType, RiichiEnv

    env = RiichiEnv(game_mode=mode, seed=seed)
    rng = random.Random(seed)
    kinds = ActionType if hasattr(ActionType, "RON") else None
    assert kinds is not None
    observed = env.reset()
    while not env.done():
        observed = env.step(
            {seat: _choose(rng, kinds, obs, mode) for seat, obs in observed.items()}
        )
    return list(env.mjai_log)


def _choose(rng: random.Random, kinds: Any, obs: Any, mode: str) -> Any:
    from riichienv import calculate_shanten, calculate_shanten_3p

    legal = obs.legal_actions()
    by: dict[int, list[Any]] = {}
    for action in legal:
        by.setdefault(int(action.action_type), []).append(action)
    for kind in (kinds.TSUMO, kinds.RON, kinds.RIICHI):
        if int(kind) in by:
            return rng.choice(by[int(kind)])
    chances = (
        (kinds.KITA, 1.0),
        (kinds.KYUSHU_KYUHAI, 0.7),
        (kinds.ANKAN, 0.7),
        (kinds.KAKAN, 0.7),
        (kinds.DAIMINKAN, 0.2),
        (kinds.PON, 0.15),
        (kinds.CHI, 0.08),
    )
    for kind, chance in chances:
        if int(kind) in by and rng.random() < chance:
            return rng.choice(by[int(kind)])
    if int(kinds.DISCARD) in by:
        discards = by[int(kinds.DISCARD)]
        hand = list(obs.hand)
        shanten = calculate_shanten_3p if mode.startswith("3p") else calculate_shanten
        rng.shuffle(discards)
        return min(discards, key=lambda a: shanten([t for t in hand if t != a.tile]))
    return rng.choice(by.get(int(kinds.PASS), legal))


class _Player(_Writer):
    """Writes one hand of a self-played game."""

    def __init__(self, players: int, start: dict[str, Any], t: float, rng: random.Random) -> None:
        wind = "ESWN".index(start["bakaze"])
        dice = (rng.randint(0, 5), rng.randint(0, 5))
        seed = [4 * wind + start["kyoku"] - 1, start["honba"], start["kyotaku"], *dice]
        init = {
            "seed": ",".join(str(n) for n in [*seed, _number(tile(start["dora_marker"]))]),
            "oya": str(start["oya"]),
            "ten": ",".join(str(points // 100) for points in start["scores"]),
        }
        super().__init__(players, init, t)
        self.held = [[tile(name) for name in names] for names in start["tehais"]]
        self.drawn_tile: Tile | None = None
        self.ended = False

    def event(self, event: dict[str, Any]) -> None:
        """One event of the game."""
        kind = event["type"]
        seat: Seat = event.get("actor", 0)
        if kind == "tsumo":
            found = tile(event["pai"])
            self.draw(seat, _number(found))
            self.held[seat].append(found)
            self.drawn_tile = found
        elif kind == "dahai":
            found = tile(event["pai"])
            self.held[seat].remove(found)
            self.drawn = _number(found) if event["tsumogiri"] else -1
            self.discard(seat, _number(found))
        elif kind == "reach":
            self.declaring = True
            self.say(Call(t=self.t, seat=seat, call="riichi"))
        elif kind == "reach_accepted":
            self.say(StickPlaced(t=self.t, seat=seat))
        elif kind in ("chi", "pon", "daiminkan"):
            self._take_discard(event, seat)
        elif kind == "ankan":
            self._concealed(event, seat)
        elif kind == "kakan":
            found = tile(event["pai"])
            self.held[seat].remove(found)
            self.say(MeldExtended(t=self.t, seat=seat, tile=found))
            self.replace = True
        elif kind == "kita":
            self.held[seat].remove(Tile.NORTH)
            self.say(NorthShown(t=self.t, seat=seat))
            self.replace = True
        elif kind == "dora":
            self.indicator(_number(tile(event["dora_marker"])))
        elif kind == "hora":
            self._hora(event, seat)
        elif kind == "ryukyoku":
            self._ryukyoku(event)

    def _take_discard(self, event: dict[str, Any], seat: Seat) -> None:
        found = tile(event["pai"])
        rest = [tile(name) for name in event["consumed"]]
        for each in rest:
            self.held[seat].remove(each)
        from_ = event["target"]
        way = (from_ - seat) % self.players
        if self.players == 3 and way == 2:
            way = 3
        self.say(TileClaimed(t=self.t, seat=seat, tile=found, from_=from_))
        at = {3: 0, 2: 1, 1: len(rest)}[way]
        shown = (*rest[:at], found, *rest[at:])
        self.melds[seat].append([])
        if self.turned_last:
            self.claimed_riichi[from_] = True
        self.say(MeldShown(t=self.t, seat=seat, tiles=shown, claimed=at, sideways=at))
        self.replace = event["type"] == "daiminkan"

    def _concealed(self, event: dict[str, Any], seat: Seat) -> None:
        rest = sorted((tile(name) for name in event["consumed"]), key=lambda t: not t.is_red)
        for each in rest:
            self.held[seat].remove(each)
        self.melds[seat].append([])
        faces = (Tile.BACK, rest[0], rest[1], Tile.BACK)
        self.say(MeldShown(t=self.t, seat=seat, tiles=faces, face_down=(0, 3)))
        self.replace = True

    def _hora(self, event: dict[str, Any], seat: Seat) -> None:
        first = not self.ended
        self.ended = True
        self.hand.result = "win"
        self.hand.wins.append(event)
        for other, delta in enumerate(event["deltas"]):
            self.hand.deltas[other] += delta
        held = list(self.held[seat])
        win = None
        if seat == event["target"]:
            win = self.drawn_tile
            assert win is not None
            held.remove(win)
        self.say(HandShown(t=self.t, seat=seat, tiles=tuple(held), apart=win))
        markers = event.get("ura_markers") or []
        shown = [each for each in self.hand.wins[:-1] if each.get("ura_markers")]
        if markers and (first or not shown):
            for n, name in enumerate(markers):
                slot = self.wall.slot(self.wall.indicator(n) + 1)
                self.say(IndicatorTurned(t=self.t, tile=tile(name), slot=slot, seat=seat))

    def _ryukyoku(self, event: dict[str, Any]) -> None:
        from table_controller.scoring.riichi import waits

        self.ended = True
        reason = event.get("reason", "")
        exhausted = reason in ("exhaustive_draw", "nagashimangan", "nagashi_mangan", "fanpai")
        self.hand.result = "exhausted" if exhausted else "abort"
        self.hand.reason = None if exhausted else _REASONS.get(reason, reason)
        self.hand.deltas = [*event["deltas"], 0][:4] if event.get("deltas") else [0] * 4
        if exhausted:
            for ahead in range(self.players):
                seat = SEATS[(self.dealer + ahead) % self.players]
                shown = tuple(self.held[seat])
                if waits(shown, (None,) * ((13 - len(shown)) // 3)):  # type: ignore[arg-type]
                    self.say(HandShown(t=self.t, seat=seat, tiles=shown))
        elif self.hand.reason == "nine_terminals":
            seat = event.get("actor", self.last_actor)
            held = list(self.held[seat])
            win = self.drawn_tile or held[-1]
            held.remove(win)
            self.say(Call(t=self.t, seat=seat, call="nine_terminals"))
            self.say(HandShown(t=self.t, seat=seat, tiles=tuple(held), apart=win))
        elif self.hand.reason == "three_rons":
            # The log has no wins of a hand that three won at once; on the table they are shown.
            for ahead in range(1, self.players):
                seat = SEATS[(self.last_discarder + ahead) % self.players]
                self.say(HandShown(t=self.t, seat=seat, tiles=tuple(self.held[seat])))

    last_actor: Seat = 0
    last_discarder: Seat = 0


def hands(mode: str, seed: int) -> Iterator[LogHand]:
    """The hands of one self-played game."""
    players = 3 if mode.startswith("3p") else 4
    rng = random.Random(seed)
    player: _Player | None = None
    t = 10.0
    for event in events(mode, seed):
        kind = event["type"]
        if kind == "start_kyoku":
            player = _Player(players, event, t, rng)
        elif kind == "end_kyoku" and player is not None:
            t = player.t + 30.0
            yield player.hand
            player = None
        elif player is not None:
            if kind == "tsumo":
                player.last_actor = event["actor"]
            elif kind == "dahai":
                player.last_discarder = event["actor"]
            player.event(event)
