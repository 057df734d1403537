"""Journals and pictures on their way to the hall, each entry once and in order."""
