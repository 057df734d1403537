"""Hypothesis strategies for messages of the wire protocol."""

import typing
from enum import IntEnum, IntFlag

from hypothesis import strategies as st

from firmware_bridge import messages as m
from hardware.protocol.schema import Field, load

_WIDTH = {"u8": 8, "u16": 16, "u32": 32}


def _values(field: Field, hint: typing.Any) -> st.SearchStrategy:
    if field.base == "text":
        return st.text(max_size=8)
    if field.base == "bool":
        return st.booleans()
    if isinstance(hint, type) and issubclass(hint, IntFlag):
        return st.integers(0, sum(hint)).map(hint)
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return st.sampled_from(hint)
    top = (1 << _WIDTH[field.base]) - 1 if field.limit is None else field.limit - 1
    one = st.integers(0, top)
    return st.tuples(*[one] * field.count) if field.count else one


def messages(kinds: tuple[str, ...] = ("link", "command", "event", "sample")) -> st.SearchStrategy:
    """Any message of these kinds."""
    choices = []
    for declared in load().messages:
        if declared.kind in kinds:
            cls = m.MESSAGES[declared.id]
            hints = typing.get_type_hints(cls)
            fields = {f.name: _values(f, hints[f.name]) for f in declared.fields}
            choices.append(st.builds(cls, **fields))
    return st.one_of(choices)
