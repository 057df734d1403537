"""Tiles that were not to be taken at the break or in the deal: how far it went is known later.

Whether faces were seen decides the ruling (003 Q2, Q79; 002 9.14.3, 9.14.4), so nothing is said
while the tiles are held: only when they are back or in the hand, or when play goes on elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from table_controller.domain.happenings import Seat, TileDrawn
from table_controller.game.mcr.state import Misdealt
from table_controller.referee.rulings import Facts

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable

_HELD_S: Final = 4.0
"""Tiles that were held so long since their last stage are told as far as that went."""


def goes_on(g: ChineseTable, h: TileDrawn) -> bool:
    """Whether a draw is of tiles that are held already."""
    held = g.misdealt
    return held is not None and bool(h.slots) and set(h.slots) <= set(held.slots)


def hold(g: ChineseTable, alert: str, seat: Seat, h: TileDrawn, cause: tuple[object, ...]) -> None:
    """Tiles that are not to be taken are touched, lifted or seen."""
    stage = "seen" if h.stage == "seen" else "unseen"
    held = g.misdealt
    if held is None or held.cause != cause:
        tell(g)
        g.misdealt = Misdealt(alert, seat, stage, h.t, h.t, h.slots, (h,), cause)
        return
    g.misdealt = replace(
        held,
        stage="seen" if "seen" in (stage, held.stage) else stage,
        last=h.t,
        slots=(*held.slots, *(slot for slot in h.slots if slot not in held.slots)),
        evidence=(*held.evidence, h),
    )


def tell(g: ChineseTable, *, taken: TileDrawn | None = None, stage: str | None = None) -> None:
    """It is known how far it went, by ``taken`` into the hand with its own ``stage``."""
    held, g.misdealt = g.misdealt, None
    if held is None:
        return
    evidence = held.evidence if taken is None else (*held.evidence, taken)
    facts = Facts(stage=stage or held.stage)
    g.flag(held.alert, held.seat, *evidence, t=held.t, facts=facts, cause=held.cause)


def give_up(g: ChineseTable, t: float) -> None:
    """Tiles that stay in the air are told as far as they went."""
    if g.misdealt is not None and t > g.misdealt.last + _HELD_S:
        tell(g)
