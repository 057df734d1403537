"""The Python side of the wire protocol, as text that the formatter leaves alone."""

from __future__ import annotations

from hardware.protocol.schema import Field, Message, Names, Schema

_FORMAT = {"u8": "B", "u16": "H", "u32": "I", "bool": "?", "enum": "B", "flags": "B"}

_HEAD = '''"""Messages of the wire protocol. Written by hardware.protocol.generate: do not edit.

Every message is a frozen dataclass with ``pack()`` and ``unpack()`` of its fields; the tick that
events and samples begin with is not among them (see :mod:`firmware_bridge.wire`). ``unpack``
raises ValueError or struct.error for bytes that are no such message.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar, Final, Self

PROTOCOL: Final = {protocol}
SCHEMA_HASH: Final = 0x{hash:08X}
'''


def camel(name: str) -> str:
    """``key_pressed`` to ``KeyPressed``."""
    return "".join(part.capitalize() for part in name.split("_"))


def emit(schema: Schema) -> str:
    """The whole module."""
    parts = [_HEAD.format(protocol=schema.protocol, hash=schema.hash)]
    parts.append("".join(f"{name}: Final = {value}\n" for name, value in schema.constants))
    text = "\n".join(parts)
    blocks = [_enum(n) for n in schema.enums]
    blocks += [_flags(n) for n in schema.flags]
    blocks += [_message(m) for m in schema.messages]
    text += "\n\n" + "\n\n".join(blocks)
    return text + "\n\n" + _tail(schema)


def _enum(names: Names) -> str:
    members = "".join(f"    {n.upper()} = {v}\n" for n, v in names.members)
    return f'class {camel(names.name)}(IntEnum):\n    """{names.doc}"""\n\n{members}'


def _flags(names: Names) -> str:
    members = "".join(f"    {n.upper()} = {1 << v}\n" for n, v in names.members)
    return f'class {camel(names.name)}(IntFlag):\n    """{names.doc}"""\n\n{members}'


def _annotation(field: Field) -> str:
    if field.base == "text":
        return "str"
    if field.base == "bool":
        return "bool"
    kind = camel(field.named) if field.named else "int"
    if field.count:
        return "tuple[" + ", ".join([kind] * field.count) + "]"
    return kind


def _layout(message: Message) -> str:
    codes = [
        (str(f.count) if f.count else "") + _FORMAT[f.base]
        for f in message.fields
        if f.base != "text"
    ]
    return "<" + "".join(codes)


def _packed(field: Field) -> str:
    return f"*self.{field.name}" if field.count else f"self.{field.name}"


def _message(message: Message) -> str:
    lines = [
        "@dataclass(frozen=True, slots=True)",
        f"class {camel(message.name)}:",
    ]
    if message.fields:
        lines += [f'    """{message.doc}', "", "    Attributes:"]
        lines += [f"        {f.name}: {f.doc}." for f in message.fields]
        lines += ['    """', ""]
    else:
        lines += [f'    """{message.doc}"""', ""]
    lines.append(f"    ID: ClassVar[int] = 0x{message.id:02X}")
    layout = _layout(message)
    if layout != "<":
        lines.append(f'    LAYOUT: ClassVar[struct.Struct] = struct.Struct("{layout}")')
    if message.fields:
        lines += [""] + [f"    {f.name}: {_annotation(f)}" for f in message.fields]
    lines += ["", *_pack(message), "", *_unpack(message)]
    return "\n".join(lines) + "\n"


def _pack(message: Message) -> list[str]:
    lines = ["    def pack(self) -> bytes:", '        """The fields as bytes."""']
    fixed = [f for f in message.fields if f.base != "text"]
    text = [f for f in message.fields if f.base == "text"]
    parts = []
    if fixed:
        arguments = ", ".join(_packed(f) for f in fixed)
        one = f"self.LAYOUT.pack({arguments})"
        if len(one) > 80:
            items = "".join(f"            {_packed(f)},\n" for f in fixed)
            one = f"self.LAYOUT.pack(\n{items}        )"
        parts.append(one)
    parts += [f"self.{f.name}.encode()" for f in text]
    if len(parts) == 2 and "\n" in parts[0]:
        lines += [f"        fixed = {parts[0]}", f"        return fixed + {parts[1]}"]
    else:
        lines.append("        return " + (" + ".join(parts) or 'b""'))
    return lines


def _unpack(message: Message) -> list[str]:
    lines = [
        "    @classmethod",
        "    def unpack(cls, data: bytes) -> Self:",
        '        """The message from its bytes."""',
    ]
    if not message.fields:
        lines += ["        if data:", '            raise ValueError("bytes after the end")']
        return [*lines, "        return cls()"]
    fixed = [f for f in message.fields if f.base != "text"]
    text = [f for f in message.fields if f.base == "text"]
    head = "data"
    if text:
        size = message.size
        head = f"data[:{size}]"
    targets = ", ".join(f"*{f.name}" if f.count else f.name for f in fixed)
    if len(fixed) == 1:
        targets = f"({targets},)"
    if len(fixed) == 1 and fixed[0].count:
        lines.append(f"        {fixed[0].name} = cls.LAYOUT.unpack({head})")
    else:
        one = f"        {targets} = cls.LAYOUT.unpack({head})"
        if len(one) > 100:
            one = f"        {targets} = (\n            cls.LAYOUT.unpack({head})\n        )"
        lines.append(one)
    for field in fixed:
        if field.limit is not None:
            lines += [
                f"        if {field.name} >= {field.limit}:",
                f'            raise ValueError(f"{field.name} {{{field.name}}}")',
            ]
        if field.base == "flags":
            lines += [
                f"        if {field.name} & ~sum({camel(str(field.named))}):",
                f'            raise ValueError(f"{field.name} {{{field.name}}}")',
            ]
    values = []
    for field in message.fields:
        if field.base == "text":
            values.append(f"data[{message.size}:].decode()")
        elif field.named:
            values.append(f"{camel(field.named)}({field.name})")
        else:
            values.append(field.name)
    one = f"        return cls({', '.join(values)})"
    if len(one) > 100:
        one = "        return cls(\n" + "".join(f"            {v},\n" for v in values) + "        )"
    return [*lines, one]


def _union(name: str, members: list[str]) -> str:
    one = f"{name} = " + " | ".join(members)
    if len(one) <= 100:
        return one + "\n"
    return f"{name} = (\n    " + "\n    | ".join(members) + "\n)\n"


def _ids(name: str, messages: list[Message]) -> str:
    ids = ", ".join(f"0x{m.id:02X}" for m in messages) + ("," if len(messages) == 1 else "")
    one = f"{name.upper()}_IDS: Final = frozenset(({ids}))\n"
    if len(one) > 101:
        one = f"{name.upper()}_IDS: Final = frozenset(\n    ({ids})\n)\n"
    return one


def _tail(schema: Schema) -> str:
    out = []
    for kind in ("link", "command", "event", "sample"):
        members = [camel(m.name) for m in schema.messages if m.kind == kind]
        out.append(_union(f"{camel(kind)}Message", members))
    out.append(
        _union("Message", [f"{camel(k)}Message" for k in ("link", "command", "event", "sample")])
    )
    out.append("\nMESSAGES: Final[dict[int, type[Message]]] = {\n")
    out += [f"    0x{m.id:02X}: {camel(m.name)},\n" for m in schema.messages]
    out.append("}\n")
    for kind in ("command", "event", "sample"):
        out.append(_ids(kind, [m for m in schema.messages if m.kind == kind]))
    out.append(_ids("level", [m for m in schema.messages if m.level]))
    return "".join(out)
