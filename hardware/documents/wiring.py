"""The wiring diagram as SVG, drawn from the pin table."""

from __future__ import annotations

from html import escape

from hardware.documents.pins import Group, Pin

_WIDTH, _ROW, _TOP = 1180, 19, 64
_BOARD_LEFT, _BOARD_RIGHT = 470, 710
_BOX = 300
_LEFT_GROUPS = ("Switches and safety", "Photo sensors", "Shift-register chain", "Analogue")
_COLOURS = {
    "Switches and safety": "#8a3b12",
    "Photo sensors": "#12558a",
    "Shift-register chain": "#5a2a82",
    "Analogue": "#6b6b00",
    "Drives, start button, buzzer": "#a01515",
    "Lamps": "#1d6b2f",
    "Serial line": "#333333",
}
_NOTES = (
    "Emergency stop: first contact block cuts the coil supply of the motor relay by itself;",
    "the second one tells the board. The board's relay (D37) is in series: both must be closed.",
    "Light curtain: its outputs drive a safety relay in that circuit; a contact of it tells D29.",
    "Grounds of 5 V and 12 V meet in one star point at the supply. Motor wires are twisted and led",
    "apart from the sensor wires; every drive has its suppressor at the motor.",
)


def draw(groups: tuple[Group, ...]) -> str:
    """The diagram, one line a pin."""
    left = [g for g in groups if g.title in _LEFT_GROUPS]
    right = [g for g in groups if g.title not in _LEFT_GROUPS]
    height = _TOP + max(_height(left), _height(right)) + 40 + _ROW * len(_NOTES) + 20
    head = f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        '<text x="20" y="30" font-size="18" font-weight="bold">Wiring of the table board</text>',
        '<text x="20" y="48" fill="#555">Made by python -m hardware.documents</text>',
    ]
    bottom = height - _ROW * len(_NOTES) - 40
    out.append(
        f'<rect x="{_BOARD_LEFT}" y="{_TOP - 8}" width="{_BOARD_RIGHT - _BOARD_LEFT}" '
        f'height="{bottom - _TOP}" rx="8" fill="#e8f0ec" stroke="#244"/>'
    )
    middle = (_BOARD_LEFT + _BOARD_RIGHT) // 2
    out.append(
        f'<text x="{middle}" y="{_TOP + 12}" text-anchor="middle" font-weight="bold">'
        "Mega 2560</text>"
    )
    out += _side(left, to_left=True) + _side(right, to_left=False)
    for index, note in enumerate(_NOTES):
        y = bottom + 30 + index * _ROW
        out.append(f'<text x="20" y="{y}" fill="#333">{escape(note)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _height(groups: list[Group]) -> int:
    return sum(_ROW * (len(g.pins) + 2) for g in groups) + _ROW


def _side(groups: list[Group], *, to_left: bool) -> list[str]:
    out, y = [], _TOP + _ROW
    edge = 20 if to_left else _WIDTH - 20 - _BOX
    for group in groups:
        colour = _COLOURS[group.title]
        rows = len(group.pins)
        out.append(
            f'<rect x="{edge}" y="{y - 4}" width="{_BOX}" height="{_ROW * (rows + 1) + 4}" rx="6" '
            f'fill="none" stroke="{colour}"/>'
        )
        out.append(
            f'<text x="{edge + 8}" y="{y + 11}" font-weight="bold" fill="{colour}">'
            f"{escape(group.title)}</text>"
        )
        y += _ROW
        for pin in group.pins:
            out += _wire(pin, y, edge, colour, to_left=to_left)
            y += _ROW
        y += _ROW
    return out


def _wire(pin: Pin, y: int, edge: int, colour: str, *, to_left: bool) -> list[str]:
    middle = y + 7
    start = edge + _BOX if to_left else _BOARD_RIGHT
    end = _BOARD_LEFT if to_left else edge
    label_x = _BOARD_LEFT + 6 if to_left else _BOARD_RIGHT - 6
    anchor = "start" if to_left else "end"
    return [
        f'<line x1="{start}" y1="{middle}" x2="{end}" y2="{middle}" stroke="{colour}"/>',
        f'<text x="{label_x}" y="{y + 11}" text-anchor="{anchor}">{escape(pin.board)}</text>',
        f'<text x="{edge + 8}" y="{y + 11}" fill="{colour}">{escape(pin.what)}</text>',
    ]
