"""The running controller: live, replayed, and on the virtual table."""
