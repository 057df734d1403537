"""The venue's servers: what the organiser does with them, and all of them on one machine."""
