"""PLACE: a scene file goes in; a `Scene` comes out: what stands where, and the checks that are asked for.

Others use `scene` (`Scene` and `Check`, for every rule system), `table` (pieces with poses, for games on a table of
models), `entries` (the keys of a scene file) and `motion` (one scene for each frame of an animation).
"""
