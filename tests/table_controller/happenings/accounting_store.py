"""Verdicts kept from one run to the next, with the code that they were found by."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

ROOT = Path(__file__).parents[3]
CODE = (
    "table_controller/domain",
    "table_controller/game",
    "table_controller/happenings",
    "table_controller/rulesets",
    "table_controller/app/virtual/compare.py",
    "hardware/virtual_table/play",
    "hardware/virtual_table/data",
    "hardware/virtual_table/scene.py",
    "vision/geometry.py",
    "vision/sightings.py",
    "vision/zones_file.py",
    "tests/table_controller/happenings/accounting.py",
    "tests/table_controller/happenings/ideal_eye.py",
    "tests/table_controller/happenings/play.py",
)
"""All that a verdict depends on."""


class _Data(Protocol):
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


C = TypeVar("C", bound=_Data)
V = TypeVar("V", bound=_Data)


@cache
def fingerprint(root: Path = ROOT, code: Iterable[str] = CODE) -> str:
    """A short hash of every program and table that a verdict depends on."""
    digest = hashlib.sha256()
    for part in code:
        path = root / part
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.suffix in (".py", ".toml"):
                digest.update(str(file.relative_to(root)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Store(Generic[C, V]):
    """JSON lines, one a verdict: code, the case that was asked for, what came of it.

    Args:
        path: the file, made where there is none; None to keep nothing.
        case: builds a case of its fields.
        verdict: builds a verdict of its fields, ``case`` among them.
        code: the hash of the code whose verdicts count.
    """

    def __init__(
        self,
        path: Path | None,
        case: Callable[..., C],
        verdict: Callable[..., V],
        code: str | None = None,
    ) -> None:
        self._path = path
        self._code = code if code is not None else fingerprint() if path else ""
        self._kept: dict[str, V] = {}
        if path is None or not path.exists():
            return
        for line in path.read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            if data["code"] != self._code:
                continue
            fields = data["verdict"]
            for name, value in fields.items():
                if isinstance(value, list) and name != "discards":
                    fields[name] = tuple(value)
            self._kept[data["case"]] = verdict(**{**fields, "case": case(**fields["case"])})

    def verdict(self, case: C) -> V | None:
        """What is kept of a case, or None."""
        return self._kept.get(_key(case))

    def keep(self, case: C, verdict: V) -> None:
        """Write what came of a case."""
        if self._path is None:
            return
        line = {"code": self._code, "case": _key(case), "verdict": dataclasses.asdict(verdict)}
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")


def _key(case: _Data) -> str:
    return json.dumps(dataclasses.asdict(case), sort_keys=True)
