"""A venue's tile set, enrolled and inspected from pictures of the whole set."""
