"""How high a tile lies, and which tiles of a wall lie on others."""
