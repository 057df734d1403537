"""The console's server out of the configuration, and what it is told after a new fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from table_controller.config import Config
from table_controller.console.access import Access, Role, kept_tokens
from table_controller.console.desk import Desk
from table_controller.console.hub import Hub
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer, build_app
from table_controller.domain.output_codec import to_object
from table_controller.domain.outputs import Alert, HandRecord, Move, Output

RESTATED: Final = ("stage", "count", "rule", "ruling")
"""What the rules say of an alert that depends on what else they say."""


def serve_console(config: Config, hub: Hub, public: PublicFeed, desk: Desk) -> ConsoleServer:
    """The server of one table's console, not started yet.

    Raises:
        OSError: the address cannot be had or the certificate not be read.
    """
    section = config.console
    given: dict[str, str] = {str(role): token for role, token in section.tokens.items()}
    if section.token is not None:
        given["referee"] = section.token
    tokens = kept_tokens(config.record.dir / "console-tokens.json", given)
    tls = None
    if section.tls_cert is not None and section.tls_key is not None:
        tls = (section.tls_cert, section.tls_key)
    access = Access(tokens, hours=section.session_hours, secure=tls is not None, audit=desk.audit)
    app = build_app(hub, public.hub, access, desk)
    return ConsoleServer(app, section.host, section.port, tokens[Role.REFEREE], tls)


def refolded(
    outputs: Sequence[Output],
    key_for: Callable[[Alert], str | None],
    alerts: Iterable[dict[str, Any]],
    confirmed: set[str],
) -> dict[str, Any]:
    """What the console shows after the game was folded again.

    Alerts that the rules no longer raise are withdrawn; those a referee dismissed stay dismissed.
    """
    standing = {key_for(output) for output in outputs if isinstance(output, Alert)}
    hands: list[dict[str, Any]] = []
    for output in outputs:
        if isinstance(output, HandRecord):
            key = f"hand-{len(hands) + 1:03d}"
            hands.append(
                {**to_object(output), "key": key, "confirmed": output.confirmed or key in confirmed}
            )
    withdrawn = [
        alert["key"]
        for alert in alerts
        if alert["key"] not in standing and (alert.get("decision") or {}).get("action") != "dismiss"
    ]
    return {
        "moves": [to_object(output) for output in outputs if isinstance(output, Move)][-600:],
        "hands": hands,
        "withdrawn": withdrawn,
    }


def restated(
    outputs: Sequence[Output],
    key_for: Callable[[Alert], str | None],
    alerts: Iterable[dict[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Of which alerts the rules now say something else than the console shows, and what; by key.

    The second occurrence is the first once the other one was dismissed. Where a referee has changed
    the ruling the rules say his: the alert goes on showing what he has changed.
    """
    shown = {alert["key"]: alert for alert in alerts}
    found: dict[str, dict[str, Any]] = {}
    for output in outputs:
        key = key_for(output) if isinstance(output, Alert) else None
        if key is None or key not in shown:
            continue
        alert = shown[key]
        said = to_object(output)
        facts = {name: said.get(name) for name in RESTATED}
        changed = (alert.get("decision") or {}).get("action") == "change"
        if not changed and any(alert.get(name) != fact for name, fact in facts.items()):
            found[key] = facts
    return found
