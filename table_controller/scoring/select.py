"""The scorer that belongs to a ruleset."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import ScoringHand

Scorer = Callable[[ScoringHand], ScoreAnswer]


class UnknownRulesetError(ValueError):
    """There is no scoring for a ruleset of that name."""


def scorer(ruleset: str) -> Scorer:
    """What scores a hand under the ruleset of that name (or ``.toml`` file).

    Raises:
        UnknownRulesetError: when there is none.
    """
    from table_controller.scoring import mcr, riichi

    name = scored_like(ruleset)
    try:
        return partial(mcr.score, options=mcr.load_options(name))
    except KeyError:
        pass
    try:
        return partial(riichi.score, options=riichi.load_options(name))
    except KeyError:
        raise UnknownRulesetError(f"no scoring for ruleset {ruleset!r}") from None


def scored_like(ruleset: str) -> str:
    """The ruleset whose scoring data a ruleset uses: its own, or the one it names."""
    from table_controller.rulesets import BadRulesetError, load

    try:
        declared = load(ruleset)
    except BadRulesetError as error:
        raise UnknownRulesetError(str(error)) from None
    like = declared.scoring.get("like", declared.name)
    return str(like)
