"""DRAW: a judged check on a table of meshes goes in; its eye view, plan and side view come out, as vectors or PNG."""
