"""Releases of models at one table: fetched whole, tried between hands, and the way back."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.messages import OrderKind
from table_controller.venue.models import shelf as shelf_module
from table_controller.venue.models.release import Release, checksum
from table_controller.venue.models.shelf import ModelShelf
from tests.table_controller.venue.conftest import missing, run
from tests.table_controller.venue.ordered import PLAN, AtTable
from tests.table_controller.venue.releases import Bucket, made
from vision.nets import modelfile


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release on the organiser's disk."""
    return made(tmp_path_factory.mktemp("organiser") / "v2")


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


@pytest.fixture
def shelf(tmp_path: Path) -> ModelShelf:
    return ModelShelf(tmp_path / "models", room=0)


def lies(shelf: ModelShelf) -> list[str]:
    """What lies on the shelf, by the disk."""
    return sorted(path.name for path in shelf.folder.glob("*") if path.is_dir())


def used(shelf: ModelShelf) -> Path | None:
    """Where the release lies that is used."""
    return shelf.current


def test_a_release_is_used_and_left_again(shelf: ModelShelf, bucket: Bucket, folder: Path) -> None:
    for version in ("v2", "v3"):
        run(shelf.stage(bucket.put(folder, version), bucket.fetch))
    assert used(shelf) is None
    assert shelf.staged == ("v2", "v3")
    assert shelf.use("v2")
    assert not shelf.use("v2")
    shelf.confirm()
    assert used(shelf) == shelf.folder / "v2"
    assert shelf.use("v3")
    shelf.confirm()
    assert (shelf.version, shelf.before) == ("v3", "v2")
    again = ModelShelf(shelf.folder)
    assert (again.version, again.before) == ("v3", "v2")
    assert shelf.back("v3")
    # The order comes again: the table went back once.
    assert not shelf.back("v3")
    assert (shelf.version, shelf.before) == ("v2", "")
    assert shelf.back("v2")
    assert used(shelf) is None
    with pytest.raises(RefusedOrderError, match="no way back"):
        shelf.back("")


def test_what_lies_here_is_not_fetched_again(
    shelf: ModelShelf, bucket: Bucket, folder: Path
) -> None:
    release = bucket.put(folder, "v2")
    run(shelf.stage(release, bucket.fetch))
    bucket.fetched.clear()
    run(shelf.stage(release, bucket.fetch))
    assert bucket.fetched == []
    shelf.use("v2")
    other = release.model_copy(update={"size": release.size + 1})
    with pytest.raises(RefusedOrderError, match="in use here with other files"):
        run(shelf.stage(other, bucket.fetch))


def test_old_releases_make_room_but_not_the_way_back(
    shelf: ModelShelf, bucket: Bucket, folder: Path
) -> None:
    for number in range(2, 8):
        run(shelf.stage(bucket.put(folder, f"v{number}"), bucket.fetch))
        if number == 2:
            shelf.use("v2")
    assert lies(shelf) == ["v2", "v5", "v6", "v7"]
    assert shelf.staged == ("v2", "v5", "v6", "v7")


def not_there(bucket: Bucket, release: Release) -> Release:
    del bucket.files["v2/reader.onnx"]
    return release


def altered(bucket: Bucket, release: Release) -> Release:
    bucket.files["v2/reader.onnx"] += b"x"
    return release


def altered_and_listed(bucket: Bucket, release: Release) -> Release:
    """Whoever altered it listed it anew: the model's own manifest still says no."""
    altered(bucket, release)
    sums = {**release.files, "reader.onnx": checksum(bucket.files["v2/reader.onnx"])}
    return release.model_copy(update={"files": sums})


def another_version(_: Bucket, release: Release) -> Release:
    return release.model_copy(update={"models": {**release.models, "reader": "902"}})


def no_model(bucket: Bucket, release: Release) -> Release:
    """The files are what they were announced to be, and no model."""
    manifest = json.loads(bucket.files["v2/dice.json"])
    manifest["sha256"] = checksum(b"weights")
    bucket.files["v2/dice.onnx"] = b"weights"
    bucket.files["v2/dice.json"] = json.dumps(manifest).encode()
    changed = {name: checksum(bucket.files[f"v2/{name}"]) for name in ("dice.onnx", "dice.json")}
    return release.model_copy(update={"files": {**release.files, **changed}})


def another_format(bucket: Bucket, release: Release) -> Release:
    manifest = {**json.loads(bucket.files["v2/dice.json"]), "format": 99}
    bucket.files["v2/dice.json"] = json.dumps(manifest).encode()
    changed = {"dice.json": checksum(bucket.files["v2/dice.json"])}
    return release.model_copy(update={"files": {**release.files, **changed}})


def incomplete(_: Bucket, release: Release) -> Release:
    """A table would begin its next session without a reader."""
    models = {name: version for name, version in release.models.items() if name != "reader"}
    files = {name: one for name, one in release.files.items() if not name.startswith("reader")}
    return release.model_copy(update={"models": models, "files": files})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (not_there, "models/v2/reader.onnx: not there"),
        (altered, "v2/reader.onnx: its checksum is another one"),
        (altered_and_listed, "reader.onnx: altered, its checksum is not that of its manifest"),
        (another_version, "v2/reader.json: version 901, the hall said 902"),
        (no_model, "dice.onnx: cannot be opened"),
        (another_format, f"manifest format 99, this program reads {modelfile.FORMAT}"),
        (incomplete, "reader.onnx is missing"),
    ],
)
def test_what_is_not_as_announced_is_refused_and_nothing_changes(
    shelf: ModelShelf, bucket: Bucket, folder: Path,
    spoil: Callable[[Bucket, Release], Release], said: str,
) -> None:  # fmt: skip
    bucket.put(folder, "v1")
    run(shelf.stage(bucket.put(folder, "v1"), bucket.fetch))
    shelf.use("v1")
    release = spoil(bucket, bucket.put(folder, "v2"))
    with pytest.raises(RefusedOrderError, match=said):
        run(shelf.stage(release, bucket.fetch))
    assert lies(shelf) == ["v1"]
    assert shelf.version == "v1"
    with pytest.raises(RefusedOrderError, match="not staged here"):
        shelf.use("v2")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "../v2"}, "version"),
        ({"version": "v 2"}, "version"),
        ({"files": {}}, "files"),
        ({"files": {"../x.onnx": "0" * 64}}, "files"),
        ({"files": {"x.sh": "0" * 64}}, "files"),
        ({"files": {"x.onnx": "0"}}, "files"),
        ({"models": {}}, "models"),
        ({"size": 0}, "size"),
        ({"more": 1}, "more"),
    ],
)
def test_a_list_that_cannot_be_is_refused_in_one_line(
    bucket: Bucket, folder: Path, change: dict[str, Any], said: str
) -> None:
    body = {**bucket.put(folder, "v2").model_dump(), **change}
    with pytest.raises(VenueError, match=f"models: {said}") as error:
        Release.parse(body)
    assert "\n" not in str(error.value)


def test_a_disk_without_room_is_said_before_anything_is_fetched(
    tmp_path: Path, bucket: Bucket, folder: Path
) -> None:
    shelf = ModelShelf(tmp_path / "models", room=10**18)
    with pytest.raises(RefusedOrderError, match="v2: not laid out: no room on the table's disk"):
        run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
    assert bucket.fetched == []
    assert lies(shelf) == []


def test_a_disk_that_fills_up_meanwhile(
    shelf: ModelShelf, bucket: Bucket, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = shelf_module._write

    def write(path: Path, content: bytes) -> None:
        if path.name == "reader.onnx":
            right(path, content[:1000])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        right(path, content)

    release = bucket.put(folder, "v2")
    monkeypatch.setattr(shelf_module, "_write", write)
    with pytest.raises(RefusedOrderError, match="v2: not laid out: No space left on device"):
        run(shelf.stage(release, bucket.fetch))
    assert lies(shelf) == []
    monkeypatch.undo()
    run(shelf.stage(release, bucket.fetch))
    assert shelf.staged == ("v2",)


def test_a_full_disk_itself(tmp_path: Path, bucket: Bucket, folder: Path) -> None:
    """The same with a real one, where this user may mount it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        missing("this user may not mount a small disk")
    try:
        shelf = ModelShelf(disk / "models", room=-(10**9))
        with pytest.raises(RefusedOrderError, match="No space left on device"):
            run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
        assert lies(shelf) == []
        shelf = ModelShelf(disk / "models", room=0)
        with pytest.raises(RefusedOrderError, match="no room on the table's disk"):
            run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


HALF_WAY = """
import asyncio, json, sys
from pathlib import Path
from table_controller.venue.models.release import Release
from table_controller.venue.models.shelf import ModelShelf

async def main():
    held = []
    async def fetch(name):
        if len(held) == 3:
            print("half-way", flush=True)
            await asyncio.sleep(600)
        held.append(name)
        return (Path(sys.argv[2]) / name.split("/")[1]).read_bytes()
    release = Release.of_folder(Path(sys.argv[2]), "v2")
    await ModelShelf(Path(sys.argv[1]), room=0).stage(release, fetch)

asyncio.run(main())
"""


def test_a_table_that_is_killed_half_way_begins_again(
    shelf: ModelShelf, bucket: Bucket, folder: Path
) -> None:
    command = [sys.executable, "-c", HALF_WAY, str(shelf.folder), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        assert table.stdout.readline() == "half-way\n"
        table.send_signal(signal.SIGKILL)
    assert lies(shelf) == ["v2.coming"]
    assert shelf.staged == ()
    with pytest.raises(RefusedOrderError, match="not staged here"):
        shelf.use("v2")
    # The hall has no answer and sends the order again.
    run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
    assert lies(shelf) == ["v2"]
    assert shelf.use("v2")


def test_what_was_altered_at_the_table_is_not_used(
    shelf: ModelShelf, bucket: Bucket, folder: Path
) -> None:
    run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
    file = shelf.folder / "v2" / "reader.onnx"
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(RefusedOrderError, match=r"altered since: v2/reader\.onnx"):
        shelf.use("v2")
    assert shelf.version == ""
    # Offered again it is fetched again.
    run(shelf.stage(bucket.put(folder, "v2"), bucket.fetch))
    assert shelf.use("v2")


def test_a_table_that_dies_with_a_release_goes_back_by_itself(
    shelf: ModelShelf, bucket: Bucket, folder: Path
) -> None:
    release = bucket.put(folder, "v2")
    run(shelf.stage(release, bucket.fetch))
    shelf.use("v2")
    # Killed before it had begun; what starts it again must not die of it for ever.
    again = ModelShelf(shelf.folder)
    assert again.recover() == "v2"
    assert again.version == ""
    with pytest.raises(RefusedOrderError, match=r"v2 failed here \(the table ended while it began"):
        again.use("v2")
    run(again.stage(release, bucket.fetch))
    assert again.use("v2")
    again.confirm()
    assert ModelShelf(shelf.folder).recover() == ""


# -- as orders -------------------------------------------------------------------------------


class Seeing(AtTable):
    """A table whose beginning with some models fails."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.renewed: list[str] = []
        self.bad: set[str] = set()
        self.table.renew = self._renew  # type: ignore[method-assign]

    def _renew(self) -> None:
        self.renewed.append(self.shelf.version)
        if self.shelf.version in self.bad:
            raise RuntimeError("the cameras see nothing with these")


@pytest.fixture
def at(tmp_path: Path, bucket: Bucket, folder: Path) -> Iterator[Seeing]:
    table = Seeing(tmp_path)
    table.shelf._room = 0
    for version in ("v2", "v3"):
        run(table.shelf.stage(bucket.put(folder, version), bucket.fetch))
    yield table
    table.table.close()


def use(at: Seeing, version: str) -> Any:
    return at.give(OrderKind.MODEL_USE, {"version": version})


def test_models_are_changed_at_once_where_no_session_is_played(at: Seeing) -> None:
    use(at, "v2")
    assert at.answers() == [("model_use", "done", "v2 is in use")]
    assert at.renewed == ["v2"]
    use(at, "v2")
    assert at.answers()[-1] == ("model_use", "done", "v2 is in use already")
    at.give(OrderKind.MODEL_BACK, {"version": "v2"})
    assert at.answers()[-1] == ("model_back", "done", "returned to the program's own models")
    assert at.renewed == ["v2", ""]
    at.give(OrderKind.MODEL_BACK, {"version": "v2"})
    assert at.answers()[-1] == ("model_back", "done", "v2 is not in use here")
    assert at.renewed == ["v2", ""]


def test_a_session_that_is_played_keeps_its_models_until_its_referee_agrees(at: Seeing) -> None:
    told = at.play("tile_discarded")
    order = use(at, "v2")
    waits = "a hand is being played; the table's referee is asked"
    assert at.answers() == [("model_use", "waiting", waits)]
    asked = at.table.hub.snapshot()["asked"]
    assert [(one["kind"], one["what"], one["may"]) for one in asked] == [("model_use", "v2", True)]
    # Whoever agrees, it is not this hand.
    at.orders.agree(order.id, "Wu", True)
    at.orders.step()
    assert at.shelf.version == ""
    assert [one["may"] for one in at.table.hub.snapshot()["asked"]] == [False]
    at.finish(told)
    at.orders.step()
    assert at.answers()[-1] == ("model_use", "done",
                                "v2 is in use; agreed by the table's referee Wu")  # fmt: skip
    assert at.shelf.version == "v2"
    assert at.table.hub.snapshot()["asked"] == []


def test_between_hands_the_referee_is_asked_and_may_refuse(at: Seeing) -> None:
    at.finish([])
    assert at.table.under_way
    assert not at.table.hand_running
    order = use(at, "v2")
    assert at.answers() == [("model_use", "waiting", "the table's referee is asked")]
    at.orders.step()
    assert at.shelf.version == ""
    at.orders.agree(order.id, "Wu", False)
    at.orders.step()
    assert at.answers()[-1] == ("model_use", "refused", "by the table's referee Wu")
    assert at.renewed == []


@pytest.mark.parametrize("what", [OrderKind.SESSION_END, OrderKind.SESSION_START])
def test_when_the_session_is_over_nobody_need_agree(at: Seeing, what: OrderKind) -> None:
    at.finish([])
    use(at, "v2")
    at.give(what, PLAN if what is OrderKind.SESSION_START else {})
    at.orders.step()
    assert at.answers()[-1] == ("model_use", "done", "v2 is in use")


def test_what_the_hall_takes_back_is_not_taken_into_use_any_more(at: Seeing) -> None:
    told = at.play("tile_discarded")
    order = use(at, "v2")
    at.orders.agree(order.id, "Wu", True)
    at.orders.step()
    at.give(OrderKind.MODEL_BACK, {"version": "v2"})
    assert at.answers()[1] == ("model_use", "refused", "the hall took it back")
    at.finish(told)
    at.orders.agree(at.orders.waiting[0].id, "Wu", True)
    at.orders.step()
    kind, state, said = at.answers()[-1]
    assert (kind, state) == ("model_back", "done")
    assert said.startswith("v2 is not in use here")
    assert at.renewed == []


def test_models_that_the_table_cannot_begin_with_are_left_at_once(at: Seeing) -> None:
    use(at, "v2")
    at.bad = {"v3"}
    order = use(at, "v3")
    said = "v3: the cameras see nothing with these; v2 in use again"
    assert at.answers()[-1] == ("model_use", "refused", said)
    assert at.shelf.version == "v2"
    assert at.renewed == ["v2", "v3", "v2"]
    # The same order again, and another one: not tried again.
    at.send(order.model_copy(update={"attempt": 2}))
    use(at, "v3")
    assert at.answers()[-1][2].startswith("v3 failed here (the cameras see nothing")
    assert at.renewed == ["v2", "v3", "v2"]


def test_a_disk_that_is_full_when_models_are_to_be_used(
    at: Seeing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shelf_module, "write_whole", full)
    use(at, "v2")
    assert at.answers()[-1] == ("model_use", "refused",
                                "models: not written: No space left on device")  # fmt: skip
    assert at.shelf.version == ""
    assert at.renewed == []


def test_an_agreement_survives_no_restart(at: Seeing) -> None:
    """Who agreed before the table was started again is asked again."""
    at.finish([])
    order = use(at, "v2")
    again = type(at.orders)(lambda: at.table, at.table.store, at.shelf)
    again.step()
    assert [one.id for one in again.waiting] == [order.id]
    again.agree(order.id, "Wu", True)
    again.step()
    assert at.answers()[-1][1] == "done"


def test_an_order_for_models_that_comes_late_is_refused(at: Seeing) -> None:
    at.give(OrderKind.MODEL_USE, {"version": "v2"}, at=time.time() - 13 * 3600)
    assert at.answers()[-1][1] == "refused"
    assert "s too late" in at.answers()[-1][2]
    assert at.renewed == []
