"""A table runs: live, replayed from a recording, or from a piece cut out of one."""
