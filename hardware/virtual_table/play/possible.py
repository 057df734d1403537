"""What can be wanted of a game of a ruleset, and what cannot: said before anything is played."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn

from hardware.virtual_table.play.fate import MCR_TARGETS
from hardware.virtual_table.play.games import Game
from hardware.virtual_table.play.incidents import Wanted, registry_of
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.riichi.fate import RIICHI_TARGETS
from table_controller.domain.happenings import Seat

_NO_SINGLES: Final = frozenset({"all_pungs", "seven_pairs", "toitoi", "chiitoi"})
"""Hands in which no tile stands alone: nobody can make a kong of what completes them."""
_FLOWERS: Final = 8


class BadScenarioError(ValueError):
    """A scenario that cannot be played; the message names the file and the place in it."""


def _bad(place: str, name: str, reason: str) -> NoReturn:
    raise BadScenarioError(f"{place}: {name}: {reason}")


def targets_of(game: Game) -> list[str]:
    """The hands that players of this game can be led to."""
    if game.family == "mcr":
        return sorted(MCR_TARGETS)
    four = game.players == 4
    return sorted(name for name, kind in RIICHI_TARGETS.items() if four or kind.sanma)


def check_seat(seat: Seat | None, seats: Iterable[Seat], place: str, name: str) -> None:
    """A seat must be one that plays.

    Raises:
        BadScenarioError: when nobody sits there.
    """
    if seat is not None and seat not in seats:
        known = ", ".join(str(each) for each in sorted(seats))
        _bad(place, name, f"nobody plays at seat {seat}; the seats are {known}")


def check_wish(wish: HandWish, game: Game, seats: tuple[Seat, ...], place: str) -> None:
    """What is wanted of a hand must be possible in the game.

    Raises:
        BadScenarioError: when it is not.
    """
    for name, seat in (("winner", wish.winner), ("from", wish.from_seat)):
        check_seat(seat, seats, place, name)
    for seat in wish.fetch_last:
        check_seat(seat, seats, place, "fetch_last")
    if wish.winner is not None and wish.winner == wish.from_seat:
        _bad(place, "from", "the winner cannot win on his own discard")
    _check_target(wish, game, place)
    if wish.abort is not None and wish.abort not in game.aborts:
        known = ", ".join(sorted(game.aborts)) or "none"
        _bad(place, "abort", f"{wish.abort!r} does not exist in {game.name}; known are {known}")
    if wish.abort is not None and wish.win_by is not None:
        _bad(place, "win", f"{wish.win_by!r} in a hand that ends early")
    if wish.win_by in ("self", "none") and wish.from_seat is not None:
        _bad(place, "from", f"there is no discarder with win = {wish.win_by!r}")
    if wish.win_by == "none" and wish.winner is not None:
        _bad(place, "winner", "there is none with win = 'none'")
    _check_family(wish, game, place)


def _check_target(wish: HandWish, game: Game, place: str) -> None:
    if wish.target is None:
        return
    known = targets_of(game)
    if wish.target not in known:
        _bad(
            place,
            "target",
            f"{wish.target!r} does not exist in {game.name}; known are {', '.join(known)}",
        )
    if wish.win_by == "rob" and wish.target in _NO_SINGLES:
        _bad(place, "target", f"nobody can rob a kong for {wish.target!r}: no tile stands alone")
    if wish.win_by == "none":
        _bad(place, "target", "there is none with win = 'none'")


def _check_family(wish: HandWish, game: Game, place: str) -> None:
    if game.family == "mcr":
        if wish.win_by == "several":
            _bad(place, "win", f"only one wins in {game.name}")
        for name, said in (
            ("riichi", wish.riichi is not None),
            ("ready", wish.ready is not None),
            ("several", wish.several != HandWish().several),
        ):
            if said:
                _bad(place, name, f"{game.name} has no such thing")
        if wish.flowers > _FLOWERS:
            _bad(place, "flowers", f"there are {_FLOWERS}")
        return
    if wish.flowers:
        _bad(place, "flowers", f"there are none in {game.name}")
    most = game.players - 1
    if wish.several > most:
        _bad(place, "several", f"at most {most} can win on one discard")
    if wish.ready is not None and not 0 <= wish.ready <= most:
        _bad(place, "ready", f"expected 0 to {most}")


def check_wanted(want: Wanted, game: Game, seats: tuple[Seat, ...], place: str) -> None:
    """An infraction must be one that the game has, at a seat that plays, with known options.

    Raises:
        BadScenarioError: when it is not.
    """
    known = registry_of(game)
    if want.id not in known:
        _bad(
            place,
            "id",
            f"{want.id!r} cannot be injected in {game.name}; known are {', '.join(sorted(known))}",
        )
    place, entry = f"{place} {want.id}", known[want.id]
    check_seat(want.seat, seats, place, "seat")
    if want.seat is not None and not entry.seated:
        _bad(place, "seat", "whose it is cannot be chosen")
    options = entry.options_of(game)
    for name, value in want.options.items():
        if name not in options:
            _bad(place, name, f"unknown; known are {', '.join(('at', 'seat', *sorted(options)))}")
        if not options[name].allows(value):
            _bad(place, name, f"{value!r} is not one of: {options[name].values}")


def check_mix(ids: Iterable[object], game: Game, place: str) -> None:
    """The infractions of a mix must be ones that the game has.

    Raises:
        BadScenarioError: when one is not.
    """
    known = registry_of(game)
    for name in ids:
        if not isinstance(name, str) or name not in known:
            _bad(
                place,
                "mix_ids",
                f"{name!r} cannot be injected in {game.name}; known are {', '.join(sorted(known))}",
            )
