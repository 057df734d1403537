"""One table put together: its inputs, its core, who listens to it, and what it orders."""
