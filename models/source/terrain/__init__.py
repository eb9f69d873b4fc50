"""Terrain of an industrial hive: one module per piece, each with `sculpt()`."""
