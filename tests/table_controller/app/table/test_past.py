"""The happenings of a session, packed as they get many."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from table_controller.app.table.past import Past
from table_controller.domain.codec import from_object
from table_controller.domain.happenings import Happening

TILES = ("1m", "9p", "5z", "0s", "?")


def discard(at: int) -> Happening:
    return from_object(
        {
            "t": 1000 + at / 7,
            "kind": "tile_discarded",
            "seat": at % 4,
            "tile": TILES[at % 5],
        }
    )


def past(happenings: list[Happening]) -> Past:
    made = Past()
    for happening in happenings:
        made.append(happening)
    return made


@pytest.mark.parametrize("many", [0, 1, 255, 256, 257, 512, 700])
def test_reads_like_a_list(many: int) -> None:
    plain = [discard(at) for at in range(many)]
    kept = past(plain)
    assert len(kept) == many
    assert bool(kept) == bool(plain)
    assert list(kept) == plain
    assert [kept[at] for at in range(-many, many)] == plain * 2
    assert kept[many // 2 :] == plain[many // 2 :]
    assert kept[::-100] == plain[::-100]
    for outside in (many, -many - 1):
        with pytest.raises(IndexError):
            kept[outside]


def test_so_far_is_what_it_was_whatever_comes_after() -> None:
    plain = [discard(at) for at in range(600)]
    kept = past(plain[:250])
    then = kept.so_far()
    for happening in plain[250:]:
        kept.append(happening)
    assert list(then) == plain[:250]
    assert list(kept.so_far()) == plain


def test_another_thread_may_read_while_more_happens() -> None:
    plain = [discard(at) for at in range(3000)]
    kept, read = Past(), list[int]()
    over = threading.Event()

    def reads() -> None:
        while not over.is_set():
            then = kept.so_far()
            read.append(len(then) if list(then) == plain[: len(then)] else -1)

    reader = threading.Thread(target=reads)
    reader.start()
    for happening in plain:
        kept.append(happening)
    over.set()
    reader.join()
    assert read == sorted(read)
    assert -1 not in read


def held(*, pack: bool) -> int:
    """Bytes that 2048 happenings hold."""
    past([discard(0)])  # what is made at the first use is not theirs
    tracemalloc.start()
    plain = [discard(at) for at in range(2048)]
    kept: Past | list[Happening] = past(plain) if pack else plain
    if pack:
        del plain
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(kept) == 2048
    return size


def test_takes_a_tenth_of_what_a_list_takes() -> None:
    # In a process of its own: threads that other tests have left would be counted here.
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        packed, listed = (alone.submit(held, pack=pack).result(60) for pack in (True, False))
    assert packed < listed / 10
