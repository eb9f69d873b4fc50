"""Accepted figures, and what draws, reads and compares them."""
