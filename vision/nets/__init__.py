"""The two nets: tiles found, faces read, what a venue's own set adds; model files checked."""
