"""The cameras, the eyes behind them and the machine of a live table, opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_bridge.link import Link
from firmware_bridge.notices import EventMark
from firmware_bridge.port import Spy
from firmware_bridge.readings import Reading
from table_controller.app.running.closing import Closing
from table_controller.app.table.assemble import Rooms
from table_controller.config import Config, MachineSection
from vision.apart.looker import Looker
from vision.apart.lookers import Lookers
from vision.cameras.sources import Source, SourceEvent, open_source
from vision.cameras.steady import SteadyClock


def begin_eyes(rooms: Rooms, closing: Closing) -> list[Looker]:
    """Begin their processes, which open their models while the rest is built."""
    lookers: list[Looker] = []
    for parts in rooms.parts.values():
        lookers.append(Looker(parts))
        closing.add(lookers[-1].close)
    return lookers


def open_sources(
    config: Config,
    rooms: Rooms,
    on_event: Callable[[SourceEvent], None],
    clock: SteadyClock,
    closing: Closing,
) -> list[Source]:
    """Open all cameras.

    Args:
        config: of the table.
        rooms: of the table.
        on_event: called with what is noticed about a camera.
        clock: that pictures are dated by.
        closing: takes what is open.
    """
    sources: list[Source] = []
    for camera in config.camera:
        source = open_source(
            camera.source,
            camera=camera.name,
            size=rooms.cameras[camera.name].size,
            times=camera.times,
            on_event=on_event,
            clock=clock,
        )
        source.decodes = False  # the eye does
        sources.append(source)
        closing.add(source.close)
    return sources


def open_link(
    machine: MachineSection,
    on_reading: Callable[[Reading], None],
    resume: EventMark | None,
    clock: SteadyClock,
    closing: Closing,
) -> Link | None:
    """Open the link to the machine, if there is one.

    Args:
        machine: how it is connected.
        on_reading: called with each reading, in the link's thread.
        resume: the last that an earlier run wrote down: what it could not acknowledge any more is
            not said again.
        clock: that of the pictures.
        closing: takes what is open.
    """
    if machine.port is None:
        return None
    spy = None
    if machine.spy is not None:
        spy_log = machine.spy.open("a", encoding="ascii")
        closing.add(spy_log.close)
        spy = Spy(spy_log)
    # Events leave the board only once they stand in the journal.
    link = Link.open(
        machine.port,
        baud=machine.baud,
        on_reading=on_reading,
        spy=spy,
        confirm=True,
        resume=resume,
        clock=clock.now,
    )
    closing.add(link.close)
    return link


def look_on(sources: Sequence[Source], lookers: Sequence[Looker], closing: Closing) -> Lookers:
    """Look through each camera, once its eye is ready."""
    for looker in lookers:
        looker.wait_ready()
    eyes = Lookers(list(zip(sources, lookers, strict=True)))
    closing.add(eyes.close)
    return eyes
