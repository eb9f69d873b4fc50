"""PLACE: a scene file goes in; a `Scene` comes out: the pieces in their places, and the checks to judge."""
