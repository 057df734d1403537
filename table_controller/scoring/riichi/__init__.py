"""Riichi: yaku, fu and payments on top of the ``mahjong`` package."""

from table_controller.scoring.riichi.engine import score, waits
from table_controller.scoring.riichi.options import RiichiOptions, load_options

__all__ = ["RiichiOptions", "load_options", "score", "waits"]
