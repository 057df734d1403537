"""Hypothesis profile of the long proof: ``--hypothesis-profile=long``; and the machine."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from hardware.virtual_table.machine.virtual import VirtualMachine

settings.register_profile("long", max_examples=10_000, deadline=None)


@pytest.fixture
def machine() -> Iterator[VirtualMachine]:
    with VirtualMachine() as machine:
        yield machine
