"""``paiguan venue …`` and ``paiguan hub``: what the organiser types."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from table_controller.venue.commands.models import models_app

venue_app = typer.Typer(help="The venue: keys, servers, tables, database.", no_args_is_help=True)
venue_app.add_typer(models_app, name="models")

Folder = Annotated[Path, typer.Argument(help="The venue's folder, with its keys.")]
HubFile = Annotated[Path, typer.Argument(help="Configuration of a hub (TOML).")]
Most = Annotated[
    int | None,
    typer.Option("--tables", min=1, max=2000, help="For so many tables the servers have room."),
]


@venue_app.command("init")
def init(
    folder: Folder,
    name: Annotated[str, typer.Option("--name", help="Of the venue: small letters, digits, -.")],
    server: Annotated[
        list[str] | None, typer.Option(help="name=host[:port], one for each server.")
    ] = None,
    tables: Most = None,
) -> None:
    """Make a venue: its keys, its certificates, its servers' configurations."""
    from table_controller.venue.access.keyring import Keyring
    from table_controller.venue.servers.admin import nodes_of

    nodes = nodes_of(server or [])
    ring = Keyring.make(folder, name)
    if nodes:
        ring.write_nodes(nodes, tables)
    typer.echo(f"{folder}: venue {name}, {len(nodes)} servers")


@venue_app.command("nodes")
def nodes(
    folder: Folder,
    server: Annotated[list[str], typer.Option(help="name=host[:port], one for each server.")],
    tables: Most = None,
) -> None:
    """Write the configurations of all servers anew: one was added or replaced, or needs room."""
    from table_controller.venue.access.keyring import Keyring
    from table_controller.venue.servers.admin import nodes_of

    ring = Keyring.open(folder)
    ring.write_nodes(nodes_of(server), tables)
    for name in ring.nodes:
        typer.echo(f"{folder / 'nodes' / name}: copy to /etc/paiguan/nats on {name}")


@venue_app.command("add-table")
def add_table(
    folder: Folder, tables: Annotated[list[str], typer.Argument(help="Names of tables.")]
) -> None:
    """Make a key for each new table."""
    from table_controller.venue.access.keyring import Keyring

    ring = Keyring.open(folder)
    for table in tables:
        typer.echo(f"{ring.add_table(table)}: copy to the table")


@venue_app.command("renew-table")
def renew_table(folder: Folder, table: str) -> None:
    """A new key for a table; the old one is revoked."""
    from table_controller.venue.access.keyring import Keyring
    from table_controller.venue.servers.admin import push

    ring = Keyring.open(folder)
    made = ring.renew_table(table)
    typer.echo(f"{made}: copy to the table; {push(ring)} servers know that the old key is revoked")


@venue_app.command("revoke")
def revoke(
    folder: Folder,
    table: str,
    server: Annotated[list[str] | None, typer.Option(help="tls://host:port")] = None,
) -> None:
    """A table's key was stolen: it counts no longer, from now on."""
    from table_controller.venue.access.keyring import Keyring
    from table_controller.venue.servers.admin import push

    ring = Keyring.open(folder)
    ring.revoke(table)
    typer.echo(f"table {table}: revoked; {push(ring, server)} servers know it")


@venue_app.command("push")
def push_keys(
    folder: Folder,
    server: Annotated[list[str] | None, typer.Option(help="tls://host:port")] = None,
) -> None:
    """Tell the servers once more which keys count."""
    from table_controller.venue.access.keyring import Keyring
    from table_controller.venue.servers.admin import push

    typer.echo(f"{push(Keyring.open(folder), server)} servers know the keys")


@venue_app.command("migrate")
def migrate(config: HubFile) -> None:
    """Bring the database to this program's schema."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.servers import admin

    done = asyncio.run(admin.migrate(HubConfig.load(config)))
    typer.echo(f"{done} steps applied" if done else "the schema is this program's already")


@venue_app.command("backup")
def backup(config: HubFile, file: Annotated[Path, typer.Argument(help="Made.")]) -> None:
    """Write the database into a file; hubs may run."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.servers import admin

    admin.backup(HubConfig.load(config), file)
    typer.echo(f"{file}: {file.stat().st_size} bytes")


@venue_app.command("restore")
def restore(config: HubFile, file: Annotated[Path, typer.Argument(help="A backup.")]) -> None:
    """Read a backup into an empty database; no hub may run."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.servers import admin

    admin.restore(HubConfig.load(config), file)
    typer.echo("restored; what came since then, the message bus and the tables will bring")


@venue_app.command("demo")
def demo(
    tables: Annotated[int, typer.Option(min=4, max=400, help="Virtual tables.")] = 8,
    speed: Annotated[float, typer.Option(min=0.1, max=50, help="How much faster than life.")] = 2.0,
    seconds: Annotated[float | None, typer.Option(help="End by itself after this.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep everything in this folder.")] = None,
    port: Annotated[int, typer.Option(help="Of the hall console; 0 takes any.")] = 8380,
    pictures: Annotated[bool, typer.Option(help="Render the evidence of alerts.")] = True,
) -> None:
    """A whole venue on this machine: three NATS servers, PostgreSQL, two hubs, virtual tables."""
    from table_controller.venue.virtual.demo import run_demo

    raise SystemExit(run_demo(tables, speed, seconds, keep, port, pictures=pictures))


@venue_app.command("growth")
def growth(
    tables: Annotated[list[int] | None, typer.Option(help="Sizes to measure.")] = None,
    speed: Annotated[float, typer.Option(min=0.1, help="How much faster than life.")] = 1.0,
    minutes: Annotated[float, typer.Option(min=0.1, help="For how long each.")] = 1.0,
) -> None:
    """Measure how processor, memory and storage grow with the number of tables."""
    from table_controller.venue.virtual.bench import growth_table

    typer.echo(growth_table(tables or [25, 50, 100, 200], speed, minutes))


@venue_app.command("endure")
def endure(
    out: Annotated[Path, typer.Argument(help="Written line by line (JSON Lines).")],
    tables: Annotated[int, typer.Option(min=4, max=400, help="Virtual tables.")] = 200,
    speed: Annotated[float, typer.Option(min=0.1, help="How much faster than life.")] = 10.0,
    minutes: Annotated[float, typer.Option(min=1, help="For how long.")] = 60.0,
    keep: Annotated[Path | None, typer.Option(help="Keep servers' files in this folder.")] = None,
) -> None:
    """Many tables for long, while everything fails in turn; all hash chains are compared."""
    from table_controller.venue.virtual.endurance import endure as run

    raise SystemExit(0 if run(tables, speed, minutes, out, keep) else 1)


def hub(config: HubFile) -> None:
    """Serve a venue: the tables' journals into the database, the hall console, metrics."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.hub.running import run_hub

    raise SystemExit(run_hub(HubConfig.load(config)))


__all__ = ["hub", "venue_app"]
