"""Hands to fans, yaku and payments."""
