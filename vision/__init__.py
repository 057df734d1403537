"""Frames to sightings: cameras, calibration, finding and reading tiles and dice, tracking."""
