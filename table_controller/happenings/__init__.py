"""Sightings and readings become happenings."""
