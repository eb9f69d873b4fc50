"""DRAW: pieces, poses and lines of sight go in; a `stage.Stage` comes out, which the viewer of a report shows in 3D.

Games without meshes build theirs from `stage` and `shapes`; those on a table use `stage.stage_of_table`.
"""
