"""What a technician wants of the link: live sensors, checks with remedies, actuators, a report.

Nothing here prints or asks; the command line does. Actuators carry the warning that must have been
confirmed before :meth:`Actuator.move` is called.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.errors import LinkError
from firmware_bridge.link import Link
from firmware_bridge.port import candidates
from firmware_bridge.readings import LinkChanged, Reading
from firmware_bridge.status import LinkStatus

_CLOCK_S: Final = 0.005
_ROUND_TRIP_S: Final = 0.05
_OPTICS: Final = "wipe the optics; dirt is the commonest cause"
_REMEDIES: Final[dict[m.Defect, str]] = {
    m.Defect.HATCH_ENDS: "hatch: both end switches or none answer; check lever, plug and wire",
    m.Defect.LIFT_ENDS: "lift: both end switches or none answer; check lever, plug and wire",
    m.Defect.SUPPLY: "12 V supply out of range; measure it at the terminal under load",
    m.Defect.MOTOR_CURRENT: "current flows with all drives off; check the drive board",
    m.Defect.CHAIN: "shift-register chain broken; check the ribbon cables from the far end",
    m.Defect.STOP_PRESSED: "emergency stop pressed, or its wire is broken",
    m.Defect.PHOTO: f"a push-head or platform sensor is dark; {_OPTICS}",
    m.Defect.HAND: f"light curtain interrupted, or its wire is broken; {_OPTICS}",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check: ``good``, what was found, and the remedy where it is not."""

    what: str
    good: bool
    found: str
    remedy: str = ""


class Panel:
    """The latest value of every sensor; feed it with readings."""

    def __init__(self) -> None:
        self._latest: dict[str, Reading] = {}
        self.events = 0

    def take(self, reading: Reading) -> None:
        """Note a reading."""
        if not isinstance(reading.what, LinkChanged):
            self.events += 1
        self._latest[reading.kind] = reading

    def rows(self) -> list[tuple[str, str]]:
        """Sensor and value in words, always in the same order."""
        rows: list[tuple[str, str]] = []
        for kind in sorted(self._latest):
            what = self._latest[kind].what
            if isinstance(what, m.WallPresence):
                for side, bits in enumerate(what.stacks):
                    row = "".join("#" if bits >> s & 1 else "." for s in range(m.STACKS))
                    rows.append((f"wall {side}", f"{row} {bits.bit_count()}"))
            else:
                rows.append((kind.replace("_", " "), _words(what)))
        return rows


def _words(what: object) -> str:
    parts = []
    for name in getattr(what, "__match_args__", ()):
        value = getattr(what, name)
        if isinstance(value, m.Block | m.Ends | m.Defect):
            value = " ".join(str(f.name).lower() for f in value) or "-"
        parts.append(f"{name} {getattr(value, 'name', value)}".lower())
    return ", ".join(parts) or "pressed"


def checks(link: Link, seconds: float = 1.5) -> Iterator[Check]:
    """Listen for a while, run the board's self-test if it may, and judge.

    Raises:
        LinkError: the link broke meanwhile.
    """
    panel, failed = Panel(), None
    outcome = link.send(m.SelfTest()).outcome
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        reading = link.read(left)
        if reading is None:
            continue
        panel.take(reading)
        if isinstance(reading.what, m.SelfTestDone):
            failed = reading.what.failed
    yield from link_checks(link.status)
    if outcome is not m.Outcome.DONE or failed is None:
        yield Check("self-test", True, "not run: the machine is at work or in play")
        return
    if not failed:
        yield Check("self-test", True, "all sensors plausible")
    for defect in failed:
        name = str(defect.name).lower().replace("_", " ")
        yield Check(f"self-test: {name}", False, "failed", _REMEDIES[defect])


def link_checks(status: LinkStatus) -> Iterator[Check]:
    """What the link itself tells."""
    found = f"{status.port}: firmware {status.firmware}, serial number {status.serial}"
    yield Check("board", status.connected, found, "see the message of the link")
    trip = status.round_trip
    yield Check(
        "round trip",
        trip <= _ROUND_TRIP_S,
        f"{trip * 1e3:.1f} ms",
        "another program loads this computer, or a USB hub is at fault",
    )
    off = (status.clock_rate - 1) * 1e6
    yield Check(
        "board clock",
        status.clock_error <= _CLOCK_S,
        f"known within {status.clock_error * 1e3:.1f} ms, rate {off:+.0f} ppm",
        "wait half a minute; then as for the round trip",
    )
    yield Check(
        "line",
        status.frame_errors <= 1,
        f"{status.frame_errors} broken frames, {status.repeats} commands repeated",
        "a shorter or shielded USB cable, away from the motors",
    )


@dataclass(frozen=True, slots=True)
class Actuator:
    """Something that moves, shines or may again; a person must confirm ``warning`` before."""

    name: str
    warning: str
    commands: tuple[m.CommandMessage, ...]

    def move(self, link: Link) -> m.Result:
        """Do it; the first answer that is not ``done`` ends it.

        Raises:
            LinkError: no answer.
        """
        result = m.Result(m.Outcome.DONE, m.Block(0))
        for command in self.commands:
            result = link.send(command)
            if result.outcome is not m.Outcome.DONE:
                break
        return result


_HANDS: Final = "keep hands and tiles out of the hatch; somebody must be able to reach the stop"
_CAUSE: Final = "what made the fault must be gone, and no hand in the machine"

ACTUATORS: Final[tuple[Actuator, ...]] = (
    Actuator("hatch open", _HANDS, (m.Hatch(True),)),
    Actuator("hatch close", _HANDS, (m.Hatch(False),)),
    Actuator("lift up", _HANDS, (m.Lift(True),)),
    Actuator("lift down", _HANDS, (m.Lift(False),)),
    Actuator("dice", "the dice will be thrown", (m.Dice(1000),)),
    *(Actuator(f"seat lamp {s}", "", (m.SeatLamp(s, m.Lamp.BLINK),)) for s in range(m.SIDES)),
    Actuator("seat lamps off", "", tuple(m.SeatLamp(s, m.Lamp.OFF) for s in range(m.SIDES))),
    *(Actuator(f"dealer lamp {s}", "", (m.DealerLamp(s),)) for s in range(m.SIDES)),
    Actuator("dealer lamp off", "", (m.DealerLamp(255),)),
    Actuator("buzzer", "it is loud", (m.Buzzer(m.Buzz.DOUBLE),)),
    Actuator("clear fault", _CAUSE, (m.ClearFault(),)),
)


def report(link: Link, *, seconds: float = 3.0) -> str:
    """Everything a technician elsewhere would ask for, as plain text."""
    panel = Panel()
    lines = [f"system {platform.platform()}, Python {platform.python_version()}"]
    lines += [f"port {c.device}: {c.description}" for c in candidates()]
    try:
        link.send(m.Query())
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            reading = link.read(left)
            if reading is not None:
                panel.take(reading)
        for check in checks(link):
            mark = "ok" if check.good else "NO"
            remedy = "" if check.good else f" -> {check.remedy}"
            lines.append(f"[{mark}] {check.what}: {check.found}{remedy}")
    except LinkError as error:
        lines.append(f"[NO] link: {error}")
    lines += [f"{name}: {value}" for name, value in panel.rows()]
    return "\n".join(lines) + "\n"
