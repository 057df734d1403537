"""Hands one journal to the venue: in order, each entry once, however often the cable breaks.

Every message says which message of this chain must stand before it
(``Nats-Expected-Last-Subject-Sequence``); the venue refuses any other. A refusal, and every start,
is answered by asking the venue for its newest entry of the chain: where this journal holds the
same one, it goes on after it; where it does not, the journal was restored from an old backup and
becomes a branch of its own, which the hall shows and does not merge.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from nats.aio.client import Client
from nats.errors import NoRespondersError

from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.handing.outbox import Outbox
from table_controller.venue.messages import URGENT_HEADER, Batch, Line, batches

logger = logging.getLogger(__name__)

ENTRY_HEADER: Final = "Paiguan-Entry"
"""Number and hash of the newest entry in a message: ``17 ab12…``."""
_WRONG_LAST: Final = (10071, 10060)
_ACK_S: Final = 5.0


class Sent(StrEnum):
    """What came of handing over."""

    ALL = "all"
    """Nothing is left."""
    MORE = "more"
    """There is more."""
    FORKED = "forked"
    """The venue holds entries that this journal has not: it is a branch from now on."""


class NotTakenError(Exception):
    """The venue did not take a message; it is tried again later."""


@dataclass(frozen=True, slots=True)
class _Newest:
    """The newest entry the venue holds of a chain."""

    seq: int
    hash: str
    stream: int


class Publisher:
    """Hands over one journal.

    Args:
        client: the connection.
        subjects: of the venue.
        table: its name.
        outbox: of the journal.
        handed: told kind and body of every entry that was handed over.
    """

    def __init__(
        self,
        client: Client,
        subjects: names.Subjects,
        table: str,
        outbox: Outbox,
        handed: Callable[[str, str], None] = lambda _kind, _body: None,
    ) -> None:
        self.client = client
        self._handed = handed
        self._subjects = subjects
        self._table = table
        self._outbox = outbox
        self._agreed = False
        self._round = 0
        self._rewind: int | None = None
        self.messages = 0
        self.entries = 0

    async def hand_over(self) -> Sent:
        """Send what waits, a few hundred entries at most.

        Raises:
            NotTakenError: the venue did not answer or has no room; nothing is lost.
        """
        if self._outbox.chain is None:
            return Sent.ALL
        if self._rewind is not None:
            # Only here: an acknowledgement that was awaited would have undone it.
            self._outbox.again(self._rewind)
            self._rewind = None
            self._round += 1
        if not self._agreed:
            if not await self._agree():
                return Sent.FORKED
            self._agreed = True
        lines = self._outbox.pending()
        for group in batches(lines):
            if not await self._send(group):
                self._agreed = False
                return Sent.MORE
        return Sent.MORE if len(lines) >= 500 else Sent.ALL

    def again(self, after: int) -> None:
        """The hall has a gap after an entry: send it again, after what is under way."""
        self._rewind = after if self._rewind is None else min(after, self._rewind)

    def doubt(self) -> None:
        """Ask the venue before sending more: the connection was lost."""
        self._agreed = False

    # -- inside -----------------------------------------------------------------------------

    def _subject(self) -> str:
        name = self._outbox.name
        assert name is not None
        return self._subjects.journal(self._table, name)

    async def _send(self, lines: tuple[Line, ...]) -> bool:
        previous = self._outbox.hash_at(lines[0].seq - 1)
        assert previous is not None
        of = self._outbox.chain if self._outbox.position.branch else None
        last = lines[-1]
        headers = {
            "Nats-Msg-Id": f"{self._outbox.name}.{last.hash.hex()[:32]}.{self._round}",
            "Nats-Expected-Last-Subject-Sequence": str(self._outbox.position.stream),
            "Nats-Expected-Stream": names.JOURNAL_STREAM,
            ENTRY_HEADER: f"{last.seq} {last.hash.hex()}",
        }
        if any(line.urgent for line in lines):
            headers[URGENT_HEADER] = "1"
        data = Batch(lines, previous, time.time(), of).encode()
        answer = await self._ask(self._subject(), data, headers)
        error = answer.get("error")
        if error is not None:
            if error.get("err_code") in _WRONG_LAST:
                return False
            raise NotTakenError(f"{error.get('description')} ({error.get('err_code')})")
        self._outbox.acknowledged(last.seq, int(answer["seq"]))
        self.messages += 1
        self.entries += len(lines)
        for line in lines:
            self._handed(line.kind, line.body)
        return True

    async def _agree(self) -> bool:
        """Find the newest entry that both hold; false where the chains have forked."""
        newest = await self._newest()
        position = self._outbox.position
        if newest is None:
            # Nothing is kept of this chain any more, or nothing came yet: the journal knows.
            self._outbox.acknowledged(position.acked, 0)
            return True
        ours = self._outbox.hash_at(newest.seq)
        if ours is None or ours.hex() != newest.hash:
            branch = self._outbox.fork()
            logger.error(
                "table %s: the venue holds entry %d of chain %s, this journal does not: "
                "it was restored from a backup and goes on as branch %s",
                self._table, newest.seq, self._outbox.chain, branch,
            )  # fmt: skip
            return False
        # After a request to send again, older entries travel once more behind the newest one.
        acked = newest.seq if self._round == 0 else position.acked
        self._outbox.acknowledged(acked, newest.stream)
        return True

    async def _newest(self) -> _Newest | None:
        api = f"$JS.API.DIRECT.GET.{names.JOURNAL_STREAM}.{self._subject()}"
        try:
            message = await self.client.request(api, b"", timeout=_ACK_S)
        except NoRespondersError:
            raise NotTakenError("the venue's stream is not there") from None
        except TimeoutError:
            raise NotTakenError("no answer from the venue") from None
        headers = message.headers or {}
        status = headers.get("Status")
        if status == "404":
            return None
        if status is not None:
            raise NotTakenError(f"the venue answered {status} {headers.get('Description', '')}")
        seq, _, value = headers[ENTRY_HEADER].partition(" ")
        return _Newest(int(seq), value, int(headers["Nats-Sequence"]))

    async def _ask(self, subject: str, data: bytes, headers: dict[str, str]) -> dict[str, Any]:
        try:
            message = await self.client.request(subject, data, timeout=_ACK_S, headers=headers)
        except NoRespondersError:
            raise NotTakenError("the venue's stream is not there") from None
        except TimeoutError:
            raise NotTakenError("no answer from the venue") from None
        try:
            answer = json.loads(message.data)
        except ValueError:
            raise VenueError(f"the venue answered {message.data[:60]!r}") from None
        assert isinstance(answer, dict)
        return answer
