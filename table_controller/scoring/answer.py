"""What a scorer answers (contract, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Limit = Literal["mangan", "haneman", "baiman", "sanbaiman", "counted_yakuman", "yakuman"]


@dataclass(frozen=True, slots=True)
class FanScore:
    """One fan or yaku of the answer.

    Attributes:
        id: the fan's name in the ruleset data, the same in every ruleset.
        name_zh: its Chinese name as the source prints it.
        name_en: its English name.
        value: points (MCR) or han (riichi; for a yakuman its multiple) of one such fan.
        count: how many of them.
        clause: where the source defines it.
    """

    id: str
    name_zh: str
    name_en: str
    value: int
    count: int = 1
    clause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """Whether the hand may win, what it counts and who pays.

    Attributes:
        legal: whether the win stands.
        reason: why it does not: ``not a winning shape``, ``below the minimum``, ``no yaku``.
        fans: fans from the highest value down.
        total: sum of the points (MCR); the winner's basic points (riichi).
        payments: from the winner counter-clockwise; they sum to the sticks taken.
        shape: the reading of the hand that was scored, for people.
        qualifying: what counts towards the minimum (MCR: the total without flowers).
        han: riichi only; ``None`` for a yakuman.
        fu: riichi only; ``None`` for a yakuman.
        yakuman: the multiple of a yakuman, else 0.
        limit: riichi only.
    """

    legal: bool
    reason: str | None = None
    fans: tuple[FanScore, ...] = ()
    total: int = 0
    payments: tuple[int, ...] = ()
    shape: str = ""
    qualifying: int = 0
    han: int | None = None
    fu: int | None = None
    yakuman: int = 0
    limit: Limit | None = None

    def to_object(self) -> dict[str, Any]:
        """The contract's form."""
        return {
            "legal": self.legal,
            "reason": self.reason,
            "fans": [
                {
                    "id": fan.id,
                    "name_zh": fan.name_zh,
                    "name_en": fan.name_en,
                    "value": fan.value,
                    "count": fan.count,
                }
                for fan in self.fans
            ],
            "total": self.total,
            "han": self.han,
            "fu": self.fu,
            "yakuman": self.yakuman,
            "limit": self.limit,
            "payments": list(self.payments),
        }
