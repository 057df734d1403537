"""Tiles on their way from the wall to a player, from the first touch on."""
