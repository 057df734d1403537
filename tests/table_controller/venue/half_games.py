"""A table that plays half-games of a team relay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.domain.happenings import Happening
from table_controller.record.journal import Entry, EntryKind
from table_controller.venue.hall.matches import Match, match_of
from table_controller.venue.messages import OrderKind
from tests.table_controller.venue.ordered import AtTable

RELAY = "riichi-xjtu-2025-relay"


@cache
def hand(abort: str = "") -> tuple[Happening, ...]:
    """A hand that the players played: with a winner, or broken off."""
    wish = HandWish(abort="four_riichi") if abort else HandWish(win_by="self", riichi=True)
    director = Director(Scenario(ruleset=RELAY, seed=3, wishes=(wish,)))
    return tuple(one for one in director.truth() if one.kind != "table_set")


class AtRelay(AtTable):
    """A table that plays half-games of a relay."""

    def begin(self, number: int, players: str, scores: Sequence[int] | None = None) -> None:
        body: dict[str, Any] = {"session": f"r{number}-T01", "round": number, "ruleset": RELAY,
                                "players": list(players)}  # fmt: skip
        self.give(OrderKind.SESSION_START, body if scores is None else body | {"scores": scores})

    def hand(self, abort: str = "") -> None:
        self._t += 1000.0
        for one in hand(abort):
            self.table.tell(replace(one, t=self._t + one.t))
        # Nobody says anything more: the hand is settled by the time that passes.
        self.table.controller.t += 60.0
        self.table.controller.judge([])

    def warn(self, seat: int, times: int) -> None:
        desk = self.table.ruled.desk(self.table.evidence)
        for number in range(times):
            form = OffenceForm(by="Li", request=f"warning-{seat}-{number}", seat=seat,
                               about="talks", ruling=RulingForm(warning=True))  # fmt: skip
            desk.enter(form, "referee")
        self.table.settle()

    @property
    def entries(self) -> list[Entry]:
        return list(self.table.journal.entries())

    @property
    def hands(self) -> list[dict[str, Any]]:
        """As they were settled last, in order."""
        settled = {e.body["key"]: e.body for e in self.entries if e.kind is EntryKind.HAND}
        return [settled[key] for key in sorted(settled)]

    @property
    def match(self) -> Match:
        found = match_of(self.entries, self.hands, "T01")
        assert found is not None
        return found

    def points(self) -> list[int]:
        points = {row["seat"]: row["points"] for row in self.match.rows}
        return [points[seat] for seat in range(4)]
