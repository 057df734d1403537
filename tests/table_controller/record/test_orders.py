"""The referee's orders upon the happenings of a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from table_controller.domain.codec import from_object, to_object
from table_controller.domain.happenings import Happening
from table_controller.record.orders import as_ordered


def line(at: int) -> dict[str, Any]:
    return {"t": float(at), "kind": "tile_discarded", "seat": at % 4, "tile": "1m"}


class MadeAnew(Sequence[Happening]):
    """Gives another object each time, as a session that is kept packed does."""

    def __len__(self) -> int:
        return 6

    def __iter__(self) -> Iterator[Happening]:
        return (from_object(line(at)) for at in range(len(self)))

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


OTHER = {**line(2), "tile": "9p"}


@pytest.mark.parametrize(
    ("order", "at"),
    [
        (None, (0, 1, 2, 3, 4, 5)),
        ({"action": "replace", "at": 2, "happening": OTHER}, (0, 1, 2, 3, 4, 5)),
        ({"action": "remove", "at": 2}, (0, 1, 3, 4, 5)),
        ({"action": "insert", "at": 2, "happening": OTHER}, (0, 1, None, 2, 3, 4, 5)),
    ],
)
def test_each_entry_knows_its_place_among_what_was_seen(
    order: dict[str, Any] | None, at: tuple[int | None, ...]
) -> None:
    standing = as_ordered(MadeAnew(), [order] if order else [])
    assert standing.at == at
    told = [to_object(entry) for entry in standing.entries if not hasattr(entry, "ruling")]
    plain = [to_object(from_object(line(place or 0))) for place in at]
    changed = order is not None and "happening" in order
    assert [one for one in told if one not in plain] == ([to_object(from_object(OTHER))] * changed)
