"""The mesh file formats: each reads or prepares a file so that nothing hostile or wrong gets past it in silence.

STL, OBJ, OFF and glTF (with Draco) are parsed by trimesh, after statements that it would misread are rewritten; the
result is checked against the counts that the file announces. PLY and 3MF are read here, for the reasons that their
modules give.
"""
