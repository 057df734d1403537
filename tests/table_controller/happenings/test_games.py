"""How whole games are named, on the command line and as cases."""

from __future__ import annotations

import pytest

from tests.table_controller.happenings.games import main, name_of, named


@pytest.mark.parametrize("name", ["mcr-1998:11:", "riichi-xjtu-2025:12:false-win,riichi-noten"])
def test_a_game_is_named_as_it_was(name: str) -> None:
    assert name_of(named(name)) == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mcr-1998:11", "not of the form RULESET:SEED:ID,ID"),
        ("mcr-1998:11:false-win:long-hand", "not of the form RULESET:SEED:ID,ID"),
        ("mcr-1997:11:false-win", "no ruleset 'mcr-1997'"),
        ("mcr-1998:eleven:false-win", "the seed 'eleven' is no number"),
        ("mcr-1998:11:false-win,riichi-noten", "nobody can commit riichi-noten in mcr-1998"),
    ],
)
def test_what_is_wrong_with_a_name_is_said_in_one_line(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "mcr-1998:12:", name])
    assert stopped.value.code == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert repr(name) in line
    assert said in line
