"""The hand of riichi, from the one throw to the final result."""
