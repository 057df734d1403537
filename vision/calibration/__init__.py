"""Where a camera stands and how it sees, found from printed boards and the table itself."""
