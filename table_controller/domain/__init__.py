"""The words of the field: tiles, happenings, outputs. Pure values."""
