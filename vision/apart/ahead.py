"""A recording looked at ahead of who follows it, each camera in its own process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final, TypeVar

from vision.apart.looker import Look, Looker
from vision.apart.parts import EyeParts
from vision.cameras.sources import Frame, SourceState
from vision.errors import VisionInputError

_AHEAD: Final = 4
"""So many pictures of each camera are under way or wait."""

Other = TypeVar("Other")


def looked_ahead(
    items: Iterable[Frame | Other], parts: Mapping[str, EyeParts]
) -> Iterator[Look | Other]:
    """Pictures looked at, whatever is between them as it is, in the order in which they come.

    Args:
        items: pictures (not decoded) of these cameras, and what else happened.
        parts: of the eye of each camera, by name.

    Raises:
        VisionInputError: an eye's process ended; what it had seen is not known any more.
        ModelError: a model cannot be used.
    """
    with ExitStack() as closing:
        lookers: dict[str, Looker] = {}
        queues: dict[str, ThreadPoolExecutor] = {}
        for name, of_one in parts.items():
            # The process ends first, so that no thread waits for its answer.
            queues[name] = closing.enter_context(ThreadPoolExecutor(1, f"eye {name}"))
            lookers[name] = Looker(of_one)
            closing.callback(lookers[name].close)
        for looker in lookers.values():
            looker.wait_ready()
        waiting: deque[Future[Look] | Other] = deque()
        ahead = 0
        for item in items:
            if isinstance(item, Frame):
                waiting.append(queues[item.camera].submit(lookers[item.camera].look, item))
                ahead += 1
            else:
                waiting.append(item)
            while ahead > _AHEAD * len(parts):
                said = _said(waiting.popleft())
                ahead -= isinstance(said, Look)
                yield said
        while waiting:
            yield _said(waiting.popleft())


def _said(item: Future[Look] | Other) -> Look | Other:
    if not isinstance(item, Future):
        return item
    look: Look = item.result()
    for event in look.events:
        if event.state is SourceState.BLIND:
            raise VisionInputError(f"camera {event.camera} at {event.t:.3f} s: {event.detail}")
    return look
