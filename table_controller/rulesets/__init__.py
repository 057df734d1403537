"""Rulesets as data, with their clauses."""
