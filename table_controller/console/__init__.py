"""The web console for referees."""
