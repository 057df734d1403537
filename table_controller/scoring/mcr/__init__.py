"""Chinese official rules (MCR): the fan engine."""

from table_controller.scoring.mcr.engine import is_winning, score, waits
from table_controller.scoring.mcr.options import McrOptions, load_options

__all__ = ["McrOptions", "is_winning", "load_options", "score", "waits"]
