"""Pictures of dice, drawn and photographed, and what the trainings of the dice nets are fed."""
