"""Virtual tables without video: self-played games, told to tables that belong to a venue.

The games are those of the virtual table (`hardware.virtual_table`), with infractions by chance;
the tables are whole but for cameras. One thread plays any number of them, one event loop carries
their stations.
"""

from __future__ import annotations

import asyncio
import functools
import heapq
import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, cast

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import Happening, TableSet
from table_controller.venue.access.keyring import Keyring
from table_controller.venue.handing.handing_over import LINGER_S
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.orders.taking import Orders
from table_controller.venue.table.station import Station, StationThread, VenueLink
from table_controller.venue.table.told import ToldTable

logger = logging.getLogger(__name__)

WINDS: Final = ("E", "S", "W", "N")
STORIES: Final = 12
"""So many different hands are played for each dealer; tables take them by chance."""
BETWEEN_S: Final = 20.0
"""From the end of a hand to the next walls, s of table time."""
IDLE_S: Final = 0.2
HANDS: Final = 16


@dataclass(frozen=True, slots=True)
class Story:
    """One self-played hand: what happens, and (for pictures) who directed it."""

    happenings: tuple[Happening, ...]
    director: Director


@functools.lru_cache(maxsize=4 * STORIES)
def story(dealer: int, number: int, mix: int) -> Story:
    """One self-played hand.

    Args:
        dealer: side of the dealer.
        number: which of them.
        mix: infractions in it.
    """
    for seed in range(number * 1000 + 1, number * 1000 + 50):
        scenario = Scenario(seed=seed, east=cast("Literal[0, 1, 2, 3]", dealer), mix=mix)
        try:
            director = Director(scenario)
        except LookupError:
            continue  # that infraction does not fit into that hand
        return Story(tuple(director.truth()), director)
    raise LookupError(f"no hand could be played for dealer {dealer}")


class Play:
    """What happens at one table: hand after hand.

    Args:
        table: that is told.
        speed: how much faster than life.
        mix: infractions in a hand.
        rng: decides which hands are played.
        hands: of a session; after the last the table waits for the hall.
    """

    def __init__(
        self, table: ToldTable, speed: float, mix: int, rng: random.Random, hands: int = HANDS
    ) -> None:
        self.table = table
        self.pictures: Callable[[ToldTable, str, Director, float], None] | None = None
        self.orders: Orders | None = None
        self._speed = speed
        self._mix = mix
        self._rng = rng
        self._hands = hands
        self._session = ""
        self._hand = 0
        self._story: list[Happening] = []
        self._at = 0
        self._begin = 0.0
        self._director: Director | None = None
        self.told = 0
        self.raised: dict[str, float] = {}
        """When each alert was raised, s since 1970, by session and key."""

    def step(self, now: float) -> float:
        """Tell what is due; when the next thing happens, s since 1970."""
        if self.orders is not None:
            self.orders.step()
        self.table.settle()
        if self.table.reporter.paused:
            self._begin += IDLE_S
            return now + IDLE_S
        if self._session != self.table.plan.session:
            self._new_session(now)
        if self._at >= len(self._story):
            if self._hand >= self._hands:
                return now + IDLE_S
            self._next_hand(max(now, self._begin))
        happening = self._story[self._at]
        due = self._begin + happening.t / self._speed
        if due > now:
            # Orders are looked at now and then, also while nothing happens.
            return min(due, now + IDLE_S)
        self._at += 1
        if self.table.tell(replace(happening, t=due)):
            for key, _ in self.table.bell.alerts:
                self.raised[f"{self._session} {key}"] = time.time()
                if self.pictures is not None and self._director is not None:
                    self.pictures(self.table, key, self._director, happening.t)
            self.table.bell.alerts.clear()
        self.told += 1
        if self._at >= len(self._story):
            self._begin = due + BETWEEN_S / self._speed
        return now

    def _new_session(self, now: float) -> None:
        self._session = self.table.plan.session
        # A table that was started again takes up the session with its next hand.
        self._hand = len(self.table.hub.snapshot()["hands"])
        self._story, self._at = [], 0
        self._begin = now + self._rng.random() * BETWEEN_S / self._speed

    def _next_hand(self, begin: float) -> None:
        self._hand += 1
        dealer = (self.table.plan.east + self._hand - 1) % 4
        told = story(dealer, self._rng.randrange(STORIES), self._mix)
        wind = WINDS[(self._hand - 1) // 4 % 4]
        self._story = [
            replace(one, round_wind=wind, hand=self._hand) if isinstance(one, TableSet) else one  # type: ignore[arg-type]
            for one in told.happenings
        ]
        self._director = told.director
        self._at, self._begin = 0, begin


class VirtualTables:
    """Some tables of a venue, in this process.

    Args:
        ring: the venue's folder.
        root: of the tables' own folders.
        servers: of the message bus.
        tables: names of those to play, enrolled.
        speed: how much faster than life.
        mix: infractions in a hand.
        seed: decides what is played.
        linger_s: of the stations.
        clock: of the tables' machines, s since 1970.
        hands: of a session.
        play: makes what happens at a table; by default games are played as they are told.
    """

    def __init__(
        self,
        ring: Keyring,
        root: Path,
        servers: list[str],
        tables: list[str],
        *,
        speed: float = 1.0,
        mix: int = 1,
        seed: int = 1,
        linger_s: float = LINGER_S,
        clock: Callable[[], float] = time.time,
        hands: int = HANDS,
        play: Callable[[ToldTable, random.Random], Play] | None = None,
    ) -> None:
        def played(table: ToldTable, rng: random.Random) -> Play:
            return Play(table, speed, mix, rng, hands)

        self.plays: dict[str, Play] = {}
        self.stations: dict[str, Station] = {}
        for number, name in enumerate(tables):
            table = ToldTable(root / name, name)
            made = (play or played)(table, random.Random(f"{seed} {name} {number}"))
            self.plays[name] = made
            self.stations[name] = make_station(
                table, made, station_link(ring, name, servers, linger_s), clock
            )
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._play, name="tables", daemon=True)]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads.append(threading.Thread(target=self._carry, name="stations", daemon=True))
        self.late_s = 0.0
        """By how much the playing lags behind at most, s; above one the machine is too slow."""

    def start(self, *, playing: bool = True) -> None:
        """Begin; without playing the stations alone."""
        if not playing:
            self._stop.set()
        for thread in self._threads:
            thread.start()

    def _play(self) -> None:
        due = [(time.time(), name) for name in self.plays]
        heapq.heapify(due)
        while due and not self._stop.is_set():
            at, name = heapq.heappop(due)
            now = time.time()
            if at > now:
                self._stop.wait(min(at - now, 0.2))
                heapq.heappush(due, (at, name))
                continue
            self.late_s = max(self.late_s, now - at) if at else 0.0
            try:
                heapq.heappush(due, (self.plays[name].step(now), name))
            except Exception:
                logger.exception("table %s stops", name)
                if not due:
                    return

    def _carry(self) -> None:
        async def all_of_them() -> None:
            self._loop = asyncio.get_running_loop()
            await asyncio.gather(*(station.run() for station in self.stations.values()))

        asyncio.run(all_of_them())

    def stop_playing(self) -> None:
        """Nothing happens any more; the stations go on."""
        self._stop.set()
        self._threads[0].join(10)

    def close(self) -> None:
        """End everything; what is written is handed over first where that is quick."""
        self.stop_playing()
        for station in self.stations.values():
            station.stop()
        self._threads[1].join(15)
        for play in self.plays.values():
            play.table.close()


def station_link(
    ring: Keyring, name: str, servers: list[str], linger_s: float = LINGER_S
) -> VenueLink:
    """The link of a table whose key lies in the venue's folder."""
    from table_controller.venue.access.bus import load_credentials

    folder = ring.folder / "tables" / name
    return VenueLink(
        venue=ring.venue,
        table=name,
        servers=tuple(servers),
        credentials=load_credentials(folder / f"{name}.creds", ring.venue, name),
        authority=folder / "ca.pem",
        linger_s=linger_s,
    )


def make_station(
    table: ToldTable, play: Play, link: VenueLink, clock: Callable[[], float] = time.time
) -> Station:
    """The station of a told table; its orders are carried out by ``play``."""
    shelf = ModelShelf(table.root / "models")
    made: list[Station] = []

    def hall_time() -> float:
        return made[0].hall_time()

    orders = Orders(lambda: table, table.store, shelf, hall_time)
    play.orders = orders
    station = Station(
        link,
        lambda: table.journal.path,
        orders,
        table.report,
        shelf,
        clock,
    )
    made.append(station)
    table.wrote = station.wrote
    return station


__all__ = ["Play", "StationThread", "VirtualTables", "make_station", "station_link", "story"]
