"""Before an order is taken the game is folded with it on trial: what comes of it is judged here."""

from __future__ import annotations

from typing import Final

from table_controller.console.desk import DecisionRefusedError
from table_controller.domain.alert_ids import ALERT_GROUPS
from table_controller.domain.alert_names import alert_title
from table_controller.domain.outputs import Alert, HandRecord, Output
from table_controller.referee.decisions import key_of

_IMPOSSIBLE: Final = frozenset(ALERT_GROUPS["census"])


def judge(before: list[Output], after: list[Output], *, insist: bool) -> None:
    """Refuse an order after which the rules accept less than before.

    Raises:
        DecisionRefusedError: saying what stands against it.
    """
    known = {key_of(output) for output in before if isinstance(output, Alert)}
    new = [o for o in after if isinstance(o, Alert) and key_of(o) not in known]
    for alert in new:
        if alert.id in _IMPOSSIBLE:
            raise DecisionRefusedError(
                f"this cannot be: {alert_title(alert.id)['en'].lower()} ({alert.id})",
                code="impossible",
                alert=alert_title(alert.id),
            )
    if insist:
        return
    had = [output for output in before if isinstance(output, HandRecord)]
    has = [output for output in after if isinstance(output, HandRecord)]
    for number, hand in enumerate(had):
        if hand.result == "win" and (number >= len(has) or has[number].result != "win"):
            raise DecisionRefusedError(
                f"with this, hand {number + 1} is not won any more: enter it all the same?",
                insist=True,
                code="not_won",
                hand=number + 1,
            )
    if new:
        seat = "" if new[0].seat is None else f" at seat {new[0].seat}"
        raise DecisionRefusedError(
            f"with this, the rules find {alert_title(new[0].id)['en'].lower()}{seat} "
            f"({new[0].id}): enter it all the same?",
            insist=True,
            code="new_alert",
            alert=alert_title(new[0].id),
            seat=new[0].seat,
        )
