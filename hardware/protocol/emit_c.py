"""The C side of the wire protocol: one header, no dependency but ``stdint.h``."""

from __future__ import annotations

from hardware.protocol.schema import Field, Message, Names, Schema

_CTYPE = {
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "bool": "bool",
    "enum": "uint8_t",
    "flags": "uint8_t",
}

_HEAD = """/* Messages of the wire protocol. Written by hardware.protocol.generate: do not edit. */
#ifndef PG_MESSAGES_H
#define PG_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PG_PROTOCOL {protocol}u
#define PG_SCHEMA_HASH {hash:#010x}ul
"""

_BYTES = """
static inline uint8_t *pg_put8(uint8_t *out, uint8_t v) {
    *out = v;
    return out + 1;
}
static inline uint8_t *pg_put16(uint8_t *out, uint16_t v) {
    return pg_put8(pg_put8(out, (uint8_t)v), (uint8_t)(v >> 8));
}
static inline uint8_t *pg_put32(uint8_t *out, uint32_t v) {
    return pg_put16(pg_put16(out, (uint16_t)v), (uint16_t)(v >> 16));
}
static inline uint16_t pg_get16(const uint8_t *in) {
    return (uint16_t)(in[0] | ((uint16_t)in[1] << 8));
}
static inline uint32_t pg_get32(const uint8_t *in) {
    return pg_get16(in) | ((uint32_t)pg_get16(in + 2) << 16);
}
"""


def emit(schema: Schema) -> str:
    """The whole header."""
    out = [_HEAD.format(protocol=schema.protocol, hash=schema.hash)]
    out.append("".join(f"#define PG_{name} {_number(value)}\n" for name, value in schema.constants))
    out += [_enum(n) for n in schema.enums]
    out += [_flags(n) for n in schema.flags]
    out.append(_BYTES)
    out += [_message(m) for m in schema.messages]
    largest = max(m.size for m in schema.messages if m.kind == "event")
    out.append(f"#define PG_EVENT_SIZE_MAX {largest}u\n")
    out.append("#endif\n")
    return "\n".join(out)


def _number(value: int) -> str:
    return f"{value}ul" if value > 0xFFFF else f"{value}u"


def _enum(names: Names) -> str:
    lines = [f"/* {names.doc} */", f"enum pg_{names.name} {{"]
    prefix = f"PG_{names.name.upper()}"
    lines += [f"    {prefix}_{n.upper()} = {v}," for n, v in names.members]
    lines += ["};", f"#define {prefix}_COUNT {len(names.members)}u", ""]
    return "\n".join(lines)


def _flags(names: Names) -> str:
    lines = [f"/* {names.doc} */"]
    prefix = f"PG_{names.name.upper()}"
    lines += [f"#define {prefix}_{n.upper()} {1 << v:#04x}u" for n, v in names.members]
    mask = sum(1 << v for _, v in names.members)
    return "\n".join([*lines, f"#define {prefix}_ALL {mask:#04x}u", ""])


def _message(message: Message) -> str:
    upper = message.name.upper()
    lines = [f"/* {message.doc} ({message.kind}) */", f"#define PG_{upper} {message.id:#04x}u"]
    lines.append(f"#define PG_{upper}_SIZE {message.size}u")
    fixed = [f for f in message.fields if f.base != "text"]
    if fixed:
        lines.append("typedef struct {")
        for field in fixed:
            count = f"[{field.count}]" if field.count else ""
            lines.append(f"    {_CTYPE[field.base]} {field.name}{count}; /* {field.doc} */")
        lines += [f"}} pg_{message.name}_t;"]
        if message.kind in ("link", "event", "sample"):
            lines += _pack(message, fixed)
        if message.kind in ("link", "command"):
            lines += _unpack(message, fixed)
    return "\n".join(lines) + "\n"


def _pack(message: Message, fixed: list[Field]) -> list[str]:
    name = message.name
    lines = [
        f"static inline uint8_t *pg_pack_{name}(uint8_t *out, const pg_{name}_t *m) {{",
    ]
    for field in fixed:
        put = {1: "pg_put8", 2: "pg_put16", 4: "pg_put32"}[field.size // (field.count or 1)]
        if field.count:
            lines.append(f"    for (uint8_t i = 0; i < {field.count}u; i++)")
            lines.append(f"        out = {put}(out, m->{field.name}[i]);")
        else:
            lines.append(f"    out = {put}(out, m->{field.name});")
    return [*lines, "    return out;", "}"]


def _unpack(message: Message, fixed: list[Field]) -> list[str]:
    name = message.name
    has_text = len(fixed) != len(message.fields)
    compare = "<" if has_text else "!="
    lines = [
        f"static inline bool pg_unpack_{name}(pg_{name}_t *m, const uint8_t *in, uint8_t len) {{",
        f"    if (len {compare} PG_{name.upper()}_SIZE)",
        "        return false;",
    ]
    at = 0
    for field in fixed:
        step = field.size // (field.count or 1)
        for index in range(field.count or 1):
            target = f"m->{field.name}[{index}]" if field.count else f"m->{field.name}"
            get = {1: f"in[{at}]", 2: f"pg_get16(in + {at})", 4: f"pg_get32(in + {at})"}[step]
            limit = _limit(field)
            if limit is not None:
                lines += [f"    if (in[{at}] >= {limit})", "        return false;"]
            if field.base == "flags":
                lines += [
                    f"    if (in[{at}] & (uint8_t)~PG_{str(field.named).upper()}_ALL)",
                    "        return false;",
                ]
            lines.append(f"    {target} = {get}{' != 0' if field.base == 'bool' else ''};")
            at += step
    return [*lines, "    return true;", "}"]


def _limit(field: Field) -> str | None:
    if field.base == "enum":
        return f"PG_{str(field.named).upper()}_COUNT"
    if field.limit is not None:
        return f"{field.limit}u"
    return "2u" if field.base == "bool" else None
