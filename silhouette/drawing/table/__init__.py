"""DRAW: a judged look on a table of meshes goes in; its eye view, plan and side view come out, on a sheet or as a PNG."""
