"""Tiles at rest: which is which over time, and how they lie in rows and sets."""
