"""Every alert id has a name in three languages, and no name without an id."""

from __future__ import annotations

from table_controller.domain.alert_ids import ALERT_IDS
from table_controller.domain.alert_names import ALERT_NAMES, alert_title


def test_every_alert_has_a_name() -> None:
    assert set(ALERT_NAMES) - {"other"} == set(ALERT_IDS) - {"other"}
    assert all(all(names) for names in ALERT_NAMES.values())
    assert alert_title("wall-break")["zh"] == "推倒牌墙"
    assert alert_title("unheard-of")["ja"] == "unheard-of"
