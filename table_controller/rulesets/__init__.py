"""Rulesets as data, each value and ruling with the clause of its source."""

from table_controller.rulesets.loader import BadRulesetError, load, names, parse
from table_controller.rulesets.model import Ruleset

__all__ = ["BadRulesetError", "Ruleset", "load", "names", "parse"]
