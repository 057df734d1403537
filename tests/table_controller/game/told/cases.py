"""Hands that are told, with what has to be raised of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.table_controller.game.scenes import Scene

Case = Callable[[], Scene]


@dataclass(frozen=True)
class Infractions:
    """Those of one subject."""

    params: list[Any] = field(default_factory=list)

    def case(
        self, alert: str, seat: int | None, stage: str | None = None, *, rules: str = "mcr-1998"
    ) -> Callable[[Case], Case]:
        """A hand that has to raise exactly this alert."""

        def keep(tell: Case) -> Case:
            name = f"{alert}-{tell.__name__}"
            self.params.append(pytest.param(alert, seat, stage, rules, tell, id=name))
            return tell

        return keep


@dataclass(frozen=True)
class Allowed:
    """Hands that raise nothing."""

    params: list[Any] = field(default_factory=list)

    def case(self, *rules: str) -> Callable[[Case], Case]:
        """A hand that must raise nothing, under these rulesets or all of the Chinese rules."""

        def keep(tell: Case) -> Case:
            for name in rules or ("mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"):
                self.params.append(pytest.param(name, tell, id=f"{tell.__name__}-{name}"))
            return tell

        return keep
