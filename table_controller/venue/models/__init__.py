"""Releases of models: what belongs to one, and the shelf from which a table sees with it."""
