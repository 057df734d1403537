"""Pools, sets and flowers: what the players lay in front of them."""
