"""The serial link to the machine: framing, session, clock, commands and readings."""
