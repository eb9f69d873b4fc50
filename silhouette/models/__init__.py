"""TAG: a mesh, with the keys of a model file, goes in; a `Model` comes out: mm, z up, base, insignificant parts, eye.

Others use `model` (`Model`, `load_model`, the roles of faces), `entries` (the keys of a model file), and `inspection`
(what there is to say about a model).
"""
