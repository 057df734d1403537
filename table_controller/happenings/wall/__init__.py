"""The walls: stacks, heights, what left them, what was pushed; the dead wall."""
