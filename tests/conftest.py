"""Settings for all tests.

Property tests draw the same examples on every run of `make test`, so that a failure there is
never a matter of luck; the longer proofs, and `HYPOTHESIS_PROFILE=search`, look for new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
