"""Camera sources, live and recorded: one way to open whatever gives pictures."""
