"""Who plays: players and their hands on the felt, infractions, mishaps, and the truth of it all."""
