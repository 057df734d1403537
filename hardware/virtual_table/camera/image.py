"""What a picture is, everywhere in this room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""Height × width × 3, blue, green, red, 0 to 255."""
