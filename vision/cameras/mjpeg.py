"""Reading ``multipart/x-mixed-replace``: headers and body of one part after another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

MAX_PART = 32 * 1024 * 1024
_MAX_LINE = 8192
_MAX_HEADERS = 64


class StreamError(Exception):
    """The stream breaks its own format."""


class Readable(Protocol):
    """The part of a file object that is needed here."""

    def readline(self, limit: int = -1, /) -> bytes:
        """A line with its end, empty at the end of the stream."""
        ...

    def read(self, size: int, /) -> bytes:
        """``size`` bytes, fewer only at the end of the stream."""
        ...


def boundary_of(content_type: str) -> bytes:
    """The boundary named in a Content-Type, without leading hyphens.

    Raises:
        StreamError: this is no multipart stream.
    """
    kind = content_type.split(";", maxsplit=1)[0].strip().lower()
    if not kind.startswith("multipart/"):
        raise StreamError(f"no MJPEG stream but {kind or 'something without a type'}")
    match = re.search(r'boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))', content_type, re.IGNORECASE)
    if match is None:
        raise StreamError("a multipart stream without a boundary")
    # Some cameras repeat the hyphens that belong to the delimiter in the parameter.
    return (match[1] or match[2]).lstrip("-").encode("latin-1")


class MultipartReader:
    """Iterates over (header fields with lower-case names, body).

    Parts without Content-Length are read up to the next boundary. Ends quietly where the
    stream ends between parts or says so.
    """

    def __init__(self, stream: Readable, boundary: bytes, max_part: int = MAX_PART) -> None:
        """``max_part`` bounds a part's size in bytes."""
        self._stream = stream
        self._boundary = boundary
        self._max = max_part
        self._at_boundary = False

    def __iter__(self) -> Iterator[tuple[dict[str, str], bytes]]:
        while self._find_boundary():
            fields = self._fields()
            length = fields.get("content-length")
            if length is None:
                body = self._up_to_boundary()
            else:
                if not length.isdigit() or int(length) > self._max:
                    raise StreamError(f"a part of {length[:20]} bytes")
                body = self._stream.read(int(length))
                if len(body) < int(length):
                    raise StreamError("the stream broke off inside a picture")
            if body:
                yield fields, body

    def _is_boundary(self, line: bytes) -> bool:
        return line.startswith(b"--") and line.strip().strip(b"-") == self._boundary.strip(b"-")

    def _find_boundary(self) -> bool:
        if self._at_boundary:
            self._at_boundary = False
            return True
        skipped = 0
        while line := self._stream.readline(_MAX_LINE):
            if self._is_boundary(line):
                return not line.rstrip().endswith(self._boundary + b"--")
            skipped += len(line)
            if skipped > self._max:
                raise StreamError("no boundary where a part should begin")
        return False

    def _fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        while True:
            line = self._stream.readline(_MAX_LINE)
            if not line:
                raise StreamError("the stream broke off inside a part's header")
            if line in (b"\r\n", b"\n"):
                return fields
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon or len(fields) >= _MAX_HEADERS:
                raise StreamError("a part's header is not readable")
            fields[name.strip().lower()] = value.strip()

    def _up_to_boundary(self) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while line := self._stream.readline(_MAX_LINE):
            if self._is_boundary(line):
                self._at_boundary = not line.rstrip().endswith(self._boundary + b"--")
                return b"".join(chunks).removesuffix(b"\n").removesuffix(b"\r")
            chunks.append(line)
            size += len(line)
            if size > self._max:
                raise StreamError(f"a part of more than {self._max} bytes")
        raise StreamError("the stream broke off inside a picture")
