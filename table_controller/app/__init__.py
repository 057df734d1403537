"""The running controller: live, replayed, and on the virtual table.

Each room knows only those below it:

- ``measuring``: the benchmarks; ``technician``: calibration and the doctor;
- ``virtual``: the demo, and what was seen beside the truth of the virtual table;
- ``running``: a table runs, live or from a recording;
- ``ruling``: what referees decide and correct, and the game folded anew with it;
- ``evidence``: pictures for people;
- ``table``: one table put together.
"""
