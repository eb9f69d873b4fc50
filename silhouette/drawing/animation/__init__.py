"""DRAW: a scene, a check, a motion go in (`film.animate`); a GIF or MP4 comes out, with the result of every frame."""
