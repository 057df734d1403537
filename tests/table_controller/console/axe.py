"""axe-core, the accessibility checker: fetched from the npm registry for the tests alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.needs import need_tool

VERSION = "4.14.1"
SHA256 = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "paiguan"


def axe_script() -> str:
    """The checker's source; the test is skipped where it cannot be had."""
    archive = CACHE / f"axe-core-{VERSION}.tgz"
    if not archive.is_file():
        npm = need_tool("npm")
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", f"axe-core@{VERSION}", "--pack-destination", str(CACHE)]
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
        if done.returncode:
            pytest.skip("axe-core cannot be fetched from the npm registry")
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256
    with tarfile.open(archive) as packed:
        member = packed.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()
