"""Happenings, rules, referee, record and console of one table."""
