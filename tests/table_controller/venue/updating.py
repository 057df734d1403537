"""Releases of models in a whole venue: put, offered, agreed to, and how far they are."""

from __future__ import annotations

from table_controller.venue.access import bus
from table_controller.venue.names import MODEL_BUCKET
from table_controller.venue.virtual.tables import VirtualTables
from tests.table_controller.venue.typed import Typed, typed
from tests.table_controller.venue.world import World


def models_typed(*words: str) -> Typed:
    """``paiguan venue models …``."""
    return typed("venue", "models", *words)


def steps(world: World, version: str, *tables: str) -> list[str]:
    """How far these tables are with a release, as the hall shows it."""
    there = world.ask("/api/models")[1]["tables"]
    return [
        there.get(name, {}).get("steps", {}).get(version, {}).get("state", "") for name in tables
    ]


def agree(tables: VirtualTables) -> None:
    """The referee at each table lets in whatever waits there."""
    for play in tables.plays.values():
        if play.orders is not None:
            for order in play.orders.waiting:
                play.orders.agree(order.id, "Wu", True)


async def change(world: World, name: str, content: bytes | None) -> None:
    """Somebody puts another file into the hall's bucket, or takes one out."""
    ring = world.venue.ring
    credentials = bus.load_credentials(ring.folder / "hub" / "hub.creds", ring.venue)
    authority = ring.folder / "tls" / "ca.pem"
    client = await bus.connect(world.venue.nats.urls, credentials, authority, "hub-test")
    store = await client.jetstream(timeout=15).object_store(MODEL_BUCKET)
    if content is None:
        await store.delete(name)
    else:
        await store.put(name, content)
    await client.close()
