"""The API as its own OpenAPI document describes it, fuzzed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from table_controller.console.access import Access, Role
from table_controller.console.hub import Hub
from table_controller.console.server import build_app
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene

pytestmark = pytest.mark.long

TOKENS = {role: f"token-of-the-{role.value}" for role in Role}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("api"))
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5).play()
    running.tell(scene.said)
    yield running
    running.journal.close()


def test_the_api_answers_as_it_says(table: Running) -> None:
    app = build_app(table.hub, Hub(), Access(TOKENS, clock=lambda: 0.0), table.desk)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    headers = {"Authorization": f"Bearer {TOKENS[Role.REFEREE]}"}
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    tried: list[str] = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @settings(
            max_examples=6,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def answers(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(headers=headers, checks=checks)

        answers()
        tried.append(operation.label)
    assert len(tried) >= 16, tried
    assert table.journal.verify() is None
