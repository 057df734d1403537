"""Frames to sightings: cameras, calibration, finding and reading tiles and dice, tracking.

Each room knows only those below it:

- ``bench``, ``checks`` (drift, a wrong calibration), ``enrol`` (a venue's tile set) and ``photo``
  (``paiguan read``: any photograph, without calibration);
- ``eye``: one camera's frames as sightings; ``merging``: several cameras as one view;
- ``dice``; ``heights``: layers of walls, tiles in millimetres;
- ``changes``: what changed in a picture, what an arm hides, what needs no second look;
- ``cameras``: live and recorded sources; ``nets``: the finder and the reader of faces;
- ``calibration``: where a camera stands;
- :mod:`.geometry`, :mod:`.sightings`: what is told, in table millimetres.

``training`` makes the models and is not needed to run.
"""
