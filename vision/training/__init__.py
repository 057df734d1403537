"""Makes training data, trains, exports and evaluates the models."""
