"""DRAW: a scene, a check and a motion go in; a GIF or MP4 comes out, with the result of every frame.

Others use `film.animate` with a `film.Animation`, and `film.check_path` before they judge anything.
"""
