"""From the database to the pages: what has changed, a moment after it was stored."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from table_controller.rulesets.loader import load
from table_controller.venue.errors import AWAY_ERRORS
from table_controller.venue.hall import queries
from table_controller.venue.hall.standings import table_of_standings
from table_controller.venue.hall.state import HallHub
from table_controller.venue.hub.connecting import connected
from table_controller.venue.hub.hearing import SILENT_S
from table_controller.venue.hub.hub import Hub
from table_controller.venue.hub.projections import CHANNEL

logger = logging.getLogger(__name__)

TOGETHER_S: Final = 0.03
"""Changes that come within this are asked for together."""
WHOLE_EVERY_S: Final = 1.0
"""What is asked for whole, for all tables, is asked for so often at most: map and rounds."""
BOARD_EVERY_S: Final = 10.0


def left(row: Any) -> bool:
    """Whether nobody can decide an alert any more: withdrawn, or left by a session that is over."""
    return bool(row["withdrawn"]) or (bool(row["over"]) and row["decision"] is None)


class HallFeed:
    """Keeps a :class:`HallHub` as the database is; runs in the hub's event loop.

    Args:
        hub: of this process.
        hall: for those who may see the tables.
        public: for everybody.
        delay_s: by how much the public's board lags behind.
    """

    def __init__(self, hub: Hub, hall: HallHub, public: HallHub, delay_s: float) -> None:
        self._hub = hub
        self._hall = hall
        self._public = public
        self._delay = delay_s
        self._news: list[dict[str, Any]] = []
        self._rung = asyncio.Event()
        self._asked = dict.fromkeys(("status", "progress"), -WHOLE_EVERY_S)
        self._later: set[str] = set()
        self._kept: queries.Kept = {}

    async def run(self) -> None:
        """Until cancelled; a database that goes away is waited for."""
        board = asyncio.ensure_future(self._boards())
        try:
            while True:
                try:
                    await self._follow()
                except AWAY_ERRORS as error:
                    logger.info("hall: %s", error or type(error).__name__)
                    await asyncio.sleep(0.5)
        finally:
            board.cancel()

    async def _follow(self) -> None:
        connection = await connected(self._hub.config.hub.database)
        try:
            self._news.clear()
            await connection.add_listener(CHANNEL, self._told)
            gone = asyncio.Event()
            connection.add_termination_listener(lambda _: gone.set())
            await self.all()
            while not gone.is_set():
                try:
                    async with asyncio.timeout(2):
                        await self._rung.wait()
                    await asyncio.sleep(TOGETHER_S)
                except TimeoutError:
                    # Tables that fell silent are silent without a word.
                    self._news.append({"what": "status"})
                self._rung.clear()
                news, self._news = self._news, []
                await self.take(news)
        finally:
            connection.terminate()

    def _told(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        self._news += json.loads(payload)
        self._rung.set()

    async def all(self) -> None:
        """Everything anew."""
        pool, hall = self._hub.pool, self._hall
        rows = await queries.open_alerts(pool)
        wanted: dict[str, dict[str, Any] | None] = dict.fromkeys(hall.keys("alerts"))
        wanted.update({queries.alert_key(row): queries.alert_body(row) for row in rows})
        hall.put("alerts", wanted.items())
        open_calls: dict[str, dict[str, Any] | None] = dict.fromkeys(hall.keys("calls"))
        for row in await queries.calls(pool):
            open_calls[f"{row['chain']}-{row['seq']}"] = queries.call_body(row)
        hall.put("calls", open_calls.items())
        hall.put("orders", [(one["id"], one) for one in await queries.orders(pool)])
        hall.fact(
            "venue", {"name": self._hub.config.hub.venue, "ruleset": self._hub.config.hub.ruleset}
        )
        await self.take([{"what": what} for what in ("status", "incident", "round")])

    async def take(self, news: list[dict[str, Any]]) -> None:
        """Ask for what has changed, and show it."""
        pool, hall = self._hub.pool, self._hall
        what = {one["what"] for one in news}
        if "session" in what:
            # What the session before left undecided is no longer in the queue.
            await self.all()
        alerts = {(one["chain"], one["key"]) for one in news if one["what"] == "alert"}
        alerts |= {
            (one["chain"], one["on"]) for one in news
            if one["what"] == "claim" and not one["on"].startswith("call-")
        }  # fmt: skip
        if alerts:
            rows = await queries.alerts(pool, sorted(alerts))
            hall.put("alerts", [
                (queries.alert_key(r), None if left(r) else queries.alert_body(r)) for r in rows
            ])  # fmt: skip
        calls = {(one["chain"], one["seq"]) for one in news if one["what"] == "call"}
        calls |= {
            (one["chain"], int(one["on"][5:])) for one in news
            if one["what"] == "claim" and one["on"].startswith("call-")
        }  # fmt: skip
        if calls:
            found = await queries.calls(pool, sorted(calls))
            hall.put("calls", [
                (f"{r['chain']}-{r['seq']}",
                 None if r["answered"] or r["over"] else queries.call_body(r))
                for r in found
            ])  # fmt: skip
        ids = sorted({one["id"] for one in news if one["what"] == "order" and one.get("id")})
        if ids:
            hall.put("orders", [(one["id"], one) for one in await queries.orders(pool, ids)])
        if "incident" in what:
            hall.fact("incidents", await queries.incidents(pool))
            branches = await queries.branches(pool)
            hall.put("chains", [(str(one["id"]), one) for one in branches])
        if what & {"round", "session", "hand"} or "progress" in self._later:
            await self._now_and_then("progress", self._progress)
        if "status" in what or "status" in self._later:
            await self._now_and_then("status", self._statuses)

    async def _now_and_then(self, name: str, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask, if that is not too soon; else with the next news, which come within two seconds."""
        if time.monotonic() - self._asked[name] < WHOLE_EVERY_S:
            self._later.add(name)
            return
        self._later.discard(name)
        self._asked[name] = time.monotonic()
        await ask()

    async def _statuses(self) -> None:
        now = time.time()
        shown: list[tuple[str, dict[str, Any]]] = []
        for body in await queries.statuses(self._hub.pool):
            received = body.pop("received")
            body["silent"] = received is None or now - float(received) > SILENT_S
            # What changes with every word, and shows nothing, would be sent to every page.
            for name in ("sent", "v", "instance"):
                body.pop(name, None)
            if body.get("offset") is not None:
                body["offset"] = round(body["offset"], 2)
                body["offset_error"] = round(body.get("offset_error") or 0.0, 2)
            shown.append((body["table"], body))
        self._hall.put("tables", shown)

    async def _progress(self) -> None:
        """The rounds: who sits where, and how far each table is."""
        rounds = await queries.rounds(self._hub.pool)
        for one in rounds:
            if one["state"] != "running":
                continue
            one["hands"] = await queries.hands_played(self._hub.pool, one["number"])
        self._hall.fact("rounds", rounds)

    # -- the public -------------------------------------------------------------------------

    async def _boards(self) -> None:
        while True:
            try:
                self._public.fact("board", await self.board())
            except AWAY_ERRORS as error:
                logger.info("public board: %s", error or type(error).__name__)
            except Exception:
                # One session that cannot be counted must not leave the public without a board.
                logger.exception("public board")
            await asyncio.sleep(BOARD_EVERY_S)

    async def board(self) -> dict[str, Any]:
        """What the public may see: scores of finished hands, late; no tile, no alert, no fault.

        It is built of named values alone, so that nothing that is added elsewhere gets in.
        """
        before = time.time() - self._delay
        ruleset = self._hub.config.hub.ruleset
        rounds = await queries.rounds(self._hub.pool)
        running = next((one for one in rounds if one["state"] == "running"), None)
        there = await queries.sessions(self._hub.pool, before, self._kept)
        lines = await asyncio.to_thread(table_of_standings, load(ruleset), there)
        tables = [
            {
                "table": one.table,
                "players": one.names,
                "hands": len(one.bodies),
                "scores": list(one.scores),
            }
            for one in there
            if running is not None and one.round == running["number"]
        ]
        return {
            "venue": self._hub.config.hub.venue,
            "round": running["number"] if running else None,
            "ends": running["ends"] if running else None,
            "standings": [
                {name: line[name] for name in ("place", "player", "standard", "score")}
                for line in lines
            ],
            "tables": tables,
        }
