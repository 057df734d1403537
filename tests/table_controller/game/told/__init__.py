"""Hands told up to an infraction, or to what looks like one, and a little beyond."""
