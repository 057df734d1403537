"""The terminal: moves and alerts as they come, live where there is a screen, lines where not."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from table_controller.domain.outputs import Alert, HandRecord, Move

_FELT = "#58b494"
_SEAL = "#e5655c"
_SEATS = ("bottom", "right", "top", "left")

_VERBS: dict[str, str] = {
    "dice": "dice",
    "break": "breaks the wall",
    "deal": "is dealt",
    "draw": "draws",
    "flower": "shows a flower",
    "north": "sets north aside",
    "discard": "discards",
    "chow": "chow",
    "pung": "pung",
    "kong": "kong",
    "riichi": "riichi",
    "indicator": "indicator",
    "win": "WINS",
    "exhausted": "the wall is exhausted",
    "abort": "the hand is aborted",
}


class Screen(Protocol):
    """Where a run shows what happens."""

    def move(self, move: Move) -> None:
        """A legal step."""

    def alert(self, alert: Alert) -> None:
        """Something for the referee."""

    def hand(self, hand: HandRecord) -> None:
        """A finished hand."""

    def note(self, text: str, *, bad: bool = False) -> None:
        """A remark: connections, starts, stops."""

    def status(self, values: dict[str, Any]) -> None:
        """Rates and lamps, a few times a second."""

    def close(self) -> None:
        """Leave the screen as plain text."""


def seat_name(seat: int | None) -> str:
    """``seat 2 (top)``, or nothing."""
    return "" if seat is None else f"seat {seat} ({_SEATS[seat]})"


def move_text(move: Move) -> Text:
    """One line for a move."""
    text = Text()
    text.append(f"{seat_name(move.seat):<16}", style="bold")
    text.append(f"{_VERBS.get(move.move, move.move)}")
    if move.kong:
        text.append(f" ({move.kong})")
    if move.values:
        text.append(" " + " + ".join(str(value) for value in move.values))
    faces = move.tiles or ((move.tile,) if move.tile else ())
    known = [face.value for face in faces if face.known]
    if known:
        text.append(" " + " ".join(known), style=_FELT)
    elif faces and move.move == "deal":
        text.append(f" {len(faces)} tiles")
    if move.from_ is not None:
        text.append(f" from seat {move.from_}")
    if move.inferred:
        text.append("  (inferred)", style="yellow")
    return text


def ruling_text(alert: Alert) -> str:
    """The proposed ruling in one line."""
    ruling = alert.ruling
    parts = [ruling.summary.rstrip(".")]
    if ruling.points:
        parts.append(f"{abs(ruling.points)} points off")
    if ruling.stop_win:
        parts.append("stop-win 停和" + (", plays along 陪打" if ruling.play_along else ""))
    if ruling.warning:
        parts.append("warning")
    if ruling.penalty_tile:
        parts.append(f"penalty tile {ruling.penalty_tile.value}")
    return "; ".join(part for part in parts if part)


def alert_text(alert: Alert) -> Text:
    """An alert with its clause and proposed ruling, over a few lines."""
    text = Text()
    text.append("▲ ", style=f"bold {_SEAL}")
    text.append(alert.id, style=f"bold {_SEAL}")
    if alert.seat is not None:
        text.append(f"  {seat_name(alert.seat)}", style="bold")
    if alert.stage:
        text.append(f"  {alert.stage}")
    if alert.count:
        text.append(f"  #{alert.count}")
    text.append(f"  {alert.confidence:.0%}\n", style="dim")
    text.append(f"  {ruling_text(alert)}\n")
    text.append(f"  {alert.rule.ruleset} · {alert.rule.clause}", style="dim")
    if alert.ruling.until_text:
        text.append(f" · may be raised {alert.ruling.until_text}", style="dim")
    return text


def hand_table(hand: HandRecord) -> RenderableType:
    """The captured hand with its fans and payments."""
    blocks: list[RenderableType] = []
    for win in hand.wins:
        line = Text()
        line.append(f"{seat_name(win.winner)} wins ", style="bold")
        line.append("self-drawn" if win.from_ is None else f"from {seat_name(win.from_)}")
        line.append(f" on {win.win_tile.value}\n", style=_FELT)
        line.append("  " + " ".join(tile.value for tile in win.tiles))
        for meld in win.melds:
            line.append("  [" + " ".join(str(tile) for tile in meld["tiles"]) + "]")
        if win.flowers:
            line.append("  flowers " + " ".join(tile.value for tile in win.flowers))
        blocks.append(line)
        fans = Table(box=None, pad_edge=False, header_style="dim")
        fans.add_column("fan")
        fans.add_column("")
        fans.add_column("value", justify="right")
        for fan in win.score.get("fans", ()):
            times = f" ×{fan['count']}" if fan["count"] > 1 else ""
            fans.add_row(fan["name_en"], fan["name_zh"], f"{fan['value']}{times}")
        total = win.score.get("total")
        fans.add_row(Text("total", style="bold"), "", Text(str(total), style="bold"))
        blocks.append(fans)
    if not hand.wins:
        blocks.append(Text(f"{hand.result}{f' ({hand.reason})' if hand.reason else ''}"))
    money = Table(box=None, pad_edge=False, header_style="dim")
    money.add_column("")
    for seat in range(len(hand.payments)):
        money.add_column(f"seat {seat}", justify="right")
    money.add_row("payments", *(f"{value:+d}" for value in hand.payments))
    if any(hand.penalties):
        money.add_row("penalties", *(f"{value:+d}" for value in hand.penalties))
    money.add_row("scores", *(str(value) for value in hand.scores))
    blocks.append(money)
    title = f"hand {hand.hand}, {hand.round_wind} round, dealer seat {hand.dealer}"
    return Panel(Group(*blocks), title=title, border_style=_FELT)


class PlainScreen:
    """Lines for a log or a pipe."""

    def __init__(self, console: Console, start: Callable[[], float]) -> None:
        self._console = console
        self._start = start

    def _at(self, t: float) -> str:
        return f"{max(0.0, t - self._start()):7.1f} s  "

    def move(self, move: Move) -> None:
        """See :class:`Screen`."""
        self._console.print(Text(self._at(move.t), style="dim") + move_text(move), soft_wrap=True)

    def alert(self, alert: Alert) -> None:
        """See :class:`Screen`."""
        self._console.print(
            Text(self._at(alert.t), style="dim") + alert_text(alert), soft_wrap=True
        )

    def hand(self, hand: HandRecord) -> None:
        """See :class:`Screen`."""
        self._console.print(hand_table(hand))

    def note(self, text: str, *, bad: bool = False) -> None:
        """See :class:`Screen`."""
        self._console.print(Text(text, style=_SEAL if bad else "dim"), soft_wrap=True)

    def status(self, values: dict[str, Any]) -> None:
        """Lines have no place for a status."""

    def close(self) -> None:
        """Nothing to leave."""


class LiveScreen:
    """A full screen that keeps itself up to date; on closing, what matters stays as text."""

    def __init__(self, console: Console, start: Callable[[], float], title: str) -> None:
        self._console = console
        self._start = start
        self._title = title
        self._moves: deque[Text] = deque(maxlen=200)
        self._alerts: list[Alert] = []
        self._notes: deque[Text] = deque(maxlen=4)
        self._hands: list[HandRecord] = []
        self._status: dict[str, Any] = {}
        self._live = Live(
            get_renderable=self._draw, console=console, refresh_per_second=4, screen=True
        )
        self._live.start()

    def move(self, move: Move) -> None:
        """See :class:`Screen`."""
        at = Text(f"{max(0.0, move.t - self._start()):6.1f}  ", style="dim")
        self._moves.append(at + move_text(move))

    def alert(self, alert: Alert) -> None:
        """See :class:`Screen`."""
        self._alerts.append(alert)

    def hand(self, hand: HandRecord) -> None:
        """See :class:`Screen`."""
        self._hands.append(hand)

    def note(self, text: str, *, bad: bool = False) -> None:
        """See :class:`Screen`."""
        stamp = time.strftime("%H:%M:%S ")
        self._notes.append(Text(stamp + text, style=_SEAL if bad else "dim"))

    def status(self, values: dict[str, Any]) -> None:
        """See :class:`Screen`."""
        self._status = values

    def pause(self) -> None:
        """Stop redrawing."""
        self._live.stop()

    def drawn(self) -> RenderableType:
        """The view as it is now."""
        return self._draw()

    def close(self) -> None:
        """Leave the alternate screen and print the alerts and hands once more."""
        self._live.stop()
        for alert in self._alerts:
            self._console.print(alert_text(alert))
        for hand in self._hands:
            self._console.print(hand_table(hand))

    def _draw(self) -> RenderableType:
        height = self._console.size.height
        layout = Layout()
        layout.split_column(
            Layout(self._header(), size=3),
            Layout(name="body"),
            Layout(Panel(Group(*self._notes), title="log", border_style="dim"), size=6),
        )
        right: list[RenderableType] = [alert_text(alert) for alert in reversed(self._alerts[-8:])]
        if self._hands:
            right = [hand_table(self._hands[-1]), *right]
        if not right:
            right = [Text("none", style="dim")]
        moves = list(self._moves)[-(max(4, height - 11)) :]
        layout["body"].split_row(
            Layout(Panel(Group(*moves), title="moves", border_style=_FELT), ratio=4),
            Layout(
                Panel(Group(*right), title=f"alerts {len(self._alerts)}", border_style=_SEAL),
                ratio=5,
            ),
        )
        return layout

    def _header(self) -> RenderableType:
        line = Text()
        line.append(" 牌官 paiguan ", style=f"bold reverse {_SEAL}")
        line.append(f"  {self._title}  ")
        for name, value in self._status.items():
            good = value not in (False, None)
            shown = {True: "●", False: "▲ lost"}.get(value, value) if value is not None else "–"
            line.append(f"  {name} ", style="dim")
            line.append(str(shown), style="" if good else _SEAL)
        return Panel(line, border_style="dim")


def open_screen(
    start: Callable[[], float], title: str, *, live: bool | None = None
) -> PlainScreen | LiveScreen:
    """The live view on a terminal, plain lines elsewhere.

    Args:
        start: gives the source time that counts as zero.
        title: of the run.
        live: force one or the other; None decides by the terminal.
    """
    console = Console(highlight=False)
    if live if live is not None else console.is_terminal:
        return LiveScreen(console, start, title)
    return PlainScreen(console, start)
