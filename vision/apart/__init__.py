"""Each camera's eye in a process of its own: several cameras use several cores."""
