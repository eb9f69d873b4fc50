"""PLACE: a scene file goes in; a `Scene` comes out: the pieces in their places, and the checks to judge.

Others use `scene` (`Scene` and `Check`, for every rule system), `table` (pieces with poses, for games on a table of
models), `entries` (the keys of a scene file), `motion` (one scene for each frame of an animation), `finding` (the scene
files of paths), `trying` (pieces elsewhere than the file says), and `standing` (whether a base stands at a place, for
one place or thousands).
"""
