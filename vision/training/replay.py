"""Batches for a training: as they are made on a processor, from a ring in memory on a card.

A graphics card learns from more samples than processors make beside it. There every sample comes
again a few times, under slightly other light, until a newer one takes its place.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator
from itertools import chain

import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

Rows = list[Tensor]
"""One tensor for each part of a sample, all of one length."""

PARTS = 32
"""Samples that a process hands to a ring at once."""
FILLED = 0.04
"""Share of a ring that is filled before anything is learned from it."""


def workers(device: torch.device) -> int:
    """Processes that make samples: one beside a processor that learns, half of all for a card."""
    return 1 if device.type == "cpu" else max(1, (os.cpu_count() or 2) // 2)


class Ring:
    """The last ``size`` samples of a stream; a thread renews them while others are drawn.

    Raises:
        RuntimeError: from :meth:`batch`, when the stream broke off.
    """

    def __init__(self, stream: Iterator[Rows], size: int, device: torch.device) -> None:
        first = next(stream)
        self.device, self.size, self.taken = device, size, 0
        self._rows = [torch.empty(size, *p.shape[1:], dtype=p.dtype, device=device) for p in first]
        self._begun, self._ended = threading.Event(), threading.Event()
        self._broken: BaseException | None = None
        self._thread = threading.Thread(target=self._fill, args=(first, stream), daemon=True)
        self._thread.start()

    def batch(self, count: int) -> Rows:
        """So many samples by lot, some perhaps more than once."""
        self._begun.wait()
        if self._broken is not None:
            raise RuntimeError("no more samples are made") from self._broken
        among = min(self.taken, self.size)
        which = torch.randint(among, (count,), device=self.device)
        return [rows[which] for rows in self._rows]

    def close(self) -> None:
        """End the thread: one that is at work on a card when the program ends aborts it."""
        self._ended.set()
        self._thread.join()

    def _fill(self, first: Rows, stream: Iterator[Rows]) -> None:
        try:
            for part in chain([first], stream):
                count = len(part[0])
                where = (torch.arange(count) + self.taken).remainder(self.size).to(self.device)
                for rows, new in zip(self._rows, part, strict=True):
                    rows.index_copy_(0, where, new.to(self.device))
                self.taken += count
                if self.taken >= FILLED * self.size:
                    self._begun.set()
                if self._ended.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - told to whoever draws from it
            self._broken = error
            self._begun.set()


def relit(image: Tensor) -> Tensor:
    """(N, 3, H, W) of 0..255 a little brighter or darker, of another tint, with other noise."""
    n = len(image)

    def lot(*shape: int) -> Tensor:
        return torch.randn(n, *shape, device=image.device)

    image = image * torch.exp(0.1 * lot(1, 1, 1)) * (1 + 0.03 * lot(3, 1, 1))
    image = image + 2 * lot(1, 1, 1).abs() * lot(*image.shape[1:])
    return image.clamp(0, 255)


def batches(
    data: IterableDataset[tuple[Tensor, ...]],
    count: int,
    device: torch.device,
    workers: int,
    kept: int,
) -> Generator[Rows, None, None]:
    """Endless batches of ``count`` samples; the first part of a sample is its picture, 0..255.

    Args:
        data: endless samples.
        count: samples in a batch.
        device: where they are learned from.
        workers: processes that make them.
        kept: samples that a ring on a card keeps.
    """
    on_card = device.type != "cpu"
    loader = iter(DataLoader(data, PARTS if on_card else count, num_workers=workers))
    if not on_card:
        for rows in loader:
            yield [rows[0].float(), *rows[1:]]
        return
    ring = Ring(loader, kept, device)
    try:
        while True:
            image, *rest = ring.batch(count)
            yield [relit(image.float()), *rest]
    finally:
        ring.close()
