"""How much a message server may hold, and how much of it is whose.

JetStream counts the greatest size of a stream as used from the day the stream is made: a server
must have room for all that may come, or a bucket is refused that would have stayed almost empty.
"""

from __future__ import annotations

import math
from typing import Final

TABLES: Final = 200
"""For so many tables servers have room, where nobody says another number."""
JOURNAL_GB: Final = 20.0
"""Of the stream with the tables' journals; what falls out was stored long ago."""
EVIDENCE_GB: Final = 1.0
"""Of one table's evidence."""
MODELS_GB: Final = 4.0
"""Of the releases of models, whose bucket has no limit of its own."""


def store_gb(tables: int) -> int:
    """What a server must be allowed to store for so many tables, GB."""
    return math.ceil(JOURNAL_GB + MODELS_GB + tables * EVIDENCE_GB)
