"""Dice: found, read, and followed over time."""
