"""Many tables, one hall: journals go to the hall, the hall's orders come back.

At the hall: ``hub`` takes in what the tables write, ``hall`` is the console. Besides them, each
room knowing only those below it:

- ``commands``: what the organiser types;
- ``virtual``: a venue of virtual tables; ``servers``: the venue's servers;
- ``table``: the table's side, connected while it can be;
- ``models``: releases of models; ``orders``: what the hall orders; ``handing``: journals and
  pictures on their way;
- ``access``: keys, certificates and the connection to the message bus.

What all of them share is here: :mod:`.messages`, :mod:`.names`, :mod:`.said`, :mod:`.errors`.
"""
