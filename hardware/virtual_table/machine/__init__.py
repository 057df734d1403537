"""The machine side: board, mechanics and line faults behind a pseudo-terminal."""
