"""Until when an alert could be raised: which of them have passed.

The rulesets name their windows (:class:`table_controller.rulesets.model.Window`); the moves that
follow an alert end them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.rulesets.model import Window


@dataclass(slots=True)
class Windows:
    """The alerts whose window is still open; pure, fed with what the rules say."""

    waiting: dict[str, Alert] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    """Those whose hand has ended, and that wait for the next shuffle."""

    def take(self, output: Output, key: str | None) -> list[tuple[str, float]]:
        """One more output.

        Returns:
            Keys of alerts whose window has passed with it, and when.
        """
        if isinstance(output, Alert):
            if key is not None and "window" in output.ruling.extra:
                self.waiting[key] = output
            return []
        passed = [
            (name, output.t)
            for name, alert in self.waiting.items()
            if output.t > alert.t and self._ends(name, alert, output)
        ]
        for name, _ in passed:
            del self.waiting[name]
            self.over.discard(name)
        return passed

    def _ends(self, key: str, alert: Alert, output: Move | HandRecord) -> bool:
        window: str = alert.ruling.extra["window"]
        if window == Window.SESSION_END:
            return False
        if isinstance(output, HandRecord):
            self.over.add(key)
            return window != Window.NEXT_SHUFFLE
        if window == Window.NEXT_SHUFFLE:
            # When the next hand's dice are thrown its shuffle is long done.
            return key in self.over and output.move in ("dice", "break", "deal")
        if window == Window.AT_ONCE:
            return output.move in ("draw", "discard", "chow", "pung", "kong")
        if window in (Window.NEXT_DISCARD, Window.DEALER_FIRST_DISCARD):
            return output.move == "discard"
        if window == Window.GO_AROUND:
            return output.move == "draw" and output.seat == alert.seat
        return False
