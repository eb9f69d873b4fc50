"""Hostile files: what is done to files so that they become odd, and what may come of it."""
