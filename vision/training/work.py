"""The work folder of the trainings, and what in it is done. Needs no PyTorch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODULE = "vision.training."
WORK = Path(os.environ.get("PAIGUAN_WORK", "var/training"))
"""Checkpoints and logs; outside of version control."""


def commit_id() -> str:
    """The commit of the working tree that trains."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def facts_of(checkpoint: Path) -> dict[str, Any]:
    """What the training run wrote about itself."""
    side = checkpoint.with_suffix(".json")
    return json.loads(side.read_text()) if side.exists() else {}


def is_done(result: Path, command: Sequence[str]) -> bool:
    """Whether a file is there that this very command, of this very commit, made to its end.

    The command names seed and minutes: what another seed or effort left is not taken for it.
    """
    mark = _mark(result)
    if not (result.exists() and mark.exists()):
        return False
    return bool(json.loads(mark.read_text()) == _facts(command))


def set_done(result: Path, command: Sequence[str]) -> None:
    """Say that the command has ended well and what it made is whole."""
    result.parent.mkdir(parents=True, exist_ok=True)
    _mark(result).write_text(json.dumps(_facts(command), indent=1))


def set_undone(result: Path) -> None:
    """Say that what is there is being made anew."""
    _mark(result).unlink(missing_ok=True)


def run_unless_done(result: Path, runs: Sequence[Sequence[str]]) -> None:
    """Run modules of the trainings with their arguments, unless all have made this result.

    Raises:
        subprocess.CalledProcessError: one of them failed; the result does not count as done.
    """
    every = [word for run in runs for word in run]
    if is_done(result, every):
        return
    result.parent.mkdir(parents=True, exist_ok=True)
    set_undone(result)
    for module, *rest in runs:
        command = [sys.executable, "-m", MODULE + module, *rest]
        subprocess.run(command, check=True)  # noqa: S603 - our own modules
    set_done(result, every)


def _mark(result: Path) -> Path:
    return result.with_name(result.name + ".done")


def _facts(command: Sequence[str]) -> dict[str, object]:
    return {"command": list(command), "commit": commit_id()}
