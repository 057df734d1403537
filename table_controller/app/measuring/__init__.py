"""``paiguan bench``: what is measured, and how it is shown."""
