"""``paiguan venue models …``: releases of models from the hall to the tables, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

models_app = typer.Typer(
    help="Models for the tables: a few first, then the rest; one order goes back.",
    no_args_is_help=True,
)

HubFile = Annotated[Path, typer.Argument(help="Configuration of a hub (TOML).")]
Version = Annotated[str, typer.Argument(help="Name of the release.")]
Tables = Annotated[list[str] | None, typer.Argument(help="Names of tables.")]
Rest = Annotated[bool, typer.Option("--rest", help="All tables that it still concerns.")]
By = Annotated[str, typer.Option("--by", help="Who orders it.")]


@models_app.command("put")
def put(
    config: HubFile,
    folder: Annotated[Path, typer.Argument(help="With *.onnx and their manifests.")],
    version: Annotated[str, typer.Option("--version", help="Name of the release.")],
    by: By = "technician",
) -> None:
    """Put a release into the hall's object store; no table is told yet."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.servers import admin

    release = asyncio.run(admin.put_models(HubConfig.load(config), folder, version, by))
    if release is None:
        typer.echo(f"{version}: lies there already, with the same files")
        return
    held = ", ".join(f"{name} {number}" for name, number in sorted(release.models.items()))
    typer.echo(f"{version}: {held}; {release.size / 1e6:.1f} MB lie in the object store")


_STEPS: Final = {
    "offer": "Have tables fetch a release and lay it out; nothing is used yet.",
    "use": "Have tables use a release: between hands, and where their referee agrees.",
    "back": "Have tables return from a release to what they used before.",
}


def _ordering(step: str) -> Callable[..., None]:
    """The command of one step: all of them take the same words."""

    def order(
        config: HubFile, version: Version, tables: Tables = None, rest: Rest = False,
        by: By = "technician",
    ) -> None:  # fmt: skip
        from table_controller.venue.errors import VenueError
        from table_controller.venue.hub.config import HubConfig
        from table_controller.venue.servers import admin

        if bool(tables) == rest:
            raise VenueError("name tables, or give --rest; nothing was ordered")
        loaded = HubConfig.load(config)
        made = asyncio.run(admin.order_models(loaded, step, version, tables or [], by))
        typer.echo(
            f"{version}: {step} ordered at {len(made)} tables; `paiguan venue models show` "
            "and the hall console show their answers"
        )

    return order


for _step, _says in _STEPS.items():
    models_app.command(_step, help=_says)(_ordering(_step))


@models_app.command("show")
def show(config: HubFile) -> None:
    """How far each table is with which release."""
    from table_controller.venue.hub.config import HubConfig
    from table_controller.venue.servers import admin

    there = asyncio.run(admin.shown_models(HubConfig.load(config)))
    for release in there["releases"]:
        typer.echo(f"release {release['version']} ({release['size'] / 1e6:.1f} MB)")
    for name, table in there["tables"].items():
        steps = "; ".join(
            f"{version}: {step['state']}" + (f" ({step['reason']})" if step["reason"] else "")
            for version, step in table["steps"].items()
        )
        typer.echo(f"{name}: uses {table['in_use'] or 'its own'}" + (f"; {steps}" if steps else ""))


__all__ = ["models_app"]
