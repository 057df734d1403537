"""What is raised for bad input to this room: one clear line, no traceback needed."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError


class VisionInputError(ValueError):
    """Something given to vision cannot be used.

    The message names the file (or address) and the place in it; a command line prints it
    as it is and exits with 2.
    """


def first_problem(path: Path | str, error: ValidationError) -> str:
    """The first problem of a failed validation as one line: file, key, what is wrong."""
    detail = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in detail["loc"]) or "file"
    if detail["type"] == "extra_forbidden":
        return f"{path}: {key}: unknown key"
    if detail["type"] == "missing":
        return f"{path}: {key}: missing"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{path}: {key}: {message[0].lower()}{message[1:]}"
