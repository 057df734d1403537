"""Several cameras over one table as one view."""
