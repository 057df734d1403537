"""Configuration of a hub: one TOML file, checked before anything is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_controller.config import ConfigError, ConsoleSection, read_toml
from table_controller.venue import names
from table_controller.venue.access import room
from table_controller.venue.access.bus import load_credentials
from table_controller.venue.access.nkeys import Credentials
from table_controller.venue.errors import VenueError
from table_controller.venue.messages import explain

DATABASE: Final = "PAIGUAN_DATABASE"
"""Environment variable that may hold the database's address instead of the file."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HubSection(_Section):
    """What the hub joins."""

    venue: str
    servers: Annotated[tuple[str, ...], Field(min_length=1)]
    credentials: Path
    ca: Path
    database: str = ""
    replicas: Annotated[int, Field(ge=1, le=5)] = 3
    """On how many servers each message is kept."""
    journal_days: Annotated[float, Field(gt=0, le=365)] = 7.0
    """How long the message bus keeps what the database has long stored."""
    journal_gb: Annotated[float, Field(gt=0)] = room.JOURNAL_GB
    evidence_gb: Annotated[float, Field(gt=0)] = room.EVIDENCE_GB
    """Room for the evidence of one table; the servers must have it for each of them."""
    clock_limit_s: Annotated[float, Field(gt=0)] = 0.5
    """A table whose clock is further off is at fault and begins no session."""
    ruleset: str = "mcr-1998"
    """Of the tournament."""


class OpsSection(_Section):
    """Metrics and health, for machines: ``/metrics`` and ``/health``."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 9377


class HubConfig(_Section):
    """The whole configuration of a hub."""

    hub: HubSection
    ops: OpsSection = OpsSection()
    console: ConsoleSection = ConsoleSection(port=8380)
    state: Path = Path("hub-state")
    """Where generated access tokens are kept."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and check a file; paths in it are relative to its folder.

        Raises:
            ConfigError: one line that names the file and the key.
        """
        data = read_toml(path)
        try:
            config = cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(f"{path}: {explain(error)}") from None
        return config.resolved(path.parent, str(path))

    def resolved(self, base: Path, origin: str) -> Self:
        """With paths taken from ``base``, and what they name checked.

        Raises:
            ConfigError: a name, key or address that cannot be.
        """
        hub = self.hub.model_copy(
            update={
                "credentials": base / self.hub.credentials,
                "ca": base / self.hub.ca,
                "database": self.hub.database or os.environ.get(DATABASE, ""),
            }
        )
        if not hub.database:
            raise ConfigError(f"{origin}: hub.database: missing (or give {DATABASE})")
        console = self.console
        if console.tls_cert is not None and console.tls_key is not None:
            files = {"tls_cert": base / console.tls_cert, "tls_key": base / console.tls_key}
            console = console.model_copy(update=files)
        try:
            names.check_venue(hub.venue)
            load_credentials(hub.credentials, hub.venue)
        except VenueError as error:
            raise ConfigError(f"{origin}: hub: {error}") from None
        if not hub.ca.is_file():
            raise ConfigError(f"{origin}: hub.ca: no such file: {hub.ca}")
        update = {"hub": hub, "console": console, "state": base / self.state}
        return self.model_copy(update=update)

    @property
    def credentials(self) -> Credentials:
        """The hub's key."""
        return load_credentials(self.hub.credentials, self.hub.venue)
