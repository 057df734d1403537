"""Happenings to and from JSON Lines, with errors that name the line and the field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from table_controller.domain.happenings import Happening


class BadHappeningError(ValueError):
    """A line that is no happening; the message says what and where in one line."""


_ADAPTER: Final[TypeAdapter[Happening]] = TypeAdapter(
    Annotated[Happening, Field(discriminator="kind")],
    config=ConfigDict(extra="forbid", allow_inf_nan=False),
)


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=True)[0]
    # The first location element is the discriminator's tag; the rest leads to the field.
    path = ".".join(str(part) for part in first["loc"][1:]) or "kind"
    given = repr(first.get("input"))
    if len(given) > 60:
        given = given[:57] + "..."
    return f"{path}: {first['msg']} (got {given})"


def from_object(data: object) -> Happening:
    """One decoded JSON object as a happening.

    Raises:
        BadHappeningError: naming the field that is wrong.
    """
    if isinstance(data, dict):
        data = {("from_" if key == "from" else key): value for key, value in data.items()}
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        raise BadHappeningError(_explain(error)) from None


def from_line(line: str) -> Happening:
    """One line of JSON as a happening.

    Raises:
        BadHappeningError: when the line is not JSON or not a happening.
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadHappeningError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        # Numbers too long and brackets too deep for the decoder.
        raise BadHappeningError(f"cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise BadHappeningError("not a JSON object")
    return from_object(data)


def to_object(happening: Happening) -> dict[str, Any]:
    """The contract's form: ``t`` and ``kind`` first, then the fields of the kind."""
    data: dict[str, Any] = {"t": happening.t, "kind": happening.kind}
    for field in fields(happening):
        if field.name in data or field.name in ("confidence", "foreign"):
            continue
        value = getattr(happening, field.name)
        data[field.name.rstrip("_")] = _plain(value)
    confidence = round(happening.confidence, 4)
    if confidence != 1.0:
        data["confidence"] = confidence
    if happening.foreign:
        data["foreign"] = True
    return data


def to_line(happening: Happening) -> str:
    """One line of JSON, without the line end."""
    return json.dumps(to_object(happening), ensure_ascii=False)


def _plain(value: object) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def read_lines(lines: Iterable[str]) -> Iterator[tuple[int, Happening | BadHappeningError]]:
    """Line numbers (from 1) with the happening, or with what is wrong with the line.

    Empty lines are skipped. A bad line does not end the reading: the caller decides.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, from_line(line)
        except BadHappeningError as error:
            yield number, error
