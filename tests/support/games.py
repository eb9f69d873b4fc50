"""The games by how they are written: in a folder of their own, or as a file."""

from __future__ import annotations

from silhouette.rules import BY_DATA, RULES

BY_CODE = tuple(name for name, package in RULES.items() if package != BY_DATA)
FILES = tuple(name for name, package in RULES.items() if package == BY_DATA)
