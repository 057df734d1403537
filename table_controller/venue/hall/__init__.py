"""The hall console: all tables on one page, for referees, desk and organiser, and the public."""
