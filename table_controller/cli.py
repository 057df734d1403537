"""The ``paiguan`` command (contract, section 5).

Exit 0 done, 1 done with findings the command is asked to fail on, 2 bad input or usage with one
clear line on standard error. Rooms are imported inside the commands, so that each starts fast and
a fault in one does not take the others with it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from table_controller.calibrate_cli import calibrate_app
from table_controller.venue.commands.venue import hub, venue_app

if TYPE_CHECKING:
    from table_controller.domain.happenings import Seat
    from vision.cameras.sources import SourceEvent

app = typer.Typer(
    name="paiguan",
    help="牌官: watches a mahjong table, keeps the rules, calls the referee.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
journal_app = typer.Typer(help="Look into a session's journal.", no_args_is_help=True)
app.add_typer(journal_app, name="journal")
app.add_typer(venue_app, name="venue")
app.command("hub")(hub)
app.add_typer(calibrate_app, name="calibrate")

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
RulesetOption = Annotated[str, typer.Option("--ruleset", help="Name of the ruleset.")]


def _die(message: str) -> None:
    """One line on standard error, exit 2."""
    sys.stderr.write(f"paiguan: {' '.join(str(message).split())}\n")
    raise SystemExit(2)


def _bad_input() -> tuple[type[BaseException], ...]:
    """The exceptions by which the rooms refuse bad input: their message is the whole story."""
    kinds: list[type[BaseException]] = []
    # A room that was not imported cannot have raised anything.
    for module, names in (
        ("table_controller.config", ("ConfigError",)),
        ("table_controller.record.journal", ("JournalError",)),
        ("table_controller.record.recording", ("RecordingError",)),
        ("table_controller.record.standings", ("StandingsError",)),
        ("table_controller.domain.codec", ("BadHappeningError",)),
        ("table_controller.rulesets.loader", ("BadRulesetError",)),
        ("table_controller.app.errors", ("RunError",)),
        ("table_controller.venue.errors", ("VenueError",)),
        ("vision.errors", ("VisionInputError",)),
        ("vision.nets.modelfile", ("ModelError",)),
        ("vision.photo.picture", ("PictureError",)),
        ("firmware_bridge.errors", ("LinkError",)),
    ):
        loaded = sys.modules.get(module)
        kinds += [getattr(loaded, name) for name in names if loaded and hasattr(loaded, name)]
    return tuple(kinds)


@app.command()
def demo(
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", help="Name of the ruleset (the scenario's own).")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="Hands to play.")] = 1,
    scenario: Annotated[Path | None, typer.Option(help="Scenario file (TOML).")] = None,
    seed: Annotated[int | None, typer.Option(help="Another game of the same kind.")] = None,
    speed: Annotated[float, typer.Option(min=0.1, max=4.0, help="Pace of the players.")] = 1.0,
    console: Annotated[bool, typer.Option(help="Serve the browser console.")] = True,
    live: Annotated[bool | None, typer.Option(help="Live view or plain lines.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep journal and evidence here.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Play on a virtual table and watch it as if it were a real one."""
    from table_controller.app.virtual.demo import Demo, DemoOptions, ruleset_of

    options = DemoOptions(
        ruleset=ruleset or ruleset_of(scenario),
        hands=hands,
        scenario=scenario,
        seed=seed,
        speed=speed,
        console=console,
        live=live,
        keep=keep,
    )
    with contextlib.ExitStack() as shown:
        if as_json:
            # The answer is one object; what is shown while it runs is for people.
            shown.enter_context(contextlib.redirect_stdout(sys.stderr))
        report = Demo(options).run()
    if as_json:
        typer.echo(json.dumps(report.as_dict(), ensure_ascii=False))
    raise SystemExit(report.exit_code)


@app.command()
def run(
    config: Annotated[Path, typer.Argument(help="Configuration of the table (TOML).")],
    record: Annotated[Path | None, typer.Option(help="Write a recording here.")] = None,
    live: Annotated[bool | None, typer.Option(help="Live view or plain lines.")] = None,
) -> None:
    """Control one real table."""
    from table_controller.app.running.command import run_table
    from table_controller.config import Config

    raise SystemExit(run_table(Config.load(config), record=record, live=live))


def _told(event: SourceEvent) -> None:
    if event.state.value != "ended":
        # What is wrong with the sensors' lines is no camera's fault.
        who = f"camera {event.camera} " if event.camera else ""
        sys.stderr.write(f"{who}{event.state.value}: {event.detail}\n")


@app.command()
def replay(
    directory: Annotated[Path, typer.Argument(help="A recording (contract, section 6).")],
    out: Annotated[Path | None, typer.Option(help="Write the output lines here.")] = None,
    start: Annotated[float | None, typer.Option("--from", help="From this time, s.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="To this time, s.")] = None,
    draw: Annotated[
        Path | None, typer.Option(help="Folder: pictures of what was seen at alerts and hands.")
    ] = None,
    at: Annotated[list[float] | None, typer.Option(help="Pictures at these times too, s.")] = None,
    cut: Annotated[
        Path | None,
        typer.Option(help="Folder: cut the piece (--from, --to, or --alert) into it instead."),
    ] = None,
    alert: Annotated[
        int | None, typer.Option(min=1, help="The piece that gives this alert, from 1.")
    ] = None,
) -> None:
    """Run a recording through the same pipeline, or cut a piece out of it."""
    if cut is not None or alert is not None:
        from table_controller.app.errors import RunError
        from table_controller.app.running.cutting import run_cut

        if out is not None or draw is not None or at:
            raise RunError("--cut: nothing is replayed: leave --out, --draw and --at away")
        raise SystemExit(run_cut(directory, cut, start, end, alert, _told))

    from table_controller.app.running.replay import run_replay

    code = run_replay(directory, out, start=start, end=end, draw=draw, at=at or (), tell=_told)
    raise SystemExit(code)


@app.command()
def read(
    images: Annotated[list[Path], typer.Argument(help="Photographs.")],
    as_json: JsonFlag = False,
    draw: Annotated[Path | None, typer.Option(help="Write a picture with what was found.")] = None,
    hand: Annotated[
        bool, typer.Option("--hand", help="Print each photograph as a hand to score.")
    ] = False,
    tiles: Annotated[
        Path | None, typer.Option(help="The enrolled tile set (`calibrate tiles`).")
    ] = None,
) -> None:
    """Say what tiles and dice lie in a photograph."""
    from vision.photo.command import run_read

    raise SystemExit(run_read(images, as_json=as_json, draw=draw, hand=hand, tiles=tiles))


@app.command()
def score(
    ruleset: RulesetOption,
    file: Annotated[Path | None, typer.Argument(help="Hands, JSON Lines; else stdin.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Score hands."""
    from table_controller.scoring.command import run_score

    raise SystemExit(run_score(ruleset, file, as_json=as_json))


@app.command()
def referee(
    ruleset: RulesetOption,
    file: Annotated[Path | None, typer.Argument(help="Happenings, JSON Lines; else stdin.")] = None,
    east: Annotated[int, typer.Option(min=0, max=3, help="Seat that is East first.")] = 0,
) -> None:
    """Judge happenings without cameras."""
    from table_controller.referee.command import referee as judge

    raise SystemExit(judge(ruleset, cast("Seat", east), file))


@app.command()
def rulesets(
    name: Annotated[str | None, typer.Argument(help="One of them, in full.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the rulesets, or show one with its values, fans and rulings."""
    from table_controller.rulesets.command import run_rulesets

    raise SystemExit(run_rulesets(name, as_json=as_json))


@app.command()
def bench(
    what: Annotated[str, typer.Argument(help="demo, vision, rules, link, …; all.")] = "all",
    as_json: JsonFlag = False,
    seeds: Annotated[int, typer.Option(min=1, help="Games for `demo`.")] = 3,
    hands: Annotated[int, typer.Option(min=0, help="For `happenings`: legal hands a ruleset.")] = 1,
    mixed: Annotated[int, typer.Option(min=0, help="And hands with two infractions each.")] = 1,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="With one of these instead.")
    ] = None,
    changed: Annotated[int, typer.Option(min=0, help="And hands of every change of view.")] = 0,
    degraded: Annotated[int, typer.Option(min=0, help="And of all that goes wrong in it.")] = 0,
    ruleset: Annotated[list[str] | None, typer.Option(help="Of these rulesets only.")] = None,
    first: Annotated[int, typer.Option(help="First seed of `happenings`.")] = 5000,
    store: Annotated[Path | None, typer.Option(help="Keeps its results, goes on there.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes of `happenings`.")] = 2,
    tables: Annotated[int, typer.Option(min=4, max=400, help="For `venue`: tables.")] = 20,
    speed: Annotated[float, typer.Option(min=0.1, help="And how much faster than life.")] = 10.0,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="For how long `venue` (0.5), `endurance` (60).")
    ] = None,
    cameras: Annotated[int, typer.Option(min=1, max=2, help="Over the table of `endurance`.")] = 1,
    size: Annotated[str | None, typer.Option(help="Of its pictures (1920x1080).")] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Keeps recordings of `happenings` with faults there.")
    ] = None,
    again: Annotated[
        Path | None, typer.Option(help="Follows those kept there again, and plays none.")
    ] = None,
) -> None:
    """Measure the program; figures as ratios to a limit or a peer."""
    from table_controller.app.measuring.bench import Plan, run_bench

    plan = Plan(
        seeds,
        hands,
        mixed,
        tuple(ids or ()),
        changed,
        degraded,
        tuple(ruleset or ()),
        first,
        store,
        workers,
        tables,
        speed,
        minutes,
        cameras,
        size,
        keep,
        again,
    )
    raise SystemExit(run_bench(what, plan, as_json=as_json))


@app.command()
def doctor(
    config: Annotated[Path, typer.Argument(help="Configuration of the table (TOML).")],
    as_json: JsonFlag = False,
    live: Annotated[bool, typer.Option("--live", help="Show every sensor live.")] = False,
    move: Annotated[str | None, typer.Option(help="Move one actuator; `list` names them.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="The warning was read.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to send.")] = None,
) -> None:
    """Check port, firmware, cameras, light, models, disk and clock; show and move the machine."""
    from table_controller.app.technician import doctor as room
    from table_controller.config import Config

    loaded = Config.load(config)
    if live:
        raise SystemExit(room.show_sensors(loaded))
    if move is not None:
        raise SystemExit(room.move_actuator(loaded, move, confirmed=yes))
    if report is not None:
        raise SystemExit(room.write_report(loaded, report))
    raise SystemExit(room.run_doctor(loaded, as_json=as_json))


@journal_app.command("verify")
def journal_verify(path: Path, as_json: JsonFlag = False) -> None:
    """Check the hash chain; exit 1 where it is broken."""
    from table_controller.record.command import run_verify

    raise SystemExit(run_verify(path, as_json=as_json))


@journal_app.command("show")
def journal_show(
    path: Path,
    kind: Annotated[list[str] | None, typer.Option(help="Entries of this kind only.")] = None,
    state: Annotated[
        int | None, typer.Option(min=0, help="The table after so many happenings, rebuilt.")
    ] = None,
    at: Annotated[float | None, typer.Option(help="The table at this time, s, rebuilt.")] = None,
) -> None:
    """Print the entries as JSON Lines, or the table at any moment."""
    from table_controller.record.command import run_show

    raise SystemExit(run_show(path, kinds=kind, state=state, at=at))


@journal_app.command("export")
def journal_export(
    path: Path,
    form: Annotated[
        str, typer.Option("--form", help="json, botzone, mjai, tenhou, csv, xlsx or pdf.")
    ] = "json",
    out: Annotated[Path | None, typer.Option(help="Write here instead of stdout.")] = None,
) -> None:
    """Write the session in a form for people or for other programs."""
    from table_controller.record.command import run_export

    raise SystemExit(run_export(path, form, out))


@journal_app.command("standings")
def journal_standings(
    journals: Annotated[list[Path], typer.Argument(help="Journals, one a session.")],
    seating: Annotated[
        Path | None,
        typer.Option(
            help="CSV (session: the journal's folder, seat0..seat3) or a manager's tournament file."
        ),
    ] = None,
    tournament: Annotated[
        str | None, typer.Option(help="Title: write a file for Mahjong Tournament Engine instead.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Put many sessions into one table: points, ranks, tie-breaks; CSV."""
    from table_controller.record.command import run_standings

    raise SystemExit(run_standings(journals, seating, as_json=as_json, tournament=tournament))


def main() -> None:
    """Entry point: bad input ends in one line, never in a traceback."""
    try:
        app()
    except BrokenPipeError:
        # The reader of our output went away (`| head`); that is no fault of ours.
        sys.stderr.close()
        raise SystemExit(0) from None
    except Exception as error:
        if isinstance(error, _bad_input()):
            _die(str(error))
        if isinstance(error, OSError) and error.filename is not None:
            _die(f"{error.filename}: {error.strerror}")
        if isinstance(error, OSError) and error.args:
            _die(str(error))
        raise


if __name__ == "__main__":
    main()
