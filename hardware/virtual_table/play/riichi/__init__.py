"""Riichi at the virtual table: dead wall, riichi, indicators, sticks, norths, several winners."""
