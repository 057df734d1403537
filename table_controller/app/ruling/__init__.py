"""What referees decide, correct and enter, and the game folded anew with it."""
