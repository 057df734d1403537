"""The alert ids of the contract, section 4, by group."""

from __future__ import annotations

from typing import Final

ALERT_GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "setup": (
        "wall-miscount",
        "wall-crooked",
        "die-invalid",
        "dice-left",
        "wrong-thrower",
        "wrong-break",
        "wrong-deal",
    ),
    "draw": (
        "premature-draw",
        "draw-out-of-turn",
        "wrong-draw",
        "dead-wall-draw",
        "missed-draw",
        "extra-draw",
        "long-hand",
        "short-hand",
        "wrong-replacement",
        "flower-order",
        "flower-mistaken",
        "flower-returned",
    ),
    "discard": (
        "discard-misplaced",
        "discard-retracted",
        "discard-extra",
        "discard-missing",
        "discard-slow",
        "swap-call",
        "riichi-not-rotated",
        "riichi-no-stick",
        "riichi-changed-hand",
        "riichi-illegal",
        "riichi-noten",
    ),
    "claims": (
        "invalid-meld",
        "chow-not-from-left",
        "claim-late",
        "claim-out-of-priority",
        "claim-after-draw",
        "claim-while-barred",
        "kong-after-claim",
        "kong-illegal",
        "meld-misplaced",
        "claimed-tile-left",
        "call-not-executed",
    ),
    "exposure": (
        "own-tile-exposed",
        "other-tile-exposed",
        "wall-tile-exposed",
        "dead-wall-tile-exposed",
        "ura-dora-peeked",
        "wall-break",
        "pool-disturbed",
        "hand-shown-early",
        "concealed-kong-hidden",
    ),
    "indicators": ("wrong-indicator", "indicator-not-turned"),
    "wins": (
        "false-win",
        "win-below-minimum",
        "win-furiten",
        "win-wrong-tile",
        "win-while-barred",
        "win-out-of-priority",
        "winning-tile-merged",
        "nine-terminals-false",
    ),
    "census": ("fifth-tile", "foreign-tile", "missing-tile", "swapped-tile"),
    "clock": ("session-time-up",),
}

ALERT_IDS: Final[tuple[str, ...]] = tuple(
    alert for group in ALERT_GROUPS.values() for alert in group
)
