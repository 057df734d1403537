"""A picture that lies in the memory of two processes: written by one, looked at by the other.

Cameras that OpenCV captures from give pictures, not JPEGs: through the line between the processes
6 MB take 12 ms, 25 MB take 60.
"""

from __future__ import annotations

import mmap
import os
import tempfile

import numpy as np
from numpy.typing import NDArray


class SharedPicture:
    """Room for one picture; it takes memory only once there is one.

    Args:
        size: width and height, pixels.
        fd: the file that both processes map; None: make it.

    Attributes:
        fd: of the file, to be handed to the other process.
        image: (height, width, 3), the memory itself.
    """

    def __init__(self, size: tuple[int, int], fd: int | None = None) -> None:
        width, height = size
        length = width * height * 3
        if fd is None:
            fd = _nameless()
            os.ftruncate(fd, length)
        self.fd = fd
        self.image: NDArray[np.uint8] = np.frombuffer(mmap.mmap(fd, length), np.uint8).reshape(
            height, width, 3
        )

    def holds(self, image: NDArray[np.uint8]) -> bool:
        """Whether a picture has its size."""
        return image.shape == self.image.shape

    def close(self) -> None:
        """Let go of the file; the memory lives as long as somebody looks at it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _nameless() -> int:
    """A file that no folder holds."""
    if hasattr(os, "memfd_create"):  # Linux
        return os.memfd_create("paiguan-picture")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
