"""What changed in a picture, what an arm hides, and what needs no second look."""
