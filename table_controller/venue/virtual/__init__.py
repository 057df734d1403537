"""A venue of virtual tables: the demo, the load of a hundred, an hour of faults."""
