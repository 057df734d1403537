"""The table's side of the venue: connected while it can be, real or only told what happens."""
