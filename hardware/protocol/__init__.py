"""The wire protocol between the machine's board and the host: one schema, and its generator."""
