"""The mesh file formats: each reads or prepares a file so that nothing hostile or wrong gets past it in silence.

glTF is decoded by trimesh, from a tree that is checked and reduced beforehand; the others are read here, each for the
reasons that its module gives.
"""
