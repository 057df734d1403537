"""The virtual table beside the controller: the demo, and what was seen beside the truth."""
