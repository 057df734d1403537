"""Sightings and readings become happenings.

Every frame and every reading goes through :mod:`.follower`, which asks the rooms in turn; each
knows only those above it in this list:

- ``looks``: what one look tells: places, arms, faces, and what was not looked at;
- ``rest``: tiles at rest: which is which over time, and how they lie in rows and sets;
- ``wall``: stacks, heights, what left them, what was pushed; the dead wall;
- ``taking``: tiles on their way from the wall to a player, from the first touch on;
- ``hand``: how many tiles stand, what shows, what was drawn;
- ``felt``: pools, sets and flowers.

What they share is in :mod:`.table` (the state of the inputs and the way out, put in order by
:mod:`.release`) and :mod:`.setup`; :mod:`.overview` shows what is believed.
"""
