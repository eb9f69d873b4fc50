"""LOAD: a mesh file or some solids go in; a `Mesh` comes out: vertices, faces with named parts, and its health.

Others use `mesh.Mesh` and `mesh.read_mesh`, `primitives` (solids), `holes.close` and `holes.encloses`, `cutting.cut_at`
and `bounds` (points that stand for a whole mesh).
"""
