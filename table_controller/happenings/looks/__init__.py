"""What one look tells: places, arms, faces, and what was not looked at."""
