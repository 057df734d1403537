"""Makes training data, trains, exports and evaluates the models.

What is run stands here: ``rebuild`` calls everything else in turn. Rooms: ``pictures`` of tiles,
``dice``, and ``judging``, which fills the model card.
"""
