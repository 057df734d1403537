"""``paiguan calibrate``: a camera from pictures of a sheet, the tile set from pictures of it.

``paiguan calibrate PICTURES …`` is ``paiguan calibrate camera PICTURES …``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class _CameraFirst(TyperGroup):
    """What is no command's name is a picture for ``camera``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual command before what names none."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["camera", *args]
        return super().parse_args(ctx, args)


calibrate_app = typer.Typer(
    cls=_CameraFirst,
    help="Calibrate a camera, or enrol the tile set.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@calibrate_app.command()
def camera(
    pictures: Annotated[list[Path] | None, typer.Argument(help="The sheet, held anyhow.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="Only write the sheet to print (PDF).")] = None,
    table: Annotated[Path | None, typer.Option(help="The sheet flat on the felt.")] = None,
    name: Annotated[str, typer.Option(help="Name of the camera.")] = "overhead",
    out: Annotated[Path, typer.Option(help="The calibration file.")] = Path("calibration.toml"),
    at: Annotated[tuple[float, float], typer.Option(help="Middle of the sheet, mm.")] = (0.0, 0.0),
    turned: Annotated[float, typer.Option(help="How the sheet is turned, degrees.")] = 0.0,
) -> None:
    """Calibrate a camera: print the sheet, take pictures of it, lay it on the table."""
    from table_controller.app.calibrate import calibrate_camera, write_sheet

    if sheet is not None:
        write_sheet(sheet)
        typer.echo(f"{sheet}: print at 100 %, glue it to something flat")
        return
    if not pictures or table is None:
        raise typer.BadParameter("give --sheet FILE, or pictures and --table PICTURE")
    raise SystemExit(calibrate_camera(name, pictures, table, out, at_mm=at, turned_deg=turned))


@calibrate_app.command()
def tiles(
    image: Annotated[
        list[Path] | None, typer.Option(help="Photograph of the whole set face up in a block.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Take the pictures from this table's camera instead.")
    ] = None,
    camera: Annotated[str | None, typer.Option(help="Name of that camera.")] = None,
    backs: Annotated[Path | None, typer.Option(help="Photograph of the set face down.")] = None,
    flower: Annotated[
        list[str] | None, typer.Option("--flower", "--tile", help="ROW,COLUMN=FACE, as in 3,12=5f.")
    ] = None,
    set_name: Annotated[
        str | None, typer.Option("--set", help="Which set it is, as 144 or 136-red.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the set, for people.")] = "",
    out: Annotated[Path, typer.Option(help="The file of the set.")] = Path("tiles.json"),
    draw: Annotated[Path, typer.Option(help="The picture to confirm.")] = Path("tiles.png"),
    yes: Annotated[bool, typer.Option("--yes", help="The picture was looked at.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Enrol the tile set: lay all of it face up in rows, look at the picture, confirm it."""
    from table_controller.app.calibrate_tiles import TilesJob, enrol_tiles

    job = TilesJob(
        images=tuple(image or ()),
        config=config,
        camera=camera,
        backs=backs,
        known=tuple(flower or ()),
        set_name=set_name,
        out=out,
        draw=draw,
        name=name,
        confirmed=yes,
        as_json=as_json,
    )
    raise SystemExit(enrol_tiles(job))
