"""``paiguan run``: a real table, by itself or in a venue."""

from __future__ import annotations

import json
import logging
import signal
from pathlib import Path

from table_controller.app.running.live import LiveRun
from table_controller.config import Config
from table_controller.venue.table.live import VenueTable

logger = logging.getLogger(__name__)


def run_table(config: Config, *, record: Path | None = None, live: bool | None = None) -> int:
    """``paiguan run``: until Ctrl-C or a termination signal.

    Returns:
        The exit code.
    """

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)

    def made(config: Config) -> LiveRun:
        title = f"{config.record.dir.name} · {config.ruleset}"
        return LiveRun(config, title=title, live=live, record=record)

    # In a venue the hall says when a session begins; each is a run of its own.
    venue = VenueTable(config, made) if config.venue is not None else None
    run = made(config) if venue is None else venue.run
    try:
        while not run.ended:
            run.step()
            if venue is not None:
                run = venue.step()
    except KeyboardInterrupt:
        pass
    finally:
        if venue is not None:
            run = venue.run
            venue.close()
        run.close()
    logger.info("figures %s", json.dumps(run.figures()))
    return 0
