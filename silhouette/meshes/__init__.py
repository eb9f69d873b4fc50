"""LOAD: a mesh file or some solids go in; a `Mesh` comes out: vertices, faces with named parts, and its health."""
