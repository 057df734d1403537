"""Hypothesis profile of the long proof: ``--hypothesis-profile=long``."""

from hypothesis import settings

settings.register_profile("long", max_examples=10_000, deadline=None)
