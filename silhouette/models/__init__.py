"""TAG: a mesh with the keys of a model file becomes a `Model`: mm, z up, base, insignificant parts, eye."""
