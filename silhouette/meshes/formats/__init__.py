"""The mesh file formats: each reads or prepares a file so that nothing hostile or wrong gets past it in silence.

Binary STL is parsed by trimesh, once it is known how many triangles the file has. The others are read here, for the
reasons that their modules give.
"""
