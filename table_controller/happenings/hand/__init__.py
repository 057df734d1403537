"""The hands: how many tiles stand, what shows, what was drawn."""
