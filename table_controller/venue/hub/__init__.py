"""The hub: the tables' journals become the tournament's database."""
