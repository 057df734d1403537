"""``paiguan calibrate``: a camera from pictures of a sheet, the tile set from pictures of it.

``paiguan calibrate PICTURES …`` is ``paiguan calibrate camera PICTURES …``; without anything, on a
terminal, one camera of a table is calibrated step by step.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class _CameraFirst(TyperGroup):
    """What is no command's name is a picture for ``camera``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual command before what names none."""
        if not args and _at_terminal():
            args = ["camera"]
        elif args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["camera", *args]
        return super().parse_args(ctx, args)


def _at_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


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
    table: Annotated[
        list[Path] | None, typer.Option(help="The sheet flat on the felt; may be repeated.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Calibrate a camera of this table step by step, with its own pictures."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", "--camera", help="Name of the camera.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The calibration file (calibration.toml).")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X,Y",
            help="Middle of the sheet, mm, one for each --table; those left over lie anywhere.",
        ),
    ] = None,
    turned: Annotated[float, typer.Option(help="How the first sheet is turned, degrees.")] = 0.0,
    surface: Annotated[
        float | None, typer.Option(help="Side of the playing surface between the rails, mm (820).")
    ] = None,
    corner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X,Y", help="A corner of the playing surface in the picture, pixels; all four."
        ),
    ] = None,
    walls: Annotated[
        Path | None, typer.Option(help="Four raised walls, to check the calibration by.")
    ] = None,
    geometry: Annotated[
        Path | None, typer.Option(help="The table's geometry file, for --walls.")
    ] = None,
) -> None:
    """Calibrate a camera: print the sheet, take pictures of it, lay it on the table.

    With --config the program takes the pictures itself and says what to do. With --walls and no
    other pictures a calibration that stands is checked.
    """
    from table_controller.app.errors import RunError
    from table_controller.app.technician.calibrate import OnTable, calibrate_camera, write_sheet
    from table_controller.app.technician.raised import RaisedWalls, check_camera

    if sheet is not None:
        write_sheet(sheet)
        typer.echo(f"{sheet}: print at 100 %, glue it to something flat")
        return
    if surface is not None and not (math.isfinite(surface) and surface > 0):
        raise RunError(f"--surface {surface:g}: the side of the felt in mm is needed, as in 820")
    if config is None and not (pictures or table or walls) and _at_terminal():
        config = _asked_for()
    if config is not None:
        if pictures or table or walls:
            raise RunError("--config takes the pictures itself: give no pictures with it")
        others = [
            ("--at", at),
            ("--turned", turned),
            ("--corner", corner),
            ("--geometry", geometry),
        ]
        given = [option for option, value in others if value]
        if given:
            raise RunError(
                f"--config asks for what it needs: give no {' and no '.join(given)} with it"
            )
        _guide(config, name, out, surface)
    if walls is not None and geometry is None:
        raise RunError("--walls needs --geometry FILE")
    name, out = "overhead" if name is None else name, out or Path("calibration.toml")
    raised = None
    if walls is not None and geometry is not None:
        raised = RaisedWalls.load(walls, geometry)
        if not pictures:
            raise SystemExit(check_camera(name, out, raised))
    if not pictures or not table:
        raise RunError(
            "give --sheet FILE, or --config FILE to be guided, or pictures and --table PICTURE"
        )
    laid = OnTable(
        tuple(table),
        tuple(_pair(each, "--at") for each in at or ["0,0"]),
        turned,
        820.0 if surface is None else surface,
        tuple(_pair(each, "--corner") for each in corner or ()),
    )
    raise SystemExit(calibrate_camera(name, pictures, laid, out, raised))


def _asked_for() -> Path:
    """The table's configuration, as it is typed."""
    usual = Path("table.toml")
    there = f" [{usual}]" if usual.is_file() else ""
    typed = input(f"configuration of the table{there}: ").strip()
    if not typed and not there:
        from table_controller.app.errors import RunError

        raise RunError("no configuration: paiguan calibrate camera --config FILE")
    return Path(typed) if typed else usual


def _guide(config: Path, name: str | None, out: Path | None, surface: float | None) -> None:
    """One camera, step by step; ends with its exit code."""
    from table_controller.app.technician.guide_setup import job_of
    from table_controller.app.technician.guided import run_guide

    raise SystemExit(run_guide(job_of(config, name, out, surface)))


def _pair(text: str, option: str) -> tuple[float, float]:
    """Two numbers, ``X,Y``."""
    from table_controller.app.errors import RunError

    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise RunError(f"{option} {text!r}: two numbers are needed, as in 12,-40") from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise RunError(f"{option} {text!r}: two numbers are needed, as in 12,-40")
    return x, y


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
    from table_controller.app.technician.calibrate_tiles import TilesJob, enrol_tiles

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
