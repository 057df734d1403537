"""How long seeing takes."""
