"""The WebSocket feed: what was missed, then everything as it is published."""

import asyncio

from fastapi import FastAPI, WebSocket
from starlette.websockets import WebSocketDisconnect

from table_controller.console.access import Access, Right, TooManyError
from table_controller.console.gate import Gate, same_origin
from table_controller.console.hub import Hub


def add_feed(
    app: FastAPI, gate: Gate, access: Access, hub: Hub, public: Hub, path: str = "/api/feed"
) -> None:
    """The feed of a hub, for viewers that of the public one; it ends with the session."""

    @app.websocket(path)
    async def feed(connection: WebSocket, after: int = -1) -> None:
        try:
            session = gate.who(connection)
        except TooManyError:
            session = None
        # Accepted first: a refused handshake reaches a browser without its code, and the page
        # would try for ever instead of asking to sign in.
        await connection.accept()
        if session is None or not (gate.by_bearer(connection) or same_origin(connection)):
            await connection.close(4401, "not signed in")
            return
        seen = hub if session.may(Right.SEE) else public
        try:
            async with asyncio.timeout(min(access.left(session), 86_400 * 30)):
                await _serve(connection, seen, after)
        except TimeoutError:
            await connection.close(4401, "the session has ended")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the client went away; it will come back by itself


async def _serve(connection: WebSocket, hub: Hub, after: int) -> None:
    """What was missed, then everything as it is published."""
    subscription = hub.subscribe()
    try:
        missed = hub.since(after) if after >= 0 else None
        if missed is None:
            await connection.send_json({"type": "state", "body": hub.snapshot()})
        else:
            for message in missed:
                await connection.send_json(message)
        await _pump(connection, subscription.queue)
    finally:
        hub.unsubscribe(subscription)


async def _pump(connection: WebSocket, queue: asyncio.Queue[str | None]) -> None:
    """Send what is published until either side closes."""
    gone = asyncio.ensure_future(connection.receive())
    try:
        while True:
            message = asyncio.ensure_future(queue.get())
            try:
                done, _ = await asyncio.wait({gone, message}, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                message.cancel()
                raise
            if message not in done:
                message.cancel()
                return
            text = message.result()
            if text is None:
                await connection.close(1013, "too slow")
                return
            await connection.send_text(text)
            if gone in done:
                if gone.result()["type"] == "websocket.disconnect":
                    return
                gone = asyncio.ensure_future(connection.receive())
    finally:
        gone.cancel()
