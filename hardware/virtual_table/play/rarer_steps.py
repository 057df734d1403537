"""Steps of riichi players, of cheats and of repairs; :mod:`.steps` says what one is."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

Token = int
"""A physical tile within one hand: ``side * 2 * stacks + (stack - 1) * 2 + (0 top, 1 bottom)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnIndicator:
    """A tile of the dead wall is turned up where it lies."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverIndicator:
    """A tile of the dead wall that was turned up is turned down again."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekBelow:
    """An open indicator is taken off its stack, the tile below looked at, and all put back."""

    seat: Seat
    upper: Token
    lower: Token
    lie: float = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapTile:
    """A tile of a set on the table is exchanged for one of the hand."""

    seat: Seat
    laid: Token
    own: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class HideTile:
    """A standing tile disappears under the hand that covers it."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTile:
    """A tile that was never on the wall appears among those of a hand."""

    seat: Seat
    face: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUra:
    """After a win in riichi: open indicators are laid before the wall, those below turned up."""

    seat: Seat
    uppers: tuple[Token, ...]
    lowers: tuple[Token, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceStick:
    """A riichi stick is laid into the groove."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SetNorth:
    """A north is set aside (three players)."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldHand:
    """A hand is turned face down: its player is not ready, or has not won."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackDeal:
    """Tiles lifted in the deal go back to the wall."""

    seat: Seat
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightenWall:
    """Stacks that stand out of line are pushed straight."""

    by: Seat
    tokens: tuple[Token, ...]
