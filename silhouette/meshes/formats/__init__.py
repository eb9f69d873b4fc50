"""The mesh file formats: each reads or prepares a file so that nothing hostile or wrong gets past it in silence.

Binary STL and glTF (with Draco) are parsed by trimesh, and the result is checked against the counts that the file
announces. The others are read here, for the reasons that their modules give.
"""
