"""Lengths that are not millimetres. Imports nothing: options of commands have them as defaults."""

INCH = 25.4
"""mm, by definition since 1959."""
