"""The schema file, read and checked.

``load()`` gives the declared constants, enumerations, flags and messages; ``Schema.hash`` is the
first 32 bits of SHA-256 over everything that matters on the wire (texts left out), so two sides
made from different declarations cannot take each other for the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SCHEMA_FILE = Path(__file__).with_name("messages.toml")

Kind = Literal["link", "command", "event", "sample"]
SIZES = {"u8": 1, "u16": 2, "u32": 4, "bool": 1, "enum": 1, "flags": 1, "text": 0}
TICK_SIZE = 4
_TYPE = re.compile(
    r"(?P<base>u8|u16|u32|bool|text|enum|flags)"
    r"(?: (?P<named>[a-z_]+))?(?:<(?P<limit>\d+))?(?:\[(?P<count>\d+)\])?"
)


class SchemaError(ValueError):
    """The schema file contradicts itself."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: ``named`` is its enumeration, ``limit`` its first value that is not allowed."""

    name: str
    base: str
    doc: str
    named: str | None = None
    limit: int | None = None
    count: int | None = None

    @property
    def size(self) -> int:
        """Bytes on the wire; 0 for a text, which takes what is left."""
        return SIZES[self.base] * (self.count or 1)


@dataclass(frozen=True, slots=True)
class Message:
    """One message with its fields in the order of the wire."""

    name: str
    id: int
    kind: Kind
    doc: str
    fields: tuple[Field, ...]
    level: bool = False

    @property
    def size(self) -> int:
        """Bytes of the fields without text and tick."""
        return sum(f.size for f in self.fields)

    @property
    def ticked(self) -> bool:
        """Whether the payload begins with a tick."""
        return self.kind in ("event", "sample")


@dataclass(frozen=True, slots=True)
class Names:
    """An enumeration (values) or a set of flags (bit numbers)."""

    name: str
    doc: str
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """Everything the file declares."""

    name: str
    protocol: int
    constants: tuple[tuple[str, int], ...]
    enums: tuple[Names, ...]
    flags: tuple[Names, ...]
    messages: tuple[Message, ...]

    @property
    def hash(self) -> int:
        """32 bits over all that matters on the wire."""
        wire = {
            "protocol": self.protocol,
            "constants": dict(self.constants),
            "enums": {n.name: dict(n.members) for n in self.enums},
            "flags": {n.name: dict(n.members) for n in self.flags},
            "messages": [
                [
                    m.name,
                    m.id,
                    m.kind,
                    m.level,
                    [[f.name, f.base, f.named, f.limit, f.count] for f in m.fields],
                ]
                for m in self.messages
            ],
        }
        text = json.dumps(wire, sort_keys=True, separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def load(path: Path = SCHEMA_FILE) -> Schema:
    """Read and check a schema file.

    Raises:
        SchemaError: with the message and field that are wrong.
    """
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    schema = Schema(
        name=raw["name"],
        protocol=raw["protocol"],
        constants=tuple(raw["constants"].items()),
        enums=tuple(_names(k, v) for k, v in raw["enums"].items()),
        flags=tuple(_names(k, v) for k, v in raw["flags"].items()),
        messages=tuple(_message(m) for m in raw["message"]),
    )
    _check(schema)
    return schema


def _names(name: str, table: dict[str, Any]) -> Names:
    members = tuple((k, v) for k, v in table.items() if k != "doc")
    return Names(name, table["doc"], members)


def _message(raw: dict[str, Any]) -> Message:
    fields = []
    for name, kind, doc in raw["fields"]:
        match = _TYPE.fullmatch(kind)
        if match is None:
            raise SchemaError(f"{raw['name']}.{name}: unknown type {kind!r}")
        limit, count = match["limit"], match["count"]
        fields.append(
            Field(
                name,
                match["base"],
                doc,
                match["named"],
                int(limit) if limit else None,
                int(count) if count else None,
            )
        )
    return Message(
        raw["name"], raw["id"], raw["kind"], raw["doc"], tuple(fields), raw.get("level", False)
    )


def _check(schema: Schema) -> None:
    known = {n.name for n in schema.enums} | {n.name for n in schema.flags}
    limit = dict(schema.constants)["PAYLOAD_MAX"]
    names_seen = [n.name for n in (*schema.enums, *schema.flags)]
    names_seen += [m.name for m in schema.messages]
    for name in names_seen:
        if names_seen.count(name) > 1:
            raise SchemaError(f"{name}: declared twice")
    ids: dict[int, str] = {}
    for message in schema.messages:
        if message.id in ids:
            raise SchemaError(f"{message.name}: number {message.id:#x} is {ids[message.id]}'s")
        ids[message.id] = message.name
        if message.size + TICK_SIZE > limit:
            raise SchemaError(f"{message.name}: longer than PAYLOAD_MAX")
        if message.level and message.kind != "event":
            raise SchemaError(f"{message.name}: only events have a level")
        for field in message.fields:
            if (field.base in ("enum", "flags")) != (field.named in known):
                raise SchemaError(f"{message.name}.{field.name}: unknown names {field.named!r}")
            if field.base == "text" and field is not message.fields[-1]:
                raise SchemaError(f"{message.name}.{field.name}: a text must come last")
    for names in schema.enums:
        if [v for _, v in names.members] != list(range(len(names.members))):
            raise SchemaError(f"enums.{names.name}: values must run from 0 without a gap")
